//! What endgame tables say about a game with its clock and its history.

use super::{FIFTY_MOVES, FusionGame};
use crate::cli::{CORRUPT, Failure, NO_INPUT};
use crate::endgame::{TableError, Tables, Value};
use crate::game::Game;
use crate::oracle::{Exact, Oracle};
use std::io;

/// Tables know neither the fifty-move rule nor repetition. This is what follows from them all
/// the same:
///
/// - A draw is a draw: what keeps a side from losing without the two rules does so with them.
/// - A win in n plies stands if the clock leaves n plies: mate on the hundredth ply is mate. The
///   winner plays the moves that the tables count, so every ply brings the mate nearer, whatever
///   the other side does, and no position of that line comes twice. A third occurrence would
///   need a position that occurred twice before. So a win stands if none did since the last
///   capture; else it may still stand, but nothing is said.
impl Oracle<FusionGame> for Tables {
    fn result(&self, game: &FusionGame) -> Option<Exact> {
        let clock = u32::from(game.position.halfmove_clock());
        let mover = game.side_to_move();
        let (winner, plies) = match self.probe(&game.position)? {
            Value::Draw => {
                return Some(Exact { winner: None, plies: FIFTY_MOVES.saturating_sub(clock) });
            }
            Value::Win(plies) => (mover, u32::from(plies)),
            Value::Loss(plies) => (mover.other(), u32::from(plies)),
        };
        let stands = clock + plies <= FIFTY_MOVES && !game.has_repeated();
        stands.then_some(Exact { winner: Some(winner), plies })
    }

    fn contents(&self) -> Vec<String> {
        self.materials().iter().map(ToString::to_string).collect()
    }

    fn hash(&self) -> String {
        self.sha256()
    }
}

impl From<TableError> for Failure {
    /// Exit code 66 for tables that are not there, 65 for one that is refused.
    fn from(error: TableError) -> Self {
        let code = match &error {
            TableError::None { .. } => NO_INPUT,
            TableError::Bad { .. } => CORRUPT,
            TableError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => NO_INPUT,
            TableError::Io { .. } => 1,
        };
        Failure::new(code, error)
    }
}
