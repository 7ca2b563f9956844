//! Evaluation by material.

use super::chances;
use fusion_game::evaluator::{MoveEvaluator, Wdl};
use fusion_game::{Game, Tactics};

/// Counts material.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialCount;

impl<G: Tactics> MoveEvaluator<G> for MaterialCount {
    fn begin(&mut self, _: &G) {}

    fn make(&mut self, _: &G, _: &G::Undo) {}

    fn unmake(&mut self) {}

    fn value(&mut self, game: &G) -> i32 {
        (100.0 * Game::material(game)) as i32
    }

    fn chances(&mut self, game: &G) -> Wdl {
        chances(self.value(game))
    }
}
