//! Positions to measure speed with, to try a player on, and to show what toggles do.

use fusion_game::{RuleExample, SanityPosition};

/// The initial position of the preset `freechess`.
pub(super) const START: &str =
    "13/13/13/13/13/13/13/13/13/13/13/13/13 w KR3B5N8P13C2/kr3b5n8p13c2 - -";

/// A position of a random game with pieces of many kinds.
pub(super) const MIDDLE_GAME: &str = "p5{RPC}2r3/13/N12/5{N2}1P3B1/6p1r1p2/1BP5bB3/2R{bc}7P1/1nnn9/10Pp1/3N1bb6/2B7p2/2p3K6/\
     3{kc}2p6 b P7/rp5 - -";

/// Positions with an obvious best move.
pub(super) const SANITY: &[SanityPosition] = &[
    SanityPosition {
        what: "Black mates in one",
        position: "1r5k1/9/9/9/8r/9/7P1/9/K8 b -/- - -",
        best: "i5a5",
    },
    SanityPosition {
        what: "White mates in one",
        position: "k8/9/7p1/9/8R/9/9/9/1R5K1 w -/- - -",
        best: "i5a5",
    },
    SanityPosition {
        what: "White takes a Rook",
        position: "7k1/9/9/1r7/9/9/4B4/9/7K1 w P2/p2 - -",
        best: "e3b6",
    },
];

const fn example(toggle: &'static str, position: &'static str, mv: &'static str) -> RuleExample {
    RuleExample { toggle, position: Some(position), line: "", mv }
}

/// Actions that are legal under some values of a toggle only, on the board of `freechess-9`.
pub(super) const EXAMPLES: [RuleExample; 12] = [
    RuleExample { toggle: "board", position: None, line: "", mv: "P@h8" },
    // The second Rook.
    RuleExample { toggle: "reserve", position: None, line: "R@e5 P@a1", mv: "R@e6" },
    RuleExample { toggle: "combinators", position: None, line: "", mv: "C@e5" },
    example("valid-squares", "8k/9/9/9/9/9/9/9/K8 w P/p - -", "P@e5"),
    example("shield", "8k/9/9/9/5{bn}3/9/9/K8/9 w N/p n@f5 -", "N@f5"),
    example("fusing", "k8/9/9/5B3/9/4N4/9/9/K8 w -/p - -", "e4f6"),
    example("splitting", "8k/9/9/9/9/4{BN}4/9/9/K8 w -/p - -", "e4^n"),
    RuleExample {
        toggle: "royal-return",
        position: Some("8k/9/9/9/9/9/9/9/{KN}8 w -/p - -"),
        line: "a1^k",
        mv: "a1>-",
    },
    example("recall", "8k/9/9/9/9/4N4/9/9/K8 w -/p - -", "e4^n"),
    example("royal-to-capture", "8k/4n4/9/9/9/4R4/9/9/9 w -/p - -", "e4e8"),
    example("royal-cancel", "8k/9/9/9/9/4N4/9/9/9 w K/p - -", "K@i9"),
    example("pinned-checks", "4r4/9/9/9/9/k3R4/9/9/4K4 b -/p - -", "P@a4"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FreeChess;
    use crate::game::CHECKMATE;
    use crate::rules::{RuleSet, TOGGLES};
    use fusion_game::{Game, Notation};

    #[test]
    fn toggles_decide_whether_the_examples_are_legal() {
        let rules: RuleSet = "freechess-9".parse().unwrap();
        for example in EXAMPLES {
            let legal = |rules: &RuleSet| {
                let game = example.game::<FreeChess>(rules).unwrap();
                game.parse_move(example.mv).is_some()
            };
            let same = |near: &RuleSet| {
                TOGGLES.iter().all(|kind| {
                    kind.name == example.toggle || near.get(kind.name) == rules.get(kind.name)
                })
            };
            let neighbours = fusion_game::RuleSet::neighbours(&rules);
            let mut changed = neighbours.iter().filter(|near| same(near));
            assert!(changed.any(|near| legal(near) != legal(&rules)), "{}", example.toggle);
        }
        let has_example = |name| EXAMPLES.iter().any(|example| example.toggle == name);
        assert!(TOGGLES.iter().all(|kind| has_example(kind.name)));
    }

    #[test]
    fn the_best_actions_are_what_they_are_said_to_be() {
        let rules: RuleSet = "freechess-9".parse().unwrap();
        for known in SANITY {
            let mut game = FreeChess::from_text(&rules, known.position).unwrap();
            let before = game.material();
            game.play(game.parse_move(known.best).unwrap());
            match game.outcome_now() {
                Some(outcome) => assert_eq!(outcome.ending, CHECKMATE, "{}", known.what),
                None => assert_eq!(-game.material() - before, 4.0, "{}", known.what),
            }
        }
    }
}
