//! Tables of what goes beyond counts: toggles, trends, curves, agents, values, forecasts.

use super::{limits, lone_king, number};
use crate::calibration::Calibration;
use crate::checks::Check;
use crate::curves::Curves;
use crate::elsewhere::Elsewhere;
use crate::report::Report;
use crate::toggles::Toggles;
use crate::trends::Trends;
use crate::values::Values;
use fusion_runner::random::RandomRow;
use fusion_statistics::Confidence;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::reliability::Reliability;

/// Name, header and rows of each table that has a row.
pub(super) fn tables(report: &Report) -> Vec<(&'static str, &'static [&'static str], Rows)> {
    let toggles = &report.toggles;
    let lone = report.lone_king.as_ref();
    let mut tables: Vec<(&'static str, &'static [&'static str], Rows)> = vec![
        ("toggles.csv", &TOGGLES, toggles.iter().flat_map(effects).collect()),
        ("interactions.csv", &INTERACTIONS, toggles.iter().flat_map(interactions).collect()),
        ("trends.csv", &TRENDS, report.trends.iter().flat_map(|t| trends(t, report)).collect()),
        ("agents.csv", &AGENTS, report.elsewhere.iter().map(agent).collect()),
        ("curves.csv", &CURVES, report.curves.iter().flat_map(curves).collect()),
        ("values.csv", &VALUES, report.values.iter().flat_map(values).collect()),
        ("reliability.csv", &RELIABILITY, report.calibration.iter().flat_map(bins).collect()),
        (
            "lone-king.csv",
            &lone_king::POSITIONS,
            lone.map(lone_king::positions).unwrap_or_default(),
        ),
        (
            "lone-king-toggles.csv",
            &lone_king::CHANGES,
            lone.map(lone_king::changes).unwrap_or_default(),
        ),
        ("random.csv", &RANDOM, report.run.random.iter().map(random).collect()),
        ("checks.csv", &CHECKS, report.checks.iter().map(check).collect()),
    ];
    tables.retain(|(_, _, rows)| !rows.is_empty());
    tables
}

type Rows = Vec<Vec<String>>;

/// Estimate, limits and p-value.
fn estimate(estimate: Estimate) -> Vec<String> {
    let mut cells = vec![number(estimate.value), number(estimate.error)];
    cells.extend(limits(Some(estimate.interval(Confidence::P95))));
    cells.push(format!("{:.6e}", estimate.p_value()));
    cells
}

const TOGGLES: [&str; 13] = [
    "measurement",
    "nodes",
    "games",
    "openings",
    "toggle",
    "effect",
    "standard_error",
    "effect95_low",
    "effect95_high",
    "p",
    "holm_p",
    "share_without",
    "share_with",
];

fn effects(toggles: &Toggles) -> Rows {
    let row = |effect: &crate::toggles::Effect| {
        let mut row = vec![
            toggles.measurement.clone(),
            toggles.nodes.to_string(),
            toggles.games.to_string(),
            toggles.openings.to_string(),
            effect.toggle.to_owned(),
        ];
        row.extend(estimate(effect.estimate));
        row.push(format!("{:.6e}", effect.holm_p));
        row.extend([effect.share_off, effect.share_on].map(number));
        row
    };
    toggles.effects.iter().map(row).collect()
}

const INTERACTIONS: [&str; 13] = [
    "measurement",
    "first",
    "second",
    "interaction",
    "standard_error",
    "interaction95_low",
    "interaction95_high",
    "p",
    "benjamini_hochberg_p",
    "share_with_neither",
    "share_with_second",
    "share_with_first",
    "share_with_both",
];

fn interactions(toggles: &Toggles) -> Rows {
    let row = |pair: &crate::toggles::Interaction| {
        let mut row = vec![toggles.measurement.clone()];
        row.extend(pair.toggles.map(str::to_owned));
        row.extend(estimate(pair.estimate));
        row.push(format!("{:.6e}", pair.bh_p));
        row.extend(pair.cells.map(|cell| number(cell.share())));
        row
    };
    toggles.interactions.iter().map(row).collect()
}

const TRENDS: [&str; 8] = [
    "rules",
    "nodes_from",
    "nodes_to",
    "draws_per_doubling",
    "standard_error",
    "draws_per_doubling95_low",
    "draws_per_doubling95_high",
    "p",
];

fn trends(trends: &Trends, report: &Report) -> Rows {
    let row = |name: String, change: Estimate| {
        let mut row = vec![name, trends.range.0.to_string(), trends.range.1.to_string()];
        row.extend(estimate(change));
        row
    };
    report.changes_by_doubling().into_iter().map(|(name, change)| row(name, change)).collect()
}

const AGENTS: [&str; 10] = [
    "agent",
    "nodes",
    "openings_of_its_own",
    "first_games",
    "first_draws",
    "second_games",
    "second_draws",
    "difference",
    "difference95_low",
    "difference95_high",
];

fn agent(row: &Elsewhere) -> Vec<String> {
    let mut cells = vec![
        row.agent.clone(),
        row.nodes.map_or_else(String::new, |nodes| nodes.to_string()),
        if row.own_openings { "yes" } else { "no" }.to_owned(),
    ];
    for share in row.shares {
        cells.extend([share.trials().to_string(), share.successes().to_string()]);
    }
    cells.push(number(row.difference));
    cells.extend(limits(Some(row.interval)));
    cells
}

const CURVES: [&str; 6] = ["rules", "ending", "ply", "share", "share95_low", "share95_high"];

fn curves(curves: &Curves) -> Rows {
    let mut rows = Vec::new();
    for (ending, steps) in &curves.by_ending {
        // Plies at which this ending came about, not all at which any did.
        let mut last = 0.0;
        for step in steps.iter().filter(|step| {
            let grown = step.share > last;
            last = step.share;
            grown
        }) {
            let mut row = vec![curves.rules.clone(), ending.name().to_owned()];
            row.extend([step.time.to_string(), number(step.share)]);
            row.extend(limits(Some(step.interval(Confidence::P95))));
            rows.push(row);
        }
    }
    rows
}

const VALUES: [&str; 6] = ["rules", "games", "piece", "pawns", "pawns95_low", "pawns95_high"];

fn values(values: &Values) -> Rows {
    let row = |worth: &crate::values::Worth| {
        let mut row = vec![values.rules.clone(), values.games.to_string(), worth.name.to_owned()];
        row.push(number(worth.value));
        row.extend(limits(Some(worth.interval)));
        row
    };
    values.pieces.iter().chain(&values.synergies).map(row).collect()
}

const RELIABILITY: [&str; 7] =
    ["rules", "outcome", "positions", "predicted", "observed", "observed95_low", "observed95_high"];

fn bins(calibration: &Calibration) -> Rows {
    let rules = calibration.rules.as_deref().unwrap_or("all");
    let of = |outcome: &'static str, reliability: &Reliability| -> Rows {
        let row = |bin: &fusion_statistics::reliability::Bin| {
            let mut row = vec![rules.to_owned(), outcome.to_owned()];
            row.push(bin.happened.trials().to_string());
            row.extend([bin.predicted, bin.happened.share()].map(number));
            row.extend(limits(Some(bin.interval)));
            row
        };
        reliability.bins.iter().map(row).collect()
    };
    [of("draw", &calibration.draws), of("white-wins", &calibration.wins)].concat()
}

const RANDOM: [&str; 9] = [
    "rules",
    "games",
    "white_wins",
    "black_wins",
    "stalemate",
    "threefold",
    "fifty_move",
    "dead_position",
    "mean_plies",
];

fn random(row: &RandomRow) -> Vec<String> {
    let counts = [
        row.games,
        row.white_wins,
        row.black_wins,
        row.stalemate,
        row.threefold,
        row.fifty_move,
        row.dead_position,
    ];
    let mut cells = vec![row.rules.clone()];
    cells.extend(counts.map(|count| count.to_string()));
    cells.push(number(row.plies as f64 / row.games as f64));
    cells
}

const CHECKS: [&str; 3] = ["status", "condition", "found"];

fn check(check: &Check) -> Vec<String> {
    vec![check.status.name().to_owned(), check.title.to_owned(), check.detail.clone()]
}
