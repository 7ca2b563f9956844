//! Examples of what toggles do, and positions with an obvious best action.

use fusion_game::{RuleExample, SanityPosition};

/// An example with a position.
const fn at(toggle: &'static str, position: &'static str, mv: &'static str) -> RuleExample {
    RuleExample { toggle, position: Some(position), line: "", mv }
}

/// Actions that are legal, or end the game or the turn, depending on a toggle.
pub(super) const RULES: &[RuleExample] = &[
    // A Pawn of another AMP, in touch with the active one.
    RuleExample { toggle: "friendly", position: None, line: "f3o e3d3", mv: "c4c5" },
    at("recruit", "15k/16/16/16/16/16/16/2KPP11/4pk10/16/16/16 w 110022 c5k+c5 3 4", "d5r"),
    // The sixth other unit.
    at(
        "king-others",
        "15k/16/16/16/16/16/1K14/1PPP12/3NPPPPP7/16/16/16 w - b6k+e4+f4+g4+h4+i4 0 2",
        "d5e6",
    ),
    // The fourth other unit, on the small board.
    at("king-others", "7k/8/8/1K6/1PPP4/3NPPP1/8/8 w - b5k+e3+f3+g3 0 2", "d4e5"),
    // The ninth unit.
    at(
        "prince-total",
        "15k/16/16/16/16/16/1S14/1PPP12/4PPPPPPP5/16/16/15K w - b6o+e4+f4+g4+h4+i4+j4+k4+d5 0 2",
        "c5c6",
    ),
    // The fifth unit, on the small board.
    at("prince-total", "7k/8/8/1S6/1PPP4/3NPPP1/8/7K w - b5o+e3+f3+g3+d4 0 2", "c4c5"),
    at("prince-mode", "15k/16/16/16/16/16/16/4PWE9/4KSP9/5N10/16/16 w - - 0 2", "f4b"),
    at("prince-mode", "15k/16/16/16/16/16/16/4PWE9/4KSP9/5N10/16/16 w - - 0 2", "f4d"),
    // The first of two Kings.
    at("kings", "15k/16/16/16/16/4k11/4p11/3WK11/16/16/16/K15 w - e5k 0 2", "e5e7"),
    at("pass", "15k/16/16/16/16/16/4P11/4K11/16/16/16/16 w - - 0 2", "end"),
    at("after-capture", "15k/16/16/16/16/3p1p10/4Pp10/3WK11/16/16/16/16 w - e5k 0 2", "e6f7"),
    // The third activation of White's first turn.
    at("first-turn", "15k/16/16/16/16/16/4P11/3PKP10/16/16/16/16 w - e5k+d5+f5 0 1", "e6e7"),
    at("setup", "sw1kn1es/wp1pp1pe/8/8/8/8/WP1PP1PE/SW1KN1ES w - - 0 1", "d1k"),
    // The third occurrence.
    RuleExample {
        toggle: "repetition",
        position: Some("15k/16/16/16/16/16/16/16/16/16/16/K15 w - - 0 2"),
        line: "a1k a1a2 end p12k p12p11 end a2k a2a1 end p11k p11p12 end \
               a1k a1a2 end p12k p12p11 end a2k a2a1 end p11k p11p12",
        mv: "end",
    },
    at("quiet-limit", "15k/16/16/16/16/16/16/16/16/16/16/K15 w - a1k+a1 99 80", "end"),
];

/// Positions in which one side takes the last King, or is about to.
pub(super) const SANITY: &[SanityPosition] = &[
    SanityPosition {
        what: "White takes the last King",
        position: "16/16/16/16/4p11/3k12/4W11/3PK11/3S12/16/16/16 w - e5k 3 30",
        best: "e5d7",
    },
    SanityPosition {
        what: "Black takes the last King",
        position: "16/16/16/3s12/3pk11/4w11/3K12/4P11/16/16/16/16 b - e8k 3 30",
        best: "e8d6",
    },
    SanityPosition {
        what: "White wins a Prince",
        position: "15k/16/16/16/3s12/16/3W12/3K12/16/16/16/k14K w - d5k 3 30",
        best: "d6d8",
    },
    SanityPosition {
        what: "Black wins a Prince",
        position: "K14k/16/16/3k12/3w12/16/3S12/16/16/16/16/15K b - d9k 3 30",
        best: "d8d6",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChesimalGame;
    use crate::game::{KINGS, tactics};
    use crate::rules::{PRESETS, RuleSet, TOGGLES};
    use fusion_game::prelude::*;

    /// What an action leads to under some rules: whose turn it is, and the outcome. `None` if the
    /// position is impossible or the action is not legal.
    fn effect(example: &RuleExample, rules: &RuleSet) -> Option<String> {
        let mut game: ChesimalGame = example.game(rules)?;
        game.play(game.parse_move(example.mv)?);
        Some(format!("{:?} {:?}", game.side_to_move(), game.outcome_now()))
    }

    #[test]
    fn every_toggle_has_an_example_that_it_changes() {
        for toggle in TOGGLES {
            let examples: Vec<&RuleExample> =
                RULES.iter().filter(|example| example.toggle == toggle.name).collect();
            assert!(!examples.is_empty(), "{} has no example", toggle.name);
            for example in examples {
                let changes = |rules: &RuleSet| {
                    let near = rules.neighbours().into_iter();
                    let mut near =
                        near.filter(|near| near.get(toggle.name) != rules.get(toggle.name));
                    near.any(|near| effect(example, &near) != effect(example, rules))
                };
                assert!(PRESETS.iter().any(|(_, rules)| changes(rules)), "{example:?}");
            }
        }
    }

    #[test]
    fn the_best_actions_are_what_they_are_said_to_be() {
        for known in SANITY {
            let mut game = ChesimalGame::from_text(&PRESETS[0].1, known.position).unwrap();
            let side = game.side_to_move();
            let action = game.parse_move(known.best).unwrap();
            let gain = fusion_game::Tactics::gain(&game, action);
            game.play(action);
            let wins = game
                .outcome_now()
                .is_some_and(|outcome| outcome.ending == KINGS && outcome.winner == Some(side));
            let prince = gain == tactics::worth(crate::board::Kind::Prince);
            assert!(wins == known.what.contains("King") && (wins || prince), "{}", known.what);
        }
    }
}
