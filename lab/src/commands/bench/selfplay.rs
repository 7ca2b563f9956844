//! Self-play: moves per second in training games, on one thread and on two.

use super::Effort;
use super::table::{Table, commas};
use super::timing::{Work, medians, timed};
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::{Search, SearchConfig, TrainingConfig};
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Most random plies at the beginning of a game: the default of a study.
const RANDOM_PLIES: u32 = 8;
/// Number of moves that are then drawn from the search's policy.
const DRAWN_PLIES: u32 = 30;
/// Plies after which a game is stopped.
const CAP: u32 = 400;

/// The published rate of another program.
struct Published {
    simulations: u32,
    name: &'static str,
    moves_per_second: f64,
}

/// Training moves per second and core, from the survey that set this program's goals. Each program
/// was built and run there, playing chess, on a machine of the kind that this program is made for.
const PUBLISHED: [Published; 2] = [
    // JAX, Gumbel search, a network of 32 channels and 3 blocks.
    Published { simulations: 32, name: "pgx with mctx", moves_per_second: 32.0 },
    // Rust, its own large networks; 28,000 playouts a second.
    Published { simulations: 64, name: "Monty", moves_per_second: 434.0 },
];

/// Measures and prints the rates.
pub fn measure<G: CompleteGame>(
    table: &mut Table<impl Write>,
    effort: &Effort,
    rules: &G::Rules,
    model: &Model,
) -> anyhow::Result<()> {
    let games = effort.games;
    table.section(&format!("Self-play under {rules}, {games} training games"))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for peer in PUBLISHED {
        let config = TrainingConfig::full(peer.simulations);
        let play = |threads| play_games::<G>(games, threads, rules, model, &config);
        // The games, and so the number of moves, do not depend on the number of threads.
        let moves = play(cores) as f64;
        let contender = |threads| -> Work { Box::new(move || Ok(timed(|| play(threads)).1)) };
        let mut contenders: Vec<Work> = (1..=cores.min(2)).map(contender).collect();
        let seconds = medians(effort.runs, &mut contenders)?;
        let simulations = peer.simulations;
        table.part(&format!("{simulations} simulations a move, {} moves", commas(moves)))?;
        print(table, moves, &seconds, &peer)?;
    }
    Ok(())
}

/// Prints the rates. `seconds` has the time of one thread and, if there are two cores, of two
/// threads.
fn print(
    table: &mut Table<impl Write>,
    moves: f64,
    seconds: &[f64],
    peer: &Published,
) -> anyhow::Result<()> {
    let figure = |seconds: f64| format!("{} moves/s", commas(moves / seconds));
    let Published { name, moves_per_second, .. } = peer;
    let ratio = moves / seconds[0] / moves_per_second;
    let remark = format!("{ratio:.0} x {name} ({moves_per_second} moves/s *)");
    table.row("one thread", &figure(seconds[0]), &remark)?;
    match seconds.get(1) {
        Some(&two) => {
            let remark = format!("{:.2} x one thread", seconds[0] / two);
            table.row("two threads", &figure(two), &remark)
        }
        None => table.row("two threads", "-", "this machine has one core"),
    }
}

/// Plays the games on this number of threads, each of which takes the next game. Returns the number
/// of moves.
fn play_games<G: CompleteGame>(
    games: u32,
    threads: usize,
    rules: &G::Rules,
    model: &Model,
    config: &TrainingConfig,
) -> u64 {
    let (next, moves) = (AtomicU32::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= games {
                        return;
                    }
                    let played = play_game::<G>(number, rules, model, config);
                    moves.fetch_add(played, Ordering::Relaxed);
                }
            });
        }
    });
    moves.into_inner()
}

/// Plays one game. Returns the number of searched moves.
fn play_game<G: CompleteGame>(
    number: u32,
    rules: &G::Rules,
    model: &Model,
    config: &TrainingConfig,
) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(number.into());
    let mut evaluator = model.evaluator(number.into());
    let mut search = Search::new(SearchConfig::default(), opening::<G>(rules, &mut rng));
    let mut moves = Vec::new();
    for ply in 0..CAP {
        moves.clear();
        search.game().legal_moves(&mut moves);
        if search.game().outcome(&moves).is_some() {
            return ply.into();
        }
        let Some(found) = search.training(evaluator.as_mut(), &mut rng, config) else {
            return ply.into();
        };
        let drawn = (ply < DRAWN_PLIES).then(|| draw(&found.policy, &mut rng)).flatten();
        search.advance(drawn.unwrap_or(found.best));
    }
    CAP.into()
}

/// Returns the game after some random moves. If they end the game, it counts as no move.
fn opening<G: CompleteGame>(rules: &G::Rules, rng: &mut ChaCha8Rng) -> G {
    let mut game = G::new(rules);
    let mut moves = Vec::new();
    for _ in 0..rng.random_range(0..=RANDOM_PLIES) {
        moves.clear();
        game.legal_moves(&mut moves);
        let Some(&mv) = moves.choose(rng) else {
            break;
        };
        game.play(mv);
    }
    game
}

fn draw<M: Copy>(policy: &[(M, f32)], rng: &mut ChaCha8Rng) -> Option<M> {
    let shares = WeightedIndex::new(policy.iter().map(|&(_, share)| share)).ok()?;
    Some(policy[shares.sample(rng)].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_registry::FusionGame;

    #[test]
    fn games_are_the_same_whatever_the_threads() {
        let rules = "fusion-2020".parse().unwrap();
        let model = Model::of(fusion_network::benchmark_network::<FusionGame>(&rules).unwrap());
        let config = TrainingConfig::full(4);
        let played = |threads| play_games::<FusionGame>(3, threads, &rules, &model, &config);
        let moves = played(1);
        assert!(moves > 30);
        assert_eq!(played(2), moves);
    }
}
