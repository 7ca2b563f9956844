//! Configuration of a study: one TOML file that every program reads and checks completely.
//!
//! `data/studies/reference.toml` explains every key. An unknown key or section is an error, so that a
//! misspelt setting is not silently ignored.

mod check;
mod checking;
pub mod command;
mod continues;
mod endgames;
mod facts;
mod files;
mod ladder;
mod measure;
mod model;
mod pair;
mod parse;
mod place;
mod samples;
mod searcher;
mod selfplay;
mod stages;
mod steps;
mod time;
mod tree_settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain;
use fusion_registry::KnownGame;
use serde::{Deserialize, Serialize};

use fusion_statistics::evalue::Looks;
use fusion_statistics::sprt::SprtConfig;

pub use check::{check_budget, check_games, check_name, check_shards, room_for};
pub use checking::{CheckArgs, check_continues, checked, summary};
pub use endgames::EndgamesConfig;
pub use facts::{FORCED, ForcedConfig, TECHNIQUE, TechniqueConfig};
pub use files::{NamedProgram, PROGRAM, allow_programs};
pub use ladder::LadderConfig;
pub use measure::{
    ExtraConfig, MAX_STOPPED_SHARDS, MeasureConfig, Measurement, PRIMARY, RANDOM, RandomConfig,
    StopRule,
};
pub use model::{common_rules, failure, open_model, open_move_model, rule_set, rule_sets};
pub use parse::parse_toml;
pub use place::{STUDY_FILE, file_name, or_shipped};
pub use samples::SampleOptions;
pub use searcher::{Searcher, Seeds};
pub use selfplay::{Adjudication, EvaluatorKind, SelfplayConfig};
pub use stages::Stage;
pub use steps::{OUTCOME, Step, TRAIN, TRAINER, generation_folder};
pub use time::{is_time_over, seconds_trained};
pub use tree_settings::TreeSettings;

/// A complete study file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name, seed and folder.
    pub study: General,
    /// Shape of the network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// Training games.
    #[serde(default)]
    pub selfplay: SelfplayConfig,
    /// Training on these games.
    #[serde(default)]
    pub train: TrainConfig,
    /// Names of rule sets for the report, by rule set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The pool of openings of the measurement.
    #[serde(default)]
    pub openings: OpeningsConfig,
    /// Figures that others published for the rule sets, for the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedConfig>,
    /// Measurement games.
    #[serde(default)]
    pub measure: MeasureConfig,
    /// Further measurements, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, ExtraConfig>,
    /// Measurements of the primary comparison that the report pools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooled: Option<PooledConfig>,
    /// Games of random movers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomConfig>,
    /// Endings to solve exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endgames: Option<EndgamesConfig>,
    /// The search for a forced win from the initial position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<ForcedConfig>,
    /// Games from positions that should be won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technique: Option<TechniqueConfig>,
    /// The match that measures the network's strength.
    #[serde(default)]
    pub strength: StrengthConfig,
    /// Further matches, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub matches: BTreeMap<String, StrengthConfig>,
    /// The matches among generations and fixed players. Without it the loop plays none.
    pub ladder: Option<LadderConfig>,
    /// Where the relative paths lead.
    #[serde(skip)]
    place: place::Place,
}

/// `[study]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Name of the study and, by default, of its folder in `runs`.
    pub name: String,
    /// Title of the report. Default: the question that the rule sets ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Seed of all random numbers of the study.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Whether the numbers of openings are final. Intervals are then narrower, since they are for one look, and
    /// no openings can be added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Folder of the results; `runs/NAME` by default, below the current folder.
    pub out: Option<PathBuf>,
    /// Folder of the relative paths, itself relative to the file. Default: the file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<PathBuf>,
}

/// `[published]`: figures of rule sets that others published. The report ranks its own beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedConfig {
    /// Where, and by what player, in a few words.
    pub source: String,
    /// Share of games drawn, by rule set.
    #[serde(default)]
    pub draws: BTreeMap<String, f64>,
    /// White's score, by rule set.
    #[serde(default)]
    pub white: BTreeMap<String, f64>,
}

/// `[pooled]`: measurements of the primary comparison whose results the report pools. Each of their budgets counts as
/// a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledConfig {
    /// Names of the measurements of different players; `measure` is the main one.
    pub players: Vec<String>,
    /// Names of measurements with one setting changed. Their range stands beside the pooled difference.
    #[serde(default)]
    pub variants: Vec<String>,
}

fn default_seed() -> u64 {
    1
}

/// `[network]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// The network that plays, as [`Searcher::open`] reads it: a file or, for alpha-beta search,
    /// `pvs:` and a file. Without it the study trains its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The search that the network is trained for.
    pub search: SearchKind,
    /// Width of the hidden layer, a multiple of 64.
    pub hidden: u32,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self { file: None, search: SearchKind::Tree, hidden: 128 }
    }
}

/// A search that networks are trained for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    /// Tree search, whose networks have a value and a policy.
    #[default]
    Tree,
    /// Alpha-beta search, whose networks have a value that is updated move by move.
    Pvs,
}

/// `[train]`: the training loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Number of generations of self-play and training. Without it and without `minutes` there are
    /// [`GENERATIONS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generations: Option<u32>,
    /// Minutes by the clock that the generations take together, instead of a number of them. The
    /// loop chooses how many games each plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// Number of generations just before one whose networks do not play its games, 0 or 1. With 1,
    /// the games of a generation can be played while the one before is learnt.
    pub lag: u32,
    /// Player of generation 0: `uniform`, `material`, `rollout` or a network file; for a network of the
    /// alpha-beta search also one that plays by that search, with `pvs:` before it.
    pub start: String,
    /// Network file with the initial weights of the first fit. Without it they are random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
    /// Number of generations whose games are trained on: the newest ones.
    pub window: u32,
    /// Least number of positions in the window. Fewer are an error.
    pub min_positions: u64,
    /// Average number of times that each position is sampled in total. A generation's fit draws
    /// this many times the number of positions of its newest games from the window.
    pub epochs: f64,
    /// Changes from a given generation on: budgets of games and the learning rate.
    pub stages: Vec<Stage>,
    /// Positions per step.
    pub batch: u32,
    /// Learning rate of the optimiser (Adam with decoupled weight decay).
    pub learning_rate: f64,
    /// Final share of the learning rate. It falls along a cosine to this share in each generation.
    pub final_rate: f64,
    /// Weight of the loss of the value a few plies ahead. This loss shapes the hidden layer; its
    /// head is not exported.
    pub horizon_weight: f64,
    /// Share of the search's root value in the value target. The rest is the game's result.
    pub value_mix: f64,
    /// Decay per step of the running average of the weights. The average is exported.
    pub average: f64,
    /// Share of the games held out to measure losses on.
    pub validation: f64,
    /// Steps between two checkpoints.
    pub checkpoint_steps: u32,
    /// Conversion of records to samples.
    pub samples: SampleOptions,
    /// The match that decides whether a new network is accepted.
    pub gate: GateConfig,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            generations: None,
            minutes: None,
            lag: 0,
            start: "material".to_owned(),
            init: None,
            window: 4,
            min_positions: 10_000,
            epochs: 2.0,
            stages: Vec::new(),
            batch: 512,
            learning_rate: 2e-3,
            final_rate: 0.1,
            horizon_weight: 0.2,
            value_mix: 0.5,
            average: 0.999,
            validation: 0.05,
            checkpoint_steps: 1000,
            samples: SampleOptions::default(),
            gate: GateConfig::default(),
        }
    }
}

/// Number of generations if a study gives neither that nor a time.
pub const GENERATIONS: u32 = 5;

impl TrainConfig {
    /// Returns the number of generations; `None` if the time decides.
    #[must_use]
    pub fn number_of_generations(&self) -> Option<u32> {
        match self.minutes {
            Some(_) => None,
            None => Some(self.generations.unwrap_or(GENERATIONS)),
        }
    }
}

/// `[train.gate]`: the match between a new network and the best network so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// Largest number of games, even. 0 accepts every network without a match.
    pub games: u64,
    /// Nodes per move.
    pub nodes: u32,
    /// The sequential test that ends the match early.
    pub sprt: SprtConfig,
    /// Whether a network must first find obvious moves. Tests turn this off, so that they can train
    /// on almost no games.
    pub sanity: bool,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self { games: 200, nodes: 64, sprt: SprtConfig::default(), sanity: true }
    }
}

/// `[openings]`: the pool of openings for the measurement of all rule sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningsConfig {
    /// Number of openings in the pool.
    pub count: u32,
    /// Random plies, lowest and highest number. Each opening draws its number uniformly.
    #[serde(deserialize_with = "pair::exactly")]
    pub plies: (u32, u32),
    /// Largest difference between an opening's shares of win and loss. An opening with a larger
    /// difference in any rule set is left out. 1 keeps all.
    pub max_advantage: f32,
    /// Nodes of the search that evaluates an opening. 1 uses only the evaluator.
    pub nodes: u32,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        Self { count: 1000, plies: (6, 8), max_advantage: 0.5, nodes: 64 }
    }
}

/// `[strength]` and `[matches.NAME]`: the study's network against another player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrengthConfig {
    /// The second player, as `Player::open` of the matches reads it; `start` for
    /// the player of generation 0; `self` for the network itself.
    pub opponent: String,
    /// Nodes per move of the opponent, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_nodes: Option<u32>,
    /// Whether the opponent's nodes are chosen, when the match begins, so that both take the same time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_time: bool,
    /// Rule sets that the pairs of games take in turn. Default: the arms of `[measure]`.
    pub rules: Vec<String>,
    /// Number of games, even.
    pub games: u64,
    /// Nodes per move.
    pub nodes: u32,
    /// Random plies of the match's openings, lowest and highest number.
    #[serde(deserialize_with = "pair::exactly")]
    pub plies: (u32, u32),
    /// Turns, of both sides together, after which a game ends without a result and each player gets
    /// half a point.
    pub cap: u32,
    /// A sequential test that ends the match early. Without it all games are played.
    pub sprt: Option<SprtConfig>,
}

/// Value of [`StrengthConfig::opponent`] that stands for [`TrainConfig::start`].
const START: &str = "start";
/// Value of [`StrengthConfig::opponent`] that stands for the study's network.
const SELF: &str = "self";

impl Default for StrengthConfig {
    fn default() -> Self {
        Self {
            opponent: START.to_owned(),
            opponent_nodes: None,
            equal_time: false,
            rules: Vec::new(),
            games: 200,
            nodes: 64,
            plies: MATCH_PLIES,
            cap: MATCH_CAP,
            sprt: None,
        }
    }
}

/// Random plies of the openings of the gate's and the ladder's matches, lowest and highest number.
pub const MATCH_PLIES: (u32, u32) = (4, 8);
/// Turns, of both sides together, after which a game of these matches ends without a result and each
/// player gets half a point.
pub const MATCH_CAP: u32 = 400;

/// Largest number of plies of a pool's opening.
pub const MAX_OPENING_PLIES: u32 = 100;

impl Study {
    /// Reads and checks a study file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not TOML, or has an unknown key or a value out of
    /// range.
    pub fn open<G: CompleteGame>(path: &Path) -> anyhow::Result<Self> {
        let mut study = Self::read(path)?;
        study.check::<G>().with_context(|| path.display().to_string())?;
        study.selfplay = study.selfplay.of_game::<G>();
        Ok(study)
    }

    /// Reads a study file without checking the values. Files with start positions that its rule sets name
    /// are found from then on.
    ///
    /// # Errors
    /// Fails if the file cannot be read (exit code 66 if there is none, 65 if it is no text), is not TOML, or has unknown, missing or mistyped keys.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = plain::text(path, plain::SMALL).context("reading the study")?;
        let mut study = Self::parse(&text).with_context(|| path.display().to_string())?;
        study.place = place::Place::of(path, study.study.relative_to.as_deref())?;
        study.place.look_in();
        Ok(study)
    }

    /// Returns when the results may be looked at: once if the numbers of openings are final.
    #[must_use]
    pub fn looks(&self) -> Looks {
        if self.study.fixed { Looks::Once } else { Looks::Any }
    }

    /// Parses a study's text without checking the values.
    ///
    /// The first rule set of `[measure]` determines the game. If `[measure]` names none, and the rule
    /// sets of `[selfplay]` are of another game than the default arms, they become the arms. A
    /// study that neither names nor trains a network gets [`KnownGame::player`].
    ///
    /// # Errors
    /// Fails if the text is not TOML, or has unknown, missing or mistyped keys (exit code 64).
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let mut study: Self = parse_toml(text)?;
        let sections = parse_toml::<toml::Table>(text)?;
        let trains = ["selfplay", "train"].iter().any(|section| sections.contains_key(*section));
        let trained = study.selfplay.rules.keys().next();
        let game = trained.map(|rules| KnownGame::of_rules(rules)).unwrap_or_default();
        if game != KnownGame::default() && !study.measure.names_arms() {
            study.measure.rules = study.selfplay.rules.keys().cloned().collect();
        }
        if study.network.file.is_none() && !trains {
            let game = KnownGame::of_rules(study.measure.first_rules());
            study.network.file = Some(game.player().into());
        }
        Ok(study)
    }

    /// Returns the player of measurement games: the given one, or the network that training makes.
    #[must_use]
    pub fn network(&self) -> PathBuf {
        match &self.network.file {
            Some(file) => self.located(&file.to_string_lossy()).into(),
            None => {
                let trained = self.trained_network().to_string_lossy().into_owned();
                Searcher::text(self.network.search, &trained).into()
            }
        }
    }

    /// Returns the file of the network that training makes.
    #[must_use]
    pub fn trained_network(&self) -> PathBuf {
        self.out().join(TRAIN).join("best.fnet")
    }

    /// Returns the same study with its own network, trained from scratch. The study has another
    /// name, or a folder of that name, so that the results of both can exist side by side.
    #[must_use]
    pub fn training(mut self) -> Self {
        const SUFFIX: &str = "-trained";
        self.network.file = None;
        self.study.name.push_str(SUFFIX);
        if let Some(out) = &mut self.study.out {
            let mut name = out.file_name().unwrap_or_default().to_owned();
            name.push(SUFFIX);
            out.set_file_name(name);
        }
        self
    }

    /// Returns the text of the second player of one of the study's matches.
    #[must_use]
    pub fn opponent(&self, config: &StrengthConfig) -> String {
        match config.opponent.as_str() {
            START => self.start(),
            SELF => self.network().to_string_lossy().into_owned(),
            other => self.located(other),
        }
    }

    /// Returns all matches with their folders inside the study's folder: that of `[strength]`, then
    /// the others by name.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set (exit codes 64 to 66).
    pub fn all_matches<G: CompleteGame>(&self) -> Result<Vec<(PathBuf, StrengthConfig)>, Failure> {
        let arms = self.measure.arms::<G>()?;
        let others =
            self.matches.iter().map(|(name, config)| (Path::new("matches").join(name), config));
        let all = std::iter::once((PathBuf::new(), &self.strength)).chain(others);
        let with_rules = |(folder, config): (PathBuf, &StrengthConfig)| {
            let mut config = config.clone();
            if config.rules.is_empty() {
                config.rules.clone_from(&arms);
            }
            (folder, config)
        };
        Ok(all.map(with_rules).collect())
    }
}
