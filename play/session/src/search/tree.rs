//! The tree search with a network.

use super::{Found, FoundLine, Searcher, Searching};
use fusion_game::BoardGame;
use fusion_game::evaluator::{Evaluator, value_of_score};
use fusion_network::{Network, NetworkEvaluator};
use fusion_search::pvs::{MATE, MAX_PLY};
use fusion_search::{Line, Proof, Search, SearchConfig};
use std::sync::Arc;

/// Positions of the alpha-beta search that take about as long as one playout, which evaluates the moves
/// as well. So levels and slices have the same times in all games.
const PLAYOUT: u64 = 25;

/// Most nodes of a tree: some 100 MB.
const MOST_NODES: u32 = 1 << 21;

/// A searcher that begins a tree for each position.
pub(super) struct Tree<G: BoardGame> {
    evaluator: Box<dyn Evaluator<G>>,
    search: Option<Search<G>>,
}

impl<G: BoardGame> Tree<G> {
    pub(super) fn new(network: Arc<Network>) -> Self {
        Self { evaluator: Box::new(NetworkEvaluator::new(network)), search: None }
    }
}

impl<G: BoardGame> Searcher<G> for Tree<G> {
    fn advance(
        &mut self,
        game: &G,
        limit: u64,
        lines: usize,
        goes_on: bool,
    ) -> Option<Found<G::Move>> {
        let mut search = self.search.take().filter(|_| goes_on).unwrap_or_else(|| {
            let config = SearchConfig { max_nodes: MOST_NODES, ..SearchConfig::default() };
            Search::new(config, game.clone())
        });
        search.expand_root(&mut *self.evaluator)?;
        let playouts = limit.div_ceil(PLAYOUT).max(2);
        while u64::from(search.visits()) < playouts && search.proof() == Proof::Unknown {
            search.playout(&mut *self.evaluator, None);
        }
        let mut best = search.best_lines(lines, |_| true);
        // The chances of a move that was never visited are not known.
        let visited = best.iter().filter(|line| line.visits > 0).count();
        best.truncate(visited.max(1));
        let found = Found {
            depth: best.first().map_or(0, |line| line.moves.len()),
            selective_depth: best.iter().map(|line| line.moves.len()).max().unwrap_or(0),
            lines: best.into_iter().map(found_line).collect(),
            nodes: u64::from(search.visits()) * PLAYOUT,
            standing: search.wdl(),
            settled: search.proof() != Proof::Unknown,
        };
        self.search = Some(search);
        (!found.lines.is_empty()).then_some(found)
    }

    fn forget(&mut self) {
        self.search = None;
    }

    fn describe(&self) -> Searching {
        let words = "the tree search with a network";
        Searching { words, material: false, unit: "playouts", share: PLAYOUT }
    }
}

/// Describes a line by values as the alpha-beta search has them.
fn found_line<M>(line: Line<M>) -> FoundLine<M> {
    let plies = line.plies.map(|plies| (plies as i32).min(2 * MAX_PLY as i32 - 1));
    let value = match plies {
        Some(plies) if line.wdl.win > line.wdl.loss => MATE - plies,
        Some(plies) => plies - MATE,
        None => value_of_score(line.wdl.score()),
    };
    FoundLine { moves: line.moves, value, chances: line.wdl }
}
