//! Rule sets in plain English: a sentence for each toggle.

use super::{AfterCapture, Friendly, Kings, PrinceMode, RuleSet, Setup};

/// Returns what a preset is, in a few words; empty for a text that is no preset's name.
pub(super) fn about(preset: &str) -> &'static str {
    match preset {
        "chesimal" => "Chesimal Fusion I (Joyce 2007): a leader activates all units in touch",
        "chesimal-restricted" => {
            "Chesimal Fusion I with leaders that activate only their own units"
        }
        "chesimal-small" => "Chesimal Fusion I on 8x8 with three leaders a side",
        _ => "",
    }
}

/// Returns a sentence that says what a toggle's value means; `None` for an unknown toggle, and for
/// one that has no effect because of the others.
pub(super) fn sentence(rules: &RuleSet, toggle: &str) -> Option<String> {
    let either = |on: bool, yes: &str, no: &str| if on { yes } else { no }.to_owned();
    let sentence = match toggle {
        "friendly" => either(
            rules.friendly == Friendly::Colour,
            "A leader activates any unit of its colour that is connected to it.",
            "A leader activates only units of its own AMP, connected by units of that AMP.",
        ),
        "recruit" if !rules.has_amps() => return None,
        "recruit" => either(
            rules.recruit,
            "An active leader recruits units of its colour that stand next to it.",
            "Leaders do not recruit.",
        ),
        "king-others" => {
            let number = counted(rules.king_others.get(), "other unit");
            format!("A King activates at most {number} and itself.")
        }
        "prince-total" => {
            let number = counted(rules.prince_total.get(), "unit");
            format!("A Prince activates at most {number}, itself included.")
        }
        "prince-mode" => either(
            rules.prince_mode == PrinceMode::Choose,
            "In each turn, a Prince is ortho or dia.",
            "A Prince activates all kinds but Knights, and Pawns in all directions.",
        ),
        "kings" => match (rules.kings, rules.kings_needed()) {
            (Kings::All, _) => "A side loses with its last King.".to_owned(),
            (Kings::Any, 1) => "A side loses with its only King.".to_owned(),
            (Kings::Any, _) => "A side loses with the first of its Kings.".to_owned(),
        },
        "pass" => either(
            rules.pass,
            "A side may pass its turn.",
            "A side activates at least one unit in its turn, if it can.",
        ),
        "after-capture" => either(
            rules.after_capture == AfterCapture::End,
            "A capture ends the turn.",
            "The turn goes on after a capture.",
        ),
        "first-turn" => match rules.first_turn.0 {
            Some(most) => {
                let number = counted(most.get(), "activation");
                format!("White's first turn has at most {number}.")
            }
            None => "White's first turn is as long as any other.".to_owned(),
        },
        "setup" => match rules.setup {
            Setup::Blocks => "Each side begins with four separate AMPs on 16 files and 12 ranks.",
            Setup::Lines => "Each side begins with two full ranks on 16 files and 12 ranks.",
            Setup::Small => {
                "Each side begins with three AMPs of four units on 8 files and 8 ranks."
            }
        }
        .to_owned(),
        "repetition" => either(
            rules.repetition,
            "The third occurrence of a position is a draw.",
            "Repetition has no effect.",
        ),
        "quiet-limit" => match rules.quiet_limit.0 {
            Some(turns) => {
                let number = counted(turns.get(), "turn");
                format!("The game is a draw after {number} without a capture.")
            }
            None => "The game has no limit on turns without a capture.".to_owned(),
        },
        _ => return None,
    };
    Some(sentence)
}

/// Writes a number with its noun.
fn counted(number: u16, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{PRESETS, TOGGLES};

    #[test]
    fn every_value_has_a_sentence_of_its_own() {
        for (_, rules) in PRESETS {
            for toggle in TOGGLES {
                let own = sentence(&rules, toggle.name);
                assert_eq!(own.is_none(), toggle.name == "recruit" && !rules.has_amps());
                for near in rules.neighbours() {
                    let differs = near.get(toggle.name) != rules.get(toggle.name);
                    let words = sentence(&near, toggle.name);
                    assert!(!differs || words != own, "{rules}, {near}: {words:?}");
                }
            }
        }
        assert_eq!(sentence(&PRESETS[0].1, "castling"), None);
    }

    #[test]
    fn sentences_have_numbers() {
        let rules: RuleSet = "chesimal,king-others=1,kings=any,first-turn=2".parse().unwrap();
        let of = |toggle| sentence(&rules, toggle).unwrap();
        assert_eq!(of("king-others"), "A King activates at most 1 other unit and itself.");
        assert_eq!(of("first-turn"), "White's first turn has at most 2 activations.");
        assert_eq!(of("kings"), "A side loses with the first of its Kings.");
    }
}
