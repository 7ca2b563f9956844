//! The page's tables, as text.

use super::bars::display;
use super::data::slug;
use crate::format::{
    count, magnitude, optional, p_value, percent, percent_interval, points_interval,
};
use crate::games::RowEnding;
use crate::report::Report;
use crate::rows;
use serde::Serialize;

/// A table; the first column holds the row's name.
#[derive(Serialize)]
pub(super) struct TableView {
    caption: String,
    /// Name of the file that a reader gets.
    file: String,
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Index of a row to stress.
    strong: Option<usize>,
}

/// All tables.
#[derive(Serialize)]
pub(super) struct Tables {
    results: TableView,
    endings: TableView,
    balance: TableView,
    lengths: TableView,
    differences: Option<TableView>,
    unpaired: Option<TableView>,
    /// Use of special moves, one table a rule set.
    usage: Vec<TableView>,
}

pub(super) fn tables(report: &Report) -> Tables {
    let paired = !report.pairs.is_empty();
    Tables {
        results: results(report),
        endings: endings(report),
        balance: balance(report),
        lengths: lengths(report),
        differences: paired.then(|| differences(report)),
        unpaired: paired.then(|| unpaired(report)),
        usage: usage(report),
    }
}

fn results(report: &Report) -> TableView {
    let rows = report.arms.iter().map(rows::results);
    TableView {
        caption: "Results by rule set and nodes".into(),
        file: "results-table.csv".into(),
        header: vec![
            "Rule set",
            "Nodes",
            "Games",
            "White wins",
            "Draws",
            "Black wins",
            "Capped",
            "Errors",
            "Draw share",
            "95% interval",
            "If capped were drawn",
        ],
        rows: rows.collect(),
        strong: None,
    }
}

fn endings(report: &Report) -> TableView {
    let rows = report.arms.iter().map(rows::endings);
    let mut header = vec!["Rule set", "Nodes"];
    header.extend(RowEnding::ALL.map(display));
    TableView {
        caption: "Games by ending".into(),
        file: "endings-table.csv".into(),
        header,
        rows: rows.collect(),
        strong: None,
    }
}

fn balance(report: &Report) -> TableView {
    let rows = report.arms.iter().map(|arm| {
        let score = arm.white_score;
        vec![
            arm.rules.clone(),
            count(arm.nodes),
            score.map_or("–".into(), |score| percent(score.value)),
            score.map_or("–".into(), |score| percent_interval(score.interval)),
            optional(arm.draw_elo, 0),
            optional(arm.nu, 2),
        ]
    });
    TableView {
        caption: "White’s score and the draw margin".into(),
        file: "balance-table.csv".into(),
        header: vec!["Rule set", "Nodes", "White’s score", "95% interval", "drawelo", "Davidson ν"],
        rows: rows.collect(),
        strong: None,
    }
}

fn lengths(report: &Report) -> TableView {
    let rows = report.arms.iter().map(|arm| {
        let [shortest, q1, median, q3, longest] = arm.length.quartiles;
        let mut row = vec![arm.rules.clone(), count(arm.nodes)];
        row.push(format!("{:.1}", arm.length.mean));
        row.extend([shortest, q1, median, q3, longest].map(|plies| format!("{plies:.0}")));
        row.push(count(arm.distinct));
        row.push(format!("{:.1}", arm.effective));
        row
    });
    TableView {
        caption: "Game length in plies, and repeated games".into(),
        file: "lengths-table.csv".into(),
        header: vec![
            "Rule set",
            "Nodes",
            "Mean",
            "Shortest",
            "Lower quartile",
            "Median",
            "Upper quartile",
            "Longest",
            "Different games",
            "Effective games",
        ],
        rows: rows.collect(),
        strong: None,
    }
}

fn pair_name(report: &Report, index: usize) -> Vec<String> {
    let pair = &report.pairs[index];
    vec![format!("{} − {}", pair.first, pair.second), count(pair.nodes)]
}

fn primary(report: &Report) -> Option<usize> {
    report.pairs.iter().position(|pair| report.is_primary(pair))
}

fn differences(report: &Report) -> TableView {
    let rows = report.pairs.iter().enumerate().map(|(i, pair)| {
        let mut row = pair_name(report, i);
        row.extend(rows::difference(pair));
        row
    });
    TableView {
        caption: "Differences in draws, paired by opening, percentage points".into(),
        file: "differences-table.csv".into(),
        header: vec![
            "First − second",
            "Nodes",
            "Openings",
            "Difference",
            "95% interval",
            "90% interval",
            "Drawn in one only",
            "McNemar p",
            "Holm p",
            "E-value",
        ],
        rows: rows.collect(),
        strong: primary(report),
    }
}

fn unpaired(report: &Report) -> TableView {
    let rows = report.pairs.iter().enumerate().map(|(i, pair)| {
        let mut row = pair_name(report, i);
        row.extend([
            points_interval(pair.tango95),
            points_interval(pair.newcombe95),
            points_interval(pair.miettinen_nurminen95),
            pair.ratio95.map_or("–".into(), |ratio| {
                format!("{} to {}", magnitude(ratio.low), magnitude(ratio.high))
            }),
            p_value(pair.fisher_p),
            p_value(pair.bh_p),
        ]);
        row
    });
    TableView {
        caption: "The same differences by other methods, 95% intervals".into(),
        file: "methods-table.csv".into(),
        header: vec![
            "First − second",
            "Nodes",
            "Tango",
            "Newcombe",
            "Miettinen-Nurminen",
            "Ratio of shares",
            "Fisher p",
            "BH p",
        ],
        rows: rows.collect(),
        strong: primary(report),
    }
}

fn usage(report: &Report) -> Vec<TableView> {
    report
        .main_arms()
        .map(|arm| TableView {
            caption: arm.rules.clone(),
            file: format!("usage-{}-table.csv", slug(&arm.rules)),
            header: vec!["Kind", "Games with", "Per 100 plies", "First use"],
            strong: None,
            rows: arm
                .usage
                .iter()
                .map(|usage| {
                    vec![
                        usage.name.to_owned(),
                        percent(usage.share),
                        format!("{:.2}", usage.per_100_plies),
                        optional(usage.median_first, 0),
                    ]
                })
                .collect(),
        })
        .collect()
}
