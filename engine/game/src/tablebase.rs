//! Results that need no search.

use crate::{Game, Side};
use std::fmt::Debug;

/// The result of a position with best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedValue {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Plies to the end of the game. For a win: the fewest in which the winner can force it. For a
    /// draw: the most that it can take if nothing more is captured.
    pub plies: u32,
}

/// A source of exact results for some positions, such as a set of endgame tables. Threads share it.
pub trait Tablebase<G: Game>: Debug + Send + Sync {
    /// Returns the result of a game that is not over, under all of its rules and with its history.
    /// `None` if the tablebase has no result.
    ///
    /// The results are consistent with the moves. One of the moves keeps the result. If the game is
    /// won, that move also shortens it by one ply.
    fn probe(&self, game: &G) -> Option<SolvedValue>;

    /// Returns the result that a game which is not over would have with another history, if its own
    /// history is the reason why [`Tablebase::probe`] returns `None`. This result proves nothing
    /// and only helps to choose a move.
    fn probe_hint(&self, _game: &G) -> Option<SolvedValue> {
        None
    }

    /// Returns the names of the kinds of positions that are covered.
    fn contents(&self) -> Vec<String>;

    /// Returns the identity as 64 hexadecimal digits. Tablebases with equal hashes give equal
    /// results. Tablebases with different hashes may also give equal results, for example tables
    /// written by another version of the program.
    fn hash(&self) -> String;
}
