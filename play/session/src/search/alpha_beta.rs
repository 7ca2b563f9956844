//! The alpha-beta search, with a network or by material.

use super::{Found, FoundLine, Searcher, Searching};
use fusion_game::BoardGame;
use fusion_network::views::{ViewEvaluator, ViewNetwork};
use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig, PvsResult};
use std::sync::Arc;

/// Size of the transposition table in MiB.
const TABLE_MIB: u32 = 32;

/// A searcher whose table is kept while the rules stay the same.
pub(super) struct AlphaBeta<G: BoardGame> {
    network: Option<Arc<ViewNetwork>>,
    /// The searcher and the rules of its table.
    searcher: Option<(String, Pvs<G>)>,
    result: Option<PvsResult<G::Move>>,
}

impl<G: BoardGame> AlphaBeta<G> {
    pub(super) fn new(network: Option<Arc<ViewNetwork>>) -> Self {
        Self { network, searcher: None, result: None }
    }

    fn new_searcher(&self, rules: &G::Rules) -> Pvs<G> {
        let config = PvsConfig { table_mib: TABLE_MIB, ..PvsConfig::DEFAULT };
        match &self.network {
            Some(network) => Pvs::new(config, rules, Box::new(ViewEvaluator::new(network.clone()))),
            None => Pvs::new(config, rules, Box::new(MaterialCount)),
        }
    }
}

impl<G: BoardGame> Searcher<G> for AlphaBeta<G> {
    fn advance(
        &mut self,
        game: &G,
        limit: u64,
        lines: usize,
        goes_on: bool,
    ) -> Option<Found<G::Move>> {
        let rules = game.rules().to_string();
        let searcher = match self.searcher.take() {
            Some((known, searcher)) if known == rules => searcher,
            _ => {
                self.result = None;
                self.new_searcher(game.rules())
            }
        };
        let (_, searcher) = self.searcher.insert((rules, searcher));
        let limits = Limits { lines, ..Limits::nodes(limit) };
        let never = || false;
        let result = match self.result.take().filter(|_| goes_on) {
            Some(before) => searcher.resume(game, limits, &never, before),
            None => searcher.search(game, limits, &never),
        }?;
        let found = Found {
            lines: result
                .lines
                .iter()
                .map(|line| FoundLine {
                    moves: line.moves.clone(),
                    value: line.value,
                    chances: result.chances(line.value),
                })
                .collect(),
            depth: result.depth.unsigned_abs() as usize,
            selective_depth: result.selective_depth,
            nodes: result.nodes,
            standing: result.standing,
            settled: result.nodes < limit,
        };
        self.result = Some(result);
        Some(found)
    }

    fn forget(&mut self) {
        (self.searcher, self.result) = (None, None);
    }

    fn describe(&self) -> Searching {
        let words = match self.network {
            Some(_) => "the alpha-beta search with a network",
            None => "the alpha-beta search, which counts material: this game has no network here",
        };
        Searching { words, material: self.network.is_none(), unit: "positions", share: 1 }
    }
}
