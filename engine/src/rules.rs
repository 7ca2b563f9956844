//! Rule sets as data: presets and the toggles in which they differ.
//!
//! A rule set is written as a preset and changes to it, `fusion-2020,castling=no`, on
//! command lines, in tables and in TOML. [`RuleSet`]'s `Display` is canonical: equal
//! rule sets print the same text, whatever expression they came from.

use crate::board::moves::PROMOTIONS;
use crate::board::piece::Piece;
use rand::Rng;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// What a Pawn may become: a subset of [`PROMOTIONS`], never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PromotionSet(u8);

impl PromotionSet {
    const QRBN: Self = Self(0b11_1001);
    const RBN: Self = Self(0b11_1000);

    /// The pieces, strongest first.
    pub fn pieces(self) -> impl DoubleEndedIterator<Item = Piece> {
        (0..PROMOTIONS.len()).filter(move |i| self.0 >> i & 1 != 0).map(|i| PROMOTIONS[i])
    }

    /// A set drawn uniformly from all that are not empty.
    fn random(rng: &mut impl Rng) -> Self {
        Self(1 + (rng.next_u64() % ((1 << PROMOTIONS.len()) - 1)) as u8)
    }

    /// Number of choices.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Never true: a Pawn always becomes something.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Display for PromotionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().filter_map(Piece::letter).try_for_each(|letter| write!(f, "{letter}"))
    }
}

/// How the fission test sees far attacks by an enemy royal compound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RoyalReach {
    /// By movement and blockers alone.
    Geometric,
    /// Only if the royal could travel the path under the through-check limits.
    Path,
}

/// The rules of a game: one value for every toggle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// `fusion`: Rook, Bishop and Knight fuse with each other.
    pub fusion: bool,
    /// `fission`: compounds split.
    pub fission: bool,
    /// `king-fuses`: the King moves onto a friendly Rook, Bishop or Knight and fuses.
    pub king_fuses: bool,
    /// `fuse-onto-king`: a friendly Rook, Bishop or Knight moves onto the King and fuses.
    pub fuse_onto_king: bool,
    /// `sliders-cross-check`: King-Rook and King-Bishop may cross attacked squares.
    pub sliders_cross_check: bool,
    /// `leapers-cross-check`: King-Knight may leap between attacked gateways.
    pub leapers_cross_check: bool,
    /// `attacked-split`: an attacked compound may split.
    pub attacked_split: bool,
    /// `castling`: castling.
    pub castling: bool,
    /// `promotion`: what a Pawn may become.
    pub promotion: PromotionSet,
    /// `royal-reach`: the fission test for royal compounds' far attacks.
    pub royal_reach: RoyalReach,
}

const FUSION_1999: RuleSet = RuleSet {
    fusion: true,
    fission: true,
    king_fuses: true,
    fuse_onto_king: false,
    sliders_cross_check: true,
    leapers_cross_check: true,
    attacked_split: true,
    castling: false,
    promotion: PromotionSet::RBN,
    royal_reach: RoyalReach::Geometric,
};

const FUSION_2006: RuleSet =
    RuleSet { king_fuses: false, fuse_onto_king: true, sliders_cross_check: false, ..FUSION_1999 };

const FUSION_2020: RuleSet =
    RuleSet { leapers_cross_check: false, attacked_split: false, castling: true, ..FUSION_2006 };

/// The toggles that say nothing without compound Kings and fission are left unrestricted.
const NO_FUSION: RuleSet = RuleSet {
    fusion: false,
    fission: false,
    king_fuses: false,
    fuse_onto_king: false,
    castling: true,
    ..FUSION_1999
};

/// Every preset with its name.
pub const PRESETS: [(&str, RuleSet); 6] = [
    ("fusion-2020", FUSION_2020),
    ("fusion-2006", FUSION_2006),
    ("fusion-1999", FUSION_1999),
    ("fusion-2020-gc", RuleSet { royal_reach: RoyalReach::Path, ..FUSION_2020 }),
    ("orthodox", RuleSet { promotion: PromotionSet::QRBN, ..NO_FUSION }),
    ("no-fusion", NO_FUSION),
];

/// Names of the toggles in the order in which expressions list them.
pub const TOGGLES: [&str; 10] = [
    "fusion",
    "fission",
    "king-fuses",
    "fuse-onto-king",
    "sliders-cross-check",
    "leapers-cross-check",
    "attacked-split",
    "castling",
    "promotion",
    "royal-reach",
];

/// A rule expression that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The expression does not begin with a preset.
    #[error("unknown rule set '{0}'; presets are {presets}", presets = preset_names())]
    Preset(String),
    /// A change names no toggle.
    #[error("unknown toggle '{0}'; toggles are {toggles}", toggles = TOGGLES.join(", "))]
    Toggle(String),
    /// A change has no `=`.
    #[error("'{0}' is not a change of the form toggle=value, such as castling=no")]
    Change(String),
    /// A toggle cannot have that value.
    #[error("toggle '{toggle}' cannot be '{value}'; it takes {allowed}")]
    Value {
        /// The toggle.
        toggle: String,
        /// The value it was given.
        value: String,
        /// The values it takes.
        allowed: &'static str,
    },
    /// A toggle is changed twice.
    #[error("toggle '{0}' is given twice")]
    Twice(String),
}

fn preset_names() -> String {
    PRESETS.map(|(name, _)| name).join(", ")
}

impl RuleSet {
    /// A rule set drawn from all mixes of toggles: each yes or no by a fair coin; promotion
    /// to R, B or N half of the time, else to any set of pieces; each royal reach equally
    /// often.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut coin = || rng.next_u64() & 1 == 0;
        let toggles: [bool; 10] = std::array::from_fn(|_| coin());
        let [fusion, fission, king_fuses, fuse_onto_king, sliders_cross_check, rest @ ..] = toggles;
        let [leapers_cross_check, attacked_split, castling, usual, geometric] = rest;
        Self {
            fusion,
            fission,
            king_fuses,
            fuse_onto_king,
            sliders_cross_check,
            leapers_cross_check,
            attacked_split,
            castling,
            promotion: if usual { PromotionSet::RBN } else { PromotionSet::random(rng) },
            royal_reach: if geometric { RoyalReach::Geometric } else { RoyalReach::Path },
        }
    }

    /// The preset with this name.
    ///
    /// # Errors
    /// [`RulesError::Preset`] lists the presets.
    pub fn preset(name: &str) -> Result<Self, RulesError> {
        PRESETS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, rules)| rules)
            .ok_or_else(|| RulesError::Preset(name.into()))
    }

    /// The yes-or-no toggle with this name.
    fn flag(&mut self, toggle: &str) -> Option<&mut bool> {
        Some(match toggle {
            "fusion" => &mut self.fusion,
            "fission" => &mut self.fission,
            "king-fuses" => &mut self.king_fuses,
            "fuse-onto-king" => &mut self.fuse_onto_king,
            "sliders-cross-check" => &mut self.sliders_cross_check,
            "leapers-cross-check" => &mut self.leapers_cross_check,
            "attacked-split" => &mut self.attacked_split,
            "castling" => &mut self.castling,
            _ => return None,
        })
    }

    /// Gives a toggle a value.
    ///
    /// # Errors
    /// An unknown toggle, or a value that it cannot have; the message lists what exists.
    pub fn set(&mut self, toggle: &str, value: &str) -> Result<(), RulesError> {
        let wrong =
            |allowed| RulesError::Value { toggle: toggle.into(), value: value.into(), allowed };
        if let Some(flag) = self.flag(toggle) {
            *flag = match value {
                "yes" => true,
                "no" => false,
                _ => return Err(wrong("yes or no")),
            };
            return Ok(());
        }
        match toggle {
            "promotion" => {
                self.promotion = promotion_set(value).ok_or_else(|| wrong(ALLOWED_PROMOTIONS))?
            }
            "royal-reach" => {
                self.royal_reach = match value {
                    "geometric" => RoyalReach::Geometric,
                    "path" => RoyalReach::Path,
                    _ => return Err(wrong("geometric or path")),
                }
            }
            _ => return Err(RulesError::Toggle(toggle.into())),
        }
        Ok(())
    }

    /// A toggle's value as text; `None` for an unknown toggle.
    #[must_use]
    pub fn get(mut self, toggle: &str) -> Option<String> {
        if let Some(flag) = self.flag(toggle) {
            return Some(if *flag { "yes" } else { "no" }.into());
        }
        match (toggle, self.royal_reach) {
            ("promotion", _) => Some(self.promotion.to_string()),
            ("royal-reach", RoyalReach::Geometric) => Some("geometric".into()),
            ("royal-reach", RoyalReach::Path) => Some("path".into()),
            _ => None,
        }
    }

    /// The rule sets that differ from this one in a single toggle, in the order of
    /// [`TOGGLES`]: yes for no and no for yes, the other royal reach, and promotion to Q, R, B
    /// or N, or to R, B or N where it is that already.
    #[must_use]
    pub fn ablations(self) -> Vec<Self> {
        let changed = |toggle| {
            let mut rules = self;
            match toggle {
                "promotion" if self.promotion == PromotionSet::QRBN => {
                    rules.promotion = PromotionSet::RBN;
                }
                "promotion" => rules.promotion = PromotionSet::QRBN,
                "royal-reach" if self.royal_reach == RoyalReach::Path => {
                    rules.royal_reach = RoyalReach::Geometric;
                }
                "royal-reach" => rules.royal_reach = RoyalReach::Path,
                _ => {
                    let flag = rules.flag(toggle)?;
                    *flag = !*flag;
                }
            }
            Some(rules)
        };
        TOGGLES.into_iter().filter_map(changed).collect()
    }

    /// The toggles in which two rule sets differ.
    fn differences(self, other: Self) -> Vec<&'static str> {
        TOGGLES.into_iter().filter(|toggle| self.get(toggle) != other.get(toggle)).collect()
    }

    fn with_changes<'a>(
        preset: &str,
        changes: impl Iterator<Item = Result<(&'a str, &'a str), RulesError>>,
    ) -> Result<Self, RulesError> {
        let mut rules = Self::preset(preset)?;
        let mut seen = Vec::new();
        for change in changes {
            let (toggle, value) = change?;
            if seen.contains(&toggle) {
                return Err(RulesError::Twice(toggle.into()));
            }
            rules.set(toggle, value)?;
            seen.push(toggle);
        }
        Ok(rules)
    }
}

const ALLOWED_PROMOTIONS: &str = "a set of different letters out of qmdrbn, such as rbn";

fn promotion_set(letters: &str) -> Option<PromotionSet> {
    let mut set = 0;
    for letter in letters.chars() {
        let bit = 1 << PROMOTIONS.iter().position(|piece| piece.letter() == Some(letter))?;
        if set & bit != 0 {
            return None;
        }
        set |= bit;
    }
    (set != 0).then_some(PromotionSet(set))
}

impl FromStr for RuleSet {
    type Err = RulesError;

    /// Reads `preset[,toggle=value]...`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(',').map(str::trim);
        let preset = parts.next().unwrap_or_default();
        let changes = parts.map(|change| {
            let (toggle, value) =
                change.split_once('=').ok_or_else(|| RulesError::Change(change.into()))?;
            Ok((toggle.trim(), value.trim()))
        });
        Self::with_changes(preset, changes)
    }
}

impl Display for RuleSet {
    /// The preset with the fewest differences, then the differences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, preset) = PRESETS
            .into_iter()
            .min_by_key(|(_, preset)| self.differences(*preset).len())
            .unwrap_or(PRESETS[0]);
        f.write_str(name)?;
        for toggle in self.differences(preset) {
            write!(f, ",{toggle}={}", self.get(toggle).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Serialize for RuleSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    /// From an expression, or from a table such as `{ preset = "fusion-2020", castling = false }`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "a rule expression or a table of toggles")]
        enum Form {
            Expression(String),
            Table(BTreeMap<String, Toggle>),
        }
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "a boolean or text")]
        enum Toggle {
            Flag(bool),
            Text(String),
        }
        let read = match Form::deserialize(deserializer)? {
            Form::Expression(text) => text.parse(),
            Form::Table(table) => {
                let value = |toggle: &'_ Toggle| match toggle {
                    Toggle::Flag(true) => "yes".to_string(),
                    Toggle::Flag(false) => "no".to_string(),
                    Toggle::Text(text) => text.clone(),
                };
                let values: Vec<(&str, String)> =
                    table.iter().map(|(name, toggle)| (name.as_str(), value(toggle))).collect();
                let preset = values.iter().find(|(name, _)| *name == "preset");
                let preset = preset.ok_or_else(|| {
                    de::Error::custom("a table of rules needs `preset = \"...\"`")
                })?;
                let changes = values.iter().filter(|(name, _)| *name != "preset");
                RuleSet::with_changes(
                    &preset.1,
                    changes.map(|(name, text)| Ok((*name, text.as_str()))),
                )
            }
        };
        read.map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn presets_follow_the_table_of_the_rules() {
        // fusion fission king-fuses onto-king sliders leapers attacked-split castling promotion reach
        let table = [
            ("fusion-1999", "yes yes yes no yes yes yes no rbn geometric"),
            ("fusion-2006", "yes yes no yes no yes yes no rbn geometric"),
            ("fusion-2020", "yes yes no yes no no no yes rbn geometric"),
            ("fusion-2020-gc", "yes yes no yes no no no yes rbn path"),
            ("orthodox", "no no no no yes yes yes yes qrbn geometric"),
            ("no-fusion", "no no no no yes yes yes yes rbn geometric"),
        ];
        for (name, expected) in table {
            let rules = RuleSet::preset(name).unwrap();
            let values: Vec<String> = TOGGLES.map(|t| rules.get(t).unwrap()).into();
            assert_eq!(values.join(" "), expected, "{name}");
            assert_eq!(rules.to_string(), name);
        }
    }

    #[test]
    fn errors_list_what_exists() {
        let error = |text: &str| text.parse::<RuleSet>().unwrap_err().to_string();
        assert!(error("fusion").contains("fusion-2020-gc, orthodox"));
        assert!(error("").contains("presets are"));
        assert!(error("fusion-2020,castle=no").contains("leapers-cross-check"));
        assert!(error("fusion-2020,castling=maybe").contains("yes or no"));
        assert!(error("fusion-2020,promotion=").contains("qmdrbn"));
        assert!(error("fusion-2020,promotion=rr").contains("qmdrbn"));
        assert!(error("fusion-2020,castling").contains("toggle=value"));
        assert!(error("fusion-2020,castling=no,castling=yes").contains("twice"));
    }

    proptest! {
        #[test]
        fn any_mix_of_toggles_round_trips(flags: u8, promotion in 1u8..64, path: bool) {
            let mut rules = FUSION_1999;
            for (i, toggle) in TOGGLES[..8].iter().enumerate() {
                rules.set(toggle, if flags >> i & 1 == 0 { "no" } else { "yes" }).unwrap();
            }
            rules.promotion = PromotionSet(promotion);
            rules.set("royal-reach", if path { "path" } else { "geometric" }).unwrap();
            prop_assert_eq!(rules.to_string().parse::<RuleSet>(), Ok(rules));
        }
    }
}
