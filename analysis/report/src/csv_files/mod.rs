//! The report's tables as CSV.
//!
//! Shares and differences are fractions of one with six decimals; a number that does not
//! exist is empty.

mod findings;
mod lone_king;

use crate::arms::{Arm, Mean, listed_endings};
use crate::games::RowEnding;
use crate::pairs::Pair;
use crate::report::Report;
use fusion_statistics::Interval;

/// The names of all tables that a report may have.
pub const NAMES: [&str; 16] = [
    "summary.csv",
    "endings.csv",
    "pairs.csv",
    "usage.csv",
    "balance.csv",
    "toggles.csv",
    "interactions.csv",
    "trends.csv",
    "agents.csv",
    "curves.csv",
    "values.csv",
    "reliability.csv",
    "lone-king.csv",
    "lone-king-toggles.csv",
    "random.csv",
    "checks.csv",
];

/// The files' names, all of them among [`NAMES`], with their contents.
///
/// # Errors
/// Never in memory; passed on from the CSV writer.
pub fn tables(report: &Report) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let mut tables = vec![
        ("summary.csv", table(&SUMMARY, report.arms.iter().map(summary))?),
        ("endings.csv", table(&ENDINGS, endings(report).into_iter())?),
        ("pairs.csv", table(&PAIRS, report.pairs.iter().map(pair))?),
        ("usage.csv", table(&USAGE, report.arms.iter().flat_map(usage))?),
        (
            "balance.csv",
            table(&BALANCE, report.arms.iter().chain(&report.own_openings).map(balance))?,
        ),
    ];
    for (name, header, rows) in findings::tables(report) {
        tables.push((name, table(header, rows.into_iter())?));
    }
    Ok(tables)
}

/// A header and rows as CSV.
pub(crate) fn table(
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    Ok(writer.into_inner().map_err(|error| error.into_error())?)
}

/// Six decimals.
pub(crate) fn number(value: f64) -> String {
    // Rounding may leave a minus sign before nothing.
    let text = format!("{value:.6}");
    if text == "-0.000000" { "0.000000".into() } else { text }
}

/// A number that may not exist: nothing instead.
pub(crate) fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, number)
}

/// Both limits of an interval; one that is infinite does not exist.
pub(crate) fn limits(interval: Option<Interval>) -> [String; 2] {
    let finite = |value: f64| value.is_finite().then_some(value);
    [
        optional(interval.and_then(|i| finite(i.low))),
        optional(interval.and_then(|i| finite(i.high))),
    ]
}

const SUMMARY: [&str; 33] = [
    "rules",
    "nodes",
    "network",
    "games",
    "errors",
    "white_wins",
    "draws",
    "black_wins",
    "capped",
    "draw_share",
    "draw_wilson95_low",
    "draw_wilson95_high",
    "draw_jeffreys95_low",
    "draw_jeffreys95_high",
    "draw_share_if_capped_drawn",
    "capped_share",
    "error_share",
    "white_score",
    "white_score95_low",
    "white_score95_high",
    "drawelo",
    "davidson_nu",
    "plies_mean",
    "plies_min",
    "plies_q1",
    "plies_median",
    "plies_q3",
    "plies_max",
    "decisive_games",
    "distinct_games",
    "effective_games",
    "design_effect",
    "network_count",
];

fn summary(arm: &Arm) -> Vec<String> {
    let score = arm.white_score;
    let mut row = vec![arm.rules.clone(), arm.nodes.to_string(), arm.networks.join(" ")];
    row.extend(
        [arm.games, arm.errors, arm.white_wins, arm.draws, arm.black_wins, arm.capped]
            .map(|count| count.to_string()),
    );
    row.push(number(arm.draw_share.share()));
    row.extend(limits(Some(arm.draw_wilson)));
    row.extend(limits(Some(arm.draw_jeffreys)));
    row.extend([arm.draw_share_upper(), arm.capped_share(), arm.error_share()].map(number));
    row.push(optional(score.map(|score| score.value)));
    row.extend(limits(score.map(|score| score.interval)));
    row.extend([arm.draw_elo, arm.nu].map(optional));
    row.push(number(arm.length.mean));
    row.extend(arm.length.quartiles.map(number));
    row.push((arm.white_wins + arm.black_wins).to_string());
    row.push(arm.distinct.to_string());
    row.extend([arm.effective, arm.games as f64 / arm.effective].map(number));
    row.push(arm.networks.len().to_string());
    row
}

const BALANCE: [&str; 25] = [
    "rules",
    "nodes",
    "own_openings",
    "games",
    "white_score",
    "white_score95_low",
    "white_score95_high",
    "drawelo",
    "drawelo95_low",
    "drawelo95_high",
    "davidson_nu",
    "davidson_nu95_low",
    "davidson_nu95_high",
    "lead_changes_per_game",
    "lead_changes95_low",
    "lead_changes95_high",
    "games_with_lead_change",
    "drama",
    "drama95_low",
    "drama95_high",
    "escapes_from_mate",
    "escapes_and_mates",
    "opening_entropy_bits",
    "opening_entropy95_low",
    "opening_entropy95_high",
];

/// What a difference in draws may come with: advantage, margin, drama, escapes, diversity.
fn balance(arm: &Arm) -> Vec<String> {
    let mean = |mean: Option<Mean>| {
        let [low, high] = limits(mean.map(|mean| mean.interval));
        [optional(mean.map(|mean| mean.value)), low, high]
    };
    let own = if arm.opening_entropy.is_some() { "yes" } else { "no" };
    let mut row = vec![arm.rules.clone(), arm.nodes.to_string(), own.into(), arm.games.to_string()];
    row.push(optional(arm.white_score.map(|score| score.value)));
    row.extend(limits(arm.white_score.map(|score| score.interval)));
    row.push(optional(arm.draw_elo));
    row.extend(limits(arm.draw_elo95));
    row.push(optional(arm.nu));
    row.extend(limits(arm.nu95));
    row.extend(mean(Some(arm.drama.lead_changes)));
    row.push(arm.drama.with_change.successes().to_string());
    row.extend(mean(arm.drama.drama));
    let escapes = arm.escapes;
    row.push(escapes.map_or(0, |share| share.successes()).to_string());
    row.push(escapes.map_or(0, |share| share.trials()).to_string());
    row.extend(mean(arm.opening_entropy));
    row
}

const ENDINGS: [&str; 5] = ["rules", "nodes", "ending", "games", "share"];

fn endings(report: &Report) -> Vec<Vec<String>> {
    let listed = listed_endings(&report.arms);
    let row = |arm: &Arm, (place, ending): (usize, RowEnding)| {
        let (games, all) = (arm.endings[place], (arm.games + arm.errors) as f64);
        vec![
            arm.rules.clone(),
            arm.nodes.to_string(),
            ending.name().into(),
            games.to_string(),
            number(games as f64 / all),
        ]
    };
    let of_arm = |arm| listed.iter().map(move |&ending| row(arm, ending));
    report.arms.iter().flat_map(of_arm).collect()
}

const USAGE: [&str; 8] = [
    "rules",
    "nodes",
    "kind",
    "games_with",
    "share_of_games",
    "total",
    "per_100_plies",
    "median_first_ply",
];

fn usage(arm: &Arm) -> impl Iterator<Item = Vec<String>> {
    arm.usage.iter().map(|usage| {
        vec![
            arm.rules.clone(),
            arm.nodes.to_string(),
            usage.name.into(),
            usage.games.to_string(),
            number(usage.share),
            usage.total.to_string(),
            number(usage.per_100_plies),
            optional(usage.median_first),
        ]
    })
}

const PAIRS: [&str; 33] = [
    "nodes",
    "first",
    "second",
    "openings",
    "unmatched_openings",
    "first_draws",
    "second_draws",
    "first_only",
    "second_only",
    "difference",
    "standard_deviation",
    "bootstrap95_low",
    "bootstrap95_high",
    "bootstrap90_low",
    "bootstrap90_high",
    "tango95_low",
    "tango95_high",
    "newcombe95_low",
    "newcombe95_high",
    "miettinen_nurminen95_low",
    "miettinen_nurminen95_high",
    "ratio",
    "ratio95_low",
    "ratio95_high",
    "difference_capped_low",
    "difference_capped_high",
    "mcnemar_p",
    "holm_p",
    "benjamini_hochberg_p",
    "e_value_a20",
    "fisher_p",
    "first_share",
    "second_share",
];

fn pair(pair: &Pair) -> Vec<String> {
    let (a, b) = (pair.first_share, pair.second_share);
    let ratio = (b.successes() > 0).then(|| a.share() / b.share());
    let mut row = vec![pair.nodes.to_string(), pair.first.clone(), pair.second.clone()];
    row.extend(
        [
            pair.openings,
            pair.unmatched,
            a.successes(),
            b.successes(),
            pair.first_only,
            pair.second_only,
        ]
        .map(|count| count.to_string()),
    );
    row.extend([pair.difference, pair.deviation].map(number));
    for interval in [
        pair.bootstrap95,
        pair.bootstrap90,
        pair.tango95,
        pair.newcombe95,
        pair.miettinen_nurminen95,
    ] {
        row.extend(limits(Some(interval)));
    }
    row.push(optional(ratio));
    row.extend(limits(pair.ratio95));
    row.extend(limits(Some(pair.cap_bounds)));
    // Small p-values and large e-values need their exponent.
    row.extend(
        [pair.mcnemar_p, pair.holm_p, pair.bh_p, pair.e_value, pair.fisher_p]
            .map(|value| format!("{value:.6e}")),
    );
    row.extend([a.share(), b.share()].map(number));
    row
}
