//! Positions for benchmarks and tests.

use crate::FusionGame;
use crate::board::fen;
use crate::rules::RuleSet;
use fusion_game::Notation;
use fusion_game::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A famous position for move generators: many moves, of all kinds.
pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// The positions of move generation by name.
pub const PERFT_POSITIONS: [(&str, &str); 2] =
    [("start position", fen::START), ("Kiwipete", KIWIPETE)];

/// Returns real middle games under fusion-2020, as FENs.
pub fn middle_game_fens() -> impl Iterator<Item = &'static str> {
    include_str!("positions.txt").lines().filter(|line| !line.starts_with('#'))
}

/// Returns the middle games that are possible under a rule set: all of them under fusion-2020, and
/// those without compounds other than Queens where pieces do not fuse.
#[must_use]
pub fn middle_games(rules: &RuleSet) -> Vec<FusionGame> {
    middle_game_fens().filter_map(|fen| FusionGame::from_text(rules, fen).ok()).collect()
}

/// Returns each game and all games that follow it after one move, in random order. Games that are
/// over are left out. Neighbours have less in common than in a search.
#[must_use]
pub fn leaves(games: &[FusionGame]) -> Vec<FusionGame> {
    let mut moves = Vec::new();
    let mut leaves = games.to_vec();
    for game in games {
        moves.clear();
        game.legal_moves(&mut moves);
        leaves.extend(moves.iter().map(|&mv| {
            let mut next = game.clone();
            next.play(mv);
            next
        }));
    }
    leaves.retain(|game| {
        moves.clear();
        game.legal_moves(&mut moves);
        game.outcome(&moves).is_none()
    });
    leaves.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_games_are_varied_and_not_over() {
        let games = middle_games(&RuleSet::preset("fusion-2020").unwrap());
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
