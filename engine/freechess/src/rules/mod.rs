//! Rule sets as data: presets and the toggles in which they differ.
//!
//! A rule set is written as a preset and changes to it: `freechess-9,splitting=no`. The text that
//! `Display` writes is canonical: equal rule sets have equal texts.

mod random;
mod values;
mod words;

pub use fusion_game::RulesError;
pub use values::{BoardSize, Reserve, Shield};

use crate::board::{Kind, Piece};
use fusion_game::{ToggleKind, Toggles};

/// The rules of a game: one value for every toggle.
///
/// ```
/// use fusion_freechess::rules::RuleSet;
///
/// // The text leaves out what the preset has already.
/// let rules: RuleSet = "freechess-9,fusing=yes,shield=added".parse()?;
/// assert_eq!(rules.to_string(), "freechess-9,shield=added");
/// assert_eq!(rules.get("reserve").as_deref(), Some("8/5/3/2/1"));
/// # Ok::<(), fusion_freechess::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// `board`: squares on a side.
    pub board: BoardSize,
    /// `reserve`: attributes of each player at the start, beside one royal.
    pub reserve: Reserve,
    /// `combinators`: the combinators of the reserve exist.
    pub combinators: bool,
    /// `valid-squares`: placements only on valid squares (rule 5).
    pub valid_squares: bool,
    /// `shield`: what rule 7 protects.
    pub shield: Shield,
    /// `fusing`: pieces may capture friendly pieces (rule 14).
    pub fusing: bool,
    /// `splitting`: pieces may split (rules 23 to 26).
    pub splitting: bool,
    /// `royal-return`: a split may return the royal attribute to the reserve (rule 26).
    pub royal_return: bool,
    /// `recall`: a split may leave nothing on its origin (rule 25).
    pub recall: bool,
    /// `royal-to-capture`: only a player whose royal is on the board captures (rule 15).
    pub royal_to_capture: bool,
    /// `royal-cancel`: a royal attribute may be placed onto the enemy royal (rule 6c).
    pub royal_cancel: bool,
    /// `pinned-checks`: every strike on a royal is a check; rule 21 does not apply.
    pub pinned_checks: bool,
}

/// The preset of the inventor's game on 13x13 squares.
const FREECHESS: RuleSet = RuleSet {
    board: BoardSize::Thirteen,
    reserve: Reserve { opawns: 13, knights: 8, bishops: 5, rooks: 3, combinators: 2 },
    combinators: true,
    valid_squares: true,
    shield: Shield::Any,
    fusing: true,
    splitting: true,
    royal_return: true,
    recall: false,
    royal_to_capture: true,
    royal_cancel: false,
    pinned_checks: false,
};

/// The presets with their names.
pub const PRESETS: [(&str, RuleSet); 3] = [
    ("freechess", FREECHESS),
    (
        "freechess-9",
        RuleSet {
            board: BoardSize::Nine,
            reserve: Reserve { opawns: 8, knights: 5, bishops: 3, rooks: 2, combinators: 1 },
            ..FREECHESS
        },
    ),
    (
        "freechess-7",
        RuleSet {
            board: BoardSize::Seven,
            reserve: Reserve { opawns: 5, knights: 3, bishops: 2, rooks: 1, combinators: 1 },
            ..FREECHESS
        },
    ),
];

fusion_game::toggles! {
    RuleSet, PRESETS;
    "board" = board, "", "squares on a side of the board";
    "reserve" = reserve, "", "Opawns, Knights, Bishops, Rooks and combinators of a player at the start";
    "combinators" = combinators, "combinators exist", "the combinators of the reserve exist";
    "valid-squares" = valid_squares, "placements near pieces", "placements go only onto squares that a piece holds, strikes or can reach";
    "shield" = shield, "", "which placements the opponent may not cancel in his next turn";
    "fusing" = fusing, "pieces fuse", "pieces move onto friendly pieces and fuse with them";
    "splitting" = splitting, "pieces split", "pieces split";
    "royal-return" = royal_return, "royal returns", "a split may return the royal attribute to the reserve";
    "recall" = recall, "whole pieces leave", "a split may leave nothing on its origin";
    "royal-to-capture" = royal_to_capture, "captures need a royal", "only a player whose royal is on the board captures and gives check";
    "royal-cancel" = royal_cancel, "royals cancel", "a royal attribute may be placed onto the enemy royal, and both leave the game";
    "pinned-checks" = pinned_checks, "pinned pieces check", "every strike on a royal is a check, also one that cannot be carried out";
}

/// The toggles with their words, in the order in which expressions list them.
pub const TOGGLES: &[ToggleKind] = <RuleSet as Toggles>::TOGGLES;

impl RuleSet {
    /// Returns the number of squares on a side of the board.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> usize {
        self.board.squares()
    }

    /// Returns the attributes of each player at the start.
    #[must_use]
    pub fn start_reserve(&self) -> Piece {
        let reserve = self.reserve.attributes().with(Kind::Royal);
        if self.combinators { reserve } else { reserve.without_all(Kind::Combinator) }
    }

    /// Returns whether a placed attribute of a kind can be shielded (rule 7).
    #[must_use]
    pub(crate) fn shields(&self, kind: Kind) -> bool {
        match kind {
            Kind::Combinator => false,
            Kind::Royal => self.royal_cancel,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::RuleSet as _;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    proptest! {
        #[test]
        fn texts_come_back(seed: u64) {
            let rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            prop_assert_eq!(rules.to_string().parse::<RuleSet>().unwrap(), rules);
        }

        #[test]
        fn neighbours_differ_in_one_toggle(seed: u64) {
            let rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            let neighbours = rules.neighbours();
            prop_assert!(neighbours.len() >= TOGGLES.len());
            for near in neighbours {
                prop_assert_eq!(near.differences(&rules).len(), 1);
            }
        }
    }

    #[test]
    fn presets_are_what_the_rules_say() {
        let parse = |text: &str| text.parse::<RuleSet>().unwrap();
        assert_eq!(parse("freechess,board=9,reserve=8/5/3/2/1"), parse("freechess-9"));
        assert_eq!(parse("freechess,board=7,reserve=5/3/2/1/1"), parse("freechess-7"));
        assert_eq!(parse("freechess").start_reserve().to_string(), "kr3b5n8p13c2");
        assert_eq!(parse("freechess-7,combinators=no").start_reserve().to_string(), "krb2n3p5");
        assert_eq!(parse(" freechess-9 , shield = none ").to_string(), "freechess-9,shield=none");
    }

    #[test]
    fn errors_say_what_is_allowed() {
        for (text, wanted) in [
            ("chess", "unknown rule set 'chess'; presets are freechess, freechess-9, freechess-7"),
            ("freechess,gravity=9", "unknown toggle 'gravity'; toggles are board, reserve"),
            ("freechess,board", "'board' is not a change of the form toggle=value"),
            ("freechess,board=8", "toggle 'board' cannot be '8'; it takes 7, 9, 11 or 13"),
            ("freechess,reserve=1/2/3/4", "it takes five numbers from 0 to 13"),
            ("freechess,reserve=1/2/3/4/14", "it takes five numbers from 0 to 13"),
            ("freechess,fusing=no,fusing=no", "toggle 'fusing' is given twice"),
        ] {
            let error = text.parse::<RuleSet>().unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }

    #[test]
    fn every_value_has_a_sentence_of_its_own() {
        for (name, rules) in PRESETS {
            assert!(!<RuleSet as fusion_game::RuleSet>::about(name).is_empty());
            for near in rules.neighbours() {
                for toggle in near.differences(&rules) {
                    let [here, there] = [rules, near].map(|rules| rules.sentence(toggle));
                    assert!(here != there && here.is_some(), "{toggle}");
                }
            }
        }
    }
}
