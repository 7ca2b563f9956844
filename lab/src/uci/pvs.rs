//! The alpha-beta search of `go`.

use super::games::{OpenTables, UciGame};
use super::report;
use super::request::Request;
use super::searcher::UciSearch;
use fusion_search::pvs::{Limits, Pvs, PvsResult, plies_to_end};
use std::cell::Cell;

/// A table serves every position under the same rules.
impl<G: UciGame> UciSearch<G> for Pvs<G> {
    fn search(&mut self, request: &Request<G>, game: &G, legal: usize) -> Option<G::Move> {
        let side = game.side_to_move();
        let time = request.limits.time(side);
        let forced = legal == 1 && request.limits.on_clock(side);
        // On a clock, a depth that would hardly be finished is not begun.
        let last_start = time.filter(|_| request.limits.on_clock(side)).map(|time| time / 2);
        let is_enough = Cell::new(false);
        let stop = || request.stopped() || request.is_late(time) || is_enough.get();
        let has_tablebase = self.has_tablebase();
        let mut reported = None;
        self.restrict(&request.only);
        let found = self.search_with(game, limits(request, forced), &stop, |search, found| {
            report(request, game, found, Some(search.table_share()), has_tablebase);
            is_enough.set(is_mate_in(request.limits.mate, found) || request.is_late(last_start));
            reported = Some(found.clone());
        })?;
        // The last depth may be unfinished and still have found a better move.
        if reported.is_none_or(|reported| reported.lines != found.lines) {
            report(request, game, &found, None, has_tablebase);
        }
        found.lines.first()?.moves.first().copied()
    }

    fn follow(&mut self, _: Option<&[G::Move]>) -> bool {
        true
    }

    fn afresh(&self, _: &G) -> Option<Box<dyn UciSearch<G>>> {
        None
    }

    fn with_tables(self: Box<Self>, tables: Option<OpenTables<G>>) -> Box<dyn UciSearch<G>> {
        Box::new(self.with_tablebase(tables))
    }
}

fn limits<G: UciGame>(request: &Request<G>, forced: bool) -> Limits {
    let longest = Limits::nodes(request.limits.nodes.map_or(u64::MAX, u64::from));
    let wanted = request.limits.depth.and_then(|depth| i32::try_from(depth).ok());
    let depth = if forced { Some(1) } else { wanted };
    Limits { depth: depth.unwrap_or(longest.depth), lines: request.lines, ..longest }
}

/// Returns whether the best line is a proven win in at most this many moves.
fn is_mate_in<M>(moves: Option<u32>, found: &PvsResult<M>) -> bool {
    let plies = found.lines.first().and_then(|line| plies_to_end(line.value));
    let plies = plies.and_then(|plies| u32::try_from(plies).ok());
    moves.zip(plies).is_some_and(|(moves, plies)| plies.div_ceil(2) <= moves)
}

fn report<G: UciGame>(
    request: &Request<G>,
    game: &G,
    found: &PvsResult<G::Move>,
    table_share: Option<f32>,
    has_tablebase: bool,
) {
    let hits = has_tablebase.then_some(found.tablebase_hits);
    let effort = request.effort(found.nodes, found.nodes, table_share, hits);
    for (i, line) in found.lines.iter().enumerate() {
        let [score, moves] = report::of_pvs(game, i + 1, found, line, request.show_wdl);
        request.output.line(&format!("info {score} {effort} {moves}"));
    }
}
