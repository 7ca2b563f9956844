//! The games of a match.

use anyhow::Context;
use fusion_game::{CompleteGame, Outcome, Side};
use rand::RngExt;

use super::MatchConfig;
use super::report::{Pair, PairGame};
use super::seat::{Seat, Start};
use crate::play::{self, Turns};
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::Played;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;

/// Number of attempts to draw a random opening that does not end the game.
const OPENING_ATTEMPTS: u32 = 100;

/// Plays both games of a pair. Returns `None` if stopped.
///
/// # Errors
/// Fails if a program fails.
pub(super) fn play_pair<G: CompleteGame>(
    config: &MatchConfig,
    arms: &[G::Rules],
    number: u64,
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Played>> {
    let rules = &arms[(number % arms.len() as u64) as usize];
    let numbers = [config.seed, number];
    let first = G::start(rules, number / arms.len() as u64);
    let start = opening(config, first, &numbers);
    let (mut games, mut drawn) = (Vec::with_capacity(2), 0);
    for first_plays in [Side::First, Side::Second] {
        let played = play_game(config, &start, first_plays, &numbers, stop, progress)?;
        let Some(Finished { outcome, plies, moves }) = played else { return Ok(None) };
        drawn += play::draws(outcome);
        games.push(PairGame {
            halves: halves(outcome, first_plays),
            ending: outcome.ending.to_string(),
            plies,
            moves: moves.join(" "),
        });
    }
    let games = <[PairGame; 2]>::try_from(games).ok().context("a pair has two games")?;
    let several = G::starts(rules) > 1;
    let pair = Pair {
        rules: rules.to_string(),
        start: several.then_some(start.first),
        opening: start.line.join(" "),
        games,
    };
    Ok(Some(Played { payload: serde_json::to_vec(&pair)?, drawn }))
}

/// Returns a random opening that does not end the game. After too many attempts it returns the
/// initial position.
fn opening<G: CompleteGame>(config: &MatchConfig, first: G, numbers: &[u64]) -> Start<G> {
    let mut rng = seeds::stream("match opening", numbers);
    for _ in 0..OPENING_ATTEMPTS {
        let plies = rng.random_range(config.plies.0..=config.plies.1);
        let mut game = [first.clone()];
        if let Some(line) = play::random_plies(&mut game, plies, &mut rng) {
            let [game] = game;
            let turns = Turns::of_line(&first, line.iter().map(String::as_str));
            return Start { first: first.to_text(), game, line, turns };
        }
    }
    Start::at(first)
}

/// Plays one game. Returns `None` if stopped.
fn play_game<G: CompleteGame>(
    config: &MatchConfig,
    start: &Start<G>,
    first_plays: Side,
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Finished>> {
    let first = config.first.sit(start, config.search, "match first player", numbers)?;
    let second = config.second.sit(start, config.search, "match second player", numbers)?;
    let seats = if first_plays == Side::First { [first, second] } else { [second, first] };
    play_out(start, seats, config.cap, stop, progress)
}

/// A finished game.
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    /// Plies of the whole game, including its opening.
    pub(crate) plies: u32,
    /// The moves after the opening in engine notation.
    pub(crate) moves: Vec<String>,
}

/// Plays a game to its end between two seats. The first moves for [`Side::First`]. Returns `None`
/// if stopped.
///
/// # Errors
/// Fails if a program fails.
pub(crate) fn play_out<G: CompleteGame>(
    start: &Start<G>,
    seats: [Seat<G>; 2],
    cap: u32,
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Finished>> {
    let [mut first, mut second] = seats;
    let mut game = start.game.clone();
    let mut legal = Vec::new();
    let mut moves = Vec::new();
    let mut turns = start.turns;
    loop {
        let plies = (start.line.len() + moves.len()) as u32;
        legal.clear();
        game.legal_moves(&mut legal);
        if let Some(outcome) = play::outcome(&game, &legal, turns, cap) {
            return Ok(Some(Finished { outcome, plies, moves }));
        }
        let seat = if game.side_to_move() == Side::First { &mut first } else { &mut second };
        let Some(mv) = seat.choose(&game, stop)? else { return Ok(None) };
        first.advance(&game, mv);
        second.advance(&game, mv);
        moves.push(game.move_text(mv));
        turns.play(&mut game, mv);
        progress.count_move();
    }
}

/// Returns the half points of the player of `side`.
fn halves(outcome: Outcome, side: Side) -> u8 {
    match outcome.winner {
        Some(winner) if winner == side => 2,
        Some(_) => 0,
        None => 1,
    }
}
