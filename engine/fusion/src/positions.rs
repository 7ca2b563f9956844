//! Positions for benchmarks and tests.

use crate::FusionGame;
use crate::board::{fen, perft};
use crate::rules::RuleSet;
use fusion_game::BenchmarkSet;
use fusion_game::prelude::*;

/// A famous position for move generators: many moves, of all kinds.
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Returns real middle games under fusion-2020, as FENs.
pub fn middle_game_fens() -> impl Iterator<Item = &'static str> {
    include_str!("positions.txt").lines().filter(|line| !line.starts_with('#'))
}

impl Benchmark for FusionGame {
    const BENCHMARK: BenchmarkSet = BenchmarkSet {
        reference: "orthodox",
        rules: "fusion-2020",
        counts: &[("start position", fen::START, 6), ("Kiwipete", KIWIPETE, 5)],
    };

    fn perft(&self, depth: u32) -> u64 {
        perft::perft(self.position(), self.rules(), depth)
    }

    fn perft_making_every_move(&self, depth: u32) -> u64 {
        perft::perft_making_every_move(self.position(), self.rules(), depth)
    }

    /// Returns the middle games that are possible under a rule set: all of them under fusion-2020,
    /// and those without compounds other than Queens where pieces do not fuse.
    fn middle_games(rules: &RuleSet) -> Vec<Self> {
        middle_game_fens().filter_map(|fen| Self::from_text(rules, fen).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::leaves;

    #[test]
    fn the_middle_games_are_varied_and_not_over() {
        let games = FusionGame::middle_games(&RuleSet::preset("fusion-2020").unwrap());
        assert_eq!(games.len(), middle_game_fens().count());
        let placements: String = middle_game_fens().flat_map(|fen| fen.split(' ').next()).collect();
        let lower = placements.to_ascii_lowercase();
        assert!("qmdgfc".chars().all(|compound| lower.contains(compound)));
        let mut total = 0;
        for game in &games {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            assert_eq!(game.outcome(&moves), None);
            total += moves.len();
        }
        assert!((38..=42).contains(&(total / games.len())), "{total}");
        let leaves = leaves(&games);
        assert!(leaves.len() > total && leaves.len() <= total + games.len());
    }
}
