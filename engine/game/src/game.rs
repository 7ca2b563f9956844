//! The rules of play.

use crate::{Outcome, RuleSet, Side};
use std::fmt::Debug;

/// A position with as much history as the rules need, and the rules themselves: all that search
/// needs.
///
/// `Clone::clone_from` should reuse allocations, because search calls it once a playout.
pub trait Game: Clone + Send + Sync + 'static {
    /// A rule set.
    type Rules: RuleSet;
    /// A move. It is valid only in the position that it was generated for.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Returns the rules' initial position, the first if there are several.
    fn new(rules: &Self::Rules) -> Self;

    /// Returns the number of the rules' initial positions. Games take them in turn.
    fn starts(rules: &Self::Rules) -> usize {
        let _ = rules;
        1
    }

    /// Returns the rules' initial position with this number, counted round.
    fn start(rules: &Self::Rules, number: u64) -> Self {
        let _ = number;
        Self::new(rules)
    }

    /// Returns the rule set in force.
    fn rules(&self) -> &Self::Rules;

    /// Returns the side to move. The sides need not alternate.
    fn side_to_move(&self) -> Side;

    /// Appends all legal moves. The order is fixed for a position.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// Makes a legal move. For other moves the result is unspecified, but the function does not
    /// panic.
    fn play(&mut self, mv: Self::Move);

    /// Forgets the positions before this one. Repetition then counts from here. Games without a rule
    /// on repetition have nothing to forget.
    fn forget_history(&mut self) {}

    /// Returns the outcome if the game is over. `moves` are this position's legal moves.
    fn outcome(&self, moves: &[Self::Move]) -> Option<Outcome>;

    /// Returns the same as [`Game::outcome`], for callers that do not need the moves. A game should
    /// override this if it can find out whether there are legal moves without generating them all.
    fn outcome_now(&self) -> Option<Outcome> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        self.outcome(&moves)
    }

    /// Returns the index of a legal move that wins the game at once. `None` if there is none.
    /// Search calls this once for each node that it expands, so it should be fast.
    fn winning_move(&self, moves: &[Self::Move]) -> Option<usize> {
        let winner = Some(self.side_to_move());
        moves.iter().position(|&mv| {
            let mut next = self.clone();
            next.play(mv);
            next.outcome_now().is_some_and(|outcome| outcome.winner == winner)
        })
    }

    /// Returns a hash of the state that the rules compare for repetition, and of what else changes
    /// the legal moves here or later.
    fn hash(&self) -> u64;

    /// Returns the conventional material balance for the side to move, in units of the cheapest
    /// piece.
    fn material(&self) -> f32;
}
