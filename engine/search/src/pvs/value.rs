//! Values of positions: hundredths of the cheapest piece, and mates.

use fusion_game::evaluator::{VALUE_SCALE, Wdl};
use fusion_game::math::exp;

/// The value of a game that is won at the root. A win `n` plies away is worth `n` less.
pub const MATE: i32 = 32_000;
/// The greatest depth of a line in plies.
pub const MAX_PLY: usize = 240;
/// The least value of a win that is proven by the search.
pub const MATE_FROM: i32 = MATE - 2 * MAX_PLY as i32;
/// The least value of a win that a search found, by repetition or proven.
pub(super) const DECIDED: i32 = MATE_FROM - 1;
/// Greater than every value.
pub(super) const INFINITY: i32 = 32_500;

/// Returns the chances that a value stands for. Half of the undecided games are drawn.
#[must_use]
pub fn chances(value: i32) -> Wdl {
    match value {
        value if value >= MATE_FROM => Wdl::WIN,
        value if value <= -MATE_FROM => Wdl::LOSS,
        value => {
            let behind = exp(-(value.abs() as f32) / VALUE_SCALE);
            let least = behind / (1.0 + behind);
            let score = if value < 0 { least } else { 1.0 - least };
            let draw = 2.0 * score * (1.0 - score);
            Wdl { win: score - draw / 2.0, draw, loss: 1.0 - score - draw / 2.0 }
        }
    }
}

/// Returns the greatest chance of a draw at an expected score.
fn most_draws(score: f32) -> f32 {
    2.0 * score.min(1.0 - score)
}

/// Returns how drawish chances are, from 0 to 1: the chance of a draw as a share of the greatest that
/// is possible at the expected score.
#[must_use]
pub fn drawishness(chances: Wdl) -> f32 {
    (chances.draw / most_draws(chances.score()).max(f32::MIN_POSITIVE)).min(1.0)
}

/// Returns the chances that a value stands for in a position of this [`drawishness`].
#[must_use]
pub fn chances_of(value: i32, drawishness: f32) -> Wdl {
    let score = chances(value).score();
    let draw = drawishness * most_draws(score);
    Wdl { win: score - draw / 2.0, draw, loss: 1.0 - score - draw / 2.0 }
}

/// Returns the plies to the end of the game, positive if the side to move wins, if a value is a
/// proven win or loss.
#[must_use]
pub fn plies_to_end(value: i32) -> Option<i32> {
    match value {
        value if value >= MATE_FROM => Some(MATE - value),
        value if value <= -MATE_FROM => Some(-MATE - value),
        _ => None,
    }
}
