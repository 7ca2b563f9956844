//! Rule sets as data: presets and the toggles in which they differ.
//!
//! A rule set is written as a preset and changes to it, `fusion-2020,castling=no`, on
//! command lines, in tables and in TOML. [`RuleSet`]'s `Display` is canonical: equal
//! rule sets print the same text, whatever expression they came from.

mod neighbours;
#[cfg(test)]
mod tests;
mod values;

pub use values::{Fission, FusionNeeds, FusionSet, MaxComponents, PromotionSet, RoyalReach, Start};

use crate::board::piece::Piece;
use fusion_game::ToggleKind;
use rand::Rng;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;
use values::Value;

/// The rules of a game: one value for every toggle.
///
/// ```
/// use fusion_chess::rules::RuleSet;
///
/// // The text is canonical: what the preset has already is left out.
/// let rules: RuleSet = "fusion-2020,castling=no,fission=yes".parse()?;
/// assert_eq!(rules.to_string(), "fusion-2020,castling=no");
/// assert_eq!(rules.get("castling").as_deref(), Some("no"));
/// assert!("fusion-2020,castles=no".parse::<RuleSet>().is_err());
/// # Ok::<(), fusion_chess::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
// In this order for `is_usual`.
#[repr(C)]
pub struct RuleSet {
    /// `fusion`: what fuses with each other.
    pub fusion: FusionSet,
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
    /// `royal-reach`: the fission test for royal compounds' far attacks.
    pub royal_reach: RoyalReach,
    /// `promotion`: what a Pawn may become.
    pub promotion: PromotionSet,
    /// `fission`: how compounds split.
    pub fission: Fission,
    /// `fusion-needs`: what a player must not have on the board in order to fuse.
    pub fusion_needs: FusionNeeds,
    /// `max-components`: the most components of one piece.
    pub max_components: MaxComponents,
    /// `metamorph`: an attacked simple Knight, Rook or Bishop that moves to an empty square may
    /// become Rook-Bishop, Rook-Knight or Bishop-Knight, respectively.
    pub metamorph: bool,
    /// `demote-on-capture`: a compound that captures becomes the one component it captured as,
    /// a royal one the King.
    pub demote_on_capture: bool,
    /// `start`: what stands beside the King at the start.
    pub start: Start,
    /// `promotion-unique`: a Pawn may not become a compound that the player has already.
    pub promotion_unique: bool,
}

/// The kinds of rules. Each kind has more moves to generate than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing fuses and nothing splits.
    Chess,
    /// Pieces fuse or split as in Fusion Chess.
    Fusion,
    /// Any further rules: see [`RuleSet::is_usual`].
    Family,
}

const FUSION_1999: RuleSet = RuleSet {
    fusion: FusionSet::ALL,
    fission: Fission::Quiet,
    king_fuses: true,
    fuse_onto_king: false,
    sliders_cross_check: true,
    leapers_cross_check: true,
    attacked_split: true,
    castling: false,
    promotion: PromotionSet::RBN,
    royal_reach: RoyalReach::Geometric,
    fusion_needs: FusionNeeds::Nothing,
    max_components: MaxComponents::Two,
    metamorph: false,
    demote_on_capture: false,
    start: Start::Queen,
    promotion_unique: false,
};

const FUSION_2006: RuleSet =
    RuleSet { king_fuses: false, fuse_onto_king: true, sliders_cross_check: false, ..FUSION_1999 };

const FUSION_2020: RuleSet =
    RuleSet { leapers_cross_check: false, attacked_split: false, castling: true, ..FUSION_2006 };

/// Toggles that have no effect without compound Kings and fission are left unrestricted.
const NO_FUSION: RuleSet = RuleSet {
    fusion: FusionSet::NONE,
    fission: Fission::None,
    king_fuses: false,
    fuse_onto_king: false,
    castling: true,
    ..FUSION_1999
};

const ORTHODOX: RuleSet = RuleSet { promotion: PromotionSet::QRBN, ..NO_FUSION };

const UNION: RuleSet = RuleSet { fusion: FusionSet::ALL, ..ORTHODOX };

/// Every preset with its name: the rules of Fusion Chess and of orthodox chess, then the other
/// games of the family.
pub const PRESETS: [(&str, RuleSet); 12] = [
    ("fusion-2020", FUSION_2020),
    ("fusion-2006", FUSION_2006),
    ("fusion-1999", FUSION_1999),
    ("fusion-2020-gc", RuleSet { royal_reach: RoyalReach::Path, ..FUSION_2020 }),
    ("orthodox", ORTHODOX),
    ("no-fusion", NO_FUSION),
    ("metamorphin", RuleSet { metamorph: true, demote_on_capture: true, ..FUSION_1999 }),
    (
        "combination",
        RuleSet {
            fission: Fission::QuietNoCheck,
            max_components: MaxComponents::Three,
            start: Start::Mann,
            promotion: PromotionSet::RBNO,
            ..UNION
        },
    ),
    (
        "coronation",
        RuleSet { fusion: FusionSet::ROOK_BISHOP, fusion_needs: FusionNeeds::NoQueen, ..ORTHODOX },
    ),
    ("union", UNION),
    ("confederate", RuleSet { fission: Fission::Capture, ..UNION }),
    (
        "empire",
        RuleSet {
            fusion_needs: FusionNeeds::NoCompound,
            promotion: PromotionSet::QMDRBN,
            promotion_unique: true,
            ..UNION
        },
    ),
];

/// The toggles in the order in which expressions list them: name, field, what it allows in a few
/// words, what it is about in full.
macro_rules! toggles {
    ($count:literal, $($name:literal = $field:ident, $short:literal, $words:literal;)+) => {
        /// Names of the toggles in the order in which expressions list them.
        pub const TOGGLES: [&str; $count] = [$($name),+];

        /// The toggles with their words, in the same order.
        pub const TOGGLE_KINDS: [ToggleKind; $count] =
            [$(ToggleKind { name: $name, short: $short, words: $words }),+];

        impl RuleSet {
            /// Sets a toggle to a value.
            ///
            /// # Errors
            /// Returns an error for an unknown toggle, or for a value that the toggle cannot have.
            /// The message lists the valid ones. Contradictions with other toggles are not checked:
            /// see [`RuleSet::check`].
            pub fn set(&mut self, toggle: &str, value: &str) -> Result<(), RulesError> {
                match toggle {
                    $($name => self.$field = read(toggle, value)?,)+
                    _ => return Err(RulesError::Toggle(toggle.into())),
                }
                Ok(())
            }

            /// Returns a toggle's value as text, or `None` for an unknown toggle.
            #[must_use]
            pub fn get(self, toggle: &str) -> Option<String> {
                match toggle {
                    $($name => Some(self.$field.text()),)+
                    _ => None,
                }
            }
        }
    };
}

toggles! {
    16,
    "fusion" = fusion, "pieces fuse", "Rook, Bishop and Knight (and Mann) fuse with each other";
    "fission" = fission, "compounds split", "compounds split";
    "king-fuses" = king_fuses, "King moves to fuse", "the King moves onto a Rook, Bishop or Knight and fuses";
    "fuse-onto-king" = fuse_onto_king, "pieces fuse onto King", "a Rook, Bishop or Knight moves onto the King and fuses";
    "sliders-cross-check" = sliders_cross_check, "KR, KB cross attacks", "Dragon King and Pontiff may cross attacked squares";
    "leapers-cross-check" = leapers_cross_check, "KN leaps over attacks", "Cavalier King may leap between attacked squares";
    "attacked-split" = attacked_split, "attacked pieces split", "an attacked compound may split";
    "castling" = castling, "castling allowed", "castling";
    "promotion" = promotion, "", "what a Pawn may become";
    "royal-reach" = royal_reach, "", "how a royal compound's far attacks forbid splitting";
    "fusion-needs" = fusion_needs, "", "what a player must not have in order to fuse";
    "max-components" = max_components, "", "the most components of a piece";
    "metamorph" = metamorph, "attacked pieces change", "an attacked simple piece that moves may become another";
    "demote-on-capture" = demote_on_capture, "capturing compounds shrink", "a compound that captures becomes the component it captured as";
    "start" = start, "", "what stands beside the King at the start";
    "promotion-unique" = promotion_unique, "no second like compound", "no promotion to a compound that the player has already";
}

fn read<T: Value>(toggle: &str, value: &str) -> Result<T, RulesError> {
    T::read(value).ok_or_else(|| RulesError::Value {
        toggle: toggle.into(),
        value: value.into(),
        allowed: T::ALLOWED,
    })
}

/// The reason why a rule expression is rejected.
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
    /// Two toggles contradict each other.
    #[error("'{0}' contradicts itself: {1}")]
    Contradiction(String, &'static str),
}

fn preset_names() -> String {
    PRESETS.map(|(name, _)| name).join(", ")
}

impl RuleSet {
    /// Draws a rule set from all mixes of toggles that do not contradict each other.
    ///
    /// Half of the rule sets are rules of Fusion Chess. Each of its yes-or-no toggles is a fair
    /// coin. Promotion is to R, B or N half of the time, else to any set of pieces. Each royal
    /// reach is equally likely. In the other half, every toggle that the family's other games add
    /// has, in one of three cases, a value that Fusion Chess does not have.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut rules = Self::random_fusion(rng);
        if rng.next_u64() & 1 == 0 {
            return rules;
        }
        let base = rules;
        loop {
            rules.draw_family(rng);
            if rules.contradiction().is_none() {
                return rules.canonical();
            }
            rules = base;
        }
    }

    /// Draws a mix of the toggles of Fusion Chess.
    fn random_fusion(rng: &mut impl Rng) -> Self {
        let mut coin = || rng.next_u64() & 1 == 0;
        let toggles: [bool; 10] = std::array::from_fn(|_| coin());
        let [fusion, fission, king_fuses, fuse_onto_king, sliders_cross_check, rest @ ..] = toggles;
        let [leapers_cross_check, attacked_split, castling, usual, geometric] = rest;
        Self {
            fusion: if fusion { FusionSet::ALL } else { FusionSet::NONE },
            fission: if fission { Fission::Quiet } else { Fission::None },
            king_fuses,
            fuse_onto_king,
            sliders_cross_check,
            leapers_cross_check,
            attacked_split,
            castling,
            promotion: if usual { PromotionSet::RBN } else { PromotionSet::random(rng, false) },
            royal_reach: if geometric { RoyalReach::Geometric } else { RoyalReach::Path },
            ..FUSION_1999
        }
    }

    /// Changes some of the toggles that the family's other games add to values of their own.
    fn draw_family(&mut self, rng: &mut impl Rng) {
        let mut one_of = |number: u64| rng.next_u64() % number;
        if one_of(3) == 0 {
            self.fusion = FusionSet::random(one_of(16));
        }
        if one_of(3) == 0 {
            self.fission = [Fission::QuietNoCheck, Fission::Capture][one_of(2) as usize];
        }
        if one_of(3) == 0 {
            self.fusion_needs = [FusionNeeds::NoQueen, FusionNeeds::NoCompound][one_of(2) as usize];
        }
        if one_of(3) == 0 {
            self.max_components = MaxComponents::Three;
        }
        self.metamorph = one_of(3) == 0;
        self.demote_on_capture = one_of(3) == 0;
        self.promotion_unique = one_of(3) == 0;
        if one_of(3) == 0 {
            self.start = Start::Mann;
            self.promotion = PromotionSet::random(rng, true);
        }
    }

    /// Returns the preset with this name.
    ///
    /// # Errors
    /// Returns [`RulesError::Preset`], which lists the presets, for any other name.
    ///
    /// # Examples
    /// ```
    /// use fusion_chess::rules::RuleSet;
    ///
    /// assert!(!RuleSet::preset("orthodox")?.fuses());
    /// assert!(RuleSet::preset("fusion-1999")?.fuses());
    /// # Ok::<(), fusion_chess::rules::RulesError>(())
    /// ```
    pub fn preset(name: &str) -> Result<Self, RulesError> {
        PRESETS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, rules)| rules)
            .ok_or_else(|| RulesError::Preset(name.into()))
    }

    /// Returns whether a Mann can come onto the board.
    #[inline]
    #[must_use]
    pub fn has_manns(&self) -> bool {
        (self.start == Start::Mann) | self.promotion.has_mann()
    }

    /// Returns whether pieces can fuse in some way.
    #[must_use]
    pub fn fuses(&self) -> bool {
        self.fusion.any() || self.royals_fuse()
    }

    fn royals_fuse(&self) -> bool {
        self.king_fuses || self.fuse_onto_king
    }

    /// Returns whether more than two components can come together in one piece.
    fn makes_triples(&self) -> bool {
        let ordinary = self.canonical().fusion.components().len();
        (ordinary > 2 || self.royals_fuse()) && self.fusion_needs != FusionNeeds::NoCompound
    }

    /// Returns the kind of rules, which selects the move generator.
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        let splits = self.fission != Fission::None;
        match () {
            () if !self.is_usual() => Kind::Family,
            () if self.fusion.any() | self.king_fuses | self.fuse_onto_king | splits => {
                Kind::Fusion
            }
            () => Kind::Chess,
        }
    }

    /// Returns whether every move is one of orthodox chess. Nothing fuses, splits or changes, and
    /// Pawns promote only to Queens, Rooks, Bishops or Knights, or to some of these. Ordinary chess
    /// programs can follow such games.
    #[must_use]
    pub fn is_chess(&self) -> bool {
        self.kind() == Kind::Chess && self.promotion.pieces().all(Piece::is_orthodox)
    }

    /// Returns whether all toggles that the family's other games add have the values of Fusion
    /// Chess.
    #[inline]
    #[must_use]
    pub fn is_usual(&self) -> bool {
        // Hot path, called in every position: one comparison of neighbouring bytes. The values of
        // Fusion Chess are 0, those of fission 0 and 1, and one bit of promotion is the Mann.
        let toggles = u64::from_ne_bytes([
            self.promotion.bits(),
            self.fission as u8,
            self.fusion_needs as u8,
            self.max_components as u8,
            self.metamorph.into(),
            self.demote_on_capture.into(),
            self.start as u8,
            self.promotion_unique.into(),
        ]);
        const FAMILY: u64 =
            u64::from_ne_bytes([PromotionSet::MANN.bits(), !1, !0, !0, !0, !0, !0, !0]);
        let fusion = (self.fusion == FusionSet::ALL) | (self.fusion == FusionSet::NONE);
        fusion & (toggles & FAMILY == 0)
    }

    /// Rejects toggles that contradict each other.
    ///
    /// # Errors
    /// Returns [`RulesError::Contradiction`] with the reason.
    pub fn check(&self) -> Result<(), RulesError> {
        match self.contradiction() {
            Some(reason) => Err(RulesError::Contradiction(self.to_string(), reason)),
            None => Ok(()),
        }
    }

    fn contradiction(&self) -> Option<&'static str> {
        let simple = |piece: Piece| piece.len() == 1;
        match () {
            () if self.demote_on_capture && self.has_manns() => Some(
                "with demote-on-capture=yes a compound becomes the component it captured as, but \
                 a Mann's step is also one of a Rook or a Bishop (start=mann, or promotion to o)",
            ),
            () if self.fusion.names_mann() && !self.has_manns() => {
                Some("fusion names the Mann (o), but there are none (start=mann, promotion to o)")
            }
            () if self.max_components == MaxComponents::Three && !self.makes_triples() => Some(
                "with max-components=3 nothing makes a piece of three components: fusion must be \
                 of three kinds, or the King fuse, and fusion-needs not be no-compound",
            ),
            () if self.fusion_needs != FusionNeeds::Nothing && !self.fuses() => Some(
                "fusion-needs is a condition on fusion, but fusion, king-fuses and \
                 fuse-onto-king are all no",
            ),
            () if self.promotion_unique && !self.promotion.pieces().any(simple) => Some(
                "with promotion-unique=yes and no simple piece to promote to, a Pawn might have \
                 nothing to become",
            ),
            () => None,
        }
    }

    /// Returns the toggles in which two rule sets differ.
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
        rules.check()?;
        Ok(rules.canonical())
    }

    /// Returns the canonical form of the same rules: without Manns, fusion of R, B and N is fusion
    /// of all.
    #[must_use]
    pub fn canonical(self) -> Self {
        let fusion = if self.has_manns() { self.fusion } else { self.fusion.without_manns() };
        Self { fusion, ..self }
    }
}

impl FromStr for RuleSet {
    type Err = RulesError;

    /// Parses `preset[,toggle=value]...`.
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
    /// Formats the preset with the fewest differences, then the differences.
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
    /// Parses an expression, or a table such as `{ preset = "fusion-2020", castling = false }`.
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
