//! Training games.
//!
//! A game draws its rule set from a weighted mix, or at random from all combinations of toggles,
//! and begins with a few uniformly random plies. Then every ply is searched. Some plies get a full
//! search, which gives a policy target (playout-cap randomisation). The other plies get a fast
//! search, to save time. Early moves are drawn from the search's policy; later moves are the
//! search's choice. The alpha-beta search has no policy and plays its best line; it ends decided games.
//! Shards hold one [`crate::records`] record per game.
//!
//! [`run`] plays every game separately. [`run_batched`] plays groups of games in step and evaluates
//! their leaves in one call. The games are the same in both cases if the evaluations are.

mod batched;
mod game;
mod pvs;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_game::RuleSet;
use fusion_network::model::Model;
use fusion_statistics::rounding::fixed;
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::behaviour::Identity;
use crate::play;
use crate::records::{self, Record};
use fusion_jobs::exit::Failure;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Played, Run, Shard};
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_jobs::timing::{self, TimedSample};
use fusion_study::{EvaluatorKind, Searcher, SelfplayConfig, common_rules, rule_sets};

pub use batched::{Answer, BatchEvaluator, GROUP, Leaf, run_batched};
use game::{TrainingGame, Turn};

/// Kind of the shards.
pub const KIND: &str = "games";

/// Settings in a shard's header.
#[derive(Clone, Debug, Serialize)]
struct Parameters {
    records: u32,
    scheme: String,
    /// The evaluator actually used. A study with torch begins with games of a built-in evaluator.
    evaluator: EvaluatorKind,
    network: String,
    selfplay: SelfplayConfig,
}

/// Contents of the shards of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Finished games.
    pub games: u64,
    /// Plies in all games together.
    pub plies: u64,
    /// Plies with a search. Each is a sample for the value.
    pub searched: u64,
    /// Plies with a full search. Each is a sample for the policy too.
    pub targets: u64,
    /// Games by ending.
    pub endings: BTreeMap<&'static str, u64>,
    /// Shards that were not complete before.
    pub new_shards: u32,
}

impl Summary {
    fn add(&mut self, record: &Record) {
        let searches = || record.plies.iter().filter_map(|ply| ply.search.as_ref());
        self.games += 1;
        self.plies += record.plies.len() as u64;
        self.searched += searches().count() as u64;
        self.targets += searches().filter(|search| search.target.is_some()).count() as u64;
        *self.endings.entry(record.outcome.ending.name()).or_default() += 1;
    }

    /// Reads finished shards and sums them up.
    ///
    /// # Errors
    /// Fails on a shard that is missing or damaged.
    pub fn of<G: CompleteGame>(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> anyhow::Result<Self> {
        let (mut summary, stop) = (Self::default(), Stop::of_process());
        for path in paths {
            records::read_shard::<G>(path.as_ref(), |record| {
                stop.check()?;
                summary.add(&record);
                Ok(())
            })?;
        }
        Ok(summary)
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Summary { games, plies, searched, targets, endings, .. } = self;
        write!(
            f,
            "{games} games, {plies} plies, {searched} positions to learn, {targets} with a policy"
        )?;
        for (ending, count) in endings {
            let share = fixed(100.0 * *count as f64 / (*games).max(1) as f64, 1);
            write!(f, "\n{ending}: {count} ({share}%)")?;
        }
        Ok(())
    }
}

/// Plays the games of some shards of a run, on the current thread pool, and sums the shards up.
/// Complete shards are kept. Incomplete shards are continued.
///
/// # Errors
/// Fails on a bad configuration or a shard with other settings (exit code 64), a damaged shard
/// (65), a request to stop (75 or 130), or an error of the file system.
pub fn run<G: CompleteGame>(
    config: &SelfplayConfig,
    player: &Searcher,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Summary> {
    let games = Games::<G>::new(config, player)?;
    let identity = Identity::of::<G>([player], &games.mix.rules)?;
    let run = plan(config, EvaluatorKind::Native, identity, seed, folder);
    make_shards::<G>(&run, shards, |shard, label| {
        run.play_shard(shard, label, stop, |game, progress| {
            let record = games.play(&[seed, u64::from(shard), game], stop, progress)?;
            Ok(record.as_ref().map(played::<G>))
        })
    })
}

/// Plays some games of the first shard on the current thread pool to time them, and writes nothing.
///
/// # Errors
/// Fails on a bad configuration (exit code 64).
pub fn trial<G: CompleteGame>(
    config: &SelfplayConfig,
    player: &Searcher,
    seed: u64,
    numbers: &[u64],
) -> anyhow::Result<TimedSample> {
    let games = Games::<G>::new(config, player)?;
    let (stop, progress) = (Stop::of_process(), Progress::hidden());
    timing::play_all(numbers, |game| {
        let record = games.play(&[seed, 0, game], &stop, &progress)?;
        Ok(record.map(|record| (1, record.plies.len() as u64)))
    })
}

/// A player of training games with its settings.
struct Games<'a, G: CompleteGame> {
    config: SelfplayConfig,
    mix: Mix<G>,
    player: &'a Searcher,
}

impl<'a, G: CompleteGame> Games<'a, G> {
    fn new(config: &SelfplayConfig, player: &'a Searcher) -> anyhow::Result<Self> {
        let mix = Mix::new(config)?;
        let mut config = config.clone();
        if let Searcher::Tree(settings, _) = player {
            config.search = settings.over(config.search);
        }
        Ok(Self { config, mix, player })
    }

    /// Plays one game. Returns `None` if stopped.
    fn play(
        &self,
        numbers: &[u64],
        stop: &Stop,
        progress: &Progress,
    ) -> anyhow::Result<Option<Record>> {
        let Self { config, mix, player } = self;
        match player {
            Searcher::Tree(_, model) => play_game(config, mix, model, numbers, stop, progress),
            Searcher::Pvs(settings, model) => {
                pvs::play_game(config, mix, (*settings, model), numbers, stop, progress)
            }
        }
    }
}

/// Returns everything on which the games of a run depend.
fn plan(
    config: &SelfplayConfig,
    evaluator: EvaluatorKind,
    player: Identity,
    seed: u64,
    folder: &Path,
) -> Run<Parameters> {
    let Identity { name, scheme, behaviour } = player;
    Run {
        kind: KIND,
        behaviour,
        folder: folder.to_owned(),
        seed,
        shards: config.shards,
        games: config.games,
        parameters: Parameters {
            records: records::VERSION,
            scheme,
            evaluator,
            network: name,
            selfplay: config.clone(),
        },
    }
}

/// Makes some shards of a run, one after the other, and sums them up. `make` receives a shard's
/// number and a label for the progress display.
fn make_shards<G: CompleteGame>(
    run: &Run<Parameters>,
    shards: Range<u32>,
    make: impl Fn(u32, &str) -> anyhow::Result<Shard>,
) -> anyhow::Result<Summary> {
    let mut new_shards = 0;
    for shard in shards.clone() {
        let made = make(shard, &runner::label("training games", shard, run.shards))?;
        new_shards += u32::from(made == Shard::Finished);
    }
    let summary = Summary::of::<G>(shards.map(|shard| run.path(shard)))?;
    Ok(Summary { new_shards, ..summary })
}

fn played<G: CompleteGame>(record: &Record) -> Played {
    Played { payload: records::encode::<G>(record), drawn: play::draws(record.outcome) }
}

/// The rule sets of a run with their weights, and the share of games with other rule sets.
struct Mix<G: CompleteGame> {
    rules: Vec<G::Rules>,
    weights: WeightedIndex<f64>,
    any: f64,
}

impl<G: CompleteGame> Mix<G> {
    /// Checks the whole configuration.
    fn new(config: &SelfplayConfig) -> anyhow::Result<Self> {
        config.check::<G>()?;
        Ok(Self {
            rules: rule_sets::<G>(config.rules.keys())?,
            weights: WeightedIndex::new(config.rules.values()).context("selfplay.rules")?,
            any: config.any_rules,
        })
    }

    /// # Errors
    /// Fails if one network cannot play a random rule set and those of the list (exit code 64).
    fn draw(&self, rng: &mut ChaCha8Rng) -> Result<G::Rules, Failure> {
        if self.any > 0.0 && rng.random_bool(self.any) {
            let random = G::Rules::random(rng);
            let wrong = |error| Failure::of_key("selfplay.any_rules", format!(": {error}"));
            common_rules::<G>([&self.rules[0], &random]).map_err(wrong)?;
            return Ok(random);
        }
        Ok(self.rules[self.weights.sample(rng)].clone())
    }
}

/// Plays one game. Returns `None` if stopped.
fn play_game<G: CompleteGame>(
    config: &SelfplayConfig,
    mix: &Mix<G>,
    model: &Model,
    numbers: &[u64],
    stop: &Stop,
    progress: &Progress,
) -> anyhow::Result<Option<Record>> {
    let mut evaluator = model.evaluator::<G>(seeds::number("training evaluator", numbers));
    let mut game = TrainingGame::new(config, mix, numbers)?;
    loop {
        match game.turn()? {
            Turn::Thinks if game.search_with(evaluator.as_mut(), stop) => {}
            Turn::Thinks => return Ok(None),
            Turn::Moved => progress.count_move(),
            Turn::Over(outcome) => return Ok(Some(game.record(outcome))),
        }
    }
}
