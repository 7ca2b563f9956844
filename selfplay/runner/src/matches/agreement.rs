//! Whether another program plays a game by the same rules.

use std::path::Path;
use std::time::Duration;

use fusion_game::{Benchmark, CompleteGame, RuleSet as _};
use fusion_jobs::seeds;

use super::UciClient;
use super::program::Program;
use crate::play;

/// Plies of the moves that are counted from the initial position, and from others.
const DEPTHS: [u32; 2] = [3, 2];
/// Number of other positions.
const POSITIONS: u64 = 40;
/// Most random plies before them.
const PLIES: u32 = 60;
/// Time limit for a count.
const LIMIT: Duration = Duration::from_secs(60);

/// Compares the move counts of a program with those of this one, in the initial position and after random
/// plies. The program prints them as Stockfish does, after `go perft`. Returns what differs; `None` if all agree.
///
/// # Errors
/// Fails if the program cannot be started, ends, or does not answer.
pub fn disagreement<G: CompleteGame>(
    program: &Path,
    rules: &G::Rules,
) -> anyhow::Result<Option<String>> {
    if !Program::can_play(rules) {
        return Ok(Some(format!("no other program can be told to play {rules}")));
    }
    differing_count::<G>(&mut UciClient::start(program, [])?, rules)
}

/// Compares the move counts of a running program, as [`disagreement`] does.
///
/// # Errors
/// Fails if the program ends, or does not answer.
pub(super) fn differing_count<G: CompleteGame>(
    client: &mut UciClient,
    rules: &G::Rules,
) -> anyhow::Result<Option<String>> {
    if let Some(variant) = rules.variant() {
        client.set_variant(&variant)?;
    }
    client.synchronise()?;
    let mut positions = vec![G::new(rules)];
    for number in 1..=POSITIONS {
        let mut rng = seeds::stream("move counts", &[number]);
        let mut game = [G::new(rules)];
        if play::random_plies(&mut game, number as u32 % PLIES, &mut rng).is_some() {
            let [game] = game;
            positions.push(game);
        }
    }
    for (number, game) in positions.iter().enumerate() {
        let (depth, text) = (DEPTHS[usize::from(number > 0)], game.to_text());
        client.send(&format!("position {} {text}", G::POSITION))?;
        let question = format!("go perft {depth}");
        client.send(&question)?;
        let other: Option<u64> = client.wait(&question, LIMIT, |line| {
            if line.starts_with("bestmove") {
                return Some(None);
            }
            let count = line.strip_prefix("Nodes searched:")?.trim();
            Some(count.parse().ok())
        })?;
        let own = Benchmark::perft(game, depth);
        if other != Some(own) {
            let other = other.map_or_else(|| "none".to_owned(), |count| count.to_string());
            return Ok(Some(format!(
                "{} counts {other} sequences of {depth} moves in {text}, this program {own}",
                client.name()
            )));
        }
    }
    Ok(None)
}
