//! The report in the terminal.

use crate::arms::listed_endings;
use crate::endgames::lone_king::{Lone, LoneKing, ToMove};
use crate::format::{
    agent, count, optional, p_value, percent, percent_interval, points, points_interval, share,
};
use crate::many;
use crate::pairs::Pair;
use crate::report::Report;
use crate::rows;
use crate::toggles::Toggles;
use crate::trends::Trends;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use fusion_statistics::Confidence;
use std::fmt::Write;

/// A line under the header and nothing else.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// The whole report as text, without a trailing empty line.
#[must_use]
pub fn render(report: &Report) -> String {
    let verdict = &report.verdict;
    let mut text = format!("{}. {}\n", verdict.headline, verdict.sentence);
    for remark in &verdict.remarks {
        push(&mut text, &format!("- {remark}"));
    }
    for note in many::notes(report) {
        push(&mut text, &format!("- {note}"));
    }
    section(&mut text, "Results", &results(report));
    section(&mut text, "Endings (games)", &endings(report));
    section(&mut text, "Game length (plies) and balance", &lengths(report));
    section(&mut text, "Use of special moves", &usage(report));
    if !report.pairs.is_empty() {
        let title = format!(
            "Differences in draws (percentage points), paired by opening (* primary; {} resamples, seed {})",
            count(report.resampling.resamples.into()),
            report.resampling.seed
        );
        section(&mut text, &title, &differences(report));
        let title = "The same by other methods, 95% (Tango: paired; the others: unpaired)";
        section(&mut text, title, &other_methods(report));
    }
    for toggles in &report.toggles {
        let title = format!(
            "What each toggle does to draws (percentage points, from no to yes; {} games of {} openings at {} nodes)",
            count(toggles.games),
            count(toggles.openings),
            count(toggles.nodes)
        );
        section(&mut text, &title, &effects(toggles));
    }
    if let Some(trends) = &report.trends {
        let title = "Draws by strength (percentage points for each doubling of the nodes)";
        section(&mut text, title, &doublings(report, trends));
    }
    if report.elsewhere.len() > 1 {
        section(&mut text, "The primary comparison by every agent", &agents(report));
    }
    if let Some(all) = &report.lone_king {
        let title = "Positions that the attacker wins against a lone KR, fused, with best play";
        section(&mut text, title, &lone_king(report, all));
    }
    push(&mut text, "\nConditions of the protocol");
    for check in &report.checks {
        let line = format!("{:>8}  {}: {}", check.status.name(), check.title, check.detail);
        push(&mut text, &line);
    }
    text
}

/// Adds a line.
pub(crate) fn push(text: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Adds a table with its title, after an empty line.
pub(crate) fn section(text: &mut String, title: &str, table: &Table) {
    push(text, &format!("\n{title}\n{}", table.trim_fmt()));
}

/// A table whose first `labels` columns are text and the others numbers.
pub(crate) fn table(header: &[&str], labels: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.iter().copied());
    for (i, column) in table.column_iter_mut().enumerate() {
        if i >= labels {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn results(report: &Report) -> Table {
    let mut table = table(
        &[
            "rules",
            "nodes",
            "games",
            "White wins",
            "draws",
            "Black wins",
            "capped",
            "errors",
            "draw share",
            "95% (Wilson)",
            "capped as draws",
        ],
        1,
    );
    for arm in many::arms(report) {
        table.add_row(rows::results(arm));
    }
    table
}

fn endings(report: &Report) -> Table {
    let listed = listed_endings(&report.arms);
    let names = listed.iter().map(|(_, ending)| ending.name());
    let header: Vec<&str> = ["rules", "nodes"].into_iter().chain(names).collect();
    let mut table = table(&header, 1);
    for arm in many::arms(report) {
        table.add_row(rows::endings(arm, &listed));
    }
    table
}

fn lengths(report: &Report) -> Table {
    let mut table = table(
        &[
            "rules",
            "nodes",
            "mean",
            "quartile",
            "median",
            "quartile",
            "White score",
            "95% (Tango)",
            "drawelo",
            "ν",
            "different games",
            "worth",
        ],
        1,
    );
    for arm in many::arms(report) {
        let [_, q1, median, q3, _] = arm.length.quartiles;
        let mut row = vec![arm.rules.clone(), count(arm.nodes)];
        row.extend([arm.length.mean, q1, median, q3].map(|value| format!("{value:.1}")));
        row.push(arm.white_score.map_or("–".into(), |score| percent(score.value)));
        row.push(arm.white_score.map_or("–".into(), |score| percent_interval(score.interval)));
        row.push(optional(arm.draw_elo, 1));
        row.push(optional(arm.nu, 3));
        row.push(count(arm.distinct));
        row.push(format!("{:.1}", arm.effective));
        table.add_row(row);
    }
    table
}

fn usage(report: &Report) -> Table {
    let mut table = table(
        &["rules", "kind", "nodes", "games with", "of games", "per 100 plies", "median first ply"],
        2,
    );
    for arm in many::arms(report) {
        for usage in &arm.usage {
            table.add_row(vec![
                arm.rules.clone(),
                usage.name.into(),
                count(arm.nodes),
                count(usage.games),
                percent(usage.share),
                format!("{:.2}", usage.per_100_plies),
                optional(usage.median_first, 1),
            ]);
        }
    }
    table
}

fn effects(toggles: &Toggles) -> Table {
    let mut table = table(&["toggle", "without", "with", "effect", "95% interval", "Holm p"], 1);
    for effect in &toggles.effects {
        table.add_row(vec![
            effect.toggle.into(),
            percent(effect.share_off),
            percent(effect.share_on),
            points(effect.estimate.value),
            points_interval(effect.interval),
            p_value(effect.holm_p),
        ]);
    }
    table
}

fn doublings(report: &Report, trends: &Trends) -> Table {
    let mut table = table(&["rules", "change", "95% interval", "p"], 1);
    let (first, second) = &report.primary;
    let difference = trends.interaction.map(|change| (format!("{first} − {second}"), change));
    for (name, change) in trends.arms.iter().cloned().chain(difference) {
        table.add_row(vec![
            name,
            points(change.value),
            points_interval(change.interval(Confidence::P95)),
            p_value(change.p_value()),
        ]);
    }
    table
}

fn agents(report: &Report) -> Table {
    let (first, second) = &report.primary;
    let header =
        ["agent", "openings", "nodes", "games", first, second, "difference", "95% interval"];
    let mut table = table(&header, 2);
    for row in &report.elsewhere {
        let openings = match (row.nodes, row.own_openings) {
            (None, _) => "none",
            (_, true) => "its own",
            (_, false) => "pool",
        };
        let mut cells = vec![agent(&row.agent), openings.into()];
        cells.push(row.nodes.map_or_else(|| "–".into(), count));
        cells.push(count(row.shares[0].trials()));
        cells.extend(row.shares.map(|share| percent(share.share())));
        cells.extend([points(row.difference), points_interval(row.interval)]);
        table.add_row(cells);
    }
    table
}

/// Attackers whose King is on its own, with either side to move.
fn lone_king(report: &Report, all: &LoneKing) -> Table {
    let rules = all.compared(report.main_arms().map(|arm| arm.rules.as_str()));
    let names: Vec<String> = rules.iter().map(ToString::to_string).collect();
    let header: Vec<&str> =
        ["attacker"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut table = table(&header, 1);
    for start in all.starts(Lone::Rook, true).filter(|start| !start.attacker.king_fused()) {
        let mut row = vec![start.attacker.pieces().to_owned()];
        row.extend(rules.iter().map(|rules| {
            let tally = all.tally(rules, start, ToMove::Either);
            tally.map_or_else(|| "–".into(), |tally| share(tally.won, tally.positions))
        }));
        table.add_row(row);
    }
    table
}

fn differences(report: &Report) -> Table {
    let mut table = table(
        &[
            "first − second",
            "nodes",
            "openings",
            "difference",
            "95% interval",
            "90% interval",
            "b : c",
            "McNemar p",
            "Holm p",
            "E-value",
        ],
        1,
    );
    for pair in many::pairs(report) {
        let mut row = vec![pair_name(report, pair), count(pair.nodes)];
        row.extend(rows::difference(pair));
        table.add_row(row);
    }
    table
}

fn other_methods(report: &Report) -> Table {
    let mut table = table(
        &["first − second", "nodes", "Tango", "Newcombe", "Miettinen-Nurminen", "Fisher p"],
        1,
    );
    for pair in many::pairs(report) {
        table.add_row(vec![
            pair_name(report, pair),
            count(pair.nodes),
            points_interval(pair.tango95),
            points_interval(pair.newcombe95),
            points_interval(pair.miettinen_nurminen95),
            p_value(pair.fisher_p),
        ]);
    }
    table
}

/// The primary comparison bears a star.
fn pair_name(report: &Report, pair: &Pair) -> String {
    let star = if report.is_primary(pair) { " *" } else { "" };
    format!("{} − {}{star}", pair.first, pair.second)
}
