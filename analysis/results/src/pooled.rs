//! The primary comparison pooled over players: `[pooled]` of the study.

use crate::games::GameRow;
use crate::names::{parts, short_hash};
use crate::pairs::Resampling;
use crate::robustness::{self, AgentResult};
use crate::run_folder::MAIN;
use crate::run_folder::RunFolder;
use anyhow::Context;
use fusion_network::model::Model;
use fusion_print::format::{count, counted, listed, points, points_interval};
use fusion_statistics::pooled::{self, Player};
use fusion_statistics::{Confidence, Interval, StatisticsError};
use fusion_study::{Searcher, Study};
use std::collections::{BTreeMap, BTreeSet};

/// Standard deviation of the half-normal prior of the deviations between families of players, networks
/// and budgets, as a share of the games: two thirds of the prior lie below it.
const DEVIATION: f64 = 0.15;

/// The comparison by several players, and what it is for all of them.
#[derive(Clone, Debug)]
pub struct Pooled {
    /// The players, as the study lists them.
    pub players: Vec<PlayerResult>,
    /// Measurements with one setting changed.
    pub variants: Vec<PlayerResult>,
    /// The pooled difference.
    pub estimate: pooled::Pooled,
    /// What the players are grouped by, with the number of groups.
    pub levels: Vec<(Level, usize)>,
    /// Number of different openings.
    pub openings: usize,
}

/// What players are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The kind of search.
    Family,
    /// The network, within a family.
    Network,
    /// The budget and the settings, within a network.
    Budget,
}

impl Level {
    /// Returns the level's name for people, in the plural.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Family => "kinds of search",
            Self::Network => "networks",
            Self::Budget => "budgets",
        }
    }
}

/// The comparison in one measurement, at one budget.
#[derive(Clone, Debug)]
pub struct PlayerResult {
    /// Name of the measurement.
    pub measurement: String,
    /// The comparison.
    pub result: AgentResult,
}

impl PlayerResult {
    /// Returns the name of the kind of search.
    #[must_use]
    pub fn family(&self) -> &'static str {
        family(&self.result.agent)
    }

    /// Returns the network, which players of both kinds of search may share.
    #[must_use]
    pub fn network(&self) -> &str {
        parts(&self.result.agent).1
    }
}

fn family(agent: &str) -> &'static str {
    if Searcher::is_pvs(agent) { "alpha-beta" } else { "tree search" }
}

impl Pooled {
    /// Returns the names of all players together and of one more, with their intervals.
    pub fn together(&self) -> impl Iterator<Item = (String, Interval)> {
        let all = (format!("all {} players", self.players.len()), self.estimate.interval);
        [all, ("one more player".to_owned(), self.estimate.next)].into_iter()
    }

    /// Returns the networks in the order of the players; tables and figures number them from 1.
    #[must_use]
    pub fn networks(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for network in self.players.iter().chain(&self.variants).map(PlayerResult::network) {
            if !found.contains(&network) {
                found.push(network);
            }
        }
        found
    }

    /// Returns a player's network by its number, its budget and what is changed in its search.
    #[must_use]
    pub fn label(&self, player: &PlayerResult) -> String {
        let number = self.networks().iter().position(|of| *of == player.network());
        let network = match player.network() {
            model if Model::BUILT_IN.contains(&model) => model.to_owned(),
            _ => format!("network {}", number.unwrap_or_default() + 1),
        };
        let nodes = player.result.nodes.map(|nodes| format!(", {} nodes", count(nodes)));
        let settings = match parts(&player.result.agent).2 {
            "" => String::new(),
            settings => format!(", {}", settings.replace('&', ", ")),
        };
        format!("{network}{}{settings}", nodes.unwrap_or_default())
    }

    /// Returns which network each number means.
    #[must_use]
    pub fn numbers_in_words(&self) -> String {
        let networks = self.networks();
        let named = (1..).zip(&networks).filter(|(_, model)| !Model::BUILT_IN.contains(model));
        let named: Vec<String> =
            named.map(|(number, model)| format!("{number} is {}", short_hash(model))).collect();
        format!("Networks by the beginning of their hash: {}.", listed(&named))
    }

    /// Returns the pooled difference in a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        let searches: BTreeSet<_> = self.players.iter().map(PlayerResult::family).collect();
        let networks: BTreeSet<_> = self.players.iter().map(PlayerResult::network).collect();
        let searches = format!("{} of search", counted(searches.len() as u64, "kind"));
        let networks = counted(networks.len() as u64, "network");
        format!(
            "By all {} players that the study pools ({searches}, {networks}) the difference is {} points (95% interval {}); for one more such player it would lie between {}.",
            self.players.len(),
            points(self.estimate.mean),
            points_interval(self.estimate.interval),
            points_interval(self.estimate.next).replace(" to ", " and "),
        )
    }
}

/// Pools the comparison over the measurements that the study lists, at all their budgets. `None` if it lists none,
/// if fewer than two of them were played, or if their results do not vary among openings.
///
/// # Errors
/// Fails if every game of an arm failed.
pub fn pool(
    run: &RunFolder,
    (first, second): (&str, &str),
    resampling: Resampling,
) -> anyhow::Result<Option<Pooled>> {
    let study = run.study.as_deref().and_then(|text| Study::parse(text).ok());
    let Some(config) = study.and_then(|study| study.pooled) else { return Ok(None) };
    let results = |names: &[String]| -> anyhow::Result<Vec<PlayerResult>> {
        let mut found = Vec::new();
        for name in names {
            for result in results(run, name, (first, second), resampling)? {
                found.push(PlayerResult { measurement: name.clone(), result });
            }
        }
        Ok(found)
    };
    let (mut players, mut variants) = (results(&config.players)?, results(&config.variants)?);
    players.retain(|player| !player.result.own_openings);
    if players.len() < 2 {
        return Ok(None);
    }
    let effects: Vec<Vec<(u64, f64)>> =
        players.iter().map(|player| effects(run, player, (first, second))).collect();
    let levels = levels(&players);
    let groups = |level| groups(&players, level);
    let by_level: Vec<Vec<usize>> = levels.iter().map(|&(level, _)| groups(level)).collect();
    let openings =
        effects.iter().flatten().map(|(opening, _)| opening).collect::<BTreeSet<_>>().len();
    let measured: Vec<Player> = effects
        .into_iter()
        .enumerate()
        .map(|(at, effects)| Player {
            effects,
            groups: by_level.iter().map(|groups| groups[at]).collect(),
        })
        .collect();
    let scales = vec![DEVIATION; levels.len()];
    let estimate = match pooled::pool(&measured, &scales, Confidence::P95) {
        Err(StatisticsError::Undefined(_)) => return Ok(None),
        estimate => estimate.context("pooling the comparison over the players")?,
    };
    let sorted = |list: &mut Vec<PlayerResult>| list.sort_by_key(|player| player.family());
    sorted(&mut players);
    sorted(&mut variants);
    Ok(Some(Pooled { players, variants, estimate, levels, openings }))
}

/// Returns the rows of a measurement.
fn rows<'a>(run: &'a RunFolder, measurement: &str) -> &'a [GameRow] {
    if measurement == MAIN {
        return &run.games;
    }
    let extra = run.extras.iter().find(|extra| extra.name == measurement);
    extra.map_or(&[], |extra| &extra.games)
}

/// Returns the comparison in a measurement at each budget.
fn results(
    run: &RunFolder,
    measurement: &str,
    primary: (&str, &str),
    resampling: Resampling,
) -> anyhow::Result<Vec<AgentResult>> {
    let rows = rows(run, measurement);
    let extra = run.extras.iter().find(|extra| extra.name == measurement);
    let own_openings = extra.is_some_and(crate::run_folder::Extra::own_openings);
    robustness::of_rows(rows, own_openings, primary, resampling)
}

/// Returns the difference in draws by opening.
fn effects(
    run: &RunFolder,
    player: &PlayerResult,
    (first, second): (&str, &str),
) -> Vec<(u64, f64)> {
    let mut drawn: BTreeMap<u64, [Option<bool>; 2]> = BTreeMap::new();
    let rows = rows(run, &player.measurement).iter();
    for row in rows.filter(|row| !row.failed() && Some(row.nodes) == player.result.nodes) {
        for (place, rules) in [first, second].into_iter().enumerate() {
            if row.rules == rules {
                drawn.entry(row.opening).or_default()[place] = Some(row.drawn());
            }
        }
    }
    let difference = |(opening, [a, b]): (u64, [Option<bool>; 2])| {
        let number = |drawn: bool| f64::from(u8::from(drawn));
        Some((opening, number(a?) - number(b?)))
    };
    drawn.into_iter().filter_map(difference).collect()
}

/// Returns each player's group at a level, numbered from 0.
fn groups(players: &[PlayerResult], level: Level) -> Vec<usize> {
    let key = |player: &PlayerResult| {
        let AgentResult { agent, nodes, .. } = &player.result;
        let (network, settings) = agent.split_once('?').unwrap_or((agent, ""));
        let network = (level != Level::Family).then(|| network.to_owned());
        let within = (level == Level::Budget).then(|| (*nodes, settings.to_owned()));
        (family(agent), network, within)
    };
    let mut numbers = BTreeMap::new();
    let number = |player| {
        let next = numbers.len();
        *numbers.entry(key(player)).or_insert(next)
    };
    players.iter().map(number).collect()
}

/// Returns the levels that tell players apart, with their numbers of groups. A level that groups the players as
/// the one above it does is left out, and so is one with a single group.
fn levels(players: &[PlayerResult]) -> Vec<(Level, usize)> {
    let mut found: Vec<(Level, usize)> = Vec::new();
    for level in [Level::Family, Level::Network, Level::Budget] {
        let number = groups(players, level).iter().max().map_or(0, |last| last + 1);
        if number > found.last().map_or(1, |&(_, number)| number) {
            found.push((level, number));
        }
    }
    found
}
