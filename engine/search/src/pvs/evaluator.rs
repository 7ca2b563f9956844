//! Evaluation of positions for the search.

use super::of_score;
use fusion_game::evaluator::Evaluator;
use fusion_game::{Game, Tactics};

/// An evaluator that follows the moves of a search, so that it can update what it computed before.
pub trait MoveEvaluator<G: Tactics>: Send {
    /// Begins at a position.
    fn begin(&mut self, game: &G);

    /// Follows a move, or a pass. `game` is the position after it.
    fn make(&mut self, game: &G, undo: &G::Undo);

    /// Goes back before the last move.
    fn unmake(&mut self);

    /// Returns the value of the current position for the side to move, in hundredths of the
    /// cheapest piece.
    fn value(&mut self, game: &G) -> i32;
}

/// Evaluates every position by itself.
impl<G: Tactics> MoveEvaluator<G> for Box<dyn Evaluator<G>> {
    fn begin(&mut self, _: &G) {}

    fn make(&mut self, _: &G, _: &G::Undo) {}

    fn unmake(&mut self) {}

    fn value(&mut self, game: &G) -> i32 {
        of_score(Evaluator::value(&mut **self, game).wdl.score())
    }
}

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
}
