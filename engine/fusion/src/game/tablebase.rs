//! Exact results from endgame tables for a game with its clock and its history.

use super::FusionGame;
use crate::board::Position;
use crate::endgame::{TableError, Tables, Value};
use fusion_game::tablebase::{SolvedValue, Tablebase};
use fusion_game::{OpenError, OpenErrorKind, Side};

/// Plies that a drawn game is given without a move limit.
const NO_LIMIT: u32 = 100;

/// Tables ignore the fifty-move rule and repetition. Their values still imply the
/// following:
///
/// - A draw is a draw. The play that keeps a side from losing without the two rules also does so
///   with them.
/// - A win in n plies is valid if the clock leaves n plies: mate on the hundredth ply is mate. The
///   winner plays the moves that the tables count. So every ply brings the mate nearer, whatever
///   the other side does, and no position of that line occurs twice. A third occurrence would need
///   a position that occurred twice before and lies on the line. So a win is valid unless such a
///   position is won by the same side in fewer than n plies. In that case the win may still be
///   valid, but no result is returned. Where a win is valid, it is also valid after the moves that
///   the tables count.
///
/// Advice is the table's value where a win is not known to be valid for that last reason, unless a
/// reply makes the game a draw by repetition.
impl Tablebase<FusionGame> for Tables {
    fn probe(&self, game: &FusionGame) -> Option<SolvedValue> {
        let exact = in_time(self, game)?;
        (!may_recur(self, game, exact)).then_some(exact)
    }

    fn probe_hint(&self, game: &FusionGame) -> Option<SolvedValue> {
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

/// Returns the table's value of a position. A draw has 0 plies.
fn tabled(tables: &Tables, position: &Position) -> Option<SolvedValue> {
    let mover: Side = position.side_to_move().into();
    let value = tables.value(position)?;
    let winner = match value {
        Value::Draw => None,
        Value::Win(_) => Some(mover),
        Value::Loss(_) => Some(mover.other()),
    };
    Some(SolvedValue { winner, plies: value.plies().unwrap_or_default().into() })
}

/// Returns the result without regard to repetition. Returns `None` for a win that the fifty-move
/// rule may prevent.
fn in_time(tables: &Tables, game: &FusionGame) -> Option<SolvedValue> {
    let clock = game.position.halfmove_clock();
    let left = game.rules.move_limit.plies().map(|most| u32::from(most.saturating_sub(clock)));
    let exact = tabled(tables, &game.position)?;
    match exact.winner {
        None => Some(SolvedValue { winner: None, plies: left.unwrap_or(NO_LIMIT) }),
        Some(_) => left.is_none_or(|left| exact.plies <= left).then_some(exact),
    }
}

/// Returns whether a position that occurred twice before may occur again on the way to this win.
fn may_recur(tables: &Tables, game: &FusionGame, exact: SolvedValue) -> bool {
    let on_the_way = |position| {
        let known = tabled(tables, position);
        known.is_some_and(|known| known.winner == exact.winner && known.plies < exact.plies)
    };
    exact.winner.is_some() && game.recent_twice().iter().any(on_the_way)
}

impl From<TableError> for OpenError {
    fn from(error: TableError) -> Self {
        let kind = match &error {
            TableError::None { .. } => OpenErrorKind::Missing,
            TableError::Uncovered(_) => OpenErrorKind::Unsupported,
            TableError::Bad { .. } => OpenErrorKind::Rejected,
            TableError::Io { source, .. } => OpenErrorKind::of(source),
        };
        OpenError::new(kind, error)
    }
}
