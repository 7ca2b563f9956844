//! The configuration of a study: one TOML file that every program reads and checks whole.
//!
//! `data/studies/quick.toml` explains every key. A key or section that is not known is an
//! error, so that a misspelt setting cannot be silently ignored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_engine::game::Game;
use fusion_engine::search::SearchConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::samples::SampleOptions;
use crate::sprt::SprtConfig;

/// A whole study file.
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
    /// Learning from them.
    #[serde(default)]
    pub train: TrainConfig,
    /// The pool of openings of the measurement.
    #[serde(default)]
    pub openings: OpeningsConfig,
    /// Measurement games.
    #[serde(default)]
    pub measure: MeasureConfig,
    /// The match that shows what training gained.
    #[serde(default)]
    pub strength: StrengthConfig,
}

/// `[study]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// Name of the study and, by default, of its folder in `runs`.
    pub name: String,
    /// Seed of everything random in the study.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Folder of the results; `runs/NAME` by default.
    pub out: Option<PathBuf>,
}

fn default_seed() -> u64 {
    1
}

/// `[network]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Width of the hidden layer, a multiple of 64.
    pub hidden: u32,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self { hidden: 128 }
    }
}

/// `[selfplay]`: how training games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Rule sets with their weights: each game draws one in proportion.
    pub rules: BTreeMap<String, f64>,
    /// Games of a run or, in a training loop, of one generation.
    pub games: u64,
    /// Shard files that the games are dealt out to.
    pub shards: u32,
    /// Simulations of a full search.
    pub simulations: u32,
    /// Moves that a full search considers at its root.
    pub considered: u32,
    /// Scale of the Gumbel noise at the root of a full search.
    pub gumbel_scale: f32,
    /// Share of the plies that get a full search and so a policy target.
    pub full_share: f64,
    /// Simulations of the other searches.
    pub fast_simulations: u32,
    /// A game begins with a number of uniformly random plies between 0 and this.
    pub random_plies: u32,
    /// Plies after the random ones whose move is drawn from the improved policy.
    pub temperature_plies: u32,
    /// Exponent 1/temperature is applied to the policy before that draw.
    pub temperature: f32,
    /// A game this many plies long is stopped without a result.
    pub cap: u32,
    /// Settings of the tree search.
    pub search: SearchConfig,
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        Self {
            rules: BTreeMap::from([("fusion-2020".to_owned(), 1.0)]),
            games: 500,
            shards: 1,
            simulations: 32,
            considered: 8,
            gumbel_scale: 1.0,
            full_share: 0.5,
            fast_simulations: 8,
            random_plies: 8,
            temperature_plies: 30,
            temperature: 1.0,
            cap: 400,
            search: SearchConfig::default(),
        }
    }
}

/// `[train]`: the training loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Generations of self-play and learning.
    pub generations: u32,
    /// Evaluator that plays generation 0: `uniform`, `material`, `rollout` or a network file.
    pub start: String,
    /// The newest so many generations of games are learnt from.
    pub window: u32,
    /// Fewer positions than this in the window are an error.
    pub min_positions: u64,
    /// Passes over the window in each generation.
    pub epochs: f64,
    /// Positions of one step.
    pub batch: u32,
    /// Learning rate of the optimiser (Adam with decoupled weight decay).
    pub learning_rate: f64,
    /// The learning rate falls to this share of itself along a cosine in each generation.
    pub final_rate: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// Weight of the value loss beside the policy loss.
    pub value_weight: f64,
    /// Share of the search's root value in the value target; the rest is the game's result.
    pub value_mix: f64,
    /// Decay per step of the running average of the weights, which is what is exported.
    pub average: f64,
    /// Share of the games kept aside to measure losses on.
    pub validation: f64,
    /// Steps between two checkpoints.
    pub checkpoint_steps: u32,
    /// How records become samples.
    pub samples: SampleOptions,
    /// The match by which a new network is accepted.
    pub gate: GateConfig,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            generations: 5,
            start: "material".to_owned(),
            window: 4,
            min_positions: 10_000,
            epochs: 2.0,
            batch: 512,
            learning_rate: 2e-3,
            final_rate: 0.1,
            weight_decay: 1e-4,
            value_weight: 1.0,
            value_mix: 0.5,
            average: 0.999,
            validation: 0.05,
            checkpoint_steps: 1000,
            samples: SampleOptions::default(),
            gate: GateConfig::default(),
        }
    }
}

/// `[train.gate]`: the match between a new network and the best one so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateConfig {
    /// Most games of the match, an even number; 0 accepts every network unseen.
    pub games: u64,
    /// Nodes of each move.
    pub nodes: u32,
    /// Random plies of the match's openings, from and to.
    pub plies: (u32, u32),
    /// Plies after which a game counts as drawn.
    pub cap: u32,
    /// The sequential test that ends the match early.
    pub sprt: SprtConfig,
    /// Whether a match that runs out of games undecided accepts the new network when its
    /// score is above one half.
    pub accept_undecided: bool,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self {
            games: 200,
            nodes: 64,
            plies: (4, 8),
            cap: 400,
            sprt: SprtConfig::default(),
            accept_undecided: true,
        }
    }
}

/// `[openings]`: the pool on which all rule sets are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningsConfig {
    /// Openings in the pool.
    pub count: u32,
    /// Random plies, from and to: each opening draws its number uniformly.
    pub plies: (u32, u32),
    /// An opening whose win and loss shares differ by more than this is left out; 2 leaves all in.
    pub max_advantage: f32,
    /// Nodes of the search that judges it; 1 asks the evaluator alone.
    pub nodes: u32,
}

impl Default for OpeningsConfig {
    fn default() -> Self {
        Self { count: 200, plies: (6, 8), max_advantage: 0.5, nodes: 64 }
    }
}

/// `[measure]`: the measurement games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureConfig {
    /// Rule sets to compare: one arm each.
    pub rules: Vec<String>,
    /// Node budgets of a move; every arm plays each of them.
    pub nodes: Vec<u32>,
    /// A game this many plies long is stopped without a result.
    pub cap: u32,
    /// Shard files that the games are dealt out to.
    pub shards: u32,
    /// Settings of the tree search.
    pub search: SearchConfig,
}

impl Default for MeasureConfig {
    fn default() -> Self {
        Self {
            rules: ["fusion-1999", "fusion-2006", "fusion-2020"].map(str::to_owned).to_vec(),
            nodes: vec![200],
            cap: 600,
            shards: 1,
            search: SearchConfig::default(),
        }
    }
}

/// `[strength]`: the last network against the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrengthConfig {
    /// The second player: an evaluator, a network file, or `start` for what played
    /// generation 0.
    pub opponent: String,
    /// Rule sets that the pairs of games take in turn.
    pub rules: Vec<String>,
    /// Games, an even number.
    pub games: u64,
    /// Nodes of each move.
    pub nodes: u32,
    /// Random plies of the match's openings, from and to.
    pub plies: (u32, u32),
    /// Plies after which a game counts as drawn.
    pub cap: u32,
    /// A sequential test that ends the match early; without it all games are played.
    pub sprt: Option<SprtConfig>,
}

/// Value of [`StrengthConfig::opponent`] that means [`TrainConfig::start`].
const START: &str = "start";

impl Default for StrengthConfig {
    fn default() -> Self {
        Self {
            opponent: START.to_owned(),
            rules: vec!["fusion-2020".to_owned()],
            games: 200,
            nodes: 64,
            plies: (4, 8),
            cap: 400,
            sprt: None,
        }
    }
}

impl Study {
    /// Reads and checks a study file.
    ///
    /// # Errors
    /// A file that cannot be read, is no TOML, or has an unknown key or a value out of range.
    pub fn open<G: Game>(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("reading the study {}", path.display()))?;
        let study = Self::parse(&text).with_context(|| path.display().to_string())?;
        study.check::<G>().with_context(|| path.display().to_string())?;
        Ok(study)
    }

    /// Parses a study's text without looking at the values.
    ///
    /// # Errors
    /// Text that is no TOML, or has unknown, missing or mistyped keys (exit code 64).
    pub fn parse(text: &str) -> Result<Self, Failure> {
        parse_toml(text)
    }

    /// Folder of the study's results.
    #[must_use]
    pub fn out(&self) -> PathBuf {
        let default = || Path::new("runs").join(&self.study.name);
        self.study.out.clone().unwrap_or_else(default)
    }

    /// Name or network file of the second player of the strength match.
    #[must_use]
    pub fn opponent(&self) -> &str {
        match self.strength.opponent.as_str() {
            START => &self.train.start,
            other => other,
        }
    }

    /// Checks the values: ranges, and rule sets that the game knows.
    ///
    /// # Errors
    /// The first bad value, with its key and what is allowed (exit code 64).
    pub fn check<G: Game>(&self) -> Result<(), Failure> {
        let name = &self.study.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            return Err(Failure::usage(format!(
                "study.name `{name}` must consist of letters, digits, - and _"
            )));
        }
        require(
            self.network.hidden > 0 && self.network.hidden.is_multiple_of(64),
            "network.hidden must be a positive multiple of 64",
        )?;
        self.selfplay.check::<G>()?;
        self.train.check()?;
        self.openings.check()?;
        self.measure.check::<G>()?;
        self.strength.check::<G>()
    }
}

impl SelfplayConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check<G: Game>(&self) -> Result<(), Failure> {
        check_rules::<G>("selfplay.rules", self.rules.keys())?;
        for (rules, weight) in &self.rules {
            if !(weight.is_finite() && *weight > 0.0) {
                return Err(Failure::usage(format!(
                    "selfplay.rules: the weight of `{rules}` must be above 0, not {weight}"
                )));
            }
        }
        require(self.games > 0, "selfplay.games must be at least 1")?;
        require(self.shards > 0, "selfplay.shards must be at least 1")?;
        require(
            self.simulations > 0 && self.fast_simulations > 0,
            "selfplay.simulations and selfplay.fast_simulations must be at least 1",
        )?;
        require(self.considered > 0, "selfplay.considered must be at least 1")?;
        require(
            (0.0..=100.0).contains(&self.gumbel_scale),
            "selfplay.gumbel_scale must lie between 0 and 100",
        )?;
        require(
            (0.0..=1.0).contains(&self.full_share),
            "selfplay.full_share must lie between 0 and 1",
        )?;
        require(
            (0.05..=100.0).contains(&self.temperature),
            "selfplay.temperature must lie between 0.05 and 100; \
             for no temperature set selfplay.temperature_plies to 0",
        )?;
        require(self.cap > self.random_plies, "selfplay.cap must be above selfplay.random_plies")
    }
}

impl TrainConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check(&self) -> Result<(), Failure> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let positive = |value: f64| value.is_finite() && value > 0.0;
        require(self.generations > 0, "train.generations must be at least 1")?;
        require(self.window > 0, "train.window must be at least 1")?;
        require(positive(self.epochs), "train.epochs must be above 0")?;
        require(self.batch > 0, "train.batch must be at least 1")?;
        require(positive(self.learning_rate), "train.learning_rate must be above 0")?;
        require(share(self.final_rate), "train.final_rate must lie between 0 and 1")?;
        require(
            self.weight_decay.is_finite() && self.weight_decay >= 0.0,
            "train.weight_decay must be at least 0",
        )?;
        require(
            self.value_weight.is_finite() && self.value_weight >= 0.0,
            "train.value_weight must be at least 0",
        )?;
        require(share(self.value_mix), "train.value_mix must lie between 0 and 1")?;
        require(
            (0.0..1.0).contains(&self.average),
            "train.average must be at least 0 and below 1",
        )?;
        require(
            (0.0..=0.5).contains(&self.validation),
            "train.validation must lie between 0 and 0.5",
        )?;
        require(self.checkpoint_steps > 0, "train.checkpoint_steps must be at least 1")?;
        self.samples.check()?;
        self.gate.check()
    }
}

impl SampleOptions {
    fn check(&self) -> Result<(), Failure> {
        require(
            self.fast_weight.is_finite() && self.fast_weight >= 0.0,
            "train.samples.fast_weight must be at least 0",
        )?;
        require(
            (0.0..=1.0).contains(&self.surprise),
            "train.samples.surprise must lie between 0 and 1",
        )
    }
}

impl GateConfig {
    fn check(&self) -> Result<(), Failure> {
        require(
            self.games.is_multiple_of(2),
            "train.gate.games must be even: every opening is played with both colours",
        )?;
        require(self.nodes > 0, "train.gate.nodes must be at least 1")?;
        check_plies("train.gate.plies", self.plies, self.cap)?;
        self.sprt.check("train.gate.sprt")
    }
}

impl OpeningsConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check(&self) -> Result<(), Failure> {
        require(self.count > 0, "openings.count must be at least 1")?;
        require(self.nodes > 0, "openings.nodes must be at least 1")?;
        require(
            (0.0..=2.0).contains(&self.max_advantage),
            "openings.max_advantage must lie between 0 and 2",
        )?;
        check_plies("openings.plies", self.plies, MAX_OPENING_PLIES + 1)
    }
}

impl MeasureConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check<G: Game>(&self) -> Result<(), Failure> {
        check_rules::<G>("measure.rules", &self.rules)?;
        require(
            !self.nodes.is_empty() && self.nodes.iter().all(|&nodes| nodes > 0),
            "measure.nodes must list one or more budgets of at least 1",
        )?;
        let mut nodes = self.nodes.clone();
        nodes.sort_unstable();
        nodes.dedup();
        require(nodes.len() == self.nodes.len(), "measure.nodes names a budget twice")?;
        require(
            self.cap > MAX_OPENING_PLIES,
            format!("measure.cap must be above {MAX_OPENING_PLIES}, the longest opening"),
        )?;
        require(self.shards > 0, "measure.shards must be at least 1")
    }
}

impl StrengthConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check<G: Game>(&self) -> Result<(), Failure> {
        check_rules::<G>("strength.rules", &self.rules)?;
        require(
            self.games > 0 && self.games.is_multiple_of(2),
            "strength.games must be even and positive: every opening is played with both colours",
        )?;
        require(self.nodes > 0, "strength.nodes must be at least 1")?;
        check_plies("strength.plies", self.plies, self.cap)?;
        self.sprt.as_ref().map_or(Ok(()), |sprt| sprt.check("strength.sprt"))
    }
}

/// The longest opening that a pool may have.
pub const MAX_OPENING_PLIES: u32 = 100;

fn require(holds: bool, message: impl std::fmt::Display) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::usage(message)) }
}

fn check_plies(key: &str, (from, to): (u32, u32), cap: u32) -> Result<(), Failure> {
    require(
        from <= to && to <= MAX_OPENING_PLIES && to < cap,
        format!(
            "{key} must be [from, to] with from <= to, at most {MAX_OPENING_PLIES} and below the cap"
        ),
    )
}

/// Checks that a list of rule sets is not empty, known, and free of repetitions.
fn check_rules<'a, G: Game>(
    key: &str,
    rules: impl IntoIterator<Item = &'a String>,
) -> Result<(), Failure> {
    let mut seen = BTreeMap::new();
    for text in rules {
        let parsed = G::parse_rules(text).map_err(|e| Failure::usage(format!("{key}: {e}")))?;
        if let Some(other) = seen.insert(parsed.to_string(), text) {
            return Err(Failure::usage(format!(
                "{key}: `{other}` and `{text}` are the same rule set"
            )));
        }
    }
    require(!seen.is_empty(), format!("{key} must name at least one rule set"))
}

/// Reads TOML into a type that denies unknown fields; errors name the line, the section
/// and, for an unknown key, the keys that exist.
///
/// # Errors
/// Any text that does not fit the type (exit code 64).
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let section = section_of(text, line);
        Failure::usage(format!("line {line}: {}", explain(error.message(), section)))
    })
}

/// The header of the section that a line belongs to, without brackets.
fn section_of(text: &str, line: usize) -> Option<&str> {
    let headers = text.lines().take(line).filter_map(|line| {
        let line = line.trim();
        line.strip_prefix('[')?.split(']').next()
    });
    headers.last().map(str::trim)
}

/// Puts the parser's message in this project's words.
fn explain(message: &str, section: Option<&str>) -> String {
    let place = section.map_or_else(|| "the file".to_owned(), |name| format!("[{name}]"));
    let message = message.trim().replace('\n', " ");
    let Some((key, known)) =
        message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "))
    else {
        return format!("in {place}: {message}");
    };
    let known = known.trim_start_matches("one of ").replace('`', "");
    // A header is itself the key of an unknown section.
    if section == Some(key) {
        format!("unknown section [{key}], known sections: {known}")
    } else {
        format!("unknown key `{key}` in {place}, known keys: {known}")
    }
}
