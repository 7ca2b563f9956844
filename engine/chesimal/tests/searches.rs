//! The searches play the game.

use fusion_chesimal::ChesimalGame;
use fusion_chesimal::game::KINGS;
use fusion_chesimal::rules::{PRESETS, RuleSet};
use fusion_game::evaluator::{MoveEvaluator, Uniform};
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_network::views::{ViewEvaluator, ViewFloats, ViewNetwork};
use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig};
use fusion_search::{Proof, Search, SearchConfig};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// White takes the last King with the Warmachine in the third action: its own King has to be chosen
/// and to make the connection first.
const TWO_STEPS: &str = "8/8/3k4/8/3W4/8/8/K7 w - - 0 9";

fn game(text: &str) -> ChesimalGame {
    ChesimalGame::from_text(&RuleSet::preset("chesimal-small").unwrap(), text).unwrap()
}

/// Plays the actions of a line and returns whether White has won.
fn wins(line: impl IntoIterator<Item = fusion_chesimal::board::Action>) -> bool {
    let mut game = game(TWO_STEPS);
    line.into_iter().for_each(|action| game.play(action));
    let outcome = game.outcome_now();
    outcome.is_some_and(|outcome| outcome.ending == KINGS)
}

#[test]
fn searches_find_a_win_of_three_actions() {
    let mut search = Search::new(SearchConfig::default(), game(TWO_STEPS));
    search.run(&mut Uniform { seed: 1 }, 20_000);
    assert_eq!(search.proof(), Proof::of(Some(fusion_game::Side::First)));
    assert!(wins(search.best_lines(1, |_| true)[0].moves.iter().copied()));

    let start = game(TWO_STEPS);
    let network = ViewFloats::random::<ChesimalGame>(start.rules(), 64, 1).unwrap();
    let network = ViewNetwork::quantise::<ChesimalGame>(start.rules(), &network).unwrap();
    let evaluators: [Box<dyn MoveEvaluator<ChesimalGame>>; 2] =
        [Box::new(MaterialCount), Box::new(ViewEvaluator::new(Arc::new(network)))];
    for evaluator in evaluators {
        let mut search = Pvs::new(PvsConfig::default(), start.rules(), evaluator);
        let found = search.search(&start, Limits::depth(8), &|| false).unwrap();
        assert!(wins(found.lines[0].moves.iter().copied()), "{found:?}");
    }
}

/// A network of random weights plays a game under each preset, stopped after 300 actions.
#[test]
fn tree_search_plays_whole_games() {
    let network = fusion_network::benchmark_network::<ChesimalGame>(&PRESETS[0].1);
    let model = Model::of(network.unwrap());
    let mut evaluator = model.evaluator::<ChesimalGame>(0);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (name, rules) in PRESETS {
        let mut search = Search::new(SearchConfig::default(), ChesimalGame::new(&rules));
        let mut turns = 0;
        for _ in 0..300 {
            if search.game().outcome_now().is_some() {
                break;
            }
            search.run(evaluator.as_mut(), 32);
            let action = search.best_move(&mut rng).unwrap();
            assert!(search.game().position().is_legal(&rules, action), "{name}");
            let side = search.game().side_to_move();
            search.advance(action);
            turns += u32::from(search.game().side_to_move() != side);
        }
        assert!(turns > 5, "{name}: {turns} turns");
    }
}
