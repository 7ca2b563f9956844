//! `[measure]`, `[extra.NAME]` and `[random]`: the games that are measured.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fusion_game::CompleteGame;
use fusion_game::RuleSet;
use fusion_jobs::exit::Failure;
use fusion_search::SearchConfig;
use serde::{Deserialize, Serialize};

use super::check::{
    check_budget, check_games, check_openings, check_rules, check_search, check_shards, require,
    require_of,
};
use super::{MAX_OPENING_PLIES, PROGRAM, Searcher, Study, rule_set};

/// Limit of the arms of one measurement. More would be a mistake.
const MAX_ARMS: usize = 4096;
/// Limit of the shards of a measurement with a stopping rule. All their files are open at once.
pub const MAX_STOPPED_SHARDS: u32 = 256;
/// Name of the measurement of `[measure]`, and of its folder.
pub const PRIMARY: &str = "measure";
/// Name of the step of the games of random movers, of their kind and of their folder.
pub const RANDOM: &str = "random";
/// Folder of the extra measurements.
pub const EXTRA: &str = "extra";
/// The default comparison, and the question of the whole project: first minus second.
const QUESTION: [&str; 2] = ["fusion-2020", "fusion-1999"];

/// `[measure]`: the measurement games. Its arms are the union of the rule sets of `rules`,
/// `factorial` and `ablate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureConfig {
    /// Rule sets to compare.
    pub rules: Vec<String>,
    /// Toggles whose on/off combinations, applied to `base`, are all arms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub factorial: Vec<String>,
    /// Rule set that `factorial` changes. Default: fusion-2020.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// A rule set. It is an arm, and so is every rule set that differs from it in one toggle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ablate: Option<String>,
    /// Node budgets per move. Every arm plays each of them.
    pub nodes: Vec<u32>,
    /// Number of openings played, the first ones of the pool. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// Number of plies that every game draws for itself, in proportion to the tree search's visits,
    /// instead of an opening from the pool. 0 plays from the pool. Only for extra measurements,
    /// since the verdict needs shared openings.
    pub own_plies: u32,
    /// The player, as [`Searcher::open`] reads it. Default: the study's network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The comparison that the verdict is about: draws under the first minus draws under the
    /// second.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "super::pair::optional")]
    pub primary: Option<[String; 2]>,
    /// Turns, of both sides together, after which a game is stopped without a result.
    pub cap: u32,
    /// Number of shard files. The games are distributed over them.
    pub shards: u32,
    /// Rule that ends the measurement when the evidence is strong enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopRule>,
    /// Settings of the tree search.
    pub search: SearchConfig,
    /// Folder of endgame tables that the search probes. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<PathBuf>,
    /// Whether a game is adjudicated where the tables prove its result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adjudicate: bool,
}

impl Default for MeasureConfig {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            factorial: Vec::new(),
            base: None,
            ablate: None,
            nodes: vec![400],
            games: None,
            own_plies: 0,
            network: None,
            primary: None,
            cap: 600,
            shards: 1,
            stop: None,
            search: SearchConfig::default(),
            tables: None,
            adjudicate: false,
        }
    }
}

/// `measure.stop`: a sequential test of the primary comparison at the largest budget.
///
/// The test looks at the results after every `every` openings. The e-value is that of the openings
/// drawn in only one arm. The games end at the first look at which it is 1/alpha or more. If the
/// arms are alike, the chance to stop is at most alpha for any number of looks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StopRule {
    /// Chance of a false alarm.
    pub alpha: f64,
    /// Openings between two looks.
    pub every: u32,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { alpha: 0.05, every: 100 }
    }
}

/// `[extra.NAME]`: another measurement of the study.
///
/// A key that is left out has the value of `[measure]`, with these exceptions. An extra measurement
/// has no stopping rule. While it is played, it shows its default comparison. It has own plies or
/// another player only if its section sets them. Its arms are those of `[measure]` unless it names
/// some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtraConfig {
    /// Same as [`MeasureConfig::rules`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
    /// Same as [`MeasureConfig::factorial`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factorial: Option<Vec<String>>,
    /// Same as [`MeasureConfig::base`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Same as [`MeasureConfig::ablate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ablate: Option<String>,
    /// Same as [`MeasureConfig::nodes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<u32>>,
    /// Same as [`MeasureConfig::games`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// Same as [`MeasureConfig::own_plies`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_plies: Option<u32>,
    /// Same as [`MeasureConfig::network`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Same as in [`MeasureConfig`]. An empty name means no tables, even if `[measure]` has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<PathBuf>,
    /// Same as [`MeasureConfig::adjudicate`]. If left out, it has the value of `[measure]` for
    /// measurements with tables, and is off for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjudicate: Option<bool>,
}

/// `[random]`: games of uniformly random movers from the initial position. Only the endings are
/// counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RandomConfig {
    /// Rule sets. Default: the arms of `[measure]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<String>>,
    /// Games of each rule set.
    pub games: u64,
    /// Number of shard files. The games are distributed over them.
    pub shards: u32,
}

impl Default for RandomConfig {
    fn default() -> Self {
        Self { rules: None, games: 100_000, shards: 1 }
    }
}

impl RandomConfig {
    /// Games that are played and saved together. Shards consist of such blocks.
    pub const BLOCK: u64 = 10_000;
}

/// One measurement of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// `measure`, or the NAME of `[extra.NAME]`.
    pub name: String,
    /// Folder inside the study's folder: `measure` or `extra/NAME`.
    pub folder: PathBuf,
    /// Settings of the measurement.
    pub config: MeasureConfig,
}

impl Measurement {
    /// Returns the section of the study file that defines it: `measure` or `extra.NAME`.
    #[must_use]
    pub fn section(&self) -> String {
        if self.name == PRIMARY { PRIMARY.to_owned() } else { format!("{EXTRA}.{}", self.name) }
    }
}

impl MeasureConfig {
    /// Returns the folder of endgame tables. An empty name means none.
    #[must_use]
    pub fn tables(&self) -> Option<&Path> {
        self.tables.as_deref().filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns the arms: all rule sets in canonical form, sorted, each once.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set or toggle (exit codes 64 to 66).
    pub fn arms<G: CompleteGame>(&self) -> Result<Vec<String>, Failure> {
        let mut arms = BTreeSet::new();
        let texts = self.listed().into_iter().chain(self.mixes());
        for text in texts {
            arms.insert(canonical::<G>(&text)?);
        }
        if let Some(base) = &self.ablate {
            let base = rule_set::<G>(base).map_err(|error| error.under("measure.ablate"))?;
            arms.insert(base.to_string());
            arms.extend(base.neighbours().iter().map(ToString::to_string));
        }
        Ok(arms.into_iter().collect())
    }

    /// Returns whether a key names an arm.
    pub(super) fn names_arms(&self) -> bool {
        !self.rules.is_empty() || !self.factorial.is_empty() || self.ablate.is_some()
    }

    /// Returns the listed rule sets: `rules`, or the three published ones if no key names an arm.
    fn listed(&self) -> Vec<String> {
        if !self.names_arms() {
            return ["fusion-1999", "fusion-2006", "fusion-2020"].map(str::to_owned).to_vec();
        }
        self.rules.clone()
    }

    /// Returns a rule set of the arms: the first that is listed, else the one that `ablate` or
    /// `factorial` changes. All arms belong to its game.
    #[must_use]
    pub fn first_rules(&self) -> &str {
        let first = self.rules.first().or(self.ablate.as_ref());
        first.map_or_else(|| self.base(), String::as_str)
    }

    /// Returns the rule set that `factorial` changes.
    #[must_use]
    pub fn base(&self) -> &str {
        self.base.as_deref().unwrap_or(QUESTION[0])
    }

    /// Returns the rule expressions of all combinations of the factorial's toggles.
    fn mixes(&self) -> Vec<String> {
        if self.factorial.is_empty() {
            return Vec::new();
        }
        let with = |mixes: Vec<String>, toggle: &String| {
            let both = |mix: &String| ["no", "yes"].map(|value| format!("{mix},{toggle}={value}"));
            mixes.iter().flat_map(both).collect()
        };
        self.factorial.iter().fold(vec![self.base().to_owned()], with)
    }

    /// Returns the comparison that the verdict is about, in canonical form, first minus second.
    ///
    /// It is the first of these that exists: the one given; among `rules`, fusion-2020 minus
    /// fusion-1999 or the second minus the first; the second of two arms minus the first. It is
    /// `None` if none exists, as with a factorial or an ablation. Then the study asks for the
    /// effects of the rule changes.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set (exit codes 64 to 66).
    pub fn primary<G: CompleteGame>(&self) -> Result<Option<[String; 2]>, Failure> {
        let arms = self.arms::<G>()?;
        // Combinations can contain the two by coincidence.
        let listed = !self.listed().is_empty();
        let asks =
            |text: &str| listed && canonical::<G>(text).is_ok_and(|rules| arms.contains(&rules));
        let chosen = match (&self.primary, &self.rules[..], &arms[..]) {
            (Some([first, second]), _, _) => [first.as_str(), second.as_str()],
            _ if QUESTION.iter().all(|rules| asks(rules)) => QUESTION,
            (None, [first, second, ..], _) | (None, _, [first, second]) => {
                [second.as_str(), first.as_str()]
            }
            (None, _, _) => return Ok(None),
        };
        let [first, second] =
            chosen.map(|text| canonical::<G>(text).map_err(|error| error.under("measure.primary")));
        Ok(Some([first?, second?]))
    }

    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        check_rules::<G>("measure.rules", &self.listed(), true)?;
        require_of(
            "measure.factorial",
            self.factorial.len() < MAX_ARMS.ilog2() as usize,
            " names too many toggles: each doubles the number of arms",
        )?;
        let arms = self.arms::<G>().map_err(|error| match error.key() {
            "" => error.under("measure"),
            _ => error,
        })?;
        require_of("measure", arms.len() <= MAX_ARMS, format!(" has more than {MAX_ARMS} arms"))?;
        require_of(
            "measure.nodes",
            !self.nodes.is_empty() && self.nodes.iter().all(|&nodes| nodes > 0),
            " must list one or more budgets of at least 1",
        )?;
        let distinct: BTreeSet<_> = self.nodes.iter().collect();
        require_of("measure.nodes", distinct.len() == self.nodes.len(), " names a budget twice")?;
        self.games.map_or(Ok(()), |games| check_openings("measure.games", games))?;
        require_of(
            "measure.own_plies",
            self.own_plies <= MAX_OPENING_PLIES,
            format!(" must be at most {MAX_OPENING_PLIES}"),
        )?;
        require_of(
            "measure.cap",
            self.cap > MAX_OPENING_PLIES,
            format!(" must be above {MAX_OPENING_PLIES}, the longest opening"),
        )?;
        check_shards("measure.shards", self.shards)?;
        require_of(
            "measure.adjudicate",
            !self.adjudicate || self.tables().is_some(),
            " needs endgame tables to judge by: name their folder as tables",
        )?;
        self.check_primary::<G>(&arms)?;
        check_search("measure.search", &self.search)
    }

    /// Checks the values that depend on the player, which is given by its text or its name.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check_player(&self, player: &str) -> Result<(), Failure> {
        if player.starts_with(PROGRAM) {
            require_of(
                "measure.own_plies",
                self.own_plies == 0,
                ": another program cannot draw its moves",
            )?;
            return require_of(
                "measure.tables",
                self.tables().is_none() || self.adjudicate,
                ": another program does not probe these tables; set adjudicate, or leave them out",
            );
        }
        if !Searcher::has_tree(player) {
            return Ok(());
        }
        let most = self.nodes.iter().max().copied().unwrap_or_default();
        check_budget("measure.search", &self.search, "measure.nodes", most)
    }

    fn check_primary<G: CompleteGame>(&self, arms: &[String]) -> Result<(), Failure> {
        let primary = self.primary::<G>()?;
        if let Some([first, second]) = &primary {
            let missing = [first, second].into_iter().find(|rules| !arms.contains(rules));
            if let Some(missing) = missing {
                let reason = format!(": {missing} is no arm; the arms are {}", arms.join("; "));
                return Err(Failure::of_key("measure.primary", reason));
            }
            require_of("measure.primary", first != second, " must name two different rule sets")?;
        }
        let Some(stop) = self.stop else { return Ok(()) };
        require(
            stop.alpha > 0.0 && stop.alpha < 1.0 && stop.every > 0,
            "measure.stop: alpha must lie between 0 and 1, every must be at least 1",
        )?;
        require(
            primary.is_some(),
            "measure.stop needs a comparison: name two arms as measure.primary",
        )?;
        require_of(
            "measure.shards",
            self.shards <= MAX_STOPPED_SHARDS,
            format!(
                " must be at most {MAX_STOPPED_SHARDS} with measure.stop: the looks read all shards \
                 together"
            ),
        )
    }
}

fn canonical<G: CompleteGame>(text: &str) -> Result<String, Failure> {
    rule_set::<G>(text).map(|rules| rules.to_string())
}

impl ExtraConfig {
    /// Returns the complete settings: these, with those of `[measure]` for the keys left out.
    fn upon(&self, measure: &MeasureConfig) -> MeasureConfig {
        let mut config = MeasureConfig {
            own_plies: self.own_plies.unwrap_or(0),
            network: self.network.clone(),
            primary: None,
            stop: None,
            ..measure.clone()
        };
        if self.rules.is_some() || self.factorial.is_some() || self.ablate.is_some() {
            config.rules = self.rules.clone().unwrap_or_default();
            config.factorial = self.factorial.clone().unwrap_or_default();
            config.ablate = self.ablate.clone();
        }
        config.base = self.base.clone().or(config.base);
        config.nodes = self.nodes.clone().unwrap_or(config.nodes);
        config.games = self.games.or(config.games);
        config.tables = self.tables.clone().or(config.tables);
        let judged = config.adjudicate && config.tables().is_some();
        config.adjudicate = self.adjudicate.unwrap_or(judged);
        config
    }
}

impl Study {
    /// Returns all measurements: that of `[measure]`, then the others by name. Their paths are those of the
    /// files and folders.
    #[must_use]
    pub fn measurements(&self) -> Vec<Measurement> {
        let measure = Measurement {
            name: PRIMARY.to_owned(),
            folder: PRIMARY.into(),
            config: self.measure.clone(),
        };
        let extra = |(name, extra): (&String, &ExtraConfig)| Measurement {
            name: name.clone(),
            folder: PathBuf::from(EXTRA).join(name),
            config: extra.upon(&self.measure),
        };
        let mut all: Vec<_> =
            std::iter::once(measure).chain(self.extra.iter().map(extra)).collect();
        for Measurement { config, .. } in &mut all {
            config.network = config.network.take().map(|player| self.located(&player));
            config.tables = config.tables().map(|folder| self.tables(folder));
        }
        all
    }

    /// Returns the player of one of the [`Study::measurements`], as [`Searcher::open`] reads it.
    #[must_use]
    pub fn player(&self, config: &MeasureConfig) -> String {
        let own = || self.network().to_string_lossy().into_owned();
        config.network.clone().unwrap_or_else(own)
    }

    /// Returns the rule sets that play from the pool of openings, in canonical form, sorted.
    ///
    /// # Errors
    /// Fails if the game does not define a rule set (exit codes 64 to 66).
    pub fn pool_rules<G: CompleteGame>(&self) -> Result<Vec<String>, Failure> {
        let mut rules = BTreeSet::new();
        for Measurement { config, .. } in self.measurements() {
            if config.own_plies == 0 {
                rules.extend(config.arms::<G>()?);
            }
        }
        Ok(rules.into_iter().collect())
    }

    pub(super) fn check_measurements<G: CompleteGame>(&self) -> Result<(), Failure> {
        require(
            self.measure.own_plies == 0,
            "measure.own_plies: the verdict needs openings that all arms share; only an [extra.NAME] measurement can begin with plies of its own",
        )?;
        for measurement in self.measurements() {
            let (section, config) = (measurement.section(), measurement.config);
            let player = self.player(&config);
            let checked = config.check::<G>().and_then(|()| config.check_player(&player));
            checked.map_err(|error| error.in_section(PRIMARY, &section))?;
            let openings = self.openings.count;
            require(
                config.own_plies > 0 || config.games.is_none_or(|games| games <= openings),
                format!("{section}.games must be at most openings.count, which is {openings}"),
            )?;
        }
        let Some(random) = &self.random else { return Ok(()) };
        if let Some(rules) = &random.rules {
            check_rules::<G>("random.rules", rules, false)?;
        }
        check_games("random.games", random.games)?;
        check_shards("random.shards", random.shards)
    }

    /// Returns the rule sets of `[random]` and the number of games of each; `None` without the
    /// section.
    /// # Errors
    /// Fails if the game does not define a rule set (exit codes 64 to 66).
    pub fn random_rules<G: CompleteGame>(&self) -> Result<Option<(Vec<String>, u64)>, Failure> {
        let Some(random) = &self.random else { return Ok(None) };
        let rules = match &random.rules {
            Some(rules) => {
                rules.iter().map(|text| canonical::<G>(text)).collect::<Result<_, _>>()?
            }
            None => self.measure.arms::<G>()?,
        };
        Ok(Some((rules, random.games)))
    }
}
