//! Matches between two players, in pairs of games with colours changed.
//!
//! Players are tree searches with PUCT and without noise, the alpha-beta searcher, and other
//! programs over UCI: see [`Player::open`]. Each pair has its own random opening. The pairs take
//! the rule sets in turn. A game that reaches the cap is not a draw. It is counted separately. For
//! the score, the Elo and a sequential test it is half a point for each player.
//!
//! The result does not depend on the number of threads: a sequential test is evaluated after every
//! [`BATCH`] pairs, when all of them are finished. A match against another program can be continued
//! like any other, but may differ when it is played again, because programs may choose at random or
//! keep data from the game before.

mod agreement;
mod calibration;
mod game;
mod games;
mod last_lines;
mod player;
mod program;
mod report;
mod seat;
mod uci_client;

use std::path::Path;

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_search::SearchConfig;
use serde::Serialize;

use crate::behaviour::Identity;
use fusion_jobs::atomic;
use fusion_jobs::cluster;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Run};
use fusion_jobs::shard::{Opened, ShardWriter};
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::{self, TimedSample};
use fusion_statistics::elo::Pentanomial;
use fusion_statistics::sprt::{Decision, SprtConfig};
use fusion_study::rule_sets;

pub use agreement::disagreement;
pub use calibration::{EqualTime, TimedNodes, equal_time, nodes_in_time, recorded};
pub(crate) use game::{Finished, play_out};
pub use player::{Player, PlayerName};
use report::Pair;
pub use report::{MatchReport, RulesScore, Score};
pub(crate) use seat::{Seat, Start};
pub use uci_client::{HANDSHAKE, UciClient};

/// Kind of the shard.
pub const KIND: &str = "match";
/// Name of the file with the result.
pub const RESULT: &str = "strength.json";
/// Number of pairs between two looks at a sequential test.
pub const BATCH: u64 = 16;

/// Settings of a match.
#[derive(Clone)]
pub struct MatchConfig {
    /// The player whose score is reported.
    pub first: Player,
    /// The other player.
    pub second: Player,
    /// Rule sets that the pairs take in turn.
    pub rules: Vec<String>,
    /// Largest number of games, even.
    pub games: u64,
    /// Random plies of an opening, lowest and highest number.
    pub plies: (u32, u32),
    /// Turns, of both sides together, after which a game ends without a result.
    pub cap: u32,
    /// Settings of tree searches.
    pub search: SearchConfig,
    /// A sequential test that may end the match early.
    pub sprt: Option<SprtConfig>,
    /// Seed of the openings and tie-breaks.
    pub seed: u64,
}

/// Settings in the shard's header.
#[derive(Clone, Debug, Serialize)]
struct Parameters {
    scheme: String,
    first: PlayerName,
    second: PlayerName,
    rules: Vec<String>,
    plies: (u32, u32),
    cap: u32,
    search: SearchConfig,
    sprt: Option<SprtConfig>,
}

impl MatchConfig {
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    fn check(&self) -> Result<(), Failure> {
        if self.games == 0 || !self.games.is_multiple_of(2) {
            return Err(Failure::usage("a match needs an even number of games"));
        }
        if self.plies.0 > self.plies.1 || self.plies.1 >= self.cap {
            return Err(Failure::usage(
                "a match's openings must have from <= to plies, fewer than the cap",
            ));
        }
        if self.rules.is_empty() {
            return Err(Failure::usage("a match needs at least one rule set"));
        }
        let checked = self.sprt.map_or(Ok(()), |sprt| sprt.check());
        checked.map_err(|reason| Failure::usage(format!("sprt: {reason}")))
    }

    /// Checks all other values and returns the rule sets.
    ///
    /// # Errors
    /// Fails at the first bad value, or on a rule set that a player does not support (exit code
    /// 64).
    fn arms<G: CompleteGame>(&self) -> Result<Vec<G::Rules>, Failure> {
        self.check()?;
        let arms = rule_sets::<G>(&self.rules)?;
        self.first.check(&arms)?;
        self.second.check(&arms)?;
        Ok(arms)
    }

    fn run<G: CompleteGame>(
        &self,
        folder: &Path,
        arms: &[G::Rules],
    ) -> anyhow::Result<Run<Parameters>> {
        let players = [&self.first, &self.second];
        let players = players.into_iter().filter_map(Player::searcher);
        let Identity { scheme, behaviour, .. } = Identity::of::<G>(players, arms)?;
        Ok(Run {
            kind: KIND,
            behaviour,
            folder: folder.to_owned(),
            seed: self.seed,
            shards: 1,
            games: self.games / 2,
            parameters: Parameters {
                scheme,
                first: self.first.name(),
                second: self.second.name(),
                rules: arms.iter().map(ToString::to_string).collect(),
                plies: self.plies,
                cap: self.cap,
                search: self.search,
                sprt: self.sprt,
            },
        })
    }
}

/// Plays a match on the current thread pool, or continues one, and writes `strength.json` into the
/// folder. A finished match is only read.
///
/// # Errors
/// Fails on a bad configuration or a folder with another match (exit code 64), a damaged shard
/// (65), a request to stop (75 or 130), or an error of the file system.
pub fn run<G: CompleteGame>(
    config: &MatchConfig,
    folder: &Path,
    stop: &Stop,
) -> anyhow::Result<MatchReport> {
    finish::<G>(config, folder, false, stop)
}

/// Plays a match like [`run`] and also writes the games into
/// [`GAMES_FILE`](fusion_game::Notation::GAMES_FILE).
///
/// # Errors
/// Fails like [`run`], and on a folder with games of another kind (exit code 64).
pub fn run_with_games<G: CompleteGame>(
    config: &MatchConfig,
    folder: &Path,
    stop: &Stop,
) -> anyhow::Result<MatchReport> {
    cluster::reject_other_results(folder, G::GAMES_FILE)?;
    finish::<G>(config, folder, true, stop)
}

fn finish<G: CompleteGame>(
    config: &MatchConfig,
    folder: &Path,
    with_games: bool,
    stop: &Stop,
) -> anyhow::Result<MatchReport> {
    let arms = config.arms::<G>()?;
    let run = config.run::<G>(folder, &arms)?;
    if let Opened::Unfinished(mut writer) = run.open(0)? {
        config.first.check_counts::<G>(&arms)?;
        config.second.check_counts::<G>(&arms)?;
        play_batches::<G>(config, &run, &arms, &mut writer, stop)?;
        writer.finish()?;
    }
    let shard = run.path(0);
    let Parameters { first, second, rules, .. } = run.parameters;
    let players = [first, second];
    let mut report = MatchReport::new(players.clone(), &rules);
    games::for_each_pair(&shard, |_, pair| {
        stop.check()?;
        report.add(&pair);
        Ok(())
    })?;
    report.conclude(config.sprt);
    if with_games {
        games::write::<G>(&shard, &players, stop)?;
    }
    let mut json = serde_json::to_vec_pretty(&report)?;
    json.push(b'\n');
    atomic::write_bytes(&folder.join(RESULT), &json)?;
    Ok(report)
}

/// Plays some pairs of a match on the current thread pool to time them, and writes nothing. The
/// pairs are chosen by number.
///
/// # Errors
/// Fails on a bad configuration (exit code 64), or if a program fails.
pub fn trial<G: CompleteGame>(
    config: &MatchConfig,
    numbers: &[u64],
) -> anyhow::Result<TimedSample> {
    let arms = config.arms::<G>()?;
    let (stop, progress) = (Stop::of_process(), Progress::hidden());
    timing::play_all(numbers, |number| {
        let Some(played) = game::play_pair::<G>(config, &arms, number, &stop, &progress)? else {
            return Ok(None);
        };
        let pair: Pair = serde_json::from_slice(&played.payload)?;
        let opening = pair.opening.split_ascii_whitespace().count() as u64;
        let plies = pair.games.iter().map(|game| u64::from(game.plies).saturating_sub(opening));
        Ok(Some((2, plies.sum())))
    })
}

/// Plays batches until all games are played or the test has decided.
fn play_batches<G: CompleteGame>(
    config: &MatchConfig,
    run: &Run<Parameters>,
    arms: &[G::Rules],
    writer: &mut ShardWriter,
    stop: &Stop,
) -> anyhow::Result<()> {
    let done = writer.games().count() as u64;
    let progress = Progress::in_groups("games of the match", run.games, done, 2);
    let mut counts = Pentanomial::default();
    while counts.pairs() < run.games {
        let start = counts.pairs();
        let batch = start..(start + BATCH).min(run.games);
        let played =
            runner::play_missing(writer, batch.clone(), &progress, stop, |number, progress| {
                game::play_pair::<G>(config, arms, number, stop, progress)
            });
        if played.is_err() {
            progress.finish();
        }
        played?;
        for number in batch {
            let payload = writer.payload(number)?.context("a pair was not written")?;
            let pair: Pair = serde_json::from_slice(&payload).map_err(Failure::corrupt)?;
            counts.add(pair.halves());
        }
        let decided = |sprt: SprtConfig| sprt.test(&counts).decision != Decision::Undecided;
        if config.sprt.is_some_and(decided) {
            break;
        }
    }
    progress.finish();
    Ok(())
}
