//! Measurement games: the games from which draw rates are computed.
//!
//! Each combination of rule set, node budget and opening has one game. One agent plays both sides,
//! by tree search without noise or by alpha-beta search, and always plays the best move. The tree
//! search breaks ties by a seed that belongs to the opening, so all rule sets and budgets share it. There is no resignation. A game that
//! reaches the cap has an ending of its own. Games with own plies draw these in proportion to the
//! tree search's visits. Searches probe endgame tables only where the study sets this. Adjudication by
//! tables is also off by default; an adjudicated game has an ending of its own.
//!
//! Openings are played one after the other, each by all rule sets and budgets, so that results are
//! comparable at any time. When all shards of a run are complete, `games.csv`, the games file and
//! `measure.json` are written from them.

pub mod drama;
mod game;
mod interim;
mod output;
mod row;
mod stopping;
mod tables;
mod text;

use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use fusion_game::{CompleteGame, Description};
use fusion_jobs::exit::{Failure, note};
use fusion_search::SearchConfig;
use serde::{Deserialize, Serialize};

use crate::behaviour::Identity;
use crate::matches::Player;
use crate::openings::{Opening, Pool};
use fusion_jobs::cluster::Status;
use fusion_jobs::deal::games_of_shard;
use fusion_jobs::growth;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Played, Run, Shard};
use fusion_jobs::seeds;
use fusion_jobs::shard::{Opened, ShardWriter};
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::{self, TimedSample};
use fusion_study::{MeasureConfig, StopRule, rule_sets};
use tables::Tables;

pub use game::{MeasuredGame, PlayedMove};
pub use interim::{Counted, Interim, Tally};
pub use output::MeasureFile;
pub use row::{Complaint, Event, EventCounts, GameResult, GameRow, RowEnding, columns, read_rows};
pub use tables::TablesUsed;

/// Kind of the shards.
pub const KIND: &str = "measure";

/// Everything except the seed on which a measurement depends. It is part of every shard's header
/// and of `measure.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Meaning of the network's inputs and outputs; empty if it was not recorded.
    #[serde(default)]
    pub scheme: String,
    /// The player: see [`Player::identity`].
    pub network: String,
    /// SHA-256 of the pool of openings, or `own` for games with own plies.
    pub pool: String,
    /// Number of openings, the first ones of the pool.
    pub openings: u64,
    /// Number of own plies, drawn in proportion to the search's visits.
    pub own_plies: u32,
    /// Rule sets in canonical form, sorted.
    pub rules: Vec<String>,
    /// Node budgets, ascending.
    pub nodes: Vec<u32>,
    /// The comparison that the verdict is about, first minus second.
    pub primary: Option<[String; 2]>,
    /// Rule that ends the measurement before its last opening.
    pub stop: Option<StopRule>,
    /// Turns, of both sides together, after which a game is stopped without a result.
    pub cap: u32,
    /// Settings of the tree search.
    pub search: SearchConfig,
    /// The endgame tables that the search probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<TablesUsed>,
    /// Whether games are adjudicated where the tables prove their result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adjudicate: bool,
}

impl Settings {
    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        (self.rules.len() * self.nodes.len()) as u64 * self.openings
    }

    /// Returns the number of games of one opening.
    #[must_use]
    pub fn games_of_opening(&self) -> u64 {
        (self.rules.len() * self.nodes.len()) as u64
    }

    /// Returns the number of games that are dealt out to the shards together: with a stopping rule those
    /// between two looks, else all.
    fn block(&self) -> u64 {
        self.stop.map_or(u64::MAX, |rule| u64::from(rule.every) * self.games_of_opening())
    }

    /// Returns whether a measurement with these settings plays the first games of one with the
    /// settings `other`. It has as many or fewer openings, the first ones of the other's pool, and
    /// all else is equal.
    fn grows_to(&self, other: &Self, pool: &Pool) -> bool {
        let (openings, hash) = (other.openings, other.pool.clone());
        self.openings <= openings
            && (self.pool == hash || pool.begins_with(&self.pool))
            && Self { openings, pool: hash, ..self.clone() } == *other
    }

    /// Returns the indices of a game's rule set, node budget and opening. Games are numbered in the
    /// order of the rows of `games.csv`: by opening, rule set and budget.
    fn locate(&self, game: u64) -> (usize, usize, usize) {
        let (opening, arm) = (game / self.games_of_opening(), game % self.games_of_opening());
        let budgets = self.nodes.len() as u64;
        ((arm / budgets) as usize, (arm % budgets) as usize, opening as usize)
    }
}

/// Plays the games of some shards on the current thread pool. Complete shards are kept. Incomplete
/// shards are continued, and so are those of the same measurement with fewer openings. Returns the
/// result for each shard.
///
/// # Errors
/// Fails on a bad configuration, an opening that is not legal in a rule set, or a shard with other
/// settings (exit code 64). Fails on a damaged shard or endgame table (65), missing endgame tables
/// for a rule set (66), a request to stop (75 or 130), or an error of the file system.
pub fn run<G: CompleteGame>(
    config: &MeasureConfig,
    pool: &Pool,
    player: &Player,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Vec<(u32, Shard)>> {
    config.check::<G>()?;
    config.check_player(&player.identity())?;
    let measurement = Measurement::<G>::new(config, pool, player, seed, folder, stop)?;
    let block = measurement.settings().block();
    growth::carry(&measurement.run, block, |old, new| {
        serde_json::from_value::<Settings>(old.clone()).is_ok_and(|old| old.grows_to(new, pool))
    })?;
    if let Some(rule) = config.stop {
        return measurement.play_until_decided(rule, shards, stop);
    }
    let each = |shard| Ok((shard, measurement.play_shard(shard, stop)?));
    shards.map(each).collect()
}

/// Plays some games of a measurement on the current thread pool to time them, and writes nothing.
/// Games are numbered in the order of the rows of `games.csv`.
///
/// # Errors
/// Fails on a bad configuration, an opening that is not legal in a rule set, or a number that no
/// game of the measurement has (exit code 64). Fails on a damaged endgame table (65), or missing
/// tables for a rule set (66).
pub fn trial<G: CompleteGame>(
    config: &MeasureConfig,
    pool: &Pool,
    player: &Player,
    seed: u64,
    numbers: &[u64],
) -> anyhow::Result<TimedSample> {
    config.check::<G>()?;
    config.check_player(&player.identity())?;
    let stop = Stop::of_process();
    let measurement = Measurement::<G>::new(config, pool, player, seed, Path::new(""), &stop)?;
    let games = measurement.run.games;
    if let Some(number) = numbers.iter().find(|&&number| number >= games) {
        return Err(
            Failure::usage(format!("the measurement has {games} games, none {number}")).into()
        );
    }
    timing::play_all(numbers, |number| {
        let game = measurement.play(number, &stop, &|| ())?;
        Ok(game.map(|game| (1, game.moves.len() as u64)))
    })
}

/// A measurement that is ready to play. Its games are numbered in the order of the rows of `games.csv`: by opening,
/// rule set and budget.
pub struct Measurement<G: CompleteGame> {
    run: Run<Settings>,
    arms: Vec<G::Rules>,
    openings: Vec<Opening>,
    player: Player,
    /// The endgame tables of each arm; empty if the study names none.
    tables: Vec<Tables<G>>,
}

impl<G: CompleteGame> Measurement<G> {
    /// Prepares a measurement. The folder is that of its shards; nothing is read or written there yet.
    ///
    /// # Errors
    /// Fails on a bad configuration, or an opening that is not legal in a rule set (exit code 64). Fails on
    /// a damaged endgame table (65), missing tables for a rule set (66), or a request to stop (75 or 130).
    pub fn new(
        config: &MeasureConfig,
        pool: &Pool,
        player: &Player,
        seed: u64,
        folder: &Path,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let arms = rule_sets::<G>(&config.arms::<G>()?)?;
        let Identity { scheme, behaviour, .. } = Identity::of::<G>(player.searcher(), &arms)?;
        player.check_rules(&arms)?;
        player.check_counts::<G>(&arms)?;
        let mut settings = settings::<G>(config, pool, player.identity(), scheme)?;
        let openings = pool.openings()[..settings.openings as usize].to_vec();
        // Every opening is tried in every arm before the first game, so that errors appear at once
        // and not after hours.
        for opening in &openings {
            stop.check()?;
            for rules in &arms {
                opening.play::<G>(rules)?;
            }
        }
        let mut tables = Vec::new();
        if let Some(folder) = config.tables() {
            let opened = tables::open::<G>(folder, &arms)?;
            (settings.tables, tables) = (Some(opened.0), opened.1);
        }
        let run = Run {
            kind: KIND,
            behaviour,
            folder: folder.to_owned(),
            seed,
            shards: config.shards,
            games: settings.games(),
            parameters: settings,
        };
        Ok(Self { run, arms, openings, player: player.clone(), tables })
    }

    /// Returns all on which the games depend, except the seed.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.run.parameters
    }

    /// Returns the signature of how this program and its player play: see [`crate::behaviour`]. Games with
    /// different ones are not of one measurement.
    #[must_use]
    pub fn behaviour(&self) -> &str {
        &self.run.behaviour
    }

    /// Plays a game, and calls `moved` after each move. Returns `None` if stopped.
    ///
    /// # Errors
    /// Fails if a search has no move in a game that is not over.
    ///
    /// # Panics
    /// Panics if the measurement has no game of this number.
    pub fn play(
        &self,
        number: u64,
        stop: &Stop,
        moved: &dyn Fn(),
    ) -> anyhow::Result<Option<MeasuredGame>> {
        let (rules, nodes, opening) = self.settings().locate(number);
        let opening = &self.openings[opening];
        let start = opening.play::<G>(&self.arms[rules])?;
        let seed = seeds::number("measurement", &[self.run.seed, u64::from(opening.id)]);
        let player = self.player.with_nodes(self.settings().nodes[nodes]);
        let tables = self.tables.get(rules).cloned();
        game::play(self.settings(), &start, opening, (&player, tables), seed, stop, moved)
    }

    /// Returns the results of all games, in the order of their numbers, as files: names and contents. They are the
    /// same as those of [`assemble_if_whole`].
    ///
    /// # Errors
    /// Fails if these are not as many games as the measurement has, or if one of them is not legal.
    pub fn files(&self, games: &[MeasuredGame]) -> anyhow::Result<[(&'static str, Vec<u8>); 4]> {
        let (there, all) = (games.len(), self.run.games);
        anyhow::ensure!(there as u64 == all, "there are {there} games of {all}");
        output::files::<G>(self.run.header(0), games)
    }

    /// Plays the games that a shard lacks.
    fn play_shard(&self, shard: u32, stop: &Stop) -> anyhow::Result<Shard> {
        let mut writer = match self.run.open(shard)? {
            Opened::Complete => return Ok(Shard::AlreadyComplete),
            Opened::Unfinished(writer) => writer,
        };
        let games = games_of_shard(shard, self.run.shards, self.run.games);
        let label = runner::label("measurement games", shard, self.run.shards);
        let done = writer.games().count() as u64;
        let progress = Progress::new(&label, games.end - games.start, done);
        let first = games.start.div_ceil(self.settings().games_of_opening().max(1));
        let tally = Tally::new(self.settings(), first as u32);
        self.count_saved(&writer, &tally, stop)?;
        let played = self.play_missing(&mut writer, games, &tally, stop, &progress);
        progress.finish();
        played?;
        writer.finish()?;
        note(&tally);
        Ok(Shard::Finished)
    }

    /// Counts the games that a shard has.
    fn count_saved(&self, writer: &ShardWriter, tally: &Tally, stop: &Stop) -> anyhow::Result<()> {
        for number in writer.games() {
            stop.check()?;
            let payload = writer.payload(number)?.context("a game was not written")?;
            count(Description::of::<G>(), &payload, tally)?;
        }
        Ok(())
    }

    /// Plays and counts those of the games that a shard lacks.
    fn play_missing(
        &self,
        writer: &mut ShardWriter,
        games: Range<u64>,
        tally: &Tally,
        stop: &Stop,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        runner::play_missing(writer, games, progress, stop, |number, progress| {
            let moved = || progress.count_move();
            let Some(game) = self.play(number, stop, &moved)? else { return Ok(None) };
            tally.add(&game.row);
            progress.show(|| tally.to_string());
            Ok(Some(Played { drawn: game.row.drawn().into(), payload: serde_json::to_vec(&game)? }))
        })
    }
}

/// Counts a game that was read from a shard.
fn count(kind: Description, payload: &[u8], tally: &Tally) -> Result<(), Failure> {
    let game = MeasuredGame::parse(kind, payload).map_err(Failure::corrupt)?;
    tally.add(&game.row);
    Ok(())
}

fn settings<G: CompleteGame>(
    config: &MeasureConfig,
    pool: &Pool,
    network: String,
    scheme: String,
) -> anyhow::Result<Settings> {
    let available = pool.openings().len() as u64;
    let openings = config.games.map_or(available, u64::from);
    anyhow::ensure!(
        openings <= available,
        Failure::usage(format!(
            "measure.games is {openings}, but the pool has {available} openings: raise openings.count"
        ))
    );
    let mut nodes = config.nodes.clone();
    nodes.sort_unstable();
    Ok(Settings {
        scheme,
        network,
        pool: if config.own_plies > 0 { "own".to_owned() } else { pool.hash() },
        openings,
        own_plies: config.own_plies,
        rules: config.arms::<G>()?,
        nodes,
        primary: config.primary::<G>()?,
        stop: config.stop,
        cap: config.cap,
        search: config.search,
        tables: None,
        adjudicate: config.adjudicate,
    })
}

/// Writes the results if all shards of the measurement in a folder are complete. Otherwise it
/// returns the numbers of the missing shards.
///
/// # Errors
/// Fails on a damaged shard (exit code 65), a request to stop (75 or 130), or an error of the file
/// system.
pub fn assemble_if_whole<G: CompleteGame>(folder: &Path, stop: &Stop) -> anyhow::Result<Vec<u32>> {
    let status = Status::of(folder)?;
    if let Some((_, reason)) = status.corrupt.first() {
        return Err(Failure::corrupt(reason).into());
    }
    let missing = status.missing();
    if missing.is_empty() {
        let shards: Vec<_> = status.complete.into_values().collect();
        output::assemble::<G>(folder, &shards, stop)?;
    }
    Ok(missing)
}
