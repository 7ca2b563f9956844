//! The primary comparison by other agents, at other budgets and from other openings.

use crate::arms::{self, Arm};
use crate::games::GameRow;
use crate::names::Agent;
use crate::pairs::{self, Inference, Pair};
use crate::run_folder::{Extra, Measured, RunFolder};
use fusion_runner::measure::Settings;
use fusion_runner::random::RandomRow;
use fusion_statistics::difference::newcombe;
use fusion_statistics::{Confidence, Interval, Proportion};

/// The primary comparison in one measurement.
#[derive(Clone, Debug)]
pub struct AgentResult {
    /// Agent: a network hash, an evaluator's name, or `random movers`.
    pub agent: String,
    /// Nodes per move. `None` for players that do not search.
    pub nodes: Option<u64>,
    /// Whether each game began with plies of its own instead of an opening of the pool.
    pub own_openings: bool,
    /// Draw shares of the first and second rule set.
    pub shares: [Proportion; 2],
    /// Draw share of the first rule set minus that of the second.
    pub difference: f64,
    /// 95% interval: the one that is judged if openings are shared, and Newcombe's otherwise.
    pub interval: Interval,
}

/// Makes the comparison in every measurement that has it, the main measurement first, at all
/// budgets.
///
/// # Errors
/// Fails if every game of an arm failed.
pub fn by_agent(
    run: &RunFolder,
    main: &[Pair],
    primary: (&str, &str),
    inference: Inference,
) -> anyhow::Result<Vec<AgentResult>> {
    let network = run.games.first().map_or("", |row| row.network.as_str());
    let is_primary = |pair: &&Pair| (pair.first.as_str(), pair.second.as_str()) == primary;
    let mut found: Vec<AgentResult> =
        main.iter().filter(is_primary).map(|pair| paired(network, pair)).collect();
    found.sort_by_key(|row| row.nodes);
    for extra in &run.extras {
        if extra.own_openings() || !continues(run, extra) {
            found.extend(of_rows(&extra.games, extra.own_openings(), primary, inference)?);
        }
    }
    found.extend(random(&run.random, primary));
    Ok(found)
}

/// Makes the comparison in one measurement, at each budget.
///
/// # Errors
/// Fails if every game of an arm failed.
pub fn of_rows(
    rows: &[GameRow],
    own_openings: bool,
    primary: (&str, &str),
    inference: Inference,
) -> anyhow::Result<Vec<AgentResult>> {
    let agent = rows.first().map_or("", |row| row.network.as_str());
    if own_openings {
        return Ok(unpaired(agent, &arms::summarise(rows)?, primary));
    }
    let of_both = |row: &&GameRow| [primary.0, primary.1].contains(&row.rules.as_str());
    let games: Vec<GameRow> = rows.iter().filter(of_both).cloned().collect();
    let pairs = pairs::compare(&games, Some(primary), inference)?;
    Ok(pairs.iter().map(|pair| paired(agent, pair)).collect())
}

/// Returns whether another measurement differs from the main one only in budgets or rules.
///
/// The agent, search, cap, openings and endgame tables must be the same.
#[must_use]
pub fn continues(run: &RunFolder, extra: &Extra) -> bool {
    let shared = |of: &Measured| {
        let Settings { network, pool, own_plies, cap, search, tables, adjudicate, .. } =
            of.file.settings.clone();
        // Other rules have other tables of the same material.
        (network, pool, own_plies, cap, search, tables.map(|of| of.materials), adjudicate)
    };
    run.measured.is_some()
        && run.measured.as_ref().map(shared) == extra.measured.as_ref().map(shared)
}

fn paired(agent: &str, pair: &Pair) -> AgentResult {
    AgentResult {
        agent: agent.to_owned(),
        nodes: Some(pair.nodes),
        own_openings: false,
        shares: [pair.first_share, pair.second_share],
        difference: pair.difference,
        interval: pair.interval95,
    }
}

fn independent(agent: &str, nodes: Option<u64>, shares: [Proportion; 2]) -> AgentResult {
    AgentResult {
        agent: agent.to_owned(),
        nodes,
        own_openings: true,
        shares,
        difference: shares[0].share() - shares[1].share(),
        interval: newcombe(shares[0], shares[1], Confidence::P95),
    }
}

fn unpaired(agent: &str, arms: &[Arm], (first, second): (&str, &str)) -> Vec<AgentResult> {
    let share = |rules: &str, nodes: u64| {
        let arm = arms.iter().find(|arm| arm.rules == rules && arm.nodes == nodes);
        arm.map(|arm| arm.draw_share)
    };
    let mut budgets: Vec<u64> = arms.iter().map(|arm| arm.nodes).collect();
    budgets.sort_unstable();
    budgets.dedup();
    let at = |nodes| {
        Some(independent(agent, Some(nodes), [share(first, nodes)?, share(second, nodes)?]))
    };
    budgets.into_iter().filter_map(at).collect()
}

fn random(rows: &[RandomRow], (first, second): (&str, &str)) -> Option<AgentResult> {
    let share = |rules: &str| {
        let row = rows.iter().find(|row| row.rules == rules)?;
        Proportion::new(row.drawn(), row.games).ok()
    };
    Some(independent("random movers", None, [share(first)?, share(second)?]))
}

impl<'a> From<&'a AgentResult> for Agent<'a> {
    fn from(row: &'a AgentResult) -> Self {
        Self { agent: &row.agent, nodes: row.nodes, own_openings: row.own_openings }
    }
}
