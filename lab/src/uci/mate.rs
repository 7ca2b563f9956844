//! `go mate`: first a search of all moves, which finds the shortest mate or shows that there is none.
//! If it ends at its bound, the search of the option `Search` follows.

use super::games::UciGame;
use super::report;
use super::request::Request;
use fusion_search::pvs::{Mate, find_mate};

/// Positions after which the search of all moves ends.
const MOST_NODES: u64 = 4_000_000;

/// What the search of all moves found out.
pub(super) enum Solved<M> {
    /// The move of a mate, which is reported.
    Move(M),
    /// There is no mate within that number of moves. This is reported.
    Refuted,
    /// Nothing.
    Open,
}

/// Searches for a mate in at most this many moves.
pub(super) fn solve<G: UciGame>(request: &Request<G>, game: &G, moves: u32) -> Solved<G::Move> {
    let time = request.limits.time(game.side_to_move());
    let stop = || request.stopped() || request.is_late(time);
    let nodes = request.limits.nodes.map_or(MOST_NODES, |nodes| MOST_NODES.min(nodes.into()));
    match find_mate(game, &request.only, moves, nodes, &stop) {
        Mate::Found(line) => {
            let text = report::of_mate(game, &line, request.show_wdl);
            request.output.line(&format!("info {text}"));
            line.moves.first().map_or(Solved::Open, |&mv| Solved::Move(mv))
        }
        Mate::Refuted => {
            request.output.remark(&format!("there is no mate in {moves} or fewer moves"));
            Solved::Refuted
        }
        Mate::Unknown => Solved::Open,
    }
}
