//! What a rule set denies to one side only: the toggle `denied`.

use super::values::Value;
use super::{Fission, FusionSet, RuleSet, TOGGLE_KINDS};
use crate::board::Color;

/// The toggles that can be denied to one side: those that permit moves.
const PERMISSIONS: [&str; 8] = [
    "fusion",
    "fission",
    "king-fuses",
    "fuse-onto-king",
    "sliders-cross-check",
    "leapers-cross-check",
    "attacked-split",
    "castling",
];

/// What one side may not do although the other side may: some of the toggles that permit moves, or
/// nothing.
///
/// ```
/// use fusion_chess::board::Color;
/// use fusion_chess::rules::RuleSet;
///
/// let rules: RuleSet = "fusion-2020,denied=black:castling+fission".parse()?;
/// assert_eq!(rules.of_side(Color::White).to_string(), "fusion-2020");
/// assert_eq!(rules.of_side(Color::Black).to_string(), "fusion-2020,fission=no,castling=no");
/// # Ok::<(), fusion_chess::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Denied {
    /// A bit for each of [`PERMISSIONS`].
    toggles: u8,
    /// White if nothing is denied.
    side: Color,
}

impl Denied {
    /// Nothing is denied.
    pub const NOTHING: Self = Self { toggles: 0, side: Color::White };

    /// Returns whether something is denied to a side.
    #[inline]
    pub(crate) fn limits(self, side: Color) -> bool {
        self.toggles != 0 && self.side == side
    }

    /// Returns what is denied, in plain English.
    pub(super) fn sentence(self) -> String {
        let side = match self.side {
            _ if self.toggles == 0 => return "Both sides may do the same.".into(),
            Color::White => "White",
            Color::Black => "Black",
        };
        let kinds = TOGGLE_KINDS.iter();
        let denied = kinds.filter(|kind| self.names().any(|name| name == kind.name));
        let denied: Vec<_> = denied.map(|kind| kind.short).collect();
        format!("Denied to {side}: {}.", denied.join("; "))
    }

    /// Returns the names of the toggles.
    fn names(self) -> impl Iterator<Item = &'static str> {
        (0..PERMISSIONS.len()).filter(move |i| self.toggles >> i & 1 != 0).map(|i| PERMISSIONS[i])
    }
}

impl Value for Denied {
    const ALLOWED: &'static str = "none, or a side and what it may not do, such as black:castling \
        or white:fusion+fission (fusion, fission, king-fuses, fuse-onto-king, sliders-cross-check, \
        leapers-cross-check, attacked-split, castling)";

    fn read(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self::NOTHING);
        }
        let (side, names) = text.split_once(':')?;
        let side = match side {
            "white" => Color::White,
            "black" => Color::Black,
            _ => return None,
        };
        let mut toggles = 0;
        for name in names.split('+') {
            let bit = 1 << PERMISSIONS.iter().position(|known| *known == name)?;
            if toggles & bit != 0 {
                return None;
            }
            toggles |= bit;
        }
        Some(Self { toggles, side })
    }

    fn text(self) -> String {
        let side = match self.side {
            _ if self.toggles == 0 => return "none".into(),
            Color::White => "white",
            Color::Black => "black",
        };
        format!("{side}:{}", self.names().collect::<Vec<_>>().join("+"))
    }
}

impl RuleSet {
    /// Returns the rules by which a side moves: these rules, less what is denied to it. They deny
    /// nothing.
    #[must_use]
    pub fn of_side(&self, side: Color) -> Self {
        let mut rules = Self { denied: Denied::NOTHING, ..*self };
        if self.denied.limits(side) {
            for name in self.denied.names() {
                match name {
                    "fusion" => rules.fusion = FusionSet::NONE,
                    "fission" => rules.fission = Fission::None,
                    "king-fuses" => rules.king_fuses = false,
                    "fuse-onto-king" => rules.fuse_onto_king = false,
                    "sliders-cross-check" => rules.sliders_cross_check = false,
                    "leapers-cross-check" => rules.leapers_cross_check = false,
                    "attacked-split" => rules.attacked_split = false,
                    _ => rules.castling = false,
                }
            }
        }
        rules
    }

    /// Returns whether everything that is denied to one side is permitted to the other.
    pub(super) fn denies_what_it_permits(&self) -> bool {
        self.denied.names().all(|toggle| self.get(toggle).is_some_and(|value| value != "no"))
    }
}
