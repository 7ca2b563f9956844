//! The primary comparison pooled over players: `[pooled]` of the study.

use crate::games::GameRow;
use crate::names::{parts, short_hash};
use crate::pairs::Inference;
use crate::robustness::{self, AgentResult};
use crate::run_folder::MAIN;
use crate::run_folder::RunFolder;
use anyhow::Context;
use fusion_network::model::Model;
use fusion_print::format::{count, counted, fixed, listed, points, points_interval};
use fusion_statistics::pooled::{self, Player};
use fusion_statistics::{Confidence, Interval, StatisticsError};
use fusion_study::{PROGRAM, Searcher, Study};
use std::collections::{BTreeMap, BTreeSet};

/// Standard deviation of the half-normal prior of the deviations between families of players, networks
/// and budgets, as a share of the games: two thirds of the prior lie below it.
const DEVIATION: f64 = 0.15;
/// The priors that show what the pooled interval owes to the prior.
const OTHER_DEVIATIONS: [f64; 2] = [0.05, 0.3];
/// Smallest number of groups of which the deviation is estimated. With fewer the prior makes the interval.
const MIN_GROUPS: usize = 5;

/// The comparison by several players, and what it is for all of them.
#[derive(Clone, Debug)]
pub struct Pooled {
    /// The players, as the study lists them.
    pub players: Vec<PlayerResult>,
    /// Measurements with one setting changed.
    pub variants: Vec<PlayerResult>,
    /// The pooled difference. `None` if the players have too few networks and budgets.
    pub estimate: Option<Estimate>,
    /// What the players are grouped by, with the number of groups, where these are five or more.
    pub levels: Vec<(Level, usize)>,
    /// Number of different openings.
    pub openings: usize,
}

/// The pooled difference, and its intervals by other priors.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The pooled difference.
    pub pooled: pooled::Pooled,
    /// Standard deviations of other priors of the deviations between groups, with the pooled intervals by them.
    pub by_prior: Vec<(f64, Interval)>,
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

/// Returns whether this is the name of an evaluator or a program, and not the hash of a network.
fn has_name(model: &str) -> bool {
    Model::BUILT_IN.contains(&model) || model.starts_with(PROGRAM)
}

fn family(agent: &str) -> &'static str {
    match () {
        () if Searcher::is_pvs(agent) => "alpha-beta",
        () if Searcher::has_tree(agent) => "tree search",
        () => "other program",
    }
}

impl Pooled {
    /// Returns the names of all players together and of one more, with their intervals.
    pub fn together(&self) -> impl Iterator<Item = (String, f64, Interval)> {
        self.estimate.iter().flat_map(|Estimate { pooled, .. }| {
            let all = format!("all {} players", self.players.len());
            [(all, pooled.interval), ("one more player".to_owned(), pooled.next)]
                .map(|(name, interval)| (name, pooled.mean, interval))
        })
    }

    /// Returns the range of the players' differences.
    #[must_use]
    pub fn range(&self) -> Interval {
        let differences = || self.players.iter().map(|player| player.result.difference);
        let none = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        Interval {
            low: differences().fold(none.low, f64::min),
            high: differences().fold(none.high, f64::max),
        }
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
            model if has_name(model) => model.trim_start_matches(PROGRAM).to_owned(),
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
        let named = (1..).zip(&networks).filter(|(_, model)| !has_name(model));
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
        let range = format!(
            "By each of the {} players that the study names ({searches}, {networks}) the difference is {} points.",
            self.players.len(),
            points_interval(self.range()),
        );
        let Some(Estimate { pooled, by_prior }) = &self.estimate else { return range };
        let others: Vec<String> = by_prior
            .iter()
            .map(|(prior, interval)| {
                format!("{} with {} points", points_interval(*interval), fixed(100.0 * prior, 0))
            })
            .collect();
        format!(
            "{range} Over such players of the same searches it is {} on average (95% interval {} with a prior of {} points on the deviations between players, {}); for one more such player it would lie between {}.",
            points(pooled.mean),
            points_interval(pooled.interval),
            fixed(100.0 * DEVIATION, 0),
            others.join(", "),
            points_interval(pooled.next).replace(" to ", " and "),
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
    inference: Inference,
) -> anyhow::Result<Option<Pooled>> {
    let study = run.study.as_deref().and_then(|text| Study::parse(text).ok());
    let Some(config) = study.and_then(|study| study.pooled) else { return Ok(None) };
    let results = |names: &[String]| -> anyhow::Result<Vec<PlayerResult>> {
        let mut found = Vec::new();
        for name in names {
            for result in results(run, name, (first, second), inference)? {
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
    let estimate = match levels.is_empty() {
        true => None,
        false => estimate(&measured, levels.len()).context("pooling the players")?,
    };
    let sorted = |list: &mut Vec<PlayerResult>| list.sort_by_key(|player| player.family());
    sorted(&mut players);
    sorted(&mut variants);
    Ok(Some(Pooled { players, variants, estimate, levels, openings }))
}

/// Pools the players' effects. `None` if no effect varies among openings.
fn estimate(players: &[Player], levels: usize) -> fusion_statistics::Result<Option<Estimate>> {
    let pool = |deviation| pooled::pool(players, &vec![deviation; levels], Confidence::P95);
    let pooled = match pool(DEVIATION) {
        Err(StatisticsError::Undefined(_)) => return Ok(None),
        pooled => pooled?,
    };
    let by = |deviation| Ok((deviation, pool(deviation)?.interval));
    let by_prior =
        OTHER_DEVIATIONS.into_iter().map(by).collect::<fusion_statistics::Result<_>>()?;
    Ok(Some(Estimate { pooled, by_prior }))
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
    inference: Inference,
) -> anyhow::Result<Vec<AgentResult>> {
    let rows = rows(run, measurement);
    let extra = run.extras.iter().find(|extra| extra.name == measurement);
    let own_openings = extra.is_some_and(crate::run_folder::Extra::own_openings);
    robustness::of_rows(rows, own_openings, primary, inference)
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

/// Returns the levels that tell players apart, with their numbers of groups. A level with fewer than five groups is left
/// out, and so is one that groups the players as the one above it does.
fn levels(players: &[PlayerResult]) -> Vec<(Level, usize)> {
    let mut found: Vec<(Level, usize)> = Vec::new();
    for level in [Level::Family, Level::Network, Level::Budget] {
        let number = groups(players, level).iter().max().map_or(0, |last| last + 1);
        if number > found.last().map_or(MIN_GROUPS - 1, |&(_, number)| number) {
            found.push((level, number));
        }
    }
    found
}
