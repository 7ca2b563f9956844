//! Measurement games: the ones that draw rates are computed from.
//!
//! For every rule set, node budget and opening one game, played by one agent on both
//! sides: PUCT, no noise, the best move always, ties broken by a seed that belongs to the
//! opening and so is shared by all rule sets and budgets. Nobody resigns and nothing is
//! adjudicated; a game that reaches the cap is its own ending. When all shards of a run
//! are whole, `games.csv`, `games.pgn` and `measure.json` are written from them.

mod game;
mod output;
mod pgn;

use std::ops::Range;
use std::path::Path;

use fusion_engine::cli::Failure;
use fusion_engine::game::Game;
use fusion_engine::search::SearchConfig;
use serde::{Deserialize, Serialize};

use crate::cluster::Status;
use crate::openings::{Opening, Pool};
use crate::runner::{self, Played, Run, Shard};
use crate::seeds;
use crate::stop::Stop;
use crate::study::MeasureConfig;
use fusion_engine::model::Model;

pub use game::{GameRow, MeasuredGame, PlayedMove};
pub use output::{PgnWriter, assemble};
pub use pgn::write_pgn;

/// Kind of the shards.
pub const KIND: &str = "measure";

/// Everything on which a measurement depends besides its seed; part of every shard's
/// header and of `measure.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Meaning of the network's inputs and outputs.
    pub scheme: String,
    /// The network's hash, or the evaluator's name.
    pub network: String,
    /// SHA-256 of the pool of openings.
    pub pool: String,
    /// Number of openings in the pool.
    pub openings: u64,
    /// Rule sets in canonical form, sorted.
    pub rules: Vec<String>,
    /// Node budgets, ascending.
    pub nodes: Vec<u32>,
    /// Plies after which a game is stopped without a result.
    pub cap: u32,
    /// Settings of the tree search.
    pub search: SearchConfig,
}

impl Settings {
    /// Number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        (self.rules.len() * self.nodes.len()) as u64 * self.openings
    }

    /// Indices of a game's rule set, node budget and opening. Games are numbered in the
    /// order of the rows of `games.csv`.
    fn locate(&self, game: u64) -> (usize, usize, usize) {
        let arm = game / self.openings;
        let budgets = self.nodes.len() as u64;
        ((arm / budgets) as usize, (arm % budgets) as usize, (game % self.openings) as usize)
    }
}

/// Plays the games of some shards on the current thread pool. Shards that are complete
/// stay as they are; begun ones are continued. Returns what became of each.
///
/// # Errors
/// A bad configuration, an opening that is not legal in a rule set, a shard with other
/// settings (exit code 64), a damaged shard (65), a request to stop (75 or 130), or an
/// error of the file system.
pub fn run<G: Game>(
    config: &MeasureConfig,
    pool: &Pool,
    model: &Model,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Vec<(u32, Shard)>> {
    config.check::<G>()?;
    let settings = settings::<G>(config, pool, model)?;
    let arms: Result<Vec<G::Rules>, _> =
        settings.rules.iter().map(|text| G::parse_rules(text)).collect();
    let arms = arms.map_err(Failure::usage)?;
    // Every opening is tried in every arm before the first game, not after a night of them.
    for opening in pool.openings() {
        for rules in &arms {
            opening.play::<G>(rules)?;
        }
    }
    let run = Run {
        kind: KIND,
        folder: folder.to_owned(),
        seed,
        shards: config.shards,
        games: settings.games(),
        parameters: settings,
    };
    let play = |number: u64, progress: &_| {
        let (rules, nodes, opening) = run.parameters.locate(number);
        let opening: &Opening = &pool.openings()[opening];
        let start = opening.play::<G>(&arms[rules])?;
        let seed = seeds::number("measurement", &[seed, u64::from(opening.id)]);
        let nodes = run.parameters.nodes[nodes];
        let played =
            game::play(&run.parameters, &start, opening, nodes, model, seed, stop, progress);
        let Some(game) = played else { return Ok(None) };
        Ok(Some(Played {
            drawn: game.row.result == "1/2-1/2",
            payload: serde_json::to_vec(&game)?,
        }))
    };
    let mut outcomes = Vec::new();
    for shard in shards {
        let label = runner::label("measurement games", shard, config.shards);
        outcomes.push((shard, run.play_shard(shard, &label, stop, play)?));
    }
    Ok(outcomes)
}

fn settings<G: Game>(
    config: &MeasureConfig,
    pool: &Pool,
    model: &Model,
) -> anyhow::Result<Settings> {
    let parse = |text: &String| G::parse_rules(text).map(|rules| rules.to_string());
    let rules: Result<Vec<_>, _> = config.rules.iter().map(parse).collect();
    let mut rules = rules.map_err(Failure::usage)?;
    rules.sort();
    let mut nodes = config.nodes.clone();
    nodes.sort_unstable();
    Ok(Settings {
        scheme: G::SCHEME.to_owned(),
        network: model.hash().to_owned(),
        pool: pool.hash(),
        openings: pool.openings().len() as u64,
        rules,
        nodes,
        cap: config.cap,
        search: config.search,
    })
}

/// Whether all shards of the measurement in a folder are whole, and if so writes the
/// results; else returns the numbers of the shards that are missing.
///
/// # Errors
/// A damaged shard (exit code 65) or an error of the file system.
pub fn assemble_if_whole(folder: &Path, write_pgn: PgnWriter) -> anyhow::Result<Vec<u32>> {
    let status = Status::of(folder)?;
    if let Some((_, reason)) = status.corrupt.first() {
        return Err(Failure::corrupt(reason).into());
    }
    let missing = status.missing();
    if missing.is_empty() {
        assemble(folder, write_pgn)?;
    }
    Ok(missing)
}
