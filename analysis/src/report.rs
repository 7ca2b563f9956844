//! Everything a report says, before it takes a form.

use crate::arms::{self, Arm};
use crate::checks::{self, Check, Status};
use crate::pairs::{self, Pair, Resampling};
use crate::run_folder::RunFolder;
use crate::verdict::{self, DEFAULT_PRIMARY, Verdict};
use anyhow::Context;
use fusion_engine::cli::Failure;

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
    /// Rule sets by budget.
    pub arms: Vec<Arm>,
    /// Pairwise differences.
    pub pairs: Vec<Pair>,
    /// The verdict.
    pub verdict: Verdict,
    /// The protocol's conditions.
    pub checks: Vec<Check>,
}

impl Report {
    /// Analyses a run.
    ///
    /// # Errors
    /// A primary comparison of rule sets that were not played, or an arm of which every
    /// game failed.
    pub fn new(run: RunFolder, options: Options) -> anyhow::Result<Self> {
        let arms = arms::summarise(&run.games)?;
        if let Some((first, second)) = &options.primary {
            check_primary(&arms, first, second)?;
        }
        let primary =
            options.primary.unwrap_or_else(|| (DEFAULT_PRIMARY.0.into(), DEFAULT_PRIMARY.1.into()));
        let names = (primary.0.as_str(), primary.1.as_str());
        let mut pairs = pairs::compare(&run.games, Some(names), options.resampling)
            .context("comparing the rule sets")?;
        // The budget that counts most first.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.nodes));
        let pool = run.pool.as_ref().map(|pool| pool.hash.as_str());
        let mut verdict = verdict::judge(&arms, &pairs, names, pool);
        let checks = checks::check(&run, &arms, &pairs);
        // A reader who goes no further than the verdict must see what speaks against it.
        let unmet =
            checks.iter().filter(|check| matches!(check.status, Status::Warn | Status::Fail));
        verdict.remarks.extend(unmet.map(|check| {
            format!("A condition of the protocol is not met. {}: {}", check.title, check.detail)
        }));
        Ok(Self { verdict, checks, primary, resampling: options.resampling, run, arms, pairs })
    }

    /// The node budgets, ascending.
    #[must_use]
    pub fn budgets(&self) -> Vec<u64> {
        let mut budgets: Vec<u64> = self.arms.iter().map(|arm| arm.nodes).collect();
        budgets.sort_unstable();
        budgets.dedup();
        budgets
    }

    /// The budget that figures for one budget show: the primary comparison's, else the
    /// largest.
    #[must_use]
    pub fn main_budget(&self) -> u64 {
        let of_primary = self.verdict.pair.as_ref().map(|pair| pair.nodes);
        of_primary.or_else(|| self.budgets().last().copied()).unwrap_or_default()
    }

    /// The arms at the main budget.
    pub fn main_arms(&self) -> impl Iterator<Item = &Arm> {
        let nodes = self.main_budget();
        self.arms.iter().filter(move |arm| arm.nodes == nodes)
    }

    /// The pairs at the main budget, the primary one first.
    #[must_use]
    pub fn main_pairs(&self) -> Vec<&Pair> {
        let nodes = self.main_budget();
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
