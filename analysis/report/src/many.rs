//! Selection of rule sets and pairs for tables and figures where a run has too many of them. The
//! files in `report` have all.

use crate::arms::Arm;
use crate::figures::series::STYLES;
use crate::format::count;
use crate::pairs::{ALL_PAIRS, Pair, compared_with};
use crate::report::Report;
use std::collections::BTreeMap;

/// Largest number of rows of a table.
const ROWS: usize = 250;
/// Largest number of rows of a figure.
const FIGURE_ROWS: usize = 12;

/// Returns the arms that tables show, in their order.
///
/// If there is no room for all, those of the primary comparison and the presets have precedence
/// over mixes of toggles.
pub(crate) fn arms(report: &Report) -> Vec<&Arm> {
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    chosen(&names, report.primary_names(), ROWS).into_iter().map(|i| &report.arms[i]).collect()
}

/// Returns the arms at the main budget that tables show.
pub(crate) fn main_arms(report: &Report) -> Vec<&Arm> {
    arms(report).into_iter().filter(|arm| arm.nodes == report.main_nodes).collect()
}

/// Returns the arms at the main budget that figures show.
pub(crate) fn figure_arms(report: &Report) -> Vec<&Arm> {
    let arms: Vec<&Arm> = report.main_arms().collect();
    let names: Vec<&str> = arms.iter().map(|arm| arm.rules.as_str()).collect();
    let chosen = chosen(&names, report.primary_names(), FIGURE_ROWS);
    chosen.into_iter().map(|i| arms[i]).collect()
}

/// Returns the number of arms at the main budget that no figure shows.
pub(crate) fn left_out_of_figures(report: &Report) -> usize {
    report.main_arms().count().saturating_sub(FIGURE_ROWS)
}

/// Returns the pairs that a figure shows.
pub(crate) fn figure_pairs<'a, 'r>(pairs: &'a [&'r Pair]) -> &'a [&'r Pair] {
    &pairs[..pairs.len().min(FIGURE_ROWS)]
}

/// Returns the rule sets that have a line of their own in figures, where colours must differ.
pub(crate) fn figure_lines(report: &Report) -> Vec<&str> {
    let mut names: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    chosen(&names, report.primary_names(), STYLES).into_iter().map(|i| names[i]).collect()
}

/// Returns the pairs that tables show: the primary pair, and as many others as there is room for.
pub(crate) fn pairs(report: &Report) -> Vec<&Pair> {
    if report.pairs.len() <= ROWS {
        return report.pairs.iter().collect();
    }
    let mut pairs: Vec<&Pair> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| !report.is_primary(pair));
    pairs.truncate(ROWS);
    pairs
}

/// Returns the places of at most `most` names: the primary comparison's, then presets, then mixes
/// of toggles.
fn chosen(names: &[&str], primary: Option<(&str, &str)>, most: usize) -> Vec<usize> {
    let rank = |name: &str| match name {
        name if primary.is_some_and(|(first, second)| [first, second].contains(&name)) => 0,
        name if !name.contains(',') => 1,
        _ => 2,
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&i| rank(names[i]));
    order.truncate(most);
    order.sort_unstable();
    order
}

/// Lists in sentences what tables and figures leave out.
pub(crate) fn notes(report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    let mut at_budget: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for arm in &report.arms {
        at_budget.entry(arm.nodes).or_default().push(&arm.rules);
    }
    for (nodes, names) in at_budget {
        let bases = compared_with(&names, report.primary_names());
        if !bases.is_empty() {
            notes.push(format!(
                "Of the {} rule sets at {} nodes each is compared with {} only: all pairs are compared of at most {ALL_PAIRS}.",
                count(names.len() as u64),
                count(nodes),
                bases.join(" and ")
            ));
        }
    }
    let mut left_out = |all: usize, what: &str, file: &str| {
        if all > ROWS {
            notes.push(format!(
                "Tables show {ROWS} of {} {what}; report/{file} has all.",
                count(all as u64)
            ));
        }
    };
    left_out(report.arms.len(), "results", "summary.csv");
    left_out(report.pairs.len(), "differences", "pairs.csv");
    notes
}
