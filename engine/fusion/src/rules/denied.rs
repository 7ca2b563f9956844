//! What a rule set denies to one side only: the toggle `denied`.

use super::{Fission, FusionSet, RuleSet};
use crate::board::Color;
use fusion_game::ToggleValue;

/// The toggles that can be denied to one side: those that permit moves. With each, what the side may
/// not do.
const PERMISSIONS: [(&str, &str); 8] = [
    ("fusion", "fuse pieces other than the King"),
    ("fission", "split compounds"),
    ("king-fuses", "move its King onto a piece to fuse"),
    ("fuse-onto-king", "move a piece onto its King to fuse"),
    ("sliders-cross-check", "slide a King-Rook or King-Bishop across attacked squares"),
    ("leapers-cross-check", "leap with a King-Knight between attacked squares"),
    ("attacked-split", "split an attacked compound"),
    ("castling", "castle"),
];

/// The bit of fission.
const FISSION: u8 = 1 << 1;

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

    /// Returns whether splitting is denied to a side.
    #[inline]
    pub(crate) fn forbids_fission(self, side: Color) -> bool {
        self.limits(side) && self.toggles & FISSION != 0
    }

    /// Returns what is denied, in plain English.
    pub(super) fn sentence(self) -> String {
        let side = match self.side {
            _ if self.toggles == 0 => return "Both sides may do the same.".into(),
            Color::White => "White",
            Color::Black => "Black",
        };
        let denied: Vec<&str> = self.denied().map(|(_, words)| words).collect();
        match &denied[..] {
            [others @ .., last] if !others.is_empty() => {
                format!("{side} may not {} or {last}.", others.join(", "))
            }
            _ => format!("{side} may not {}.", denied.concat()),
        }
    }

    /// Returns the names of the toggles.
    fn names(self) -> impl Iterator<Item = &'static str> {
        self.denied().map(|(name, _)| name)
    }

    fn denied(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        (0..PERMISSIONS.len()).filter(move |i| self.toggles >> i & 1 != 0).map(|i| PERMISSIONS[i])
    }
}

impl ToggleValue for Denied {
    fn allowed() -> String {
        "none, or a side and what it may not do, such as black:castling \
        or white:fusion+fission (fusion, fission, king-fuses, fuse-onto-king, sliders-cross-check, \
        leapers-cross-check, attacked-split, castling)"
            .into()
    }

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
            let bit = 1 << PERMISSIONS.iter().position(|(known, _)| *known == name)?;
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

    /// Returns whether everything that is denied to one side is permitted to the other, and whether
    /// it matters under the other toggles.
    pub(super) fn denies_what_it_permits(&self) -> bool {
        let permitted = |toggle: &str| self.get(toggle).is_some_and(|value| value != "no");
        self.denied.names().all(|toggle| permitted(toggle) && self.sentence(toggle).is_some())
    }

    /// Returns the same rules, or rules that deny something to a side if those make sense.
    #[cfg(test)]
    pub(crate) fn denying_at_random(self, seed: u64) -> Self {
        let denied = Denied {
            toggles: 1 << (seed % 8) | 1 << (seed / 8 % 8),
            side: if seed & 64 == 0 { Color::White } else { Color::Black },
        };
        let rules = Self { denied, ..self };
        if rules.contradiction().is_none() { rules } else { self }
    }
}
