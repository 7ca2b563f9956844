//! A search of all moves for a mate within a number of moves, which also finds out that there is none.

use super::kind::{Kind, Window};
use super::value::{INFINITY, MATE, MAX_PLY};
use super::{Limits, MaterialCount, Pvs, PvsConfig, PvsLine, Run};
use fusion_game::Tactics;

/// The answer of [`find_mate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mate<M> {
    /// The shortest mate.
    Found(PvsLine<M>),
    /// There is no mate within that number of moves.
    Refuted,
    /// The search ended before the answer.
    Unknown,
}

/// Searches a game that is not over for a mate by the side to move in at most this many moves, which
/// begins with one of the moves in `only` if there are any. The search ends as [`Mate::Unknown`]
/// after this many positions, or if `stop` returns true.
///
/// The sides must alternate. Nothing is pruned, so a mate that is not found does not exist, but
/// searches of more than four or five moves take long.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_search::pvs::{Mate, find_mate};
///
/// let game = TicTacToe::from_text(&Variant::parse("normal").unwrap(), "xx.oo....").unwrap();
/// let find = |moves| find_mate(&game, &[], moves, u64::MAX, &|| false);
/// assert_eq!(find(0), Mate::Refuted);
/// let Mate::Found(line) = find(1) else { panic!("c1 wins") };
/// assert_eq!(game.move_text(line.moves[0]), "c1");
/// ```
pub fn find_mate<G: Tactics>(
    game: &G,
    only: &[G::Move],
    moves: u32,
    nodes: u64,
    stop: &dyn Fn() -> bool,
) -> Mate<G::Move> {
    let mut search = Pvs::new(PvsConfig::EXHAUSTIVE, game.rules(), Box::new(MaterialCount));
    search.begin(game, Limits::nodes(nodes), None);
    let mut left_out = Vec::new();
    game.legal_moves(&mut left_out);
    left_out.retain(|mv| !only.is_empty() && !only.contains(mv));
    search.found = left_out;
    let mut run = Run { game: game.clone(), stop };
    for plies in (1..2 * i64::from(moves)).step_by(2) {
        if plies >= MAX_PLY as i64 {
            return Mate::Unknown;
        }
        let plies = plies as i32;
        // A mate after exactly `plies` plies is worth beta. Later ones, and all else, fail low.
        let window = Window::above(MATE - plies - 1);
        search.depth = plies + 1;
        let value = search.node(&mut run, Kind::All, 0, plies + 1, window);
        if search.stopped {
            return Mate::Unknown;
        }
        if value < window.beta {
            continue;
        }
        let mut line = search.frames[0].line.clone();
        // With an open window, the line has all moves.
        search.node(&mut run, Kind::Pv, 0, plies + 1, Window { beta: INFINITY, ..window });
        if !search.stopped {
            line.clone_from(&search.frames[0].line);
        }
        return Mate::Found(PvsLine { value, moves: line });
    }
    Mate::Refuted
}
