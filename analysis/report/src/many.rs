//! What tables show where a run has more rule sets or pairs than anyone reads. The files in
//! `report` have them all.

use crate::arms::Arm;
use crate::format::count;
use crate::pairs::{ALL_PAIRS, Pair, compared_with};
use crate::report::Report;
use std::collections::BTreeMap;

/// Most rows of a table.
const ROWS: usize = 250;

/// The arms that tables show, in their order: those of the primary comparison and the presets come
/// before mixes of toggles where there is no room for all.
pub(crate) fn arms(report: &Report) -> Vec<&Arm> {
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.rules.as_str()).collect();
    chosen(&names, report.primary_names(), ROWS).into_iter().map(|i| &report.arms[i]).collect()
}

/// Those of them at the main budget.
pub(crate) fn main_arms(report: &Report) -> Vec<&Arm> {
    arms(report).into_iter().filter(|arm| arm.nodes == report.main_nodes).collect()
}

/// The pairs that tables show: the primary one, and as many others as there is room for.
pub(crate) fn pairs(report: &Report) -> Vec<&Pair> {
    if report.pairs.len() <= ROWS {
        return report.pairs.iter().collect();
    }
    let mut pairs: Vec<&Pair> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| !report.is_primary(pair));
    pairs.truncate(ROWS);
    pairs
}

/// At most so many of the names, by their places: the primary comparison's, then presets, then
/// mixes of toggles.
pub(crate) fn chosen(names: &[&str], primary: Option<(&str, &str)>, most: usize) -> Vec<usize> {
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

/// What is left out, in sentences.
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
