//! Random rule sets, neighbours, and the rule set as the trait of all games.

use super::{BoardSize, PRESETS, Reserve, RuleSet, Shield, TOGGLES, words};
use fusion_game::{OpenError, ToggleKind};
use rand::Rng;

impl fusion_game::RuleSet for RuleSet {
    const TOGGLES: &'static [ToggleKind] = TOGGLES;

    fn parse(text: &str) -> Result<Self, OpenError> {
        Ok(text.parse::<Self>()?)
    }

    fn presets() -> Vec<(&'static str, Self)> {
        PRESETS.to_vec()
    }

    /// Draws the board, each number of the reserve up to a third above the inventor's, and each
    /// toggle by a coin. Small boards are more frequent. Half of the reserves are those of presets.
    fn random(rng: &mut impl Rng) -> Self {
        let mut below = |number: u64| (rng.next_u64() % number) as usize;
        let sizes = [BoardSize::Seven, BoardSize::Nine, BoardSize::Eleven, BoardSize::Thirteen];
        let reserve = if below(2) == 0 {
            PRESETS[below(PRESETS.len() as u64)].1.reserve
        } else {
            Reserve {
                opawns: 1 + below(13) as u8,
                knights: below(11) as u8,
                bishops: below(7) as u8,
                rooks: below(5) as u8,
                combinators: below(4) as u8,
            }
        };
        Self {
            board: sizes[below(4).min(below(4))],
            reserve,
            combinators: below(4) > 0,
            valid_squares: below(3) > 0,
            shield: [Shield::Any, Shield::Added, Shield::Nothing][below(3)],
            fusing: below(3) > 0,
            splitting: below(3) > 0,
            royal_return: below(2) > 0,
            recall: below(2) > 0,
            royal_to_capture: below(2) > 0,
            royal_cancel: below(2) > 0,
            pinned_checks: below(3) == 0,
        }
    }

    fn choices(toggle: &str) -> &'static [&'static str] {
        match toggle {
            "board" => &["7", "9", "11", "13"],
            "reserve" => &["13/8/5/3/2", "8/5/3/2/1", "5/3/2/1/1"],
            "shield" => &["any", "added", "none"],
            _ => &["yes", "no"],
        }
    }

    /// Returns the rule sets that differ in one toggle, in the order of the toggles. Of the
    /// reserves only those of presets are tried.
    fn neighbours(&self) -> Vec<Self> {
        let mut neighbours = Vec::new();
        for ToggleKind { name, .. } in TOGGLES {
            for value in Self::choices(name) {
                let mut near = *self;
                // The toggle accepts every value in the list.
                if near.set(name, value).is_ok() && near != *self {
                    neighbours.push(near);
                }
            }
        }
        neighbours
    }

    fn value(&self, toggle: &str) -> Option<String> {
        self.get(toggle)
    }

    fn about(preset: &str) -> &'static str {
        words::about(preset)
    }

    fn sentence(&self, toggle: &str) -> Option<String> {
        words::sentence(self, toggle)
    }
}
