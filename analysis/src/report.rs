//! Everything a report says, before it takes a form.

use crate::ablations::{Ablations, ablations};
use crate::arms::{self, Arm};
use crate::calibration::{Calibration, calibration};
use crate::checks::{self, Check, Status};
use crate::curves::{Curves, curves};
use crate::elsewhere::{self, Elsewhere, elsewhere};
use crate::endgames::lone_king::LoneKing;
use crate::games::GameRow;
use crate::gates;
use crate::inert::{InertToggle, inert_toggles};
use crate::null_checks::NullChecks;
use crate::pairs::{self, Pair, Resampling};
use crate::positions::{self, Positions, ShownGame};
use crate::run_folder::RunFolder;
use crate::toggles::{self, Toggles};
use crate::trends::{Trends, trends};
use crate::values::{Values, values};
use crate::verdict::{self, DEFAULT_PRIMARY, Verdict};
use anyhow::Context;
use fusion_engine::cli::Failure;
use std::collections::BTreeSet;

/// What a reader may choose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The primary comparison, first minus second.
    pub primary: Option<(String, String)>,
    /// Settings of the bootstrap.
    pub resampling: Resampling,
}

/// A run's results.
#[derive(Debug)]
pub struct Report {
    /// The files it was made from.
    pub run: RunFolder,
    /// The primary comparison, first minus second.
    pub primary: (String, String),
    /// Settings of the bootstrap.
    pub resampling: Resampling,
    /// The budget of the verdict and of figures for one budget: the largest of the main
    /// measurement.
    pub main_nodes: u64,
    /// Rule sets of the main measurement by budget, those of other measurements by the same
    /// agent from the same openings among them.
    pub arms: Vec<Arm>,
    /// Pairwise differences of these.
    pub pairs: Vec<Pair>,
    /// How draws grow with the nodes.
    pub trends: Option<Trends>,
    /// Effects of toggles, from every measurement of all their mixes.
    pub toggles: Vec<Toggles>,
    /// Effects of toggles changed alone, from every measurement of a rule set with such changes.
    pub ablations: Vec<Ablations>,
    /// Real games whose rules differ in name alone.
    pub inert: Vec<InertToggle>,
    /// The primary comparison by every agent, at every budget.
    pub elsewhere: Vec<Elsewhere>,
    /// How the games of the main budget end as they grow longer.
    pub curves: Vec<Curves>,
    /// Diversity of openings that the agent chose itself: arms with an entropy.
    pub own_openings: Vec<Arm>,
    /// Worth of the pieces.
    pub values: Vec<Values>,
    /// Whether forecasts came true: of all arms together first.
    pub calibration: Vec<Calibration>,
    /// What it takes to beat a lone King with one component.
    pub lone_king: Option<LoneKing>,
    /// Games to show.
    pub shown: Vec<ShownGame>,
    /// The arms against themselves.
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
    /// A primary comparison of rule sets that were not played, an arm of which every game
    /// failed, or moves that are not those of the games.
    pub fn new(run: RunFolder, options: Options) -> anyhow::Result<Self> {
        let rows = same_agent(&run);
        let arms = arms::summarise(&rows)?;
        let primary = primary(&run, &arms, options.primary)?;
        let names = (primary.0.as_str(), primary.1.as_str());
        let resampling = options.resampling;
        let main_nodes = main_nodes(&run, names);
        let mut pairs =
            pairs::compare(&rows, Some(names), resampling).context("comparing the rule sets")?;
        // The budget that counts most first.
        pairs.sort_by_key(|pair| (pair.nodes != main_nodes, std::cmp::Reverse(pair.nodes)));
        let main_arms = || arms.iter().filter(|arm| arm.nodes == main_nodes);
        let positions = match &run.moves {
            Some(path) => positions::read(path, &run.games, main_nodes, names)?,
            None => Positions::default(),
        };
        let calibration = calibration(main_arms(), &run.games, &positions.forecasts);
        let null_checks =
            NullChecks::of(&run.games, main_arms(), names, main_nodes, resampling.seed)?;
        let of_extras = extra_arms(&run)?;
        let all: Vec<&Arm> = arms.iter().chain(&of_extras).collect();
        let mut checks = checks::check(&run, &all, &arms, &pairs);
        let trends = trends(&rows, names);
        let inert = inert_toggles(&every_game(&run), resampling.seed)?;
        checks.extend(gates::gates(
            &run,
            &arms,
            trends.as_ref(),
            &null_checks,
            &inert,
            &calibration,
        ));
        let pool = run.pool.as_ref().map(|pool| pool.hash.as_str());
        let mut verdict = verdict::judge(&arms, &pairs, names, main_nodes, pool);
        // A reader who goes no further than the verdict must see what speaks against it.
        let unmet =
            checks.iter().filter(|check| matches!(check.status, Status::Warn | Status::Fail));
        verdict.remarks.extend(unmet.map(|check| {
            format!("A condition of the protocol is not met. {}: {}", check.title, check.detail)
        }));
        Ok(Self {
            trends,
            toggles: toggle_effects(&run),
            ablations: changes(&run, resampling)?,
            inert,
            elsewhere: elsewhere(&run, &pairs, names, resampling)?,
            curves: curves(&run.games, main_nodes)?,
            own_openings: of_extras
                .into_iter()
                .filter(|arm| arm.opening_entropy.is_some())
                .collect(),
            values: values(main_arms(), &run.games, &positions.material, resampling),
            lone_king: run.endgames.as_ref().and_then(|endgames| LoneKing::of(&endgames.rows)),
            shown: positions.shown,
            calibration,
            null_checks,
            verdict,
            checks,
            main_nodes,
            resampling,
            run,
            arms,
            pairs,
            primary,
        })
    }

    /// The node budgets, ascending.
    #[must_use]
    pub fn budgets(&self) -> Vec<u64> {
        let mut budgets: Vec<u64> = self.arms.iter().map(|arm| arm.nodes).collect();
        budgets.sort_unstable();
        budgets.dedup();
        budgets
    }

    /// The arms at the main budget.
    pub fn main_arms(&self) -> impl Iterator<Item = &Arm> {
        let nodes = self.main_nodes;
        self.arms.iter().filter(move |arm| arm.nodes == nodes)
    }

    /// The pairs at the main budget, the primary one first.
    #[must_use]
    pub fn main_pairs(&self) -> Vec<&Pair> {
        let nodes = self.main_nodes;
        let mut pairs: Vec<&Pair> = self.pairs.iter().filter(|p| p.nodes == nodes).collect();
        pairs.sort_by_key(|pair| !self.is_primary(pair));
        pairs
    }

    /// Whether this pair is the one that the verdict judges.
    #[must_use]
    pub fn is_primary(&self, pair: &Pair) -> bool {
        let judged = self.verdict.pair.as_ref();
        judged.is_some_and(|judged| {
            (judged.nodes, &judged.first, &judged.second) == (pair.nodes, &pair.first, &pair.second)
        })
    }
}

/// The games of the main measurement with those that continue it: the same agent from the same
/// openings under the same rule sets, at other budgets.
fn same_agent(run: &RunFolder) -> Vec<GameRow> {
    let mut rows = run.games.clone();
    let rules: BTreeSet<&str> = run.games.iter().map(|row| row.rules.as_str()).collect();
    let mut played: BTreeSet<(&str, u64)> =
        run.games.iter().map(|row| (row.rules.as_str(), row.nodes)).collect();
    for extra in run.extras.iter().filter(|extra| elsewhere::continues(run, extra)) {
        let new = |row: &&GameRow| {
            rules.contains(row.rules.as_str()) && !played.contains(&(row.rules.as_str(), row.nodes))
        };
        let fresh: Vec<&GameRow> = extra.games.iter().filter(new).collect();
        played.extend(fresh.iter().map(|row| (row.rules.as_str(), row.nodes)));
        rows.extend(fresh.into_iter().cloned());
    }
    rows
}

/// The largest budget at which the main measurement has the primary comparison, else its largest.
fn main_nodes(run: &RunFolder, (first, second): (&str, &str)) -> u64 {
    let budgets = |rules: &str| -> BTreeSet<u64> {
        run.games.iter().filter(|row| row.rules == rules).map(|row| row.nodes).collect()
    };
    let both = budgets(first).intersection(&budgets(second)).copied().max();
    both.or_else(|| run.games.iter().map(|row| row.nodes).max()).unwrap_or_default()
}

/// The main measurement's games and those of each other one by the main agent come first, so that
/// a factorial by another agent never stands for it.
fn measurements(run: &RunFolder) -> Vec<(&str, &[GameRow])> {
    let network = |rows: &[GameRow]| rows.first().map(|row| row.network.clone());
    let mut all = vec![("measure", run.games.as_slice())];
    all.extend(run.extras.iter().map(|extra| (extra.name.as_str(), extra.games.as_slice())));
    all.sort_by_key(|(_, rows)| network(rows) != network(&run.games));
    all
}

/// Those of the main agent first, and of these the ones with the most toggles.
fn toggle_effects(run: &RunFolder) -> Vec<Toggles> {
    let all = measurements(run).into_iter();
    let mut found: Vec<Toggles> =
        all.filter_map(|(name, rows)| toggles::effects(name, rows)).collect();
    let main = run.games.first().map(|row| row.network.as_str());
    found.sort_by_key(|toggles| {
        (Some(toggles.agent.as_str()) != main, std::cmp::Reverse(toggles.effects.len()))
    });
    found
}

fn changes(run: &RunFolder, resampling: Resampling) -> anyhow::Result<Vec<Ablations>> {
    let all = measurements(run).into_iter();
    let found = all.map(|(name, rows)| ablations(name, rows, resampling));
    Ok(found.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The arms of all other measurements.
fn extra_arms(run: &RunFolder) -> anyhow::Result<Vec<Arm>> {
    let mut found = Vec::new();
    for extra in &run.extras {
        found.extend(arms::summarise(&extra.games)?);
    }
    Ok(found)
}

/// The games of the main agent in all measurements from shared openings.
fn every_game(run: &RunFolder) -> Vec<GameRow> {
    let continued = run.extras.iter().filter(|extra| elsewhere::continues(run, extra));
    let mut rows: Vec<GameRow> = run.games.clone();
    rows.extend(continued.flat_map(|extra| extra.games.iter().cloned()));
    rows
}

/// The primary comparison: as asked for, as the measurement recorded it, or the usual question.
fn primary(
    run: &RunFolder,
    arms: &[Arm],
    asked: Option<(String, String)>,
) -> Result<(String, String), Failure> {
    if let Some((first, second)) = asked {
        check_primary(arms, &first, &second)?;
        return Ok((first, second));
    }
    Ok(run
        .recorded_primary()
        .unwrap_or_else(|| (DEFAULT_PRIMARY.0.into(), DEFAULT_PRIMARY.1.into())))
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
