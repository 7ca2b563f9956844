//! `[selfplay]`: how training games are played.

use std::collections::BTreeMap;

use fusion_game::{CompleteGame, RuleSet};
use fusion_jobs::exit::Failure;
use fusion_search::{SearchConfig, TrainingConfig};
use serde::{Deserialize, Serialize};

use super::{common_rules, pair, rule_sets};

/// `[selfplay]`: how training games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfplayConfig {
    /// Rule sets with their weights: each game draws one in proportion.
    pub rules: BTreeMap<String, f64>,
    /// Share of the games whose rule set is instead drawn from all combinations of toggles.
    pub any_rules: f64,
    /// Games of a run or, in a training loop, of one generation.
    pub games: u64,
    /// Number of shard files. The games are distributed over them.
    pub shards: u32,
    /// Simulations of a full search.
    pub simulations: u32,
    /// Share of Dirichlet noise in the policy at the root of a full search.
    pub noise: f32,
    /// Share of the plies with a full search, and so with a policy target.
    pub full_share: f64,
    /// Simulations of the other searches.
    pub fast_simulations: u32,
    /// Random plies that a game begins with, lowest and highest number. Each game draws its number
    /// uniformly.
    #[serde(deserialize_with = "pair::exactly")]
    pub random_plies: (u32, u32),
    /// Largest magnitude of the first search's value after the random plies, in hundredths of the
    /// cheapest piece. Random plies beyond it are drawn again. Alpha-beta search only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening_value: Option<u32>,
    /// When games are adjudicated; never without it. Alpha-beta search only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<Adjudication>,
    /// Number of plies after the random ones whose move is drawn from the search's policy. Tree
    /// search only.
    pub temperature_plies: u32,
    /// Temperature of that draw: the policy is raised to the power 1/temperature.
    pub temperature: f32,
    /// Turns, of both sides together, after which a game is stopped without a result.
    pub cap: u32,
    /// Evaluator of positions for a trained network.
    pub evaluator: EvaluatorKind,
    /// Settings of the tree search.
    pub search: SearchConfig,
}

/// `[selfplay.adjudication]`: the end of training games that are decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// A side wins if all searches of the last [`Adjudication::plies`] plies give it at least this
    /// value, in hundredths of the cheapest piece.
    pub value: u32,
    /// Number of these plies.
    pub plies: u32,
    /// Share of the games, drawn at random, that are played to their end all the same. They show
    /// how often the side that is given the win does win.
    pub control: f64,
}

impl Default for Adjudication {
    fn default() -> Self {
        Self { value: 840, plies: 5, control: 0.1 }
    }
}

/// Evaluator of positions in training games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluatorKind {
    /// The engine's own inference: integers, on the CPU, one position at a time.
    #[default]
    Native,
    /// libtorch: floats, on a GPU if there is one, with leaves of many games in one call. For
    /// networks that are too large for the engine's own inference.
    Torch,
}

/// Rule set of training games if a file names none.
const DEFAULT_RULES: &str = "fusion-2020";

impl SelfplayConfig {
    /// Returns the settings for a game. If the file names no rule sets, and the game does not have the
    /// default one, they are those that the game is measured with.
    #[must_use]
    pub fn of_game<G: CompleteGame>(&self) -> Self {
        let mut config = self.clone();
        let left_out = config.rules == Self::default().rules;
        if left_out && G::Rules::parse(DEFAULT_RULES).is_err() {
            config.rules = BTreeMap::from([(G::BENCHMARK.rules.to_owned(), 1.0)]);
        }
        config
    }

    /// Returns the rule sets of the list for a game, as [`SelfplayConfig::of_game`] has them.
    ///
    /// # Errors
    /// Fails if the game does not define one (exit codes 64 to 66).
    pub fn rule_sets<G: CompleteGame>(&self) -> Result<Vec<G::Rules>, Failure> {
        rule_sets::<G>(self.of_game::<G>().rules.keys())
    }

    /// Returns the first of [`SelfplayConfig::rule_sets`]. One network can be trained on all of them.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set, or if the networks of two differ (exit codes 64 to 66).
    pub fn first_rules<G: CompleteGame>(&self) -> Result<G::Rules, Failure> {
        let sets = self.rule_sets::<G>()?;
        let first = common_rules::<G>(&sets).cloned();
        first.map_err(|error| Failure::of_key("selfplay.rules", format!(": {error}")))
    }
}

impl Default for SelfplayConfig {
    fn default() -> Self {
        Self {
            rules: BTreeMap::from([(DEFAULT_RULES.to_owned(), 1.0)]),
            any_rules: 0.0,
            games: 500,
            shards: 1,
            simulations: 32,
            noise: TrainingConfig::NOISE,
            full_share: 0.5,
            fast_simulations: 8,
            random_plies: (0, 8),
            opening_value: None,
            adjudication: None,
            temperature_plies: 30,
            temperature: 1.0,
            cap: 400,
            evaluator: EvaluatorKind::default(),
            search: SearchConfig::default(),
        }
    }
}
