//! What endgame tables say about a game with its clock and its history.

use super::{FIFTY_MOVES, FusionGame};
use crate::board::Position;
use crate::endgame::{TableError, Tables, Value};
use crate::game::Side;
use crate::oracle::{Exact, Oracle};
use fusion_jobs::exit::{CORRUPT, Failure, NO_INPUT, USAGE};
use std::io;

/// Tables know neither the fifty-move rule nor repetition. This is what follows from them all
/// the same:
///
/// - A draw is a draw: what keeps a side from losing without the two rules does so with them.
/// - A win in n plies stands if the clock leaves n plies: mate on the hundredth ply is mate. The
///   winner plays the moves that the tables count, so every ply brings the mate nearer, whatever
///   the other side does, and no position of that line comes twice. A third occurrence would
///   need a position that came twice before and lies on the line. So a win stands unless such a
///   position is won by the same side in fewer than n plies; else it may still stand, but nothing
///   is said. Where it stands, it does so after the moves that the tables count as well.
///
/// Advice is what the table says where a win does not stand for that last reason, unless a reply
/// makes the game a draw by repetition.
impl Oracle<FusionGame> for Tables {
    fn result(&self, game: &FusionGame) -> Option<Exact> {
        let exact = in_time(self, game)?;
        (!may_recur(self, game, exact)).then_some(exact)
    }

    fn advice(&self, game: &FusionGame) -> Option<Exact> {
        let exact = in_time(self, game)?;
        (may_recur(self, game, exact) && !game.third_is_near()).then_some(exact)
    }

    fn contents(&self) -> Vec<String> {
        self.materials().iter().map(ToString::to_string).collect()
    }

    fn hash(&self) -> String {
        self.sha256()
    }
}

/// What the table says of a position; the plies of a draw are none.
fn tabled(tables: &Tables, position: &Position) -> Option<Exact> {
    let mover: Side = position.side_to_move().into();
    let value = tables.probe(position)?;
    let winner = match value {
        Value::Draw => None,
        Value::Win(_) => Some(mover),
        Value::Loss(_) => Some(mover.other()),
    };
    Some(Exact { winner, plies: value.plies().unwrap_or_default().into() })
}

/// The result but for repetition; `None` for a win that the fifty-move rule may forestall.
fn in_time(tables: &Tables, game: &FusionGame) -> Option<Exact> {
    let left = FIFTY_MOVES.saturating_sub(game.position.halfmove_clock().into());
    let exact = tabled(tables, &game.position)?;
    match exact.winner {
        None => Some(Exact { winner: None, plies: left }),
        Some(_) => (exact.plies <= left).then_some(exact),
    }
}

/// Whether a position that came twice before may come again on the way to this win.
fn may_recur(tables: &Tables, game: &FusionGame, exact: Exact) -> bool {
    let on_the_way = |position| {
        let known = tabled(tables, position);
        known.is_some_and(|known| known.winner == exact.winner && known.plies < exact.plies)
    };
    exact.winner.is_some() && game.twice.iter().any(on_the_way)
}

impl From<TableError> for Failure {
    /// Exit code 66 for tables that are not there, 65 for one that is refused.
    fn from(error: TableError) -> Self {
        let code = match &error {
            TableError::None { .. } => NO_INPUT,
            TableError::Uncovered(_) => USAGE,
            TableError::Bad { .. } => CORRUPT,
            TableError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => NO_INPUT,
            TableError::Io { .. } => 1,
        };
        Failure::new(code, error)
    }
}
