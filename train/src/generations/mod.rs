//! `loop`: generations of self-play, training and gating.
//!
//! ```text
//! train/
//!   loop.json              the whole configuration, written when the run began
//!   generations.csv        one row a generation, with generations.svg
//!   ladder.csv, ladder/    see [`crate::ladder`]
//!   generation-000/
//!     plan.json            what it does, if the study gives the time of training
//!     games/               shards of training games
//!     fit/                 checkpoint, metrics, net.safetensors, net.fnet, report.json
//!     gate/                the match against the best network so far
//!     cpu.json             processor time spent so far, without that of tasks
//!     cpu-of-tasks/        processor time of the tasks that played games
//!     generation.json      the outcome; written last
//! ```
//!
//! There is no other state. Complete files on disk are kept; all other work is repeated or
//! continued. Each generation's fit starts from the weights of the one before, accepted or
//! not, but that of the last generation of a loop with a time, which learns from all games anew.
//! Acceptance decides only which network plays the games.
//!
//! The games of a generation are played by the best network of those before it. With
//! `train.lag = 1` the generation just before does not count, so that tasks can play the next games
//! while it is learnt.

mod clock;
mod cpu;
mod outcome;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::atomic::write_bytes;
use fusion_jobs::cluster;
use fusion_jobs::exit::{Failure, NO_INPUT, note};
use fusion_jobs::plain;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_runner::generate::{self, GROUP, Summary};
use fusion_runner::matches::{self, MatchConfig, Player};
use fusion_study::{
    EvaluatorKind, MATCH_CAP, MATCH_PLIES, OUTCOME, Searcher, SelfplayConfig, Study, TrainConfig,
    generation_folder,
};
use rayon::ThreadPool;
use serde_json::{Value, json};
use tch::Device;

use crate::architecture::Architecture;
use crate::checkpoint;
use crate::fit::{FLOAT, Fit, NETWORK, Report};
use crate::for_architecture;
use crate::ladder::Ladder;
use crate::runs::{self, Folder};
use crate::sanity;
use crate::shards::Reader;
use crate::torch::TorchEvaluator;

use cpu::Meter;
pub use cpu::Seconds;
pub use outcome::{Counts, Gate, Outcome};

/// The file with the configuration of a loop.
pub const SETTINGS: &str = "loop.json";
/// Settings that may change when a loop is continued: its length, and settings that do not
/// affect its networks. Stages may change as [`check_stages`] says.
const FREE: [&str; 5] = [
    "train.generations",
    "train.minutes",
    "train.min_positions",
    "train.checkpoint_steps",
    "train.stages",
];
/// The newest accepted network.
pub const BEST: &str = "best.fnet";

/// Returns the folder of a generation's fit.
fn fit_folder(out: &Path, number: u32) -> PathBuf {
    generation_folder(out, number).join("fit")
}

/// Returns the network file of a generation in the folder of its loop.
#[must_use]
pub fn network(out: &Path, number: u32) -> PathBuf {
    fit_folder(out, number).join(NETWORK)
}

/// Returns all values that the networks of a study's loop depend on.
fn settings<G: CompleteGame>(study: &Study) -> anyhow::Result<Value> {
    let rules = study.selfplay.first_rules::<G>()?;
    let scheme = for_architecture!(study.network.search, A => A::scheme_name::<G>(&rules));
    Ok(json!({
        "program": runs::program(),
        "scheme": scheme,
        "study": {"seed": study.study.seed},
        "network": runs::to_json(&study.network)?,
        "selfplay": runs::to_json(&study.selfplay)?,
        "train": runs::to_json(&study.train)?,
    }))
}

/// Returns the outcome with the best network so far: the last accepted one.
#[must_use]
pub fn newest_accepted(outcomes: &[Outcome]) -> Option<&Outcome> {
    outcomes.iter().rfind(|outcome| outcome.accepted)
}

/// Returns the generations that a study's loop has finished so far, also while it runs.
///
/// # Errors
/// The folder has no loop (exit code 66) or that of another study (64), or an outcome is
/// damaged (65).
pub fn finished<G: CompleteGame>(study: &Study, out: &Path) -> anyhow::Result<Vec<Outcome>> {
    let Some(noted) = runs::read_json::<Value>(&out.join(SETTINGS), runs::RESTORE)? else {
        let message = format!("{} holds no training loop", out.display());
        return Err(Failure::new(NO_INPUT, message).into());
    };
    check_settings::<G>(study, out, &noted)?;
    let outcome = |number| {
        runs::read_json(&generation_folder(out, number).join(OUTCOME), runs::REMOVE).transpose()
    };
    (0..).map_while(outcome).collect()
}

/// Rejects the settings of another study's loop.
fn check_settings<G: CompleteGame>(study: &Study, out: &Path, noted: &Value) -> anyhow::Result<()> {
    check_stages(study, out, noted)?;
    let Some(difference) = runs::difference(noted, &settings::<G>(study)?, &FREE) else {
        return Ok(());
    };
    let message = format!("{} holds the loop of another study: {difference}", out.display());
    Err(Failure::usage(message).into())
}

/// Rejects other stages than those that a loop has used. Those that begin after its last generation so
/// far, finished or not, may change.
fn check_stages(study: &Study, out: &Path, noted: &Value) -> anyhow::Result<()> {
    let begun = (0..).take_while(|&number| generation_folder(out, number).exists()).count();
    let used = |stages: &Value| -> Value {
        let is_used =
            |stage: &&Value| stage["from"].as_u64().is_some_and(|from| from < begun as u64);
        stages.as_array().into_iter().flatten().filter(is_used).cloned().collect()
    };
    let (old, new) = (used(&noted["train"]["stages"]), used(&runs::to_json(&study.train.stages)?));
    if old == new {
        return Ok(());
    }
    let message = format!(
        "{} holds {begun} generations with other stages: of these `train.stages` was {old}, now it is \
         {new}. Use those stages to continue the loop, or choose another folder.",
        out.display()
    );
    Err(Failure::usage(message).into())
}

/// A training loop.
pub struct Loop<'a> {
    /// The configuration.
    pub study: &'a Study,
    /// Folder of the generations.
    pub out: &'a Path,
    /// Threads that play and read games.
    pub pool: &'a ThreadPool,
    /// Device that trains networks.
    pub device: Device,
}

impl Loop<'_> {
    /// Runs all missing parts of all generations, and the ladder if the study has one.
    ///
    /// # Errors
    /// The folder has another configuration (exit code 64), a stop is requested (75 or 130), or
    /// self-play, training or a match fails.
    pub fn run<G: CompleteGame>(&self, stop: &Stop) -> anyhow::Result<Vec<Outcome>> {
        let _folder = self.claim::<G>()?;
        let search = self.study.network.search;
        let outcomes = for_architecture!(search, A => self.run_all::<G, A>(stop))?;
        self.publish::<G>(&outcomes)?;
        self.ladder::<G>(&outcomes, stop)?;
        Ok(outcomes)
    }

    fn run_all<G: CompleteGame, A: Architecture>(
        &self,
        stop: &Stop,
    ) -> anyhow::Result<Vec<Outcome>> {
        let mut reader = self.reader::<G, A>()?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for number in 0.. {
            if clock::is_over(self.study, &outcomes) {
                break;
            }
            let outcome = match self.outcome(number)? {
                Some(outcome) => outcome,
                None => self.make::<G, A>(number, &outcomes, &mut reader, stop)?,
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Plays some shards of a generation's games as [`Loop::run`] does, for a task of a scheduler.
    /// Other tasks may play other shards at the same time.
    ///
    /// # Errors
    /// A generation before is not learnt (exit code 66), the folder has another configuration (64), a
    /// stop is requested (75 or 130), or self-play fails.
    pub fn generate<G: CompleteGame>(
        &self,
        number: u32,
        shards: Range<u32>,
        stop: &Stop,
    ) -> anyhow::Result<Summary> {
        self.check_number(number)?;
        if let Some(noted) = runs::read_json::<Value>(&self.out.join(SETTINGS), runs::RESTORE)? {
            check_settings::<G>(self.study, self.out, &noted)?;
        }
        // The generation up to which networks may play.
        let playing = number.saturating_sub(self.study.train.lag);
        let players = self.outcomes_before(playing)?;
        self.check_initial::<G>(playing)?;
        let best = self.open_best::<G>(&players)?;
        let selfplay = self.study.selfplay_of(number);
        let mut meter = Meter::of_task(&self.folder(number), shards.start)?;
        let play = || self.play::<G>(number, &selfplay, &players, &best, shards, stop);
        meter.measure(|cpu| &mut cpu.selfplay, || self.pool.install(play))
    }

    /// Learns from the games of a generation as [`Loop::run`] does. All its shards must be there.
    /// Returns `None` if it is learnt already.
    ///
    /// # Errors
    /// A generation before is not learnt (exit code 66), shards are missing (65 or 66), the folder has
    /// another configuration (64), a stop is requested (75 or 130), or training or the match fails.
    pub fn learn_from_shards<G: CompleteGame>(
        &self,
        number: u32,
        stop: &Stop,
    ) -> anyhow::Result<Option<Outcome>> {
        self.check_number(number)?;
        let _folder = self.claim::<G>()?;
        let before = self.outcomes_before(number)?;
        if self.outcome(number)?.is_some() {
            return Ok(None);
        }
        cluster::whole_run(&self.games(number))?;
        for_architecture!(self.study.network.search, A => {
            let mut reader = self.reader::<G, A>()?;
            self.make::<G, A>(number, &before, &mut reader, stop).map(Some)
        })
    }

    /// Returns the rule sets of the training games.
    fn rule_sets<G: CompleteGame>(&self) -> Result<Vec<G::Rules>, Failure> {
        self.study.selfplay.rule_sets::<G>()
    }

    /// Returns one of them.
    fn rules<G: CompleteGame>(&self) -> Result<G::Rules, Failure> {
        self.study.selfplay.first_rules::<G>()
    }

    fn reader<G: CompleteGame, A: Architecture>(&self) -> Result<Reader<A>, Failure> {
        Ok(Reader::new::<G>(&self.rules::<G>()?, &self.study.train, self.out))
    }

    /// Claims the folder of the loop.
    fn claim<G: CompleteGame>(&self) -> anyhow::Result<Folder> {
        if let Some(noted) = runs::read_json::<Value>(&self.out.join(SETTINGS), runs::RESTORE)? {
            check_stages(self.study, self.out, &noted)?;
        }
        Folder::claim(self.out, SETTINGS, &settings::<G>(self.study)?, &FREE)
    }

    /// Rejects the number of a generation that the study does not have.
    fn check_number(&self, number: u32) -> Result<(), Failure> {
        let Some(generations) = self.study.train.number_of_generations() else {
            let message = "--generation: the study gives the time of training, so that only the whole \
                           loop knows its generations: fusion train loop";
            return Err(Failure::usage(message));
        };
        if number < generations {
            return Ok(());
        }
        let last = generations.saturating_sub(1);
        Err(Failure::usage(format!(
            "--generation: the study's {generations} generations are numbered 0 to {last}"
        )))
    }

    /// Returns the outcome of a generation, if it has one.
    fn outcome(&self, number: u32) -> anyhow::Result<Option<Outcome>> {
        runs::read_json(&self.folder(number).join(OUTCOME), runs::REMOVE)
    }

    /// Returns the outcomes of the generations before one.
    fn outcomes_before(&self, number: u32) -> anyhow::Result<Vec<Outcome>> {
        let outcome = |number| {
            self.outcome(number)?.ok_or_else(|| {
                let folder = self.out.display();
                let message =
                    format!("{folder}: generation {number} is not learnt yet: learn it first");
                Failure::new(NO_INPUT, message).into()
            })
        };
        (0..number).map(outcome).collect()
    }

    /// Makes a generation and publishes it. Its outcome is written last.
    fn make<G: CompleteGame, A: Architecture>(
        &self,
        number: u32,
        before: &[Outcome],
        reader: &mut Reader<A>,
        stop: &Stop,
    ) -> anyhow::Result<Outcome> {
        stop.check()?;
        let made = self.generation::<G, A>(number, before, reader, stop);
        let outcome = made.with_context(|| format!("generation {number}"))?;
        self.publish::<G>(&[before, std::slice::from_ref(&outcome)].concat())?;
        runs::write_json(&self.folder(number).join(OUTCOME), &outcome)?;
        note(&outcome);
        Ok(outcome)
    }

    /// Opens the best player after these generations.
    fn open_best<G: CompleteGame>(&self, outcomes: &[Outcome]) -> anyhow::Result<Searcher> {
        let best = Searcher::open::<G>(&self.best(outcomes), &self.rule_sets::<G>()?);
        match newest_accepted(outcomes) {
            Some(trained) => best.with_context(|| self.again(trained.generation)),
            None => Ok(best?),
        }
    }

    /// Plays the ladder if the study has one.
    fn ladder<G: CompleteGame>(&self, outcomes: &[Outcome], stop: &Stop) -> anyhow::Result<()> {
        let Some(config) = &self.study.ladder else { return Ok(()) };
        // A loop that accepted no network has already reported it; that is no error of the loop.
        if outcomes.iter().any(|outcome| outcome.accepted) {
            let ladder = Ladder { study: self.study, config, out: self.out, pool: self.pool };
            ladder.run::<G>(outcomes, stop)?;
        }
        Ok(())
    }

    /// Returns the folder of a generation.
    fn folder(&self, number: u32) -> PathBuf {
        generation_folder(self.out, number)
    }

    fn games(&self, number: u32) -> PathBuf {
        self.folder(number).join("games")
    }

    fn fit(&self, number: u32) -> PathBuf {
        fit_folder(self.out, number)
    }

    fn seed(&self, purpose: &str, number: u32) -> u64 {
        seeds::number(purpose, &[self.study.study.seed, u64::from(number)])
    }

    /// Returns the player after these generations: the newest accepted network, or the start.
    fn best(&self, outcomes: &[Outcome]) -> String {
        let accepted = newest_accepted(outcomes);
        accepted.map_or_else(|| self.study.start(), |outcome| self.player(outcome.generation))
    }

    /// Returns the initial weights of a generation's fit; random weights if `None`.
    fn initial(&self, number: u32) -> Option<PathBuf> {
        let previous = number.checked_sub(1).map(|previous| self.fit(previous).join(FLOAT));
        previous.or_else(|| self.study.init())
    }

    /// Rejects initial weights that a fit could not use, before games are played.
    fn check_initial<G: CompleteGame>(&self, number: u32) -> anyhow::Result<()> {
        let Some(path) = self.initial(number) else { return Ok(()) };
        let loaded = self.check_weights::<G>(&path);
        loaded.with_context(|| match number.checked_sub(1) {
            Some(previous) => self.again(previous),
            None => "train.init".to_owned(),
        })
    }

    /// Rejects weights that are damaged or do not fit the study's network.
    fn check_weights<G: CompleteGame>(&self, path: &Path) -> anyhow::Result<()> {
        let (network, rules) = (&self.study.network, self.rules::<G>()?);
        for_architecture!(network.search, A => {
            let shape = A::for_game::<G>(&rules, network.hidden as usize).map_err(Failure::usage)?;
            checkpoint::load_weights::<G, A>(&rules, path, shape, Device::Cpu).map(drop)
        })
    }

    /// Returns the text of the player with the network of a generation.
    fn player(&self, number: u32) -> String {
        let network = network(self.out, number).display().to_string();
        Searcher::text(self.study.network.search, &network)
    }

    /// Returns the advice for a damaged or missing network of a generation.
    fn again(&self, number: u32) -> String {
        let outcome = self.folder(number).join(OUTCOME);
        format!(
            "a network of generation {number} (to make it again remove it and {})",
            outcome.display()
        )
    }

    /// Plays, trains and gates one generation.
    fn generation<G: CompleteGame, A: Architecture>(
        &self,
        number: u32,
        before: &[Outcome],
        reader: &mut Reader<A>,
        stop: &Stop,
    ) -> anyhow::Result<Outcome> {
        self.check_initial::<G>(number)?;
        let players = self.players(number, before);
        let player = self.open_best::<G>(players)?;
        let games = self.games(number);
        std::fs::create_dir_all(&games).with_context(|| format!("creating {}", games.display()))?;
        let mut meter = Meter::open(&self.folder(number))?;
        let (selfplay, last) = self.planned::<G>(number, before, &player)?;
        note(format_args!(
            "generation {number}: {} games by {}",
            selfplay.games,
            self.name(players)
        ));
        let shards = 0..selfplay.shards;
        let play = || self.play::<G>(number, &selfplay, players, &player, shards.clone(), stop);
        let summary = meter.measure(|cpu| &mut cpu.selfplay, || self.pool.install(play))?;
        let report =
            meter.measure(|cpu| &mut cpu.fit, || self.learn::<G, A>(number, last, reader, stop))?;
        let rejected = self.try_out::<G>(number)?.err();
        let gate = match rejected {
            Some(_) => None,
            None => meter.measure(|cpu| &mut cpu.gate, || self.gate::<G>(number, before, stop))?,
        };
        let accepted = rejected.is_none() && gate.as_ref().is_none_or(Gate::accepts);
        Ok(Outcome {
            generation: number,
            accepted,
            player: self.name(players),
            games: summary.games,
            plies: summary.plies,
            endings: summary
                .endings
                .iter()
                .map(|(&name, &count)| (name.to_owned(), count))
                .collect(),
            fit: report,
            rejected,
            gate,
            cpu: meter.spent(),
            clock: meter.clock(),
        })
    }

    /// Plays the games of a generation. If the study selects torch, networks trained in this loop
    /// play with their float weights. The start has none and plays with the engine.
    fn play<G: CompleteGame>(
        &self,
        number: u32,
        config: &SelfplayConfig,
        players: &[Outcome],
        best: &Searcher,
        shards: Range<u32>,
        stop: &Stop,
    ) -> anyhow::Result<Summary> {
        let folder = self.games(number);
        let seed = self.seed("games of a generation", number);
        let trained = newest_accepted(players);
        match trained.filter(|_| config.evaluator == EvaluatorKind::Torch) {
            None => generate::run::<G>(config, best, seed, &folder, shards, stop),
            Some(outcome) => {
                let weights = self.fit(outcome.generation).join(FLOAT);
                let rules = self.rules::<G>()?;
                let evaluator = TorchEvaluator::<G>::load(&rules, &weights, self.device)?;
                generate::run_batched(config, GROUP, &evaluator, seed, &folder, shards, stop)
            }
        }
    }

    /// Returns those of the outcomes before a generation whose networks may play its games.
    fn players<'b>(&self, number: u32, before: &'b [Outcome]) -> &'b [Outcome] {
        &before[..number.saturating_sub(self.study.train.lag) as usize]
    }

    /// Returns the name of the best player for messages.
    fn name(&self, outcomes: &[Outcome]) -> String {
        let accepted = newest_accepted(outcomes);
        accepted.map_or_else(
            || self.study.train.start.clone(),
            |outcome| format!("the network of generation {}", outcome.generation),
        )
    }

    fn learn<G: CompleteGame, A: Architecture>(
        &self,
        number: u32,
        all: bool,
        reader: &mut Reader<A>,
        stop: &Stop,
    ) -> anyhow::Result<Report> {
        let train = &self.study.train;
        let learning_rate = train.learning_rate_of(number);
        let config = TrainConfig { learning_rate, ..train.clone() };
        let first = (number + 1).saturating_sub(train.window);
        let shards: Vec<PathBuf> = (first..=number).map(|number| self.games(number)).collect();
        // Weights that have seen some games many times judge the others less well than new ones.
        let initial = if all { self.study.init() } else { self.initial(number) };
        let fit = Fit {
            shards: &shards,
            newest: if all { shards.len() } else { 1 },
            out: &self.fit(number),
            initial: initial.as_deref(),
            config: &config,
            hidden: self.study.network.hidden as usize,
            seed: self.seed("fit of a generation", number),
            pool: self.pool,
            device: self.device,
        };
        fit.run::<G, A>(&self.rules::<G>()?, reader, stop)
    }

    /// Returns whether the new network passes the checks of a sound network, else the reason.
    fn try_out<G: CompleteGame>(&self, number: u32) -> anyhow::Result<Result<(), String>> {
        if !self.study.train.gate.sanity {
            return Ok(Ok(()));
        }
        let rules = self.rule_sets::<G>()?;
        Ok(sanity::check::<G>(&Searcher::open::<G>(&self.player(number), &rules)?, &rules))
    }

    /// Plays the match of the new network against the best; `None` if the study has no gate.
    fn gate<G: CompleteGame>(
        &self,
        number: u32,
        before: &[Outcome],
        stop: &Stop,
    ) -> anyhow::Result<Option<Gate>> {
        let gate = &self.study.train.gate;
        if gate.games == 0 {
            return Ok(None);
        }
        let folder = self.folder(number).join("gate");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("creating {}", folder.display()))?;
        let player = Searcher::open::<G>(&self.player(number), &self.rule_sets::<G>()?)?;
        let config = MatchConfig {
            first: Player::searching(player, gate.nodes),
            second: Player::searching(self.open_best::<G>(before)?, gate.nodes),
            rules: self.study.selfplay.rules.keys().cloned().collect(),
            games: gate.games,
            plies: MATCH_PLIES,
            cap: MATCH_CAP,
            search: self.study.selfplay.search,
            sprt: Some(gate.sprt),
            seed: self.seed("gate of a generation", number),
        };
        let report = self.pool.install(|| matches::run::<G>(&config, &folder, stop))?;
        Ok(Some(Gate::new(&report, self.name(before))))
    }

    /// Updates the files that summarise the generations.
    fn publish<G: CompleteGame>(&self, outcomes: &[Outcome]) -> anyhow::Result<()> {
        if outcomes.is_empty() {
            return Ok(());
        }
        if let Some(best) = newest_accepted(outcomes) {
            let source = network(self.out, best.generation);
            self.check_weights::<G>(&source).with_context(|| self.again(best.generation))?;
            let network = plain::read(&source, plain::WEIGHTS)?;
            write_bytes(&self.out.join(BEST), &network)?;
        }
        outcome::publish(self.out, outcomes)
    }
}
