//! Time calibrated to nodes: the number of nodes with which a player takes a given time, or as long
//! as another player. Games with a number of nodes can be repeated; games by the clock cannot.

use std::fmt::{self, Display};
use std::path::Path;
use std::time::Instant;

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_search::SearchConfig;
use fusion_study::{Searcher, check_budget, rule_sets};
use rand::RngExt;
use serde::Deserialize;

use super::seat::Start;
use super::{KIND, Player, PlayerName};
use crate::play;
use fusion_jobs::seeds;
use fusion_jobs::shard::{self, ShardReader};
use fusion_jobs::stop::Stop;

/// Positions that both players search.
const POSITIONS: u64 = 31;
/// Range of random plies before these positions: openings and middle games.
const PLIES: (u32, u32) = (4, 60);
/// Number of attempts to draw a random line that does not end the game.
const ATTEMPTS: u32 = 100;
/// Nodes of the second player's first trial.
const TRIAL: u32 = 64;
/// Number of trials. Each corrects the nodes of the one before. The first trial runs with cold code
/// and memory.
const TRIALS: u32 = 4;

/// Search times of two players on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct EqualTime {
    /// The first player.
    pub first: PlayerName,
    /// The second player, with the nodes that take as long as the first player's.
    pub second: PlayerName,
    /// Median seconds per move of the first and of the second player.
    pub seconds: [f64; 2],
}

impl Display for EqualTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.seconds.map(|seconds| 1e3 * seconds);
        write!(
            f,
            "equal time: {} takes {first:.2} ms a move, {} {second:.2} ms (medians of {POSITIONS} \
             positions)",
            self.first, self.second
        )
    }
}

/// Chooses the second player's nodes so that it takes as long as the first. Both players search the
/// same positions, one at a time, on the calling thread.
///
/// # Errors
/// Fails if a rule set cannot be parsed (exit codes 64 to 66), and on a request to stop (75 or 130).
pub fn equal_time<G: CompleteGame>(
    first: &Player,
    second: &Player,
    rules: &[String],
    search: SearchConfig,
    seed: u64,
    stop: &Stop,
) -> anyhow::Result<(Player, EqualTime)> {
    let positions = positions::<G>(&rule_sets::<G>(rules)?, seed);
    let trial =
        |nodes| Trial::of([first.clone(), second.with_nodes(nodes)], &positions, search, stop);
    let mut nodes = TRIAL;
    for _ in 0..TRIALS {
        let ratio = trial(nodes)?.ratio;
        nodes = (f64::from(nodes) * ratio).round().clamp(1.0, 1e9) as u32;
    }
    let player = second.at_equal_time(nodes);
    let seconds = trial(nodes)?.seconds;
    let (first, second) = (first.name(), player.name());
    Ok((player, EqualTime { first, second, seconds }))
}

/// The number of nodes that takes a time on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedNodes {
    /// Nodes of each move.
    pub nodes: u32,
    /// Median seconds of a move with this number.
    pub seconds: f64,
}

/// Measures the number of nodes with which a player takes `seconds` a move. It searches positions
/// under these rule sets in turn, one at a time, on the calling thread.
///
/// # Errors
/// Fails if a rule set cannot be parsed, or the tree
/// of `search` is too small for the time (exit code 64), and on a request to stop (75 or 130).
pub fn nodes_in_time<G: CompleteGame>(
    player: &Player,
    seconds: f64,
    rules: &[String],
    search: SearchConfig,
    seed: u64,
    stop: &Stop,
) -> anyhow::Result<TimedNodes> {
    let positions = positions::<G>(&rule_sets::<G>(rules)?, seed);
    let is_tree = matches!(player.searcher(), Some(Searcher::Tree(..)));
    let measure = |nodes| -> anyhow::Result<TimedNodes> {
        if is_tree {
            check_budget("measure.search", &search, "the nodes that this time needs", nodes)?;
        }
        let player = player.with_nodes(nodes);
        let times: anyhow::Result<Vec<f64>> =
            positions.iter().map(|game| time(&player, game, search, stop)).collect();
        Ok(TimedNodes { nodes, seconds: median(times?) })
    };
    let mut measured = measure(TRIAL)?;
    for _ in 0..TRIALS {
        let wanted = f64::from(measured.nodes) * seconds / measured.seconds;
        // A short search is dominated by its beginning, so that one trial says little about a search
        // that is far longer.
        let most = f64::from(measured.nodes) * 100.0;
        measured = measure(wanted.round().clamp(1.0, most.min(1e9)) as u32)?;
    }
    Ok(measured)
}

/// Returns the seconds of a search that begins without memory of another.
fn time<G: CompleteGame>(
    player: &Player,
    game: &G,
    search: SearchConfig,
    stop: &Stop,
) -> anyhow::Result<f64> {
    let start = Start::at(game.clone());
    let mut seat = player.sit(&start, search, "equal time", &[0])?;
    let started = Instant::now();
    seat.choose(game, stop)?;
    // The time of a search that was stopped means nothing.
    stop.check_unsaved()?;
    // A clock of limited resolution may measure no time at all.
    Ok(started.elapsed().as_secs_f64().max(1e-9))
}

/// Returns positions after random plies. They take the rule sets in turn.
fn positions<G: CompleteGame>(arms: &[G::Rules], seed: u64) -> Vec<G> {
    let position = |(number, rules): (u64, &G::Rules)| {
        let mut rng = seeds::stream("equal time", &[seed, number]);
        for _ in 0..ATTEMPTS {
            let plies = rng.random_range(PLIES.0..=PLIES.1);
            let mut game = [G::start(rules, number)];
            if play::random_plies(&mut game, plies, &mut rng).is_some() {
                let [game] = game;
                return game;
            }
        }
        G::new(rules)
    };
    (0..POSITIONS).zip(arms.iter().cycle()).map(position).collect()
}

/// Medians over all positions.
struct Trial {
    /// Seconds of a search of the first and of the second player.
    seconds: [f64; 2],
    /// Ratio of the first player's time to the second's, position by position.
    ratio: f64,
}

impl Trial {
    /// Times both players on every position, each without memory of another. The players take turns in
    /// searching first, so that a change of the machine's speed affects both.
    fn of<G: CompleteGame>(
        players: [Player; 2],
        positions: &[G],
        search: SearchConfig,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let mut seconds = [Vec::new(), Vec::new()];
        let mut ratios = Vec::new();
        for (i, game) in positions.iter().enumerate() {
            for who in [i % 2, 1 - i % 2] {
                seconds[who].push(time(&players[who], game, search, stop)?);
            }
            ratios.push(seconds[0][i] / seconds[1][i]);
        }
        Ok(Self { seconds: seconds.map(median), ratio: median(ratios) })
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

/// Returns the players of the match in a folder, if there is one. A continued match keeps the nodes
/// that were chosen when it began.
///
/// # Errors
/// Fails on a damaged shard (exit code 65), or on an error of the file system.
pub fn recorded(folder: &Path) -> anyhow::Result<Option<[PlayerName; 2]>> {
    #[derive(Deserialize)]
    struct Players {
        first: PlayerName,
        second: PlayerName,
    }
    let path = folder.join(shard::file_name(KIND, 0, 1));
    let part = shard::part_path(&path);
    let header = if path.exists() {
        Some(ShardReader::open(&path)?.header().clone())
    } else if part.exists() {
        shard::read_part_header(&part)?
    } else {
        None
    };
    let Some(header) = header else { return Ok(None) };
    let players: Players = serde_json::from_value(header.parameters).map_err(|error| {
        Failure::corrupt(format!("{}: the players are not understood: {error}", path.display()))
    })?;
    Ok(Some([players.first, players.second]))
}
