//! Results that are known without a search.

use crate::game::{Game, Side};
use std::fmt::Debug;

/// The result of a position with best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// Plies to the end of the game: the fewest in which the winner can force it, or the most
    /// that a draw can take if nothing more is captured.
    pub plies: u32,
}

/// Knows the results of some positions, such as a set of endgame tables. Threads share it.
pub trait Oracle<G: Game>: Debug + Send + Sync {
    /// The result of a game that is not over, under all of its rules and with its history;
    /// `None` if it is not known.
    ///
    /// Best play is among the moves: one of them keeps the result, and if somebody wins, in one
    /// ply less.
    fn result(&self, game: &G) -> Option<Exact>;

    /// The result that a game which is not over would have with another history, if its own is
    /// why [`Oracle::result`] does not know it. It proves nothing and only helps to choose a move.
    fn advice(&self, _game: &G) -> Option<Exact> {
        None
    }

    /// What it knows, in names: the kinds of positions.
    fn contents(&self) -> Vec<String>;

    /// Identity as sixty-four hexadecimal digits: who has the same says the same. Who has another
    /// need not say anything else, such as tables that another version of the program wrote.
    fn hash(&self) -> String;
}
