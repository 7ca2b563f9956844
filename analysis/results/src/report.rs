//! The contents of a report, independent of its output format.

use crate::ablations::{Ablations, ablations};
use crate::arms::{self, Arm};
use crate::calibration::{Calibration, calibration};
use crate::chess::Findings;
use crate::ending_curves::{Curves, curves};
use crate::facts::Facts;
use crate::games::GameRow;
use crate::names::agent;
use crate::notable::ShownGame;
use crate::null_checks::NullChecks;
use crate::pairs::{self, Inference, Pair};
use crate::part::{Found, Played, Scope, part};
use crate::pooled::{self, Pooled};
use crate::protocol::conditions::{self, FAILED_GAMES, PAIRING, PLY_CAP, REPEATS, TURN_CAP};
use crate::protocol::{Check, Status, gates};
use crate::published::Published;
use crate::robustness::{self, AgentResult};
use crate::run_folder::{MAIN, RunFolder};
use crate::toggles::{self, Toggles};
use crate::trends::{Trends, trends};
use crate::verdict::effects::Effects;
use crate::verdict::more_games::Openings;
use crate::verdict::order::Order;
use crate::verdict::{self, DEFAULT_PRIMARY, Evidence, Primary, Verdict};
use crate::white::{self, Edge};
use anyhow::Context;
use fusion_jobs::exit::Failure;
use fusion_statistics::evalue::Looks;
use std::collections::BTreeSet;

/// Options of a report.
#[derive(Clone, Debug)]
pub struct Options {
    /// The primary comparison, first minus second.
    pub primary: Option<(String, String)>,
    /// Settings of the bootstrap. When the results may be looked at is taken from the run.
    pub inference: Inference,
    /// The most openings that a page plays, where the run is one of a page: advice then speaks of the page.
    pub page_openings: Option<u64>,
}

/// The results of a run.
#[derive(Debug)]
pub struct Report {
    /// The files of the run.
    pub run: RunFolder,
    /// The primary comparison, first minus second. `None` in a study without one, such as a study
    /// of all mixes of some toggles.
    pub primary: Option<(String, String)>,
    /// White's score in the primary comparison, first minus second.
    pub white: Option<Edge>,
    /// How intervals and tests are made.
    pub inference: Inference,
    /// The budget of the verdict and of figures for one budget: the largest budget of the main
    /// measurement.
    pub main_nodes: u64,
    /// Rule sets of the main measurement by budget. Other measurements by the same agent from the
    /// same openings are included.
    pub arms: Vec<Arm>,
    /// Pairwise differences of the arms.
    pub pairs: Vec<Pair>,
    /// Change of draws with the nodes.
    pub trends: Option<Trends>,
    /// Effects of toggles, from every measurement of all their mixes.
    pub toggles: Vec<Toggles>,
    /// Effects of toggles changed one at a time, from every measurement of a rule set with such
    /// changes.
    pub ablations: Vec<Ablations>,
    /// The primary comparison by every agent, at every budget.
    pub agents: Vec<AgentResult>,
    /// The primary comparison pooled over players, if the study lists some.
    pub pooled: Option<Pooled>,
    /// Published figures beside those of every agent, if the study names some.
    pub published: Option<Published>,
    /// Incidence of endings in the games of the main budget.
    pub curves: Vec<Curves>,
    /// Diversity of openings that the agent chose itself, for arms with an entropy.
    pub own_openings: Vec<Arm>,
    /// Calibration of the forecasts. The first entry is for all arms together.
    pub calibration: Vec<Calibration>,
    /// Results that only chess games have.
    pub chess: Findings,
    /// What the game itself is like. Empty in a study that does not ask.
    pub facts: Facts,
    /// Games to show.
    pub shown: Vec<ShownGame>,
    /// A/A tests of the arms.
    pub null_checks: NullChecks,
    /// The verdict.
    pub verdict: Verdict,
    /// The protocol's conditions.
    pub checks: Vec<Check>,
}

impl Report {
    /// Analyses a run.
    ///
    /// # Errors
    /// Fails if the primary comparison names rule sets that were not played, if every game of an
    /// arm failed, or if the moves do not belong to the games.
    pub fn new(run: RunFolder, options: Options) -> anyhow::Result<Self> {
        let rows = same_agent(&run);
        let arms = arms::summarise(&rows)?;
        let primary = primary(&run, &arms, options.primary)?;
        let names = primary.as_ref().map(|(first, second)| (first.as_str(), second.as_str()));
        let inference = Inference { looks: run.looks(), ..options.inference };
        let main_nodes = main_nodes(&run, names);
        let mut pairs =
            pairs::compare(&rows, names, inference).context("comparing the rule sets")?;
        // The main budget comes first.
        pairs.sort_by_key(|pair| (pair.nodes != main_nodes, std::cmp::Reverse(pair.nodes)));
        let main_arms = || arms.iter().filter(|arm| arm.nodes == main_nodes);
        let shown: Vec<&Arm> = main_arms().collect();
        let shown_arms = shown.clone();
        let scope = Scope { arms: &shown, nodes: main_nodes, primary: names, inference };
        let Found { forecasts, shown, chess } = part(run.game).read(&run, &scope)?;
        let facts = match run.forced.is_empty() && run.technique.is_empty() {
            true => Facts::default(),
            false => Facts::read(&run, main_nodes, inference)?,
        };
        let calibration = calibration(main_arms(), &run.games, &forecasts);
        let null_checks =
            NullChecks::of(&run.games, main_arms(), names, main_nodes, inference.seed)?;
        let of_extras = extra_arms(&run)?;
        let all: Vec<&Arm> = arms.iter().chain(&of_extras).collect();
        let mut checks = conditions::check(&run, &all, &arms, &pairs);
        let trends = trends(&rows, names, inference);
        let games = every_game(&run);
        let (trends_of, seed) = (trends.as_ref(), inference.seed);
        let played = Played { run: &run, games: &games, arms: &arms, trends: trends_of, seed };
        checks.extend(gates::gates(&played, &null_checks)?);
        let (toggles, ablations) =
            (toggle_effects(&run, inference.looks), changes(&run, inference)?);
        let pool = run.pool.as_ref().map(|pool| pool.hash.as_str());
        let evidence = Evidence { arms: &arms, nodes: main_nodes, pool, looks: inference.looks };
        let white = match names {
            Some(names) => white_of_pair(&run, names, main_nodes, inference)?,
            None => None,
        };
        let more = Openings::of(&run, options.page_openings);
        let mut verdict = match names {
            Some(names) => {
                let is = |pair: &&Pair| {
                    (pair.nodes, (pair.first.as_str(), pair.second.as_str())) == (main_nodes, names)
                };
                let primary = Primary { names, pair: pairs.iter().find(is), white };
                verdict::judge(&evidence, &primary, more)
            }
            None => match effects_of(&run, &toggles, &ablations, inference)? {
                Some(effects) => verdict::effects::judge(&evidence, &effects, more),
                None => verdict::no_question(&shown_arms),
            },
        };
        let published = Published::of(&run, inference)?;
        let asks_for_order = published.is_some() && verdict.judged
            || names.is_none() && toggles.is_empty() && ablations.is_empty();
        if let Some(order) = Order::of(&evidence, &pairs).filter(|_| evidence.is_sound()) {
            if asks_for_order {
                verdict = order.verdict(&evidence, published.as_ref(), verdict);
            } else if verdict.pair.is_some() && verdict.judged {
                verdict.remarks.push(format!("All rule sets, {}.", order.in_words()));
            }
        }
        let pooled = match names {
            Some(names) => pooled::pool(&run, names, inference)?,
            None => None,
        };
        verdict.remarks.extend(pooled.as_ref().map(Pooled::in_words));
        verdict.remarks.extend(threats(&verdict, &checks, &evidence));
        Ok(Self {
            published,
            trends,
            agents: match names {
                Some(names) => robustness::by_agent(&run, &pairs, names, inference)?,
                None => Vec::new(),
            },
            pooled,
            toggles,
            ablations,
            chess,
            facts,
            shown,
            white,
            curves: curves(&run.games, main_nodes)?,
            own_openings: of_extras
                .into_iter()
                .filter(|arm| arm.opening_entropy.is_some())
                .collect(),
            calibration,
            null_checks,
            verdict,
            checks,
            main_nodes,
            inference,
            run,
            arms,
            pairs,
            primary,
        })
    }

    /// Returns the node budgets in ascending order.
    #[must_use]
    pub fn budgets(&self) -> Vec<u64> {
        let mut budgets: Vec<u64> = self.arms.iter().map(|arm| arm.nodes).collect();
        budgets.sort_unstable();
        budgets.dedup();
        budgets
    }

    /// Returns the arms at the main budget.
    pub fn main_arms(&self) -> impl Iterator<Item = &Arm> {
        let nodes = self.main_nodes;
        self.arms.iter().filter(move |arm| arm.nodes == nodes)
    }

    /// Returns the pairs at the main budget, the primary pair first.
    #[must_use]
    pub fn main_pairs(&self) -> Vec<&Pair> {
        let nodes = self.main_nodes;
        let mut pairs: Vec<&Pair> = self.pairs.iter().filter(|p| p.nodes == nodes).collect();
        pairs.sort_by_key(|pair| !self.is_primary(pair));
        pairs
    }

    /// Returns the agent of the main measurement, for use in a sentence.
    #[must_use]
    pub fn agent(&self) -> String {
        agent(self.run.games.first().map_or("", |row| row.network.as_str()))
    }

    /// Describes White's edge in the primary comparison.
    #[must_use]
    pub fn white_in_words(&self) -> Option<String> {
        let (first, second) = self.primary.as_ref()?;
        Some(white::in_words(&self.white?, first, second))
    }

    /// Returns the names of the primary comparison, first minus second.
    #[must_use]
    pub fn primary_names(&self) -> Option<(&str, &str)> {
        self.primary.as_ref().map(|(first, second)| (first.as_str(), second.as_str()))
    }

    /// Returns whether the verdict judges this pair.
    #[must_use]
    pub fn is_primary(&self, pair: &Pair) -> bool {
        let judged = self.verdict.pair.as_ref();
        judged.is_some_and(|judged| {
            (judged.nodes, &judged.first, &judged.second) == (pair.nodes, &pair.first, &pair.second)
        })
    }
}

/// Returns the games of the main measurement and of those that continue it at other budgets.
///
/// These have the same agent, openings and rule sets.
fn same_agent(run: &RunFolder) -> Vec<GameRow> {
    let mut rows = run.games.clone();
    let rules: BTreeSet<&str> = run.games.iter().map(|row| row.rules.as_str()).collect();
    let mut played: BTreeSet<(&str, u64)> =
        run.games.iter().map(|row| (row.rules.as_str(), row.nodes)).collect();
    for extra in run.extras.iter().filter(|extra| robustness::continues(run, extra)) {
        let new = |row: &&GameRow| {
            rules.contains(row.rules.as_str()) && !played.contains(&(row.rules.as_str(), row.nodes))
        };
        let fresh: Vec<&GameRow> = extra.games.iter().filter(new).collect();
        played.extend(fresh.iter().map(|row| (row.rules.as_str(), row.nodes)));
        rows.extend(fresh.into_iter().cloned());
    }
    rows
}

/// Returns the largest budget at which the main measurement has the primary comparison, or else its
/// largest budget.
fn main_nodes(run: &RunFolder, primary: Option<(&str, &str)>) -> u64 {
    let budgets = |rules: &str| -> BTreeSet<u64> {
        run.games.iter().filter(|row| row.rules == rules).map(|row| row.nodes).collect()
    };
    let both = primary
        .and_then(|(first, second)| budgets(first).intersection(&budgets(second)).copied().max());
    both.or_else(|| run.games.iter().map(|row| row.nodes).max()).unwrap_or_default()
}

/// Returns the games of all measurements, those by the main agent first.
///
/// The order prevents a factorial by another agent from replacing the main agent's.
fn measurements(run: &RunFolder) -> Vec<(&str, &[GameRow])> {
    let network = |rows: &[GameRow]| rows.first().map(|row| row.network.clone());
    let mut all = vec![(MAIN, run.games.as_slice())];
    all.extend(run.extras.iter().map(|extra| (extra.name.as_str(), extra.games.as_slice())));
    all.sort_by_key(|(_, rows)| network(rows) != network(&run.games));
    all
}

/// Returns the effects of toggles, sorted by agent with the main agent first, then by the number of
/// toggles, descending.
fn toggle_effects(run: &RunFolder, looks: Looks) -> Vec<Toggles> {
    let all = measurements(run).into_iter();
    let mut found: Vec<Toggles> =
        all.filter_map(|(name, rows)| toggles::effects(name, rows, looks)).collect();
    let main = run.games.first().map(|row| row.network.as_str());
    found.sort_by_key(|toggles| {
        (Some(toggles.agent.as_str()) != main, std::cmp::Reverse(toggles.effects.len()))
    });
    found
}

fn changes(run: &RunFolder, inference: Inference) -> anyhow::Result<Vec<Ablations>> {
    let all = measurements(run).into_iter();
    let found = all.map(|(name, rows)| ablations(name, rows, inference));
    Ok(found.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns the arms of all other measurements.
fn extra_arms(run: &RunFolder) -> anyhow::Result<Vec<Arm>> {
    let mut found = Vec::new();
    for extra in &run.extras {
        found.extend(arms::summarise(&extra.games)?);
    }
    Ok(found)
}

/// Returns the games of the main agent in all measurements from shared openings.
fn every_game(run: &RunFolder) -> Vec<GameRow> {
    let continued = run.extras.iter().filter(|extra| robustness::continues(run, extra));
    let mut rows: Vec<GameRow> = run.games.clone();
    rows.extend(continued.flat_map(|extra| extra.games.iter().cloned()));
    rows
}

/// Returns White's score under one rule set minus that under another, at one budget.
fn white_of_pair(
    run: &RunFolder,
    (first, second): (&str, &str),
    nodes: u64,
    inference: Inference,
) -> anyhow::Result<Option<Edge>> {
    let rows = run.games.iter().filter(|row| row.nodes == nodes);
    let side = |rules: &str| match rules {
        rules if rules == first => Some(true),
        rules if rules == second => Some(false),
        _ => None,
    };
    Ok(white::difference(rows, side, inference)?)
}

/// Returns the effects for which the main measurement was played, with White's edge beside each.
///
/// The effects are those of all mixes of toggles, or of single changes of a rule set.
fn effects_of(
    run: &RunFolder,
    toggles: &[Toggles],
    ablations: &[Ablations],
    inference: Inference,
) -> anyhow::Result<Option<Effects>> {
    let rows = |nodes| run.games.iter().filter(move |row| row.nodes == nodes);
    if let Some(toggles) = toggles.iter().find(|found| found.measurement == MAIN) {
        let mut effects = Effects::of_toggles(toggles, inference.looks);
        for effect in &mut effects.list {
            let on = |rules: &str| Some(run.game.value(rules, &effect.name)? == "yes");
            effect.white = white::difference(rows(toggles.nodes), on, inference)?;
        }
        return Ok(Some(effects));
    }
    let Some(ablations) = ablations.iter().find(|found| found.measurement == MAIN) else {
        return Ok(None);
    };
    Ok(Some(Effects::of_changes(ablations, inference.looks)))
}

/// Returns the unmet conditions on which the verdict depends, without those that the verdict judges
/// itself.
fn threats(verdict: &Verdict, checks: &[Check], evidence: &Evidence) -> Vec<String> {
    if !verdict.judged {
        return Vec::new();
    }
    let pair = verdict.pair.as_ref();
    let judged = |arm: &&Arm| {
        let compared = |pair: &Pair| [&pair.first, &pair.second].contains(&&arm.rules);
        arm.nodes == evidence.nodes && pair.is_none_or(compared)
    };
    let repeats = || {
        let mut arms = evidence.arms.iter().filter(judged);
        arms.any(|arm| arm.effective < conditions::MIN_EFFECTIVE_SHARE * arm.games as f64)
    };
    let threatens = |check: &&Check| match check.title {
        FAILED_GAMES | PLY_CAP | TURN_CAP => false,
        PAIRING => pair.is_none_or(|pair| pair.unmatched > 0),
        REPEATS => repeats(),
        _ => true,
    };
    let unmet = checks.iter().filter(|check| matches!(check.status, Status::Warn | Status::Fail));
    unmet.filter(threatens).map(|check| format!("{}: {}", check.title, check.detail)).collect()
}

/// Returns the primary comparison.
///
/// The requested comparison has precedence, then the recorded one, which may be none. If nothing is
/// recorded, it is the default comparison or the only possible one.
fn primary(
    run: &RunFolder,
    arms: &[Arm],
    asked: Option<(String, String)>,
) -> Result<Option<(String, String)>, Failure> {
    if let Some((first, second)) = asked {
        check_primary(arms, &first, &second)?;
        return Ok(Some((first, second)));
    }
    if run.measured.is_some() {
        return Ok(run.recorded_primary());
    }
    let rules: BTreeSet<&str> = arms.iter().map(|arm| arm.rules.as_str()).collect();
    let (first, second) = DEFAULT_PRIMARY;
    let found = match rules.iter().copied().collect::<Vec<_>>()[..] {
        _ if rules.contains(first) && rules.contains(second) => Some((first, second)),
        [one, two] => Some((two, one)),
        _ => None,
    };
    Ok(found.map(|(first, second)| (first.to_owned(), second.to_owned())))
}

fn check_primary(arms: &[Arm], first: &str, second: &str) -> Result<(), Failure> {
    let mut played: Vec<&str> = arms.iter().map(|arm| arm.rules.as_str()).collect();
    played.dedup();
    for name in [first, second] {
        if !played.contains(&name) {
            return Err(Failure::usage(format!(
                "--primary: no games of {name}; there are games of {}",
                played.join("; ")
            )));
        }
    }
    if first == second {
        return Err(Failure::usage(format!("--primary: {first} cannot be compared with itself")));
    }
    Ok(())
}
