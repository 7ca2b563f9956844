//! Games of uniformly random movers: the effect of a rule set on draws without any skill.
//!
//! A million of them are played in minutes, so only the endings are counted. Under orthodox rules
//! the counts are known from other programs, which checks the implementation of the rules.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::{CompleteGame, Description, Ending, Outcome, Side};
use fusion_jobs::exit::Failure;
use rand::seq::IndexedRandom;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::behaviour;
use fusion_jobs::atomic;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Played, Run, Shard};
use fusion_jobs::seeds;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::{self, TimedSample};
use fusion_study::{RANDOM, RandomConfig, check_games, check_shards, rule_sets};

/// Kind of the shards.
pub const KIND: &str = RANDOM;
/// Name of the file with the counts.
pub const RESULT: &str = "random.csv";

/// Counts of games under one rule set: a row of `random.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomRow {
    /// Rule set in canonical form.
    pub rules: String,
    /// Seed of the games.
    pub seed: u64,
    /// Games played.
    pub games: u64,
    /// Games won by the first and by the second side.
    pub wins: [u64; 2],
    /// Drawn games by ending, in the game's order.
    pub draws: Vec<(Ending, u64)>,
    /// Plies of all games together.
    pub plies: u64,
}

impl RandomRow {
    /// Returns a row without games.
    #[must_use]
    pub fn new(drawn: &[Ending], rules: String, seed: u64) -> Self {
        let draws = drawn.iter().map(|&ending| (ending, 0)).collect();
        Self { rules, seed, games: 0, wins: [0; 2], draws, plies: 0 }
    }

    /// Returns the number of games that a side won.
    #[must_use]
    pub fn won(&self) -> u64 {
        self.wins.into_iter().fold(0, u64::saturating_add)
    }

    /// Returns the number of drawn games.
    #[must_use]
    pub fn drawn(&self) -> u64 {
        self.draws.iter().fold(0, |sum, (_, games)| sum.saturating_add(*games))
    }

    /// Returns the number of games drawn by an ending; 0 for an ending that cannot be a draw.
    #[must_use]
    pub fn drawn_by(&self, ending: Ending) -> u64 {
        self.draws.iter().find(|(known, _)| *known == ending).map_or(0, |(_, games)| *games)
    }

    fn count(&mut self, outcome: Outcome, plies: u64) {
        self.games += 1;
        self.plies += plies;
        match outcome.winner {
            Some(Side::First) => self.wins[0] += 1,
            Some(Side::Second) => self.wins[1] += 1,
            None => {
                let ended = self.draws.iter_mut().find(|(ending, _)| *ending == outcome.ending);
                ended.into_iter().for_each(|(_, games)| *games += 1);
            }
        }
    }

    fn add(&mut self, mut other: Self) {
        let pairs = self.numbers_mut().into_iter().zip(other.numbers_mut());
        // The first number is the seed, which both have.
        for ((_, sum), (_, count)) in pairs.skip(1) {
            *sum = sum.saturating_add(*count);
        }
    }

    /// Returns the columns after `rules` with their numbers, in the order of the file.
    fn numbers_mut(&mut self) -> Vec<(String, &mut u64)> {
        let [white, black] = &mut self.wins;
        let (seed, games) = (("seed", &mut self.seed), ("games", &mut self.games));
        let head = [seed, games, ("white_wins", white), ("black_wins", black)];
        let head = head.into_iter().map(|(column, number)| (column.to_owned(), number));
        let draws = self.draws.iter_mut().map(|(ending, games)| (ending.column(), games));
        head.chain(draws).chain([("plies".to_owned(), &mut self.plies)]).collect()
    }

    fn parse(game: Description, Stored { rules, mut numbers }: Stored) -> Result<Self, String> {
        // The file has the endings that its rule sets can have.
        let drawn = game.drawn_endings().filter(|ending| numbers.contains_key(&ending.column()));
        let mut row = Self::new(&drawn.collect::<Vec<_>>(), rules, 0);
        for (column, number) in row.numbers_mut() {
            let found = numbers.remove(&column);
            *number = found.ok_or_else(|| format!("{column} is missing"))?;
        }
        match numbers.keys().next() {
            None => Ok(row),
            Some(unknown) => Err(format!("unknown column {unknown}")),
        }
    }
}

/// A row as files have it, in any order of the columns.
#[derive(Deserialize)]
struct Stored {
    rules: String,
    #[serde(flatten)]
    numbers: BTreeMap<String, u64>,
}

/// Writes the columns in order as the keys of an object.
impl Serialize for RandomRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rules", &self.rules)?;
        for (column, number) in self.clone().numbers_mut() {
            map.serialize_entry(&column, number)?;
        }
        map.end()
    }
}

/// Reads all rows of a `random.csv`.
///
/// # Errors
/// Fails on an error of the input, and at the first row that is not of this game.
pub fn read_rows(game: Description, input: impl Read) -> anyhow::Result<Vec<RandomRow>> {
    let parse = |row: csv::Result<Stored>| RandomRow::parse(game, row?).map_err(anyhow::Error::msg);
    csv::Reader::from_reader(input).into_deserialize().map(parse).collect()
}

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct RandomGames {
    /// Rule sets.
    pub rules: Vec<String>,
    /// Games of each rule set.
    pub games: u64,
    /// Number of shards.
    pub shards: u32,
    /// Seed of the games.
    pub seed: u64,
}

/// Everything except the seed on which the games depend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    scheme: String,
    /// Rule sets in canonical form.
    rules: Vec<String>,
    /// Games of each rule set.
    games: u64,
}

impl RandomGames {
    /// Checks the numbers.
    ///
    /// # Errors
    /// Fails at the first bad value, and names it by its key in a study (exit code 64).
    pub fn check(&self) -> Result<(), Failure> {
        check_games("random.games", self.games)?;
        check_shards("random.shards", self.shards)
    }

    /// Returns the rule sets.
    fn arms<G: CompleteGame>(&self) -> Result<Vec<G::Rules>, Failure> {
        let arms = rule_sets::<G>(&self.rules)?;
        match (1..arms.len()).find(|&i| arms[..i].contains(&arms[i])) {
            None => Ok(arms),
            Some(twice) => Err(Failure::usage(format!(
                "{} is named twice: its games would be the same",
                arms[twice]
            ))),
        }
    }

    /// Returns the run of these arms. What it counts as a game is a block of games.
    fn run<G: CompleteGame>(
        &self,
        folder: &Path,
        arms: &[G::Rules],
    ) -> anyhow::Result<Run<Parameters>> {
        self.check()?;
        Ok(Run {
            kind: KIND,
            behaviour: behaviour::signature::<G>()?,
            folder: folder.to_owned(),
            seed: self.seed,
            shards: self.shards,
            games: self.blocks() * arms.len() as u64,
            parameters: Parameters {
                scheme: behaviour::scheme_of::<G>(arms),
                rules: arms.iter().map(ToString::to_string).collect(),
                games: self.games,
            },
        })
    }

    /// Returns the number of blocks of each rule set.
    fn blocks(&self) -> u64 {
        self.games.div_ceil(RandomConfig::BLOCK)
    }
}

/// Plays the games of some shards on the current thread pool, or continues them. Returns the result
/// for each shard.
///
/// # Errors
/// Fails on a bad configuration, a rule set that the game does not define, or a folder with other games
/// (exit code 64). Fails on a damaged shard (65), a request to stop (75 or 130), or an error of the file
/// system.
pub fn run<G: CompleteGame>(
    config: &RandomGames,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Vec<(u32, Shard)>> {
    let arms = config.arms::<G>()?;
    let run = config.run::<G>(folder, &arms)?;
    let drawn = G::drawn_endings(&arms);
    let blocks = config.blocks();
    let play = |number, progress: &Progress| {
        let (arm, block) = (&arms[(number / blocks) as usize], number % blocks);
        let first = block * RandomConfig::BLOCK;
        let mut row = RandomRow::new(&drawn, arm.to_string(), config.seed);
        for number in first..config.games.min(first + RandomConfig::BLOCK) {
            let played = play::<G>(arm, config.seed, number, stop)?;
            let Some((outcome, plies)) = played else { return Ok(None) };
            row.count(outcome, plies);
        }
        progress.count_moves(row.plies);
        Ok(Some(Played { payload: serde_json::to_vec(&row)?, drawn: 0 }))
    };
    let name = format!("blocks of {} random games", RandomConfig::BLOCK);
    let each = |shard| {
        let label = runner::label(&name, shard, run.shards);
        Ok((shard, run.play_shard(shard, &label, stop, play)?))
    };
    shards.map(each).collect()
}

/// Writes `random.csv` into the folder of the shards, which must all be finished. Returns the counts by
/// rule set.
///
/// # Errors
/// Fails as [`Run::whole`] does, or if the file system fails.
pub fn merge<G: CompleteGame>(
    config: &RandomGames,
    folder: &Path,
) -> anyhow::Result<Vec<RandomRow>> {
    let arms = config.arms::<G>()?;
    let shards = config.run::<G>(folder, &arms)?.whole()?;
    let rows = sum(Description::of::<G>(), &shards)?;
    write(&folder.join(RESULT), &rows)?;
    Ok(rows)
}

/// Plays some games on the current thread pool to time them, and writes nothing. The games take the
/// rule sets in turn.
///
/// # Errors
/// Fails without a rule set, or with one that the game does not define (exit codes 64 to 66).
pub fn trial<G: CompleteGame>(
    rules: &[String],
    seed: u64,
    numbers: &[u64],
) -> anyhow::Result<TimedSample> {
    let arms = rule_sets::<G>(rules)?;
    anyhow::ensure!(!arms.is_empty(), Failure::usage("random games need at least one rule set"));
    let stop = Stop::of_process();
    timing::play_all(numbers, |number| {
        let arm = &arms[(number % arms.len() as u64) as usize];
        Ok(play::<G>(arm, seed, number, &stop)?.map(|(_, plies)| (1, plies)))
    })
}

/// Plays a game. Its moves depend only on the rule set, the seed and its number. Returns `None` if
/// stopped.
fn play<G: CompleteGame>(
    rules: &G::Rules,
    seed: u64,
    number: u64,
    stop: &Stop,
) -> anyhow::Result<Option<(Outcome, u64)>> {
    let mut rng = seeds::stream("random game", &[seed, number]);
    let mut game = G::start(rules, number);
    let mut moves = Vec::new();
    let mut plies = 0;
    while !stop.requested() {
        moves.clear();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            return Ok(Some((outcome, plies)));
        }
        game.play(*moves.choose(&mut rng).context("a game that is not over has no move")?);
        plies += 1;
    }
    Ok(None)
}

/// Returns the sums of all blocks, by rule set in the order in which they were played.
fn sum(game: Description, shards: &[PathBuf]) -> anyhow::Result<Vec<RandomRow>> {
    let mut rows: Vec<RandomRow> = Vec::new();
    for path in shards {
        for frame in ShardReader::open(path)? {
            let (_, payload) = frame?;
            let block = serde_json::from_slice(&payload).map_err(|error| error.to_string());
            let block = block
                .and_then(|stored| RandomRow::parse(game, stored))
                .map_err(Failure::corrupt)
                .with_context(|| path.display().to_string())?;
            match rows.last_mut() {
                Some(row) if row.rules == block.rules => row.add(block),
                _ => rows.push(block),
            }
        }
    }
    Ok(rows)
}

/// Writes the counts, unless the file has them already.
fn write(path: &Path, rows: &[RandomRow]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (i, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        let (mut columns, mut cells) = (vec!["rules".to_owned()], vec![row.rules.clone()]);
        for (column, number) in row.numbers_mut() {
            columns.push(column);
            cells.push(number.to_string());
        }
        if i == 0 {
            writer.write_record(columns)?;
        }
        writer.write_record(cells)?;
    }
    let csv = writer.into_inner().map_err(|error| error.into_error())?;
    atomic::write_bytes(path, &csv)
}
