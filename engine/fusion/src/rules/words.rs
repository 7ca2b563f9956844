//! Rule sets in plain English: a sentence for each toggle.

use super::{
    BareKing, Fission, FusionNeeds, MaxComponents, MoveLimit, PawnDouble, Repetition, RoyalReach,
    RuleSet, Stalemate, Start,
};
use crate::board::{Component, Piece};

/// Returns what a preset is, in a few words; empty for a text that is no preset's name.
pub(super) fn about(preset: &str) -> &'static str {
    match preset {
        "fusion-2020" => "Fusion Chess by its rules of 2020",
        "fusion-2006" => "Fusion Chess by its rules of 2006",
        "fusion-1999" => "Fusion Chess by its rules of 1999",
        "fusion-2020-gc" => "Fusion Chess of 2020 as an online server played it at first",
        "orthodox" => "FIDE chess",
        "no-fusion" => "FIDE chess in which Pawns do not become Queens",
        "metamorphin" => "Metamorphin' (Duniho)",
        "combination" => "Combination Chess (1898)",
        "coronation" => "Coronation Chess (Maus 1924)",
        "union" => "Union Chess (1924)",
        "confederate" => "Confederate Chess (1924)",
        "empire" => "Empire Chess (1925)",
        "az-no-castling" => "FIDE chess without castling",
        "az-no-castling-10" => "FIDE chess without castling in the first ten moves",
        "az-pawn-one-square" => "FIDE chess without double steps",
        "az-stalemate-win" => "FIDE chess in which stalemate wins",
        "az-torpedo" => "FIDE chess with double steps from every rank",
        "az-semi-torpedo" => "FIDE chess with double steps from the second and third rank",
        "az-pawn-back" => "FIDE chess in which Pawns may step back",
        "az-pawn-sideways" => "FIDE chess in which Pawns may step sideways",
        "az-self-capture" => "FIDE chess with captures of one's own pieces",
        _ => "",
    }
}

impl RuleSet {
    /// Returns a sentence that says what a toggle's value means; `None` for an unknown toggle, and for
    /// one that has no effect because of the others.
    ///
    /// ```
    /// use fusion_chess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "orthodox,castling-from=11".parse()?;
    /// assert_eq!(rules.sentence("castling-from").unwrap(), "Castling is allowed from move 11 on.");
    /// // Nothing splits.
    /// assert_eq!(rules.sentence("attacked-split"), None);
    /// # Ok::<(), fusion_chess::rules::RulesError>(())
    /// ```
    #[must_use]
    pub fn sentence(&self, toggle: &str) -> Option<String> {
        self.applies(toggle).then(|| self.words(toggle)).flatten()
    }

    /// Returns whether a toggle can have an effect in a game from the initial position under the other toggles, whatever
    /// its value is. An unknown toggle counts as one that can.
    ///
    /// ```
    /// use fusion_chess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "orthodox".parse()?;
    /// assert!(rules.applies("castling") && !rules.applies("attacked-split"));
    /// # Ok::<(), fusion_chess::rules::RulesError>(())
    /// ```
    #[must_use]
    pub fn applies(&self, toggle: &str) -> bool {
        let royal_compounds = self.royals_fuse();
        let splits = self.fission != Fission::None;
        match toggle {
            "sliders-cross-check" | "leapers-cross-check" => royal_compounds,
            "attacked-split" => splits,
            "royal-reach" => royal_compounds && splits && !self.attacked_split,
            "fusion-needs" | "max-components" => self.fuses(),
            "castling-from" => self.castling,
            "promotion-unique" => self.promotion.pieces().any(|piece| piece.len() > 1),
            _ => true,
        }
    }

    fn words(&self, toggle: &str) -> Option<String> {
        let either = |on: bool, yes: &str, no: &str| if on { yes } else { no }.to_owned();
        Some(match toggle {
            "fusion" => self.words_of_fusion(),
            "fission" => self.words_of_fission().into(),
            "king-fuses" => either(
                self.king_fuses,
                "The King moves onto a Rook, Bishop or Knight of its side and fuses with it.",
                "The King does not move onto another piece to fuse.",
            ),
            "fuse-onto-king" => either(
                self.fuse_onto_king,
                "A Rook, Bishop or Knight moves onto its King and fuses with it.",
                "No piece moves onto its King to fuse.",
            ),
            "sliders-cross-check" => either(
                self.sliders_cross_check,
                "King-Rook and King-Bishop may slide across attacked squares.",
                "King-Rook and King-Bishop may not slide across attacked squares.",
            ),
            "leapers-cross-check" => either(
                self.leapers_cross_check,
                "King-Knight may leap whatever is attacked on the way.",
                "King-Knight may not leap if both squares between are attacked.",
            ),
            "attacked-split" => either(
                self.attacked_split,
                "An attacked compound may split.",
                "An attacked compound may not split.",
            ),
            "castling" => either(self.castling, "Castling is allowed.", "There is no castling."),
            "castling-from" => match self.castling_from.number() {
                1 => "Castling is allowed from the first move on.".into(),
                number => format!("Castling is allowed from move {number} on."),
            },
            "promotion" => {
                let pieces: Vec<String> = self.promotion.pieces().map(name).collect();
                format!("A Pawn on the last rank becomes {}.", listed(&pieces))
            }
            "royal-reach" => match self.royal_reach {
                RoyalReach::Geometric => {
                    "A royal compound attacks from afar whatever it could reach if nothing were \
                     attacked."
                }
                RoyalReach::Path => {
                    "A royal compound attacks from afar only what it could legally travel to."
                }
            }
            .into(),
            "fusion-needs" => match self.fusion_needs {
                FusionNeeds::Nothing => "A side may fuse whatever it has on the board.",
                FusionNeeds::NoQueen => "A side may fuse only while it has no Queen.",
                FusionNeeds::NoCompound => "A side may fuse only while it has no compound.",
            }
            .into(),
            "max-components" => match self.max_components {
                MaxComponents::Two => "A compound has two components.",
                MaxComponents::Three => "A compound may have three components.",
            }
            .into(),
            "metamorph" => either(
                self.metamorph,
                "An attacked simple Knight, Rook or Bishop that moves to an empty square may become \
                 Rook-Bishop, Rook-Knight or Bishop-Knight.",
                "Pieces do not change when they are attacked.",
            ),
            "demote-on-capture" => either(
                self.demote_on_capture,
                "A compound that captures becomes the one component that it captured as.",
                "Compounds that capture stay what they are.",
            ),
            "start" => self.words_of_start(),
            "promotion-unique" => either(
                self.promotion_unique,
                "A Pawn may not become a compound that its side has already.",
                "A Pawn may become what its side has already.",
            ),
            _ => return self.words_of_chess(toggle),
        })
    }

    /// Returns the sentence of a toggle that is not about compounds.
    fn words_of_chess(&self, toggle: &str) -> Option<String> {
        let either = |on: bool, yes: &str, no: &str| if on { yes } else { no }.to_owned();
        Some(match toggle {
            "pawn-double" => match self.pawn_double {
                PawnDouble::First => "A Pawn may step two squares from the second rank.",
                PawnDouble::Never => "Pawns never step two squares.",
                PawnDouble::SecondThird => {
                    "A Pawn may step two squares from the second and the third rank."
                }
                PawnDouble::Always => "A Pawn may step two squares from every rank.",
            }
            .into(),
            "pawn-back" => either(
                self.pawn_back,
                "A Pawn may also step one square back.",
                "Pawns do not step back.",
            ),
            "pawn-sideways" => either(
                self.pawn_sideways,
                "A Pawn may also step one square to the left or right.",
                "Pawns do not step sideways.",
            ),
            "self-capture" => either(
                self.self_capture,
                "Pieces may capture pieces of their own side, except the royal one.",
                "Pieces do not capture their own side's.",
            ),
            "stalemate" => match self.stalemate {
                Stalemate::Draw => "Stalemate is a draw.",
                Stalemate::Win => "Stalemate wins for the side that gives it.",
            }
            .into(),
            "repetition" => match self.repetition {
                Repetition::Draw => "The third occurrence of a position is a draw.",
                Repetition::Loses => {
                    "The player whose move makes a position occur for the third time loses."
                }
            }
            .into(),
            "bare-king" => match self.bare_king {
                BareKing::None => "A side that has only its King plays on.",
                BareKing::Loses => {
                    "A side that has only its King loses, unless it can bare the other King at once."
                }
            }
            .into(),
            "move-limit" => match self.move_limit {
                MoveLimit::NONE => "There is no limit of moves without progress.".into(),
                limit => format!(
                    "{} moves of each side without progress are a draw.",
                    limit.plies().unwrap_or_default() / 2
                ),
            },
            "denied" => self.denied.sentence(),
            _ => return None,
        })
    }

    fn words_of_fusion(&self) -> String {
        let fusible = |component: &Component| self.fusion.components().has(*component);
        let there = |component: &Component| *component != Component::Mann || self.has_manns();
        let kinds = [Component::Rook, Component::Bishop, Component::Knight, Component::Mann];
        let kinds = kinds.into_iter().filter(fusible).filter(there);
        let kinds: Vec<String> = kinds.map(|kind| name(Piece::of(kind))).collect();
        if kinds.is_empty() {
            "Pieces other than the King do not fuse.".into()
        } else {
            format!("A piece moves onto one of its side and fuses with it: {}.", listed(&kinds))
                .replace(" or ", " and ")
        }
    }

    const fn words_of_fission(&self) -> &'static str {
        match self.fission {
            Fission::None => "Compounds do not split.",
            Fission::Quiet => "A compound splits: one component leaves for an empty square.",
            Fission::QuietNoCheck => {
                "A compound splits: one component leaves for an empty square, without giving check."
            }
            Fission::Capture => {
                "A compound splits: one component leaves for an empty square or captures."
            }
        }
    }

    fn words_of_start(&self) -> String {
        match self.start.positions() {
            _ if self.start == Start::QUEEN => "A Queen stands beside the King.".into(),
            _ if self.start == Start::MANN => "A Mann stands beside the King.".into(),
            1 => "The initial position is one of its own.".into(),
            several => format!("Games begin in {several} positions in turn."),
        }
    }
}

/// Returns the name of a piece in a sentence.
fn name(piece: Piece) -> String {
    let names = piece.components().map(|component| match component {
        Component::King => "King",
        Component::Rook => "Rook",
        Component::Bishop => "Bishop",
        Component::Knight => "Knight",
        Component::Pawn => "Pawn",
        Component::Mann => "Mann",
    });
    if piece == Piece::QUEEN { "Queen".into() } else { names.collect::<Vec<_>>().join("-") }
}

fn listed(items: &[String]) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        items => items.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PRESETS, TOGGLES};
    use super::*;
    use fusion_game::Toggles;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    proptest! {
        /// Two values of a toggle never have the same sentence.
        #[test]
        fn a_sentence_tells_each_change(seed: u64) {
            let rules = RuleSet::random(&mut ChaCha8Rng::seed_from_u64(seed));
            for other in rules.neighbours() {
                // Manns that come or go change the meaning of fusion, too.
                if rules.has_manns() != other.has_manns() {
                    continue;
                }
                for toggle in rules.differences(&other) {
                    let [here, there] = [rules, other].map(|rules| rules.sentence(toggle));
                    prop_assert!(here.is_none() && there.is_none() || here != there, "{toggle} {here:?}");
                }
            }
        }
    }

    #[test]
    fn every_toggle_has_a_sentence_somewhere() {
        assert!(PRESETS.iter().all(|(name, _)| !about(name).is_empty()));
        for toggle in TOGGLES.iter().map(|toggle| toggle.name) {
            let found = PRESETS.iter().filter_map(|(_, rules)| rules.sentence(toggle));
            assert!(found.into_iter().all(|text| text.ends_with('.')), "{toggle}");
            assert!(PRESETS.iter().any(|(_, rules)| rules.sentence(toggle).is_some()), "{toggle}");
        }
        assert_eq!(PRESETS[0].1.sentence("nothing"), None);
        let sentence = |rules: &str, toggle| rules.parse::<RuleSet>().unwrap().sentence(toggle);
        assert_eq!(
            sentence("fusion-2020", "fusion").unwrap(),
            "A piece moves onto one of its side and fuses with it: Rook, Bishop and Knight."
        );
        assert_eq!(
            sentence("fusion-2020,denied=black:castling+fission", "denied").unwrap(),
            "Black may not split compounds or castle."
        );
        assert_eq!(
            sentence("fusion-2020,denied=white:fusion", "denied").unwrap(),
            "White may not fuse pieces other than the King."
        );
        assert_eq!(
            sentence("empire", "promotion").unwrap(),
            "A Pawn on the last rank becomes Queen, Rook-Knight, Bishop-Knight, Rook, Bishop or Knight."
        );
    }
}
