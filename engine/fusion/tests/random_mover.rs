//! How games of uniformly random movers end: a check of all the endings at once.

use fusion_chess::FusionGame;
use fusion_chess::game::{CHECKMATE, DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_game::Ending;
use fusion_game::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The published shares of orthodox chess (24 million games), in percent.
const PUBLISHED: [(Ending, f64); 5] = [
    (CHECKMATE, 15.31),
    (STALEMATE, 6.13),
    (THREEFOLD, 2.57),
    (FIFTY_MOVE, 22.41),
    (DEAD_POSITION, 53.59),
];

fn place(ending: Ending) -> usize {
    FusionGame::ENDINGS.iter().position(|&known| known == ending).unwrap()
}

#[test]
fn orthodox_random_games_end_in_the_published_shares() {
    const GAMES: u32 = 20_000;
    let start = FusionGame::new(&"orthodox".parse().unwrap());
    let mut game = start.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(24);
    let mut counts = [0u32; FusionGame::ENDINGS.len()];
    let mut moves = Vec::new();
    for _ in 0..GAMES {
        game.clone_from(&start);
        let ending = loop {
            moves.clear();
            game.legal_moves(&mut moves);
            if let Some(outcome) = game.outcome(&moves) {
                break outcome.ending;
            }
            let choice = (u64::from(rng.next_u32()) * moves.len() as u64) >> 32;
            game.play(moves[choice as usize]);
        };
        counts[place(ending)] += 1;
    }
    for (ending, published) in PUBLISHED {
        let share = 100.0 * f64::from(counts[place(ending)]) / f64::from(GAMES);
        let error = (published * (100.0 - published) / f64::from(GAMES)).sqrt();
        // The seed is fixed: this passes or fails once and for all.
        assert!((share - published).abs() < 3.5 * error, "{ending}: {share:.2}% not {published}%");
    }
}
