//! What rule sets mean, in sentences.

use super::{Reserve, RuleSet, Shield};

/// Returns what a preset is, in a few words.
pub(super) fn about(preset: &str) -> &'static str {
    match preset {
        "freechess" => "FreeChess (Scarmani, 2003) on 13x13 squares, with the inventor's reserves",
        "freechess-9" => "FreeChess on 9x9 squares, with reserves one Fibonacci number smaller",
        "freechess-7" => "FreeChess on 7x7 squares, with reserves two Fibonacci numbers smaller",
        _ => "",
    }
}

/// Returns a sentence that says what a toggle's value means.
pub(super) fn sentence(rules: &RuleSet, toggle: &str) -> Option<String> {
    let either = |value: bool, yes: &str, no: &str| if value { yes } else { no }.to_owned();
    Some(match toggle {
        "board" => format!("The board has {0}x{0} squares.", rules.size()),
        "reserve" => {
            let Reserve { opawns, knights, bishops, rooks, combinators } = rules.reserve;
            format!(
                "A player has one royal, {opawns} Opawns, {knights} Knights, {bishops} Bishops, \
                 {rooks} Rooks and {combinators} combinators."
            )
        }
        "combinators" => either(
            rules.combinators,
            "A piece with a combinator moves in several parts.",
            "There are no combinators: a turn has one part.",
        ),
        "valid-squares" => either(
            rules.valid_squares,
            "Attributes are placed where a piece stands, strikes or can go.",
            "Attributes are placed on any square.",
        ),
        "shield" => match rules.shield {
            Shield::Any => "What was just placed cannot be cancelled in the next turn.",
            Shield::Added => "What was just added to a piece cannot be cancelled in the next turn.",
            Shield::Nothing => "What was just placed can be cancelled at once.",
        }
        .to_owned(),
        "fusing" => either(
            rules.fusing,
            "A piece may move onto a friendly piece and fuse with it.",
            "A piece does not move onto a friendly piece.",
        ),
        "splitting" => {
            either(rules.splitting, "A piece may split into several.", "Pieces do not split.")
        }
        "royal-return" => either(
            rules.royal_return,
            "A split may return the royal attribute to the reserve.",
            "The royal attribute never returns to the reserve.",
        ),
        "recall" => either(
            rules.recall,
            "A split may leave nothing on its origin.",
            "A split leaves at least one attribute on its origin.",
        ),
        "royal-to-capture" => either(
            rules.royal_to_capture,
            "Only a player whose royal is on the board captures and gives check.",
            "A player without a royal on the board captures and gives check, too.",
        ),
        "royal-cancel" => either(
            rules.royal_cancel,
            "A royal attribute may be placed onto the enemy royal; both leave the game.",
            "A royal attribute is never placed onto an enemy piece.",
        ),
        "pinned-checks" => either(
            rules.pinned_checks,
            "Every strike on a royal is a check.",
            "A strike on a royal is a check only if the capture would not expose the own royal.",
        ),
        _ => return None,
    })
}
