//! Selection of rule sets and pairs for tables and figures where a run has too many of them. The
//! files in `report` have all.

use crate::figures::series::STYLES;
use fusion_print::format::count;
use fusion_results::arms::Arm;
use fusion_results::pairs::{ALL_PAIRS, Pair, compared_with};
use fusion_results::report::Report;
use fusion_results::run_folder::MAIN;
use std::collections::BTreeMap;

/// Largest number of rows of a table.
const ROWS: usize = 250;
/// Largest number of rows of a figure.
const FIGURE_ROWS: usize = 12;

/// Returns the arms that tables show, in their order.
///
/// If there is no room for all, those of the primary comparison and the presets have precedence
/// over mixes of toggles, and of these the ones that are drawn most differently.
pub(crate) fn arms(report: &Report) -> Vec<&Arm> {
    chosen(report, &report.arms.iter().collect::<Vec<_>>(), ROWS)
}

/// Returns the arms at the main budget that tables show.
pub(crate) fn main_arms(report: &Report) -> Vec<&Arm> {
    arms(report).into_iter().filter(|arm| arm.nodes == report.main_nodes).collect()
}

/// Returns the arms at the main budget that figures show.
pub(crate) fn figure_arms(report: &Report) -> Vec<&Arm> {
    chosen(report, &report.main_arms().collect::<Vec<_>>(), FIGURE_ROWS)
}

/// Returns the rule set that others are compared with: the one that single changes are made to, or the second of the
/// primary comparison.
pub(crate) fn base(report: &Report) -> Option<&str> {
    let changed = report.ablations.iter().find(|of| of.measurement == MAIN);
    changed.map(|of| of.base.as_str()).or_else(|| Some(report.primary_names()?.1))
}

/// Returns the number of arms at the main budget that no figure shows.
pub(crate) fn left_out_of_figures(report: &Report) -> usize {
    report.main_arms().count().saturating_sub(FIGURE_ROWS)
}

/// Returns the pairs that a figure shows: the first one, which may be the primary, and the largest differences.
pub(crate) fn figure_pairs<'r>(pairs: &[&'r Pair]) -> Vec<&'r Pair> {
    largest(pairs, 1, FIGURE_ROWS)
}

/// Returns at most `most` pairs in their order: the first `kept` ones, then those with the largest differences.
pub(crate) fn largest<'r>(pairs: &[&'r Pair], kept: usize, most: usize) -> Vec<&'r Pair> {
    let mut order: Vec<usize> = (kept.min(pairs.len())..pairs.len()).collect();
    let size = |i: usize| pairs[i].difference.abs();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    order.truncate(most.saturating_sub(kept));
    order.sort_unstable();
    (0..kept.min(pairs.len())).chain(order).map(|i| pairs[i]).collect()
}

/// Returns the rule sets that have a line of their own in figures, where colours must differ.
pub(crate) fn figure_lines(report: &Report) -> Vec<&str> {
    let mut arms: Vec<&Arm> = report.arms.iter().collect();
    arms.sort_by_key(|arm| (arm.rules.as_str(), arm.nodes != report.main_nodes));
    arms.dedup_by_key(|arm| arm.rules.as_str());
    chosen(report, &arms, STYLES).into_iter().map(|arm| arm.rules.as_str()).collect()
}

/// Returns the pairs that tables show: the primary pair, and as many others as there is room for.
pub(crate) fn pairs(report: &Report) -> Vec<&Pair> {
    if report.pairs.len() <= ROWS {
        return report.pairs.iter().collect();
    }
    let mut pairs: Vec<&Pair> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| !report.is_primary(pair));
    largest(&pairs, 1, ROWS)
}

/// Returns at most `most` arms in their order: the primary comparison's and the base of single changes, then
/// presets, then the mixes of toggles that are drawn most differently from the base or, without one, from the mean.
fn chosen<'r>(report: &Report, arms: &[&'r Arm], most: usize) -> Vec<&'r Arm> {
    let (primary, base) = (report.primary_names(), base(report));
    let rank = |name: &str| match name {
        name if primary.is_some_and(|(first, second)| [first, second].contains(&name)) => 0,
        name if base == Some(name) => 0,
        name if !name.contains(',') => 1,
        _ => 2,
    };
    let share = |arm: &Arm| arm.draw_share.share();
    let of_base = arms.iter().find(|arm| Some(arm.rules.as_str()) == base).map(|arm| share(arm));
    let mean = || arms.iter().map(|arm| share(arm)).sum::<f64>() / arms.len() as f64;
    let middle = of_base.unwrap_or_else(mean);
    let distance = |i: usize| (share(arms[i]) - middle).abs();
    let mut order: Vec<usize> = (0..arms.len()).collect();
    order.sort_by(|&a, &b| {
        let ranks = rank(&arms[a].rules).cmp(&rank(&arms[b].rules));
        ranks.then_with(|| distance(b).total_cmp(&distance(a)))
    });
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|i| arms[i]).collect()
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
