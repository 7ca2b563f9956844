//! Rule sets that differ in one toggle, and the rule set as the trait of all games.

use super::{PRESETS, RuleSet, TOGGLES};
use fusion_game::{OpenError, ToggleKind};
use rand::Rng;

impl RuleSet {
    /// Returns the rule sets that differ from this one in a single toggle and do not contradict
    /// themselves, in the order of [`TOGGLES`]. They have every other value of a toggle, with some
    /// exceptions. Promotion changes to Q, R, B or N, or to R, B or N if it is the former already.
    /// Castling from the eleventh move on and no move limit stand for all other numbers, and the
    /// array of orthodox chess and that with a Mann for all other initial positions. Nothing is denied
    /// to one side only.
    /// `promotion-unique` is left out if no Pawn becomes a compound.
    #[must_use]
    pub fn neighbours(self) -> Vec<Self> {
        let mut neighbours = Vec::new();
        for ToggleKind { name: toggle, .. } in TOGGLES {
            for value in other_values(toggle) {
                let mut rules = self;
                // The toggle accepts every value in the list.
                let _ = rules.set(toggle, value);
                let rules = rules.canonical();
                let known = rules == self || neighbours.contains(&rules);
                // No Pawn becomes a compound anyway.
                let idle = *toggle == "promotion-unique"
                    && self.promotion.pieces().all(|piece| piece.len() == 1);
                if !known && !idle && rules.check().is_ok() {
                    neighbours.push(rules);
                }
                if *toggle == "promotion" && rules != self {
                    break;
                }
            }
        }
        neighbours
    }
}

impl fusion_game::RuleSet for RuleSet {
    const TOGGLES: &'static [ToggleKind] = TOGGLES;

    fn parse(text: &str) -> Result<Self, OpenError> {
        Ok(text.parse::<Self>()?)
    }

    fn presets() -> Vec<(&'static str, Self)> {
        PRESETS.to_vec()
    }

    fn random(rng: &mut impl Rng) -> Self {
        Self::random(rng)
    }

    fn neighbours(&self) -> Vec<Self> {
        (*self).neighbours()
    }

    fn value(&self, toggle: &str) -> Option<String> {
        self.get(toggle)
    }

    fn choices(toggle: &str) -> &'static [&'static str] {
        match toggle {
            "fusion" => &["yes", "no", "rb", "rn", "bn"],
            "promotion" => &["qrbn", "rbn", "qmdrbn", "rbno"],
            "denied" => &[
                "none",
                "white:castling",
                "black:castling",
                "white:fission",
                "black:fission",
                "white:king-fuses",
                "black:king-fuses",
                "white:fuse-onto-king",
                "black:fuse-onto-king",
            ],
            _ => other_values(toggle),
        }
    }

    fn about(preset: &str) -> &'static str {
        super::words::about(preset)
    }

    fn variant(&self) -> Option<fusion_game::Variant> {
        super::variant::of(self)
    }

    fn sentence(&self, toggle: &str) -> Option<String> {
        (*self).sentence(toggle)
    }
}

/// Returns the values that a neighbour tries.
fn other_values(toggle: &str) -> &'static [&'static str] {
    match toggle {
        "fusion" => &["no", "yes", "rb", "rbn"],
        "fission" => &["no", "yes", "quiet-no-check", "capture"],
        "promotion" => &["qrbn", "rbn"],
        "royal-reach" => &["path", "geometric"],
        "fusion-needs" => &["nothing", "no-queen", "no-compound"],
        "max-components" => &["2", "3"],
        "start" => &["queen", "mann"],
        "pawn-double" => &["first", "never", "second-third", "always"],
        "castling-from" => &["1", "11"],
        "stalemate" => &["draw", "win"],
        "repetition" => &["draw", "loses"],
        "bare-king" => &["none", "loses"],
        "move-limit" => &["50", "none"],
        "denied" => &["none"],
        _ => &["yes", "no"],
    }
}
