//! Measures move counts over middle games of random play: `speed [RULES] [PLIES] [DEPTH]`. Times are
//! those of the processor, so that other programs on the machine disturb little.
//!
//! `cargo run --release -p fusion-freechess --example freechess_speed -- freechess 120 2`

use fusion_freechess::board::{Action, Position, perft};
use fusion_freechess::rules::RuleSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::LazyLock;
use std::time::Instant;

/// A count of sequences of actions.
type Count = fn(&Position, &RuleSet, u32) -> u64;

/// Number of middle games.
const GAMES: u64 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let rules: RuleSet = args.next().unwrap_or("freechess".into()).parse()?;
    let plies: usize = args.next().unwrap_or("120".into()).parse()?;
    let depth: u32 = args.next().unwrap_or("2".into()).parse()?;
    let games: Vec<Position> =
        (0..).filter_map(|seed| middle_game(&rules, plies, seed)).take(GAMES as usize).collect();
    println!("{}", games.first().map(Position::to_text).unwrap_or_default());
    let counts: [(&str, Count); 2] = [
        ("counted in bulk", perft::perft),
        ("every action played", perft::perft_making_every_move),
    ];
    for (what, count) in counts {
        let (start, mut slowest, mut actions) = (seconds(), 0.0f64, 0);
        for game in &games {
            let begin = seconds();
            actions += count(game, &rules, depth);
            slowest = slowest.max(seconds() - begin);
        }
        let seconds = seconds() - start;
        let rate = actions as f64 / seconds / 1e6;
        println!(
            "{what}: {actions} actions, {rate:.1} million a second, slowest game {slowest:.2} s"
        );
    }
    Ok(())
}

/// Returns the time that this thread has run, where Linux tells it; otherwise the time that passed.
fn seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let passed = BEGIN.elapsed().as_secs_f64();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or(passed, |nanoseconds| nanoseconds / 1e9)
}

/// Plays random actions, half of them no placements if there are others. `None` if the game ends
/// before.
fn middle_game(rules: &RuleSet, plies: usize, seed: u64) -> Option<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::start(rules);
    for _ in 0..plies {
        let mut actions = Vec::new();
        position.legal_actions(rules, &mut actions);
        let is_placement = |action: &Action| matches!(action, Action::Place { .. });
        let others: Vec<Action> =
            actions.iter().copied().filter(|action| !is_placement(action)).collect();
        let list = if others.is_empty() || rng.random_bool(0.5) { &actions } else { &others };
        if list.is_empty() {
            return None;
        }
        position.play(rules, list[rng.random_range(0..list.len())]);
    }
    Some(position)
}
