//! Searches of a game whose turns do not alternate, compared with best play.

use fusion_game::evaluator::Uniform;
use fusion_game::prelude::*;
use fusion_game::tablebase::Tablebase;
use fusion_game::toy::{KNOWN_FROM, Solver, TicTacToe, VARIANTS, Variant, best_play};
use fusion_search::{Proof, Search, SearchConfig};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Returns a position after random plies that is not over. `None` if the game ended before.
fn position(rules: &str, plies: usize, rng: &mut ChaCha8Rng) -> Option<TicTacToe> {
    let mut game = TicTacToe::new(&Variant::parse(rules).unwrap());
    for _ in 0..plies {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        game.play(*moves.choose(rng)?);
        if game.outcome_now().is_some() {
            return None;
        }
    }
    Some(game)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// A search that ends with a proof has found the result of best play. Its length is that of
    /// a possible game, even if turns do not alternate.
    #[test]
    fn searches_prove_what_best_play_gives(rules in 0usize..4, plies in 3usize..9, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(game) = position(VARIANTS[rules], plies, &mut rng) else { return Ok(()) };
        let (winner, shortest) = best_play(&game);
        let mut search = Search::new(SearchConfig::default(), game.clone());
        search.run(&mut Uniform { seed }, 20_000);
        prop_assert_eq!(search.proof(), Proof::of(winner));
        prop_assert_eq!(search.plies_to_mate().is_some(), winner.is_some());
        for line in search.best_lines(usize::MAX, |_| true) {
            let Some(length) = line.plies else { continue };
            prop_assert_eq!(length as usize, line.moves.len());
            let mut end = game.clone();
            line.moves.iter().for_each(|&mv| end.play(mv));
            let won = end.outcome_now().and_then(|outcome| outcome.winner);
            prop_assert_eq!(Proof::of(won), line.proof);
        }
        if let Some(length) = search.plies_to_mate() {
            // Longer wins may be found first.
            prop_assert!(length >= shortest, "{length} plies, best play has {shortest}");
            prop_assert_eq!(Some(length), search.best_lines(1, |_| true)[0].plies);
        }
        prop_assert_eq!(Some(search.wdl()), Proof::of(winner).wdl(game.side_to_move()));
    }

    /// With tables the search plays the shortest win and the longest loss.
    #[test]
    fn tables_are_played_out_at_best(rules in 0usize..4, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(mut game) = position(VARIANTS[rules], KNOWN_FROM, &mut rng) else { return Ok(()) };
        let (winner, plies) = best_play(&game);
        let tables: Arc<dyn Tablebase<TicTacToe>> = Arc::new(Solver::default());
        let mut played = 0;
        while game.outcome_now().is_none() {
            let search = Search::new(SearchConfig::default(), game.clone());
            let mut search = search.with_tablebase(Some(tables.clone()));
            search.run(&mut Uniform { seed }, 2);
            search.expand_root(&mut Uniform { seed });
            prop_assert_eq!(search.proof(), Proof::of(winner));
            game.play(search.best_move(&mut rng).unwrap());
            played += 1;
        }
        prop_assert_eq!(game.outcome_now().unwrap().winner, winner);
        if winner.is_some() {
            prop_assert_eq!(played, plies);
        }
    }
}
