//! Positions that a player should be able to win.

use crate::Game;
use rand::Rng;
use std::fmt::{Debug, Display};

/// A kind of position that the first side should win and that the second side cannot win. `Display`
/// writes its name. Threads share it.
pub trait Exercise<G: Game>: Debug + Display + Send + Sync {
    /// Draws a random position, with either side to move. Returns `None` if the draw gives no
    /// game, or one that is over or decided at once.
    fn draw(&self, rules: &G::Rules, rng: &mut dyn Rng) -> Option<G>;
}
