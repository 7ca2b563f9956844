//! `compare.csv`: all comparisons of two runs.
//!
//! Shares, scores and differences are fractions of one with six decimals; a number that does not
//! exist is empty.

use super::Comparison;
use super::against::{Against, Estimate};
use super::effects::Effect;
use crate::csv_files::{limits, number, optional, table as csv_table};

/// What a row is about: `draws` and `white_score` of the rule set `rules`, or `effect`, draws
/// under `rules` minus draws under `minus`.
const COLUMNS: [&str; 20] = [
    "quantity",
    "rules",
    "minus",
    "nodes",
    "paired",
    "pairs",
    "same_games",
    "games_a",
    "a",
    "a95_low",
    "a95_high",
    "games_b",
    "b",
    "b95_low",
    "b95_high",
    "difference",
    "difference95_low",
    "difference95_high",
    "p",
    "holm_p",
];

/// The file's bytes.
///
/// # Errors
/// Never in memory; passed on from the CSV writer.
pub(super) fn table(comparison: &Comparison) -> anyhow::Result<Vec<u8>> {
    let draws = comparison.against.iter().map(draws);
    let white = comparison.against.iter().map(white);
    let effects = comparison.effects.iter().map(effect);
    csv_table(&COLUMNS, draws.chain(white).chain(effects))
}

/// The columns up to `same_games`.
fn head(quantity: &str, against: &Against) -> Vec<String> {
    let paired = against.paired;
    let mut row = vec![quantity.to_owned(), against.rules().to_owned(), String::new()];
    row.push(against.nodes().to_string());
    row.push(yes_or_no(paired.is_some()));
    row.push(paired.map_or_else(String::new, |paired| paired.openings.to_string()));
    row.push(paired.map_or_else(String::new, |paired| paired.same.to_string()));
    row
}

fn draws(against: &Against) -> Vec<String> {
    let mut row = head("draws", against);
    for arm in &against.arms {
        row.push(arm.games.to_string());
        row.push(number(arm.draw_share.share()));
        row.extend(limits(Some(arm.draw_wilson)));
    }
    row.extend(estimate(Some(against.draws)));
    // Small p-values need their exponent.
    row.extend([against.p, against.holm_p].map(|p| format!("{p:.6e}")));
    row
}

fn white(against: &Against) -> Vec<String> {
    let mut row = head("white_score", against);
    for arm in &against.arms {
        row.push((arm.white_wins + arm.draws + arm.black_wins).to_string());
        row.push(optional(arm.white_score.map(|score| score.value)));
        row.extend(limits(arm.white_score.map(|score| score.interval)));
    }
    row.extend(estimate(against.white));
    row.extend([String::new(), String::new()]);
    row
}

fn effect(effect: &Effect) -> Vec<String> {
    let mut row = vec!["effect".to_owned(), effect.first.clone(), effect.second.clone()];
    row.push(effect.nodes.to_string());
    row.push(yes_or_no(effect.paired));
    row.push(if effect.paired { effect.openings[0].to_string() } else { String::new() });
    row.push(String::new());
    for (in_run, openings) in effect.in_runs.iter().zip(effect.openings) {
        // One game under each of the two rule sets.
        row.push((2 * openings).to_string());
        row.extend(estimate(Some(*in_run)));
    }
    row.extend(estimate(Some(effect.difference)));
    row.extend([String::new(), String::new()]);
    row
}

/// The value with its limits.
fn estimate(estimate: Option<Estimate>) -> Vec<String> {
    let mut row = vec![optional(estimate.map(|estimate| estimate.value))];
    row.extend(limits(estimate.map(|estimate| estimate.interval)));
    row
}

fn yes_or_no(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}
