//! The report in the terminal: tables, then the verdict as the last lines. The page and the CSV
//! files hold more of each table.

use crate::arms::{Arm, listed_endings};
use crate::endgames::lone_king::{Lone, LoneKing, ToMove};
use crate::format::{
    agent, count, optional, p_value, paragraphs, percent, percent_interval, points,
    points_interval, share,
};
use crate::games::RowEnding;
use crate::many;
use crate::report::Report;
use crate::text::{Text, file_link, table};
use crate::toggles::Toggles;
use comfy_table::Table;
use fusion_game::Ending;
use fusion_statistics::Confidence;
use std::path::Path;

/// Most rows of a table; the page and the CSV files have all.
const ROWS: usize = 24;

/// The whole report as text of so many columns, ending with the verdict.
#[must_use]
pub fn render(report: &Report, width: usize) -> String {
    let mut text = Text::new(width);
    superseded(&mut text, report);
    text.push(&format!("{}, by {}", report.run.name, report.agent()));
    text.section("Results (95%: Wilson)", results(report));
    text.section("Endings (games)", endings(report));
    text.section("Game length in plies, and balance (95%: Tango)", lengths(report));
    if let Some(white) = report.white_in_words() {
        text.push(&white);
    }
    for note in many::notes(report) {
        text.item("- ", &note);
    }
    let title = format!("Use of special moves at {} nodes", count(report.main_nodes));
    text.section(&title, usage(report));
    if !report.pairs.is_empty() {
        let title = format!(
            "Differences in draws in percentage points, paired by opening (* primary; {} resamples, seed {})",
            count(report.resampling.resamples.into()),
            report.resampling.seed
        );
        text.section(&title, differences(report));
        more(&mut text, report.pairs.len(), "pairs.csv");
    }
    for toggles in &report.toggles {
        let title = format!(
            "What each toggle does to draws, percentage points, from no to yes ({} games of {} openings at {} nodes, by {})",
            count(toggles.games),
            count(toggles.openings),
            count(toggles.nodes),
            agent(&toggles.agent)
        );
        text.section(&title, effects(toggles));
    }
    if let Some(trends) = &report.trends {
        let title = format!(
            "Draws by strength, percentage points for each doubling of the nodes ({} to {} nodes, {} budgets, {} only)",
            count(trends.range.0),
            count(trends.range.1),
            report.budgets().len(),
            report.agent()
        );
        text.section(&title, doublings(report));
    }
    if report.elsewhere.len() > 1 {
        text.section(
            "The primary comparison by every agent, difference in percentage points",
            agents(report),
        );
    }
    if let Some(all) = &report.lone_king {
        let title = "Positions that the attacker wins against a lone KR, fused, with best play";
        text.section(title, lone_king(report, all));
    }
    text.gap();
    text.push("Conditions of the protocol");
    for check in &report.checks {
        let mark = format!("{:>9}  ", check.status.name());
        text.item(&mark, &format!("{}: {}", check.title, check.detail));
    }
    text.gap();
    verdict(&mut text, report);
    text.finish()
}

/// Why another study replaces this one; nothing where none does.
fn superseded(text: &mut Text, report: &Report) {
    if let Some(why) = &report.run.superseded {
        text.push("SUPERSEDED. A later study replaces this one.");
        for paragraph in paragraphs(why) {
            text.push(&paragraph);
        }
        text.gap();
    }
}

/// The verdict in one sentence with what threatens it.
fn verdict(text: &mut Text, report: &Report) {
    let verdict = &report.verdict;
    text.push(&format!("{}. {}", verdict.headline, verdict.sentence));
    for remark in &verdict.remarks {
        text.item("- ", remark);
    }
}

/// The last line: where the page is.
#[must_use]
pub fn where_it_is(page: &Path) -> String {
    format!("Report: {}\n", file_link(page))
}

/// Says how many rows of a table are elsewhere.
fn more(text: &mut Text, rows: usize, file: &str) {
    if rows > ROWS {
        text.push(&format!("{} more are in report/{file}.", count((rows - ROWS) as u64)));
    }
}

fn results(report: &Report) -> Table {
    let any = |of: fn(&Arm) -> u64| report.arms.iter().any(|arm| of(arm) > 0);
    let (capped, errors) = (any(|arm| arm.capped), any(|arm| arm.errors));
    let mut header = vec!["rules", "nodes", "games", "White", "draws", "Black"];
    header.extend(capped.then_some("capped"));
    header.extend(errors.then_some("failed"));
    header.extend(["drawn", "95%"]);
    let mut table = table(&header, 1);
    for arm in many::arms(report) {
        let mut row = vec![arm.rules.clone()];
        let counts = [arm.nodes, arm.games, arm.white_wins, arm.draws, arm.black_wins];
        row.extend(counts.map(count));
        row.extend(capped.then(|| count(arm.capped)));
        row.extend(errors.then(|| count(arm.errors)));
        row.push(percent(arm.draw_share.share()));
        row.push(percent_interval(arm.draw_wilson));
        table.add_row(row);
    }
    table
}

/// Endings that no game came to have no column, but for those by the rules.
fn endings(report: &Report) -> Table {
    let mut listed = listed_endings(&report.arms);
    listed.retain(|&(place, ending)| {
        let by_rules = ending != RowEnding::Error && ending != RowEnding::Game(Ending::CAP);
        by_rules || report.arms.iter().any(|arm| arm.endings[place] > 0)
    });
    // Short enough for all to fit.
    let name = |&(_, ending): &(usize, RowEnding)| match ending {
        RowEnding::Game(ending) => ending.kind().short,
        other => other.name(),
    };
    let header: Vec<&str> = ["rules", "nodes"].into_iter().chain(listed.iter().map(name)).collect();
    let mut table = table(&header, 1);
    for arm in many::arms(report) {
        let mut row = vec![arm.rules.clone(), count(arm.nodes)];
        row.extend(listed.iter().map(|&(place, _)| count(arm.endings[place])));
        table.add_row(row);
    }
    table
}

fn lengths(report: &Report) -> Table {
    let header = ["rules", "nodes", "median", "quartiles", "White’s score", "95%", "drawelo"];
    let mut table = table(&header, 1);
    for arm in many::arms(report) {
        let [_, q1, median, q3, _] = arm.length.quartiles;
        table.add_row([
            arm.rules.clone(),
            count(arm.nodes),
            format!("{median:.0}"),
            format!("{q1:.0} to {q3:.0}"),
            arm.white_score.map_or("–".into(), |score| percent(score.value)),
            arm.white_score.map_or("–".into(), |score| percent_interval(score.interval)),
            optional(arm.draw_elo, 0),
        ]);
    }
    table
}

fn usage(report: &Report) -> Table {
    let header = ["rules", "kind", "of games", "per 100 plies", "first at ply (median)"];
    let mut table = table(&header, 2);
    for arm in many::main_arms(report) {
        for usage in &arm.usage {
            table.add_row([
                arm.rules.clone(),
                usage.name.into(),
                percent(usage.share),
                format!("{:.2}", usage.per_100_plies),
                optional(usage.median_first, 0),
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

fn doublings(report: &Report) -> Table {
    let mut table = table(&["rules", "change", "95% interval", "p"], 1);
    for (name, change) in report.changes_by_doubling() {
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
    let (first, second) = report.primary.as_ref().map_or(("", ""), |(a, b)| (a, b));
    let header = ["agent", "openings", "nodes", first, second, "points", "95% interval"];
    let mut table = table(&header, 2);
    for row in &report.elsewhere {
        let openings = match (row.nodes, row.own_openings) {
            (None, _) => "none",
            (_, true) => "its own",
            (_, false) => "pool",
        };
        let mut cells = vec![agent(&row.agent), openings.into()];
        cells.push(row.nodes.map_or_else(|| "–".into(), count));
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

/// The primary comparison bears a star.
fn differences(report: &Report) -> Table {
    let header = ["first − second", "nodes", "openings", "points", "95% interval", "Holm p"];
    let mut table = table(&header, 1);
    let mut pairs: Vec<_> = report.pairs.iter().collect();
    pairs.sort_by_key(|pair| !report.is_primary(pair));
    for pair in pairs.into_iter().take(ROWS) {
        let star = if report.is_primary(pair) { " *" } else { "" };
        table.add_row([
            format!("{} − {}{star}", pair.first, pair.second),
            count(pair.nodes),
            count(pair.openings),
            points(pair.difference),
            points_interval(pair.bootstrap95),
            p_value(pair.holm_p),
        ]);
    }
    table
}
