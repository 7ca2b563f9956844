//! Games of uniformly random movers: the effect of a rule set on draws without any skill.
//!
//! A million of them are played in minutes, so only the endings are counted. Under orthodox rules
//! the counts are known from other programs, which checks the implementation of the rules.

use std::path::Path;

use anyhow::Context;
use fusion_game::RuleSet;
use fusion_game::{CompleteGame, Outcome, Side};
use fusion_jobs::exit::Failure;
use rand::seq::IndexedRandom;
use serde::{Deserialize, Serialize};

use crate::behaviour;
use fusion_jobs::atomic;
use fusion_jobs::cluster::whole_run;
use fusion_jobs::runner::{Played, Run};
use fusion_jobs::seeds;
use fusion_jobs::shard::ShardReader;
use fusion_jobs::stop::Stop;
use fusion_jobs::trial::{self, Trial};
use fusion_study::check_games;

/// Kind of the shard.
pub const KIND: &str = "random";
/// Name of the file with the counts.
pub const RESULT: &str = "random.csv";
/// Games that are played and saved together.
const BLOCK: u64 = 10_000;

/// Counts of games under one rule set: a row of `random.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomRow {
    /// Rule set in canonical form.
    pub rules: String,
    /// Seed of the games.
    pub seed: u64,
    /// Games played.
    pub games: u64,
    /// Games won by White.
    pub white_wins: u64,
    /// Games won by Black.
    pub black_wins: u64,
    /// Games that ended in stalemate.
    pub stalemate: u64,
    /// Games drawn by threefold repetition.
    pub threefold: u64,
    /// Games drawn by the fifty-move rule.
    pub fifty_move: u64,
    /// Games drawn in a dead position.
    pub dead_position: u64,
    /// Plies of all games together.
    pub plies: u64,
}

impl RandomRow {
    /// Returns the number of drawn games.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.drawn().into_iter().fold(0, u64::saturating_add)
    }

    /// Returns the drawn games by ending: stalemate, threefold, fifty moves, dead position.
    #[must_use]
    pub fn drawn(&self) -> [u64; 4] {
        [self.stalemate, self.threefold, self.fifty_move, self.dead_position]
    }

    fn count(&mut self, outcome: Outcome, plies: u64) {
        self.games += 1;
        self.plies += plies;
        let ending = match (outcome.ending.name(), outcome.winner) {
            ("stalemate", _) => &mut self.stalemate,
            ("threefold", _) => &mut self.threefold,
            ("fifty-move", _) => &mut self.fifty_move,
            ("dead-position", _) => &mut self.dead_position,
            (_, Some(Side::Second)) => &mut self.black_wins,
            _ => &mut self.white_wins,
        };
        *ending += 1;
    }

    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.games, other.games),
            (&mut self.white_wins, other.white_wins),
            (&mut self.black_wins, other.black_wins),
            (&mut self.stalemate, other.stalemate),
            (&mut self.threefold, other.threefold),
            (&mut self.fifty_move, other.fifty_move),
            (&mut self.dead_position, other.dead_position),
            (&mut self.plies, other.plies),
        ];
        for (sum, count) in pairs {
            *sum = sum.saturating_add(count);
        }
    }
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

/// Plays `games` games of each rule set on the current thread pool, or continues them, and writes
/// `random.csv` into the folder. Returns the counts by rule set.
///
/// # Errors
/// Fails on a rule set that the game does not define, or a folder with other games (exit code 64).
/// Fails on a damaged shard (65), a request to stop (75 or 130), or an error of the file system.
pub fn run<G: CompleteGame>(
    rules: &[String],
    games: u64,
    seed: u64,
    folder: &Path,
    stop: &Stop,
) -> anyhow::Result<Vec<RandomRow>> {
    let arms: Result<Vec<G::Rules>, _> = rules.iter().map(|text| G::Rules::parse(text)).collect();
    let arms = arms.map_err(Failure::usage)?;
    if let Some(twice) = (1..arms.len()).find(|&i| arms[..i].contains(&arms[i])) {
        let message = format!("{} is named twice: its games would be the same", arms[twice]);
        return Err(Failure::usage(message).into());
    }
    check_games("the number of random games", games)?;
    let blocks = games.div_ceil(BLOCK);
    let run = Run {
        kind: KIND,
        behaviour: behaviour::signature::<G>()?,
        folder: folder.to_owned(),
        seed,
        shards: 1,
        games: blocks * arms.len() as u64,
        parameters: Parameters {
            scheme: G::NAME.to_owned(),
            rules: arms.iter().map(ToString::to_string).collect(),
            games,
        },
    };
    let label = format!("blocks of {BLOCK} random games");
    run.play_shard(0, &label, stop, |number, progress| {
        let (arm, block) = ((number / blocks) as usize, number % blocks);
        let numbers = block * BLOCK..games.min((block + 1) * BLOCK);
        let mut row = RandomRow { rules: arms[arm].to_string(), seed, ..RandomRow::default() };
        for game in numbers {
            if stop.requested() {
                return Ok(None);
            }
            let played = play::<G>(&arms[arm], seed, game);
            let (outcome, plies) = played.context("a game that is not over has no move")?;
            row.count(outcome, plies);
        }
        progress.count_moves(row.plies);
        Ok(Some(Played { payload: serde_json::to_vec(&row)?, drawn: false }))
    })?;
    let rows = sum(folder)?;
    write(&folder.join(RESULT), &rows)?;
    Ok(rows)
}

/// Plays some games on the current thread pool to time them, and writes nothing. The games take the
/// rule sets in turn.
///
/// # Errors
/// Fails without a rule set, or with one that the game does not define (exit code 64).
pub fn trial<G: CompleteGame>(
    rules: &[String],
    seed: u64,
    numbers: &[u64],
) -> anyhow::Result<Trial> {
    let arms: Result<Vec<G::Rules>, _> = rules.iter().map(|text| G::Rules::parse(text)).collect();
    let arms = arms.map_err(Failure::usage)?;
    anyhow::ensure!(!arms.is_empty(), Failure::usage("random games need at least one rule set"));
    trial::play_all(numbers, |number| {
        let arm = &arms[(number % arms.len() as u64) as usize];
        Ok(play::<G>(arm, seed, number).map(|(_, plies)| (1, plies)))
    })
}

/// Plays a game. Its moves depend only on the rule set, the seed and its number.
fn play<G: CompleteGame>(rules: &G::Rules, seed: u64, number: u64) -> Option<(Outcome, u64)> {
    let mut rng = seeds::stream("random game", &[seed, number]);
    let mut game = G::new(rules);
    let mut moves = Vec::new();
    let mut plies = 0;
    loop {
        moves.clear();
        game.legal_moves(&mut moves);
        if let Some(outcome) = game.outcome(&moves) {
            return Some((outcome, plies));
        }
        game.play(*moves.choose(&mut rng)?);
        plies += 1;
    }
}

/// Returns the sums of all blocks, by rule set in the order in which they were played.
fn sum(folder: &Path) -> anyhow::Result<Vec<RandomRow>> {
    let mut rows: Vec<RandomRow> = Vec::new();
    for path in whole_run(folder)? {
        for frame in ShardReader::open(&path)? {
            let (_, payload) = frame?;
            let block: RandomRow = serde_json::from_slice(&payload)
                .map_err(Failure::corrupt)
                .with_context(|| path.display().to_string())?;
            match rows.last_mut() {
                Some(row) if row.rules == block.rules => row.add(&block),
                _ => rows.push(block),
            }
        }
    }
    Ok(rows)
}

/// Writes the counts, unless the file has them already.
fn write(path: &Path, rows: &[RandomRow]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let csv = writer.into_inner().map_err(|error| error.into_error())?;
    match std::fs::read(path) {
        Ok(old) if old == csv => Ok(()),
        _ => atomic::write_bytes(path, &csv),
    }
}
