//! Checks of the values of a study's keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use fusion_game::CompleteGame;
use fusion_game::evaluator::MOST_VALUE;
use fusion_jobs::exit::Failure;
use fusion_network::views::ViewSizes;
use fusion_network::{Sizes, TreeSizes};
use fusion_search::SearchConfig;

use fusion_statistics::sprt::SprtConfig;

use super::{
    Adjudication, EvaluatorKind, ForcedConfig, GateConfig, LadderConfig, MAX_OPENING_PLIES,
    OpeningsConfig, PRIMARY, SampleOptions, SearchKind, Searcher, SelfplayConfig, StrengthConfig,
    Study, TechniqueConfig, TrainConfig, common_rules, rule_set,
};
use fusion_jobs::shard::MAX_SHARDS;

/// Limit of simulations. More in one search would take longer than a training game is worth.
const MAX_SIMULATIONS: u32 = 1_000_000;
/// Limit of games: more than any study needs, and few enough for sums of them not to overflow.
const MAX_GAMES: u64 = 1_000_000_000;
/// Limit of openings. All openings of a pool are in memory.
const MAX_OPENINGS: u32 = 1_000_000;
/// Limit of characters of a title or a label.
const MAX_WORDS: usize = 120;
/// Limit of weights. Heavier rule sets would suppress lighter ones, and sums would be infinite.
const MAX_WEIGHT: f64 = 1e9;
/// Limit of the minutes of training: a year.
const MAX_MINUTES: f64 = 527_040.0;
/// Limit of a training batch. More positions in a step would not fit into memory.
const MAX_TRAINING_BATCH: u32 = 1 << 20;

/// Tree nodes that must fit for each node of a move's budget.
const ROOM_OF_NODE: u32 = 128;

impl Study {
    /// Checks the values: ranges, and that the game defines the rule sets.
    ///
    /// # Errors
    /// Fails at the first bad value, and names its key and what is allowed (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        check_name("study.name", &self.study.name)?;
        self.check_words::<G>()?;
        self.check_paths()?;
        let hidden = self.network.hidden as usize;
        let fits = match self.network.search {
            SearchKind::Tree => TreeSizes::check_width(hidden),
            SearchKind::Pvs => ViewSizes::check_width(hidden),
        };
        fits.map_err(|error| Failure::usage(format!("network.hidden: {error}")))?;
        if self.network.search == SearchKind::Pvs && self.selfplay.evaluator == EvaluatorKind::Torch
        {
            let message = "selfplay.evaluator: torch evaluates only networks of the tree search, \
                           and network.search is \"pvs\"";
            return Err(Failure::usage(message));
        }
        self.selfplay.of_game::<G>().check::<G>()?;
        self.train.check()?;
        for stage in &self.train.stages {
            let context = |error: Failure| {
                let from = stage.from;
                Failure::usage(format!("the stage of train.stages from generation {from}: {error}"))
            };
            self.selfplay_of(stage.from).of_game::<G>().check::<G>().map_err(context)?;
        }
        self.openings.check()?;
        require(
            !(self.study.fixed && self.measure.stop.is_some()),
            "study.fixed: the rule of [measure.stop] decides on the number of openings",
        )?;
        self.check_measurements::<G>()?;
        if let Some(endgames) = &self.endgames {
            endgames.check::<G>()?;
            self.endgame_rules::<G>()?;
        }
        self.forced.as_ref().map_or(Ok(()), ForcedConfig::check)?;
        self.technique.as_ref().map_or(Ok(()), TechniqueConfig::check)?;
        self.strength.check::<G>()?;
        for name in self.extra.keys() {
            check_name("the name of an [extra] section", name)?;
            require(name != PRIMARY, "[extra.measure]: `measure` is the main measurement's name")?;
        }
        for (name, config) in &self.matches {
            check_name("the name of a [matches] section", name)?;
            let section = format!("matches.{name}");
            config.check::<G>().map_err(|error| error.in_section("strength", &section))?;
        }
        self.ladder.as_ref().map_or(Ok(()), LadderConfig::check::<G>)?;
        self.check_pooled()?;
        self.check_budgets()
    }

    /// Checks that `[pooled]` names measurements of the study, each once.
    fn check_pooled(&self) -> Result<(), Failure> {
        let Some(pooled) = &self.pooled else { return Ok(()) };
        let mut seen = BTreeSet::new();
        for (key, name) in [("players", &pooled.players), ("variants", &pooled.variants)]
            .into_iter()
            .flat_map(|(key, names)| names.iter().map(move |name| (key, name)))
        {
            let known = name == PRIMARY || self.extra.contains_key(name);
            require(known, format!("pooled.{key}: the study has no measurement `{name}`"))?;
            require(seen.insert(name), format!("pooled.{key}: `{name}` is listed twice"))?;
        }
        for name in &pooled.players {
            let own = self.extra.get(name).is_some_and(|extra| extra.own_plies > Some(0));
            require(!own, format!("pooled.players: `{name}` has openings of its own"))?;
        }
        require(pooled.players.len() > 1, "pooled.players must list at least two measurements")
    }

    /// Checks the title and the labels of rule sets.
    fn check_words<G: CompleteGame>(&self) -> Result<(), Failure> {
        let title = self.study.title.iter().map(|title| ("study.title".to_owned(), title));
        let labels = self.labels.iter().map(|(rules, label)| (format!("labels: `{rules}`"), label));
        let source = self.published.iter().map(|of| ("published.source".to_owned(), &of.source));
        for (key, text) in title.chain(labels).chain(source) {
            let fits = text.chars().count() <= MAX_WORDS && !text.chars().any(char::is_control);
            require(
                fits && !text.trim().is_empty(),
                format!("{key} must be a line of 1 to {MAX_WORDS} characters"),
            )?;
        }
        check_rules::<G>("labels", self.labels.keys(), true)?;
        for (name, figures) in
            self.published.iter().flat_map(|of| [("draws", &of.draws), ("white", &of.white)])
        {
            let key = format!("published.{name}");
            check_rules::<G>(&key, figures.keys(), true)?;
            let shares = figures.values().all(|share| (0.0..=1.0).contains(share));
            require(shares, format!("{key} must be shares, between 0 and 1"))?;
        }
        let distinct: BTreeSet<_> = self.labels.values().collect();
        require(distinct.len() == self.labels.len(), "labels: two rule sets have the same label")
    }

    /// Checks that each search has room in its tree, whichever section the settings come from.
    fn check_budgets(&self) -> Result<(), Failure> {
        let gate = self.train.gate.nodes;
        check_budget("selfplay.search", &self.selfplay.search, "train.gate.nodes", gate)?;
        let measure =
            |key: &str, nodes| check_budget("measure.search", &self.measure.search, key, nodes);
        measure("openings.nodes", self.openings.nodes)?;
        let matches = self.matches.iter().map(|(name, config)| (format!("matches.{name}"), config));
        let strength = ("strength".to_owned(), &self.strength);
        for (section, config) in std::iter::once(strength).chain(matches) {
            let own = (self.network().to_string_lossy().into_owned(), "nodes", config.nodes);
            let other = match config.opponent_nodes {
                Some(nodes) => (self.opponent(config), "opponent_nodes", nodes),
                None => (self.opponent(config), "nodes", config.nodes),
            };
            let trees = [own, other].into_iter().filter(|of| Searcher::has_tree(&of.0));
            for (_, key, nodes) in trees {
                measure(&format!("{section}.{key}"), nodes)?;
            }
        }
        self.ladder.as_ref().map_or(Ok(()), |ladder| measure("ladder.nodes", ladder.nodes))
    }
}

impl SelfplayConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        let rules = check_rules::<G>("selfplay.rules", self.rules.keys(), false)?;
        let common = common_rules::<G>(&rules);
        common.map_err(|error| Failure::of_key("selfplay.rules", format!(": {error}")))?;
        for (rules, weight) in &self.rules {
            if !(*weight > 0.0 && *weight <= MAX_WEIGHT) {
                let reason = format!(
                    ": the weight of `{rules}` must be above 0 and at most {MAX_WEIGHT}, not {weight}"
                );
                return Err(Failure::of_key("selfplay.rules", reason));
            }
        }
        require(
            (0.0..=1.0).contains(&self.any_rules),
            "selfplay.any_rules must lie between 0 and 1",
        )?;
        check_games("selfplay.games", self.games)?;
        check_shards("selfplay.shards", self.shards)?;
        let simulations = [
            ("selfplay.simulations", self.simulations),
            ("selfplay.fast_simulations", self.fast_simulations),
        ];
        for (key, simulations) in simulations {
            require_of(
                key,
                (1..=MAX_SIMULATIONS).contains(&simulations),
                format!(" must lie between 1 and {MAX_SIMULATIONS}"),
            )?;
            check_budget("selfplay.search", &self.search, key, simulations)?;
        }
        require((0.0..=1.0).contains(&self.noise), "selfplay.noise must lie between 0 and 1")?;
        require(
            (0.0..=1.0).contains(&self.full_share),
            "selfplay.full_share must lie between 0 and 1",
        )?;
        require(
            (0.05..=100.0).contains(&self.temperature),
            "selfplay.temperature must lie between 0.05 and 100; \
             for no temperature set selfplay.temperature_plies to 0",
        )?;
        check_plies("selfplay.random_plies", self.random_plies, self.cap)?;
        if let Some(value) = self.opening_value {
            check_value("selfplay.opening_value", value)?;
        }
        if let Some(adjudication) = &self.adjudication {
            adjudication.check()?;
        }
        require(
            self.search.history,
            "selfplay.search.history must be true: training games end by repetition as the search \
             counts it",
        )?;
        check_search("selfplay.search", &self.search)
    }
}

impl Adjudication {
    fn check(&self) -> Result<(), Failure> {
        check_value("selfplay.adjudication.value", self.value)?;
        require(self.plies > 0, "selfplay.adjudication.plies must be at least 1")?;
        require(
            (0.0..=1.0).contains(&self.control),
            "selfplay.adjudication.control must lie between 0 and 1",
        )
    }
}

/// Checks a value in hundredths of the cheapest piece.
fn check_value(key: &str, value: u32) -> Result<(), Failure> {
    let most = MOST_VALUE.unsigned_abs();
    require((1..=most).contains(&value), format!("{key} must lie between 1 and {most}"))
}

impl TrainConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check(&self) -> Result<(), Failure> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let positive = |value: f64| value.is_finite() && value > 0.0;
        require(self.generations != Some(0), "train.generations must be at least 1")?;
        self.check_time()?;
        require(self.lag <= 1, "train.lag must be 0 or 1")?;
        require(self.window > 0, "train.window must be at least 1")?;
        require(positive(self.epochs), "train.epochs must be above 0")?;
        require(
            (1..=MAX_TRAINING_BATCH).contains(&self.batch),
            format!("train.batch must lie between 1 and {MAX_TRAINING_BATCH}"),
        )?;
        require(positive(self.learning_rate), "train.learning_rate must be above 0")?;
        require(share(self.final_rate), "train.final_rate must lie between 0 and 1")?;
        require(
            self.horizon_weight.is_finite() && self.horizon_weight >= 0.0,
            "train.horizon_weight must be at least 0",
        )?;
        require(share(self.value_mix), "train.value_mix must lie between 0 and 1")?;
        require(
            (0.0..1.0).contains(&self.average),
            "train.average must be at least 0 and below 1",
        )?;
        let rates = self.stages.iter().filter_map(|stage| stage.learning_rate);
        require(
            rates.into_iter().all(|rate| rate.is_finite() && rate > 0.0),
            "train.stages: a learning_rate must be above 0",
        )?;
        require(
            self.stages.is_sorted_by(|a, b| a.from < b.from),
            "train.stages must be in the order of their generations, one for each",
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

impl TrainConfig {
    /// Checks a loop whose length is given in minutes.
    fn check_time(&self) -> Result<(), Failure> {
        let Some(minutes) = self.minutes else { return Ok(()) };
        require(
            minutes > 0.0 && minutes <= MAX_MINUTES,
            format!("train.minutes must be above 0 and at most {MAX_MINUTES}"),
        )?;
        for (given, key) in [
            (self.generations.is_some(), "generations"),
            (self.lag > 0, "lag"),
            (!self.stages.is_empty(), "stages"),
        ] {
            let reason =
                "is for a number of generations, and train.minutes leaves that to the time";
            require(!given, format!("train.{key} {reason}: leave one of them out"))?;
        }
        Ok(())
    }
}

impl SampleOptions {
    fn check(&self) -> Result<(), Failure> {
        require(
            self.fast_weight.is_finite() && self.fast_weight >= 0.0,
            "train.samples.fast_weight must be at least 0",
        )
    }
}

impl GateConfig {
    fn check(&self) -> Result<(), Failure> {
        require(
            self.games.is_multiple_of(2),
            "train.gate.games must be even: every opening is played with both colours",
        )?;
        check_games("train.gate.games", self.games.max(1))?;
        require(self.nodes > 0, "train.gate.nodes must be at least 1")?;
        check_sprt("train.gate.sprt", &self.sprt)
    }
}

impl OpeningsConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check(&self) -> Result<(), Failure> {
        check_openings("openings.count", self.count)?;
        require_of("openings.nodes", self.nodes > 0, " must be at least 1")?;
        require_of(
            "openings.max_advantage",
            (0.0..=2.0).contains(&self.max_advantage),
            " must lie between 0 and 2",
        )?;
        check_plies("openings.plies", self.plies, MAX_OPENING_PLIES + 1)
    }
}

impl StrengthConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        check_rules::<G>("strength.rules", &self.rules, true)?;
        require_of(
            "strength.games",
            self.games > 0 && self.games.is_multiple_of(2),
            " must be even and positive: every opening is played with both colours",
        )?;
        check_games("strength.games", self.games)?;
        require_of("strength.nodes", self.nodes > 0, " must be at least 1")?;
        let second = self.opponent_nodes != Some(0);
        require_of("strength.opponent_nodes", second, " must be at least 1")?;
        require_of(
            "strength.equal_time",
            !self.equal_time || self.opponent_nodes.is_none(),
            " chooses strength.opponent_nodes: leave one of them out",
        )?;
        check_plies("strength.plies", self.plies, self.cap)?;
        self.sprt.as_ref().map_or(Ok(()), |sprt| check_sprt("strength.sprt", sprt))
    }
}

/// Checks a name that becomes a file name. `key` is the key in the message.
///
/// # Errors
/// Fails if it has other than plain letters, or a beginning that programs take for something else (exit
/// code 64).
pub fn check_name(key: &str, name: &str) -> Result<(), Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    require(
        !name.is_empty() && !name.starts_with(['.', '-']) && name.chars().all(plain),
        format!(
            "{key} {name:?} must consist of letters, digits, -, _ and ., and not begin with . or -"
        ),
    )
}

fn check_sprt(key: &str, sprt: &SprtConfig) -> Result<(), Failure> {
    sprt.check().map_err(|reason| Failure::of_key(key, format!(": {reason}")))
}

pub(super) fn require(holds: bool, message: impl Display) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::usage(message)) }
}

/// Checks a condition on the value of a key. The message is the key, then `reason`.
pub(super) fn require_of(
    key: impl Display,
    holds: bool,
    reason: impl Display,
) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(Failure::of_key(key, reason)) }
}

/// Checks a number of games.
///
/// # Errors
/// Fails if the number is 0 or too large (exit code 64). `key` is the key that it comes from.
pub fn check_games(key: &str, games: u64) -> Result<(), Failure> {
    let reason = format!(" must lie between 1 and {MAX_GAMES}");
    require_of(key, (1..=MAX_GAMES).contains(&games), reason)
}

pub(super) fn check_openings(key: &str, count: u32) -> Result<(), Failure> {
    let reason = format!(" must lie between 1 and {MAX_OPENINGS}");
    require_of(key, (1..=MAX_OPENINGS).contains(&count), reason)
}

/// Checks a number of shards.
///
/// # Errors
/// Fails if the number is 0 or too large (exit code 64). `key` is the key that it comes from.
pub fn check_shards(key: &str, shards: u32) -> Result<(), Failure> {
    let reason = format!(" must lie between 1 and {MAX_SHARDS}");
    require_of(key, (1..=MAX_SHARDS).contains(&shards), reason)
}

/// Rejects settings with which all moves would have the same value, or none.
pub(super) fn check_search(key: &str, search: &SearchConfig) -> Result<(), Failure> {
    let SearchConfig {
        c_puct,
        policy_temperature,
        haste,
        lcb,
        contempt,
        max_nodes: _,
        history: _,
        most_visited: _,
    } = *search;
    require(
        c_puct > 0.0 && c_puct <= 1e3,
        format!("{key}.c_puct must be above 0 and at most 1000"),
    )?;
    require(
        (0.1..=10.0).contains(&policy_temperature),
        format!("{key}.policy_temperature must lie between 0.1 and 10"),
    )?;
    require((0.0..=1.0).contains(&haste), format!("{key}.haste must lie between 0 and 1"))?;
    require((0.0..=100.0).contains(&lcb), format!("{key}.lcb must lie between 0 and 100"))?;
    require((-1.0..=1.0).contains(&contempt), format!("{key}.contempt must lie between -1 and 1"))
}

/// Returns the room that a tree needs for a search of `nodes` nodes.
///
/// A full tree is still searched but not expanded, and the result then depends on
/// [`SearchConfig::max_nodes`]. A visit expands at most one position and adds its moves. Most
/// positions have fewer than 128 moves.
#[must_use]
pub fn room_for(nodes: u32) -> u32 {
    nodes.saturating_mul(ROOM_OF_NODE)
}

/// Checks that a tree has enough [room](room_for) for a budget of nodes.
///
/// # Errors
/// Fails if it has less, and names the keys of both and what to set (exit code 64).
pub fn check_budget(
    section: &str,
    search: &SearchConfig,
    key: &str,
    nodes: u32,
) -> Result<(), Failure> {
    let most = u32::MAX / ROOM_OF_NODE;
    require_of(key, nodes <= most, format!(" must be at most {most}, not {nodes}"))?;
    let (room, needed) = (search.max_nodes, room_for(nodes));
    require_of(
        key,
        room >= needed,
        format!(
            " = {nodes} needs {section}.max_nodes = {needed} or more, {ROOM_OF_NODE} for each node, \
             for a full tree would change the results; it is {room}"
        ),
    )
}

pub(super) fn check_plies(key: &str, (from, to): (u32, u32), cap: u32) -> Result<(), Failure> {
    require_of(
        key,
        from <= to && to <= MAX_OPENING_PLIES && to < cap,
        format!(
            " must be [from, to] with from <= to, at most {MAX_OPENING_PLIES} and below the cap"
        ),
    )
}

/// Checks that the game defines all rule sets of a list, that none is repeated and that, unless
/// `may_be_empty`, the list is not empty. Returns the rule sets.
pub(super) fn check_rules<'a, G: CompleteGame>(
    key: &str,
    rules: impl IntoIterator<Item = &'a String>,
    may_be_empty: bool,
) -> Result<Vec<G::Rules>, Failure> {
    let (mut seen, mut all) = (BTreeMap::new(), Vec::new());
    for text in rules {
        let parsed = rule_set::<G>(text).map_err(|error| error.under(key))?;
        if let Some(other) = seen.insert(parsed.to_string(), text) {
            let reason = format!(": `{other}` and `{text}` are the same rule set");
            return Err(Failure::of_key(key, reason));
        }
        all.push(parsed);
    }
    require_of(key, may_be_empty || !seen.is_empty(), " must name at least one rule set")?;
    Ok(all)
}
