//! Speed of the rules and of the tree search, in time on a processor.
//!
//! ```text
//! cargo run --release -p fusion-chesimal --example chesimal_speed
//! ```
//!
//! Counts run over the middle games of each rule set to a depth of 3 actions, the tree search from
//! its first middle games with a network of random weights, 256 wide.

use fusion_chesimal::ChesimalGame;
use fusion_chesimal::rules::RuleSet;
use fusion_game::FeatureSet;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::{Search, SearchConfig};
use std::hint::black_box;

const RULES: [&str; 5] = [
    "chesimal",
    "chesimal,setup=lines",
    "chesimal-restricted",
    "chesimal-small",
    "chesimal-small,friendly=amp,recruit=yes",
];
const DEPTH: u32 = 3;
const PLAYOUTS: u32 = 20_000;
const ROUNDS: u64 = 2_000;

/// Returns the time that the program has had on a processor, which other programs disturb less than
/// the time of the clock.
fn seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/self/schedstat").expect("Linux counts the time");
    times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

/// Returns how often a second something is done, given a function that does it and counts.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    let start = seconds();
    let mut done = 0;
    // Clocks of the kernel are coarse.
    while seconds() - start < 1.0 {
        done += work();
    }
    done as f64 / (seconds() - start)
}

fn main() {
    for text in RULES {
        let rules: RuleSet = text.parse().expect("a rule set");
        let network = fusion_network::benchmark_network::<ChesimalGame>(&rules);
        let mut evaluator = Model::of(network.expect("a network")).evaluator::<ChesimalGame>(0);
        let games = ChesimalGame::middle_games(&rules);
        let sum = |count: fn(&ChesimalGame, u32) -> u64| {
            rate(|| games.iter().map(|game| count(game, DEPTH)).sum()) / 1e6
        };
        let counted = sum(ChesimalGame::perft);
        let made = sum(ChesimalGame::perft_making_every_move);
        let mut features = FeatureSet::new::<ChesimalGame>(&rules);
        let inputs = rate(|| {
            for game in games.iter().cycle().take(ROUNDS as usize) {
                game.features(&mut features);
                black_box(&features);
            }
            ROUNDS
        });
        let mut turn = 0;
        let playouts = rate(|| {
            turn += 1;
            let mut search =
                Search::new(SearchConfig::default(), games[turn % games.len()].clone());
            search.run(evaluator.as_mut(), PLAYOUTS);
            PLAYOUTS.into()
        });
        println!(
            "{text}: millions of actions a second, counted {counted:.1}, made {made:.1}; \
             inputs {:.0} ns; playouts a second {playouts:.0}",
            1e9 / inputs
        );
    }
}
