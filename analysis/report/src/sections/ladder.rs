//! Draws by nodes per move.

use super::{Block, Figure, Paragraph, Section};
use crate::figures::ladder::ladder;
use crate::format::{count, listed};
use crate::report::Report;
use crate::table::{Fields, Table, Unit};
use crate::trends::Trends;
use fusion_statistics::Confidence;
use fusion_statistics::estimate::Estimate;

fn fields(trends: &Trends) -> Fields<'_, (String, Estimate)> {
    Fields::<(String, Estimate)>::new()
        .text("rules", ("Rule set", "rules"), |(name, _)| name.clone())
        .count("nodes_from", "Nodes from", |_| trends.range.0)
        .count("nodes_to", "Nodes to", |_| trends.range.1)
        .points("draws_per_doubling", ("Per doubling", "change"), |(_, change)| change.value)
        .points("standard_error", "Standard error", |(_, change)| change.error)
        .interval("draws_per_doubling95", "95% interval", Unit::Points, |(_, change)| {
            change.interval(Confidence::P95)
        })
        .p("p", "p", |(_, change)| change.p_value())
}

pub(super) fn file(report: &Report) -> Option<Table> {
    let fields = fields(report.trends.as_ref()?);
    Some(fields.whole_table("trends", "Draws by strength", report.changes_by_doubling()))
}

fn table(report: &Report) -> Option<Table> {
    let trends = report.trends.as_ref()?;
    let title = format!(
        "Change in draws with every doubling of the nodes, from {} to {}, by {}, percentage points",
        count(trends.range.0),
        count(trends.range.1),
        report.agent()
    );
    people(report, trends, &title).unless_empty()
}

fn people(report: &Report, trends: &Trends, title: &str) -> Table {
    let keys = "rules draws_per_doubling draws_per_doubling95 p";
    fields(trends).table("trends", title, keys, report.changes_by_doubling())
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let of = |trends: &Trends| {
        let title = format!(
            "Draws by strength, percentage points for each doubling of the nodes ({} to {} nodes, {} budgets, {} only)",
            count(trends.range.0),
            count(trends.range.1),
            report.budgets().len(),
            report.agent()
        );
        Paragraph::Table(people(report, trends, &title))
    };
    report.trends.iter().map(of).collect()
}

/// Whose trends these are, over what: another network's may differ.
fn limits(report: &Report) -> String {
    let budgets: Vec<String> = report.budgets().into_iter().map(count).collect();
    format!(
        "The trends are those of {} over {} budgets ({} nodes): with few budgets a line fits almost anything, another network may have other trends, and nothing is said about more nodes than these.",
        report.agent(),
        budgets.len(),
        listed(&budgets)
    )
}

fn about(report: &Report) -> String {
    let difference = report.primary_names().map_or_else(String::new, |(first, second)| {
        format!(
            " {first} − {second} is the difference of the two trends: above zero, draws under {first} rise faster."
        )
    });
    format!(
        "A logistic line in log₂(nodes) for each rule set, errors clustered by opening, p not adjusted for the number of rows.{difference} {}",
        limits(report)
    )
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let plot = ladder(report);
    let left_out = match plot.left_out {
        0 => String::new(),
        more => format!(" {more} more rule sets are in the table of results."),
    };
    let caption = format!(
        "Draw share with Wilson’s 95% interval at each budget. Intervals of two rule sets that overlap do not show that they are alike: the differences are in the table of differences.{left_out}"
    );
    let trends = table(report).map(|table| [Block::Table(table), Block::Fine(about(report))]);
    let section = Section::new("nodes", "Ladder", "Draws by nodes per move")
        .with(Block::Figure(Figure::new("ladder", plot, caption)))
        .with(trends.into_iter().flatten());
    (report.budgets().len() > 1).then_some(section)
}
