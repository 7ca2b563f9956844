//! The page's tables, as text.

use super::bars::display;
use super::data::slug;
use super::forest::{AgentDifference, Effect};
use super::shown;
use crate::arms::listed_endings;
use crate::format::{
    count, magnitude, optional, p_value, percent, percent_interval, points, points_interval,
};
use crate::many;
use crate::pairs::Pair;
use crate::report::Report;
use crate::rows;
use fusion_statistics::Interval;
use serde::Serialize;

/// A table; the first column holds the row's name.
#[derive(Serialize)]
pub(super) struct TableView {
    caption: String,
    /// Name of the file that a reader gets.
    file: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Index of a row to stress.
    strong: Option<usize>,
}

impl TableView {
    /// A table whose file is called `name-table.csv`.
    pub fn new(
        caption: &str,
        name: &str,
        header: &[&str],
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            caption: caption.to_owned(),
            file: format!("{name}-table.csv"),
            header: header.iter().map(|&name| name.to_owned()).collect(),
            rows: rows.collect(),
            strong: None,
        }
    }

    fn with_strong(self, strong: Option<usize>) -> Self {
        Self { strong, ..self }
    }
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
    let rows = many::arms(report).into_iter().map(rows::results);
    TableView::new(
        "Results by rule set and nodes",
        "results",
        &[
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
        rows,
    )
}

fn endings(report: &Report) -> TableView {
    let listed = listed_endings(&report.arms);
    let rows = many::arms(report).into_iter().map(|arm| rows::endings(arm, &listed));
    let mut header = vec!["Rule set", "Nodes"];
    header.extend(listed.iter().map(|&(_, ending)| display(ending)));
    TableView::new("Games by ending", "endings", &header, rows)
}

fn limits(interval: Option<Interval>, decimals: usize) -> String {
    interval.map_or_else(
        || "–".into(),
        |interval| format!("{:.decimals$} to {:.decimals$}", interval.low, interval.high),
    )
}

fn balance(report: &Report) -> TableView {
    let rows = many::arms(report).into_iter().map(|arm| {
        let score = arm.white_score;
        vec![
            arm.rules.clone(),
            count(arm.nodes),
            score.map_or("–".into(), |score| percent(score.value)),
            score.map_or("–".into(), |score| percent_interval(score.interval)),
            optional(arm.draw_elo, 0),
            limits(arm.draw_elo95, 0),
            optional(arm.nu, 2),
            limits(arm.nu95, 2),
        ]
    });
    TableView::new(
        "White’s score and the draw margin",
        "balance",
        &[
            "Rule set",
            "Nodes",
            "White’s score",
            "95% interval",
            "drawelo",
            "95% interval",
            "Davidson ν",
            "95% interval",
        ],
        rows,
    )
}

fn lengths(report: &Report) -> TableView {
    let rows = many::arms(report).into_iter().map(|arm| {
        let [shortest, q1, median, q3, longest] = arm.length.quartiles;
        let mut row = vec![arm.rules.clone(), count(arm.nodes)];
        row.push(format!("{:.1}", arm.length.mean));
        row.extend([shortest, q1, median, q3, longest].map(|plies| format!("{plies:.0}")));
        row.push(count(arm.distinct));
        row.push(format!("{:.1}", arm.effective));
        row
    });
    TableView::new(
        "Game length in plies, and repeated games",
        "lengths",
        &[
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
        rows,
    )
}

fn pair_name(pair: &Pair) -> Vec<String> {
    vec![format!("{} − {}", pair.first, pair.second), count(pair.nodes)]
}

fn primary(report: &Report) -> Option<usize> {
    many::pairs(report).into_iter().position(|pair| report.is_primary(pair))
}

fn differences(report: &Report) -> TableView {
    let rows = many::pairs(report).into_iter().map(|pair| {
        let mut row = pair_name(pair);
        row.extend(rows::difference(pair));
        row
    });
    TableView::new(
        "Differences in draws, paired by opening, percentage points",
        "differences",
        &[
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
        rows,
    )
    .with_strong(primary(report))
}

fn unpaired(report: &Report) -> TableView {
    let rows = many::pairs(report).into_iter().map(|pair| {
        let mut row = pair_name(pair);
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
    TableView::new(
        "The same differences by other methods, 95% intervals",
        "methods",
        &[
            "First − second",
            "Nodes",
            "Tango",
            "Newcombe",
            "Miettinen-Nurminen",
            "Ratio of shares",
            "Fisher p",
            "BH p",
        ],
        rows,
    )
    .with_strong(primary(report))
}

fn usage(report: &Report) -> Vec<TableView> {
    let header = ["Kind", "Games with", "Per 100 plies", "First use"];
    shown::arms(report)
        .into_iter()
        .map(|arm| {
            let rows = arm.usage.iter().map(|usage| {
                vec![
                    usage.name.to_owned(),
                    percent(usage.share),
                    format!("{:.2}", usage.per_100_plies),
                    optional(usage.median_first, 0),
                ]
            });
            TableView::new(&arm.rules, &format!("usage-{}", slug(&arm.rules)), &header, rows)
        })
        .collect()
}

/// Effects of rule changes.
pub(super) fn effects(effects: &[Effect]) -> TableView {
    let rows = effects.iter().map(|effect| {
        let interval = Interval { low: effect.low, high: effect.high };
        vec![
            effect.label.clone(),
            if effect.against.is_empty() { "–".into() } else { effect.against.clone() },
            points(effect.estimate),
            points_interval(interval),
            effect.p.map_or("–".into(), p_value),
        ]
    });
    let header = ["Change", "Toggle", "Effect on draws", "95% interval", "Adjusted p"];
    TableView::new("Effects of rule changes, percentage points", "effects", &header, rows)
}

/// One comparison by several agents.
pub(super) fn agents(agents: &[AgentDifference], primary: (&str, &str)) -> TableView {
    let rows = agents.iter().map(|agent| {
        let interval = Interval { low: agent.low, high: agent.high };
        vec![
            agent.agent.clone(),
            agent.detail.clone(),
            count(agent.openings),
            percent(agent.first),
            percent(agent.second),
            points(agent.difference),
            points_interval(interval),
        ]
    });
    let header =
        ["Agent", "Settings", "Openings", primary.0, primary.1, "Difference", "95% interval"];
    TableView::new("The comparison by agent", "agents", &header, rows)
}
