//! Technique test: can a player win what should be won?
//!
//! The positions are those of the game's exercises, in which the first side should win and the
//! second cannot. The same player has both sides with the same nodes. The positions of an
//! exercise are the same under every rule set that allows them. The games are played to their end by
//! the rules. Games are stored in shards. An interrupted run is continued, and the result depends neither on
//! the number of threads nor on that of shards.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use fusion_game::{CompleteGame, Description, Ending, Exercise, GameText, Outcome, Results, Side};
use fusion_jobs::exit::Failure;
use fusion_search::SearchConfig;
use fusion_study::{Searcher, check_shards, rule_sets};
use serde::{Deserialize, Serialize};

use crate::behaviour::Identity;
use crate::games_file;
use crate::matches::{Finished, Player, PlayerName, Start, play_out};
use crate::play;
use fusion_jobs::atomic;
use fusion_jobs::cluster;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Played, Run, Shard};
use fusion_jobs::seeds;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;

/// Kind of the shards.
pub const KIND: &str = "technique";
/// Name of the file with the result.
pub const RESULT: &str = "technique.csv";
/// Largest number of games of a run.
const MOST: u64 = 10_000_000;
/// The columns before those of the drawn endings.
const HEAD: [&str; 9] = [
    "rules",
    "pieces",
    "network",
    "nodes",
    "seed",
    "games",
    "mates",
    "mean_plies",
    "longest_plies",
];
/// Turns of both sides after which a game ends without a result. It is for rules that do not end games
/// without progress.
const CAP: u32 = 1_000;
/// Limit of random draws of a position. After these the exercise is rejected.
const ATTEMPTS: u32 = 10_000;

/// Settings of a run.
#[derive(Clone)]
pub struct TechniqueConfig<G> {
    /// Rule sets.
    pub rules: Vec<String>,
    /// Exercises.
    pub exercises: Vec<Arc<dyn Exercise<G>>>,
    /// Games of each exercise under each rule set.
    pub games: u64,
    /// Number of shards.
    pub shards: u32,
    /// The search that plays both sides.
    pub player: Searcher,
    /// Nodes per move.
    pub nodes: u32,
    /// Settings of both sides' tree searches.
    pub search: SearchConfig,
    /// Seed of the positions and tie-breaks.
    pub seed: u64,
}

/// Settings in the shard's header.
#[derive(Clone, Debug, Serialize)]
struct Parameters {
    scheme: String,
    player: PlayerName,
    rules: Vec<String>,
    pieces: Vec<String>,
    games: u64,
    search: SearchConfig,
}

/// One game as the shard stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attempt {
    /// Number of the rule set and exercise, that is, of the row of the result.
    row: usize,
    start: String,
    ending: String,
    /// Whether the first side won by an ending that can be a draw, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    won: bool,
    plies: u32,
    /// Moves in coordinate notation, separated by a blank.
    moves: String,
}

/// A row of `technique.csv`: one exercise under one rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct TechniqueRow {
    /// Rule set in canonical form.
    pub rules: String,
    /// Name of the exercise.
    pub exercise: String,
    /// The player: see [`Searcher::name`].
    pub network: String,
    /// Nodes per move.
    pub nodes: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Games played.
    pub games: u64,
    /// Games that the first side won.
    pub wins: u64,
    /// Mean plies from the start to the win. `None` without a win, as is the next field.
    pub mean_plies: Option<f64>,
    /// Plies of the longest game that was won.
    pub longest_plies: Option<u32>,
    /// Games not won by ending, in the game's order.
    pub draws: Vec<(Ending, u64)>,
}

impl<G: CompleteGame> TechniqueConfig<G> {
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    fn check(&self) -> Result<(), Failure> {
        if self.rules.is_empty() || self.exercises.is_empty() {
            return Err(Failure::usage(
                "technique needs a rule set (--rules) and an exercise (--exercise) at least",
            ));
        }
        if self.nodes == 0 || self.games == 0 {
            return Err(Failure::usage("technique needs at least 1 game and 1 node a move"));
        }
        let rows = (self.rules.len() * self.exercises.len()) as u64;
        if self.games > MOST / rows {
            return Err(Failure::usage(format!("technique plays at most {MOST} games")));
        }
        check_shards("--shards", self.shards)
    }

    /// Checks the values and returns the rule sets.
    fn arms(&self) -> Result<Vec<G::Rules>, Failure> {
        self.check()?;
        rule_sets::<G>(&self.rules)
    }

    fn run(&self, folder: &Path, arms: &[G::Rules]) -> anyhow::Result<Run<Parameters>> {
        let Identity { scheme, behaviour, .. } = Identity::of::<G>([&self.player], arms)?;
        Ok(Run {
            kind: KIND,
            behaviour,
            folder: folder.to_owned(),
            seed: self.seed,
            shards: self.shards,
            games: self.games * (arms.len() * self.exercises.len()) as u64,
            parameters: Parameters {
                scheme,
                player: Player::searching(self.player.clone(), self.nodes).name(),
                rules: arms.iter().map(ToString::to_string).collect(),
                pieces: self.exercises.iter().map(ToString::to_string).collect(),
                games: self.games,
                search: self.search,
            },
        })
    }
}

/// Plays the games of some shards on the current thread pool, or those that are missing. Returns the
/// result for each shard.
///
/// # Errors
/// Fails on a bad configuration, on an exercise that has no position under the rules, or on a
/// folder with another run (exit code 64). Fails on a damaged shard (65), a request to stop (75 or
/// 130), or an error of the file system.
pub fn run<G: CompleteGame>(
    config: &TechniqueConfig<G>,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Vec<(u32, Shard)>> {
    let arms = config.arms()?;
    // Settings that cannot be played are rejected before the first game.
    for rules in &arms {
        for exercise in &config.exercises {
            start(config, rules, exercise.as_ref(), 0)?;
        }
    }
    cluster::reject_other_results(folder, G::GAMES_FILE)?;
    let run = config.run(folder, &arms)?;
    let each = |shard| {
        let label = runner::label("endgames", shard, run.shards);
        let play = |number, progress: &Progress| play(config, &arms, number, stop, progress);
        Ok((shard, run.play_shard(shard, &label, stop, play)?))
    };
    shards.map(each).collect()
}

/// Writes `technique.csv` into the folder of the shards, which must all be finished, with a row for
/// each exercise under each rule set. It also writes the games into the games file.
///
/// # Errors
/// Fails on a bad configuration (exit code 64), a request to stop (75 or 130), or as [`Run::whole`]
/// does.
pub fn merge<G: CompleteGame>(
    config: &TechniqueConfig<G>,
    folder: &Path,
    stop: &Stop,
) -> anyhow::Result<Vec<TechniqueRow>> {
    let arms = config.arms()?;
    let run = config.run(folder, &arms)?;
    let shards = run.whole()?;
    let mut rows = empty_rows(config, &run.parameters, &G::drawn_endings(&arms));
    for_each_attempt(&shards, |_, attempt| {
        stop.check()?;
        count(Description::of::<G>(), &mut rows, &attempt)
    })?;
    let games = folder.join(G::GAMES_FILE);
    write_games::<G>(&games, &shards, &rows, &run.parameters.player, stop)?;
    write(&folder.join(RESULT), &rows)?;
    Ok(rows)
}

/// Passes the games of finished shards with their numbers, one in memory at a time.
fn for_each_attempt(
    shards: &[PathBuf],
    mut each: impl FnMut(u64, Attempt) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in shards {
        for frame in ShardReader::open(path)? {
            let (number, payload) = frame?;
            let context = || format!("{}: game {number}", path.display());
            let attempt = serde_json::from_slice(&payload).map_err(Failure::corrupt);
            each(number, attempt.with_context(context)?).with_context(context)?;
        }
    }
    Ok(())
}

/// Writes the games of finished shards into the games file.
fn write_games<G: CompleteGame>(
    path: &Path,
    shards: &[PathBuf],
    rows: &[TechniqueRow],
    player: &PlayerName,
    stop: &Stop,
) -> anyhow::Result<()> {
    let name = player.to_string();
    atomic::write_anew(path, |out| {
        for_each_attempt(shards, |number, attempt| {
            stop.check()?;
            let (row, ending) = place(Description::of::<G>(), rows, &attempt)?;
            let winner = is_win(&attempt, ending).then_some(Side::First);
            let game = GameText {
                event: format!("Technique: {}", rows[row].exercise),
                round: (number + 1).to_string(),
                players: [name.clone(), name.clone()],
                rules: rows[row].rules.clone(),
                start: Some(attempt.start),
                moves: attempt
                    .moves
                    .split_ascii_whitespace()
                    .map(|mv| (mv.to_owned(), None))
                    .collect(),
                outcome: Some(Outcome { winner, ending }),
            };
            games_file::write::<G>(&game, out)
        })
    })
}

/// Returns the start of a game of a rule set and an exercise.
fn start<G: CompleteGame>(
    config: &TechniqueConfig<G>,
    rules: &G::Rules,
    exercise: &dyn Exercise<G>,
    number: u64,
) -> Result<Start<G>, Failure> {
    let mut rng = seeds::stream(&format!("technique {exercise}"), &[config.seed, number]);
    let drawn = (0..ATTEMPTS).find_map(|_| exercise.draw(rules, &mut rng));
    let game = drawn.ok_or_else(|| {
        Failure::usage(format!(
            "none of {ATTEMPTS} random positions of {exercise} fits {rules}: all are illegal, over, \
             or decided at once"
        ))
    })?;
    Ok(Start::at(game))
}

/// Plays one game. Returns `None` if stopped.
fn play<G: CompleteGame>(
    config: &TechniqueConfig<G>,
    arms: &[G::Rules],
    number: u64,
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Played>> {
    let (row, number) = ((number / config.games) as usize, number % config.games);
    let (arm, exercise) = (row / config.exercises.len(), row % config.exercises.len());
    let start = start(config, &arms[arm], config.exercises[exercise].as_ref(), number)?;
    let player = Player::searching(config.player.clone(), config.nodes);
    let sit = |purpose| player.sit(&start, config.search, purpose, &[config.seed, number]);
    let seats = [sit("technique White")?, sit("technique Black")?];
    let played = play_out(&start, seats, CAP, stop, progress)?;
    let Some(Finished { outcome, plies, moves }) = played else { return Ok(None) };
    let drawn = play::draws(outcome);
    let attempt = Attempt {
        row,
        start: start.game.to_text(),
        ending: outcome.ending.to_string(),
        won: outcome.winner == Some(Side::First) && outcome.ending.kind().results != Results::Win,
        plies,
        moves: moves.join(" "),
    };
    Ok(Some(Played { payload: serde_json::to_vec(&attempt)?, drawn }))
}

fn empty_rows<G: CompleteGame>(
    config: &TechniqueConfig<G>,
    parameters: &Parameters,
    drawn: &[Ending],
) -> Vec<TechniqueRow> {
    let rows = parameters.rules.iter().flat_map(|rules| {
        parameters.pieces.iter().map(move |exercise| (rules.clone(), exercise.clone()))
    });
    let row = |(rules, exercise)| TechniqueRow {
        rules,
        exercise,
        network: parameters.player.network.clone(),
        nodes: config.nodes,
        seed: config.seed,
        games: 0,
        wins: 0,
        mean_plies: None,
        longest_plies: None,
        draws: drawn.iter().map(|&ending| (ending, 0)).collect(),
    };
    rows.map(row).collect()
}

/// Returns the number of a game's row and the ending.
fn place(
    game: Description,
    rows: &[TechniqueRow],
    attempt: &Attempt,
) -> Result<(usize, Ending), Failure> {
    match game.ending(&attempt.ending) {
        Some(ending) if attempt.row < rows.len() => Ok((attempt.row, ending)),
        _ => Err(Failure::corrupt(format!("a game is not understood: {attempt:?}"))),
    }
}

/// Returns whether the first side won.
fn is_win(attempt: &Attempt, ending: Ending) -> bool {
    attempt.won || ending.kind().results == Results::Win
}

/// Adds a game to the counts of its row.
fn count(game: Description, rows: &mut [TechniqueRow], attempt: &Attempt) -> anyhow::Result<()> {
    let (row, ending) = place(game, rows, attempt)?;
    let row = &mut rows[row];
    row.games += 1;
    if is_win(attempt, ending) {
        let before = row.mean_plies.unwrap_or_default() * row.wins as f64;
        row.wins += 1;
        row.mean_plies = Some((before + f64::from(attempt.plies)) / row.wins as f64);
        row.longest_plies = row.longest_plies.max(Some(attempt.plies));
        return Ok(());
    }
    let drawn = row.draws.iter_mut().find(|(known, _)| *known == ending);
    drawn.into_iter().for_each(|(_, games)| *games += 1);
    Ok(())
}

/// Writes a `technique.csv` without rows into a folder, for rule sets that have no exercises.
///
/// # Errors
/// Failures of the file system.
pub fn write_none(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    write(&folder.join(RESULT), &[])
}

fn write(path: &Path, rows: &[TechniqueRow]) -> anyhow::Result<()> {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let draws = rows.first().into_iter().flat_map(|row| &row.draws);
    let draws = draws.map(|(ending, _)| ending.column());
    csv.write_record(HEAD.map(str::to_owned).into_iter().chain(draws))?;
    for row in rows {
        let agent = (&row.network, row.nodes, row.seed);
        let won = (row.wins, row.mean_plies, row.longest_plies);
        let draws: Vec<u64> = row.draws.iter().map(|&(_, games)| games).collect();
        csv.serialize((&row.rules, &row.exercise, agent, row.games, won, draws))?;
    }
    atomic::write_bytes(path, &csv.into_inner().map_err(|error| error.into_error())?)
}

/// A row of `technique.csv` as reports read it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TechniqueResult {
    /// Rule set in canonical form.
    pub rules: String,
    /// Name of the exercise.
    pub pieces: String,
    /// The player: see [`Searcher::name`].
    pub network: String,
    /// Nodes per move.
    pub nodes: u32,
    /// Games played.
    pub games: u64,
    /// Games that the first side won.
    pub mates: u64,
    /// Mean plies from the start to the win; `None` without a win.
    pub mean_plies: Option<f64>,
}

/// Reads the rows of `technique.csv`.
///
/// # Errors
/// Returns the reason why the file is rejected.
pub fn read_results(bytes: &[u8]) -> Result<Vec<TechniqueResult>, String> {
    let rows = csv::Reader::from_reader(bytes).into_deserialize();
    let rows: Vec<TechniqueResult> =
        rows.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    match rows.iter().find(|row| row.games == 0 || row.mates > row.games) {
        None => Ok(rows),
        Some(row) => Err(format!("{} games and {} mates of {}", row.games, row.mates, row.pieces)),
    }
}
