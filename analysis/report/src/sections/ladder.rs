//! Draws by nodes per move.

use super::*;
use crate::figures::ladder::ladder;
use fusion_print::format::listed;
use fusion_results::trends::Trends;
use fusion_statistics::Confidence;
use fusion_statistics::estimate::Estimate;

fn fields(trends: &Trends) -> Fields<'_, (String, Estimate)> {
    Fields::<(String, Estimate)>::default()
        .text("rules", ("Rule set", "rules"), |(name, _)| name.clone())
        .count("nodes_from", "Nodes from", |_| trends.range.0)
        .count("nodes_to", "Nodes to", |_| trends.range.1)
        .points("draws_per_doubling", ("Per doubling", "change"), |(_, change)| change.value)
        .points("standard_error", "Standard error", |(_, change)| change.error)
        .interval("draws_per_doubling95", "95% interval", Points, |(_, change)| {
            change.interval(Confidence::P95)
        })
        .p("p", "p", |(_, change)| change.p_value())
}

pub(super) fn file(report: &Report) -> Option<Table> {
    let fields = fields(report.trends.as_ref()?);
    Some(fields.whole_table("trends", "Draws by strength", report.changes_by_doubling()))
}

fn table(report: &Report, trends: &Trends, title: &str) -> Table {
    let keys = "rules draws_per_doubling draws_per_doubling95 p";
    fields(trends).table("trends", title, keys, report.changes_by_doubling())
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let of = |trends: &Trends| {
        let title = format!(
            "Draws by strength, percentage points for each doubling of the nodes ({} to {} nodes, {} budgets, {} only)",
            count(trends.range.0),
            count(trends.range.1),
            budgets(report, trends).count(),
            report.agent()
        );
        Paragraph::Table(table(report, trends, &title))
    };
    report.trends.iter().map(of).collect()
}

fn trends_blocks(report: &Report) -> Option<[Block; 2]> {
    let trends = report.trends.as_ref()?;
    let title = format!(
        "Change in draws with every doubling of the nodes, from {} to {}, by {}, percentage points",
        count(trends.range.0),
        count(trends.range.1),
        report.agent()
    );
    let table = table(report, trends, &title).unless_empty()?;
    Some([Block::Table(table), Block::Fine(about(report, trends))])
}

/// Returns the budgets that the trends are fitted to.
fn budgets(report: &Report, trends: &Trends) -> impl Iterator<Item = u64> {
    let (low, high) = trends.range;
    report.budgets().into_iter().filter(move |nodes| (low..=high).contains(nodes))
}

/// Returns how the trends are estimated, for which agent, and over which budgets. Another network's
/// trends may differ.
fn about(report: &Report, trends: &Trends) -> String {
    let difference = report.primary_names().map_or_else(String::new, |(first, second)| {
        format!(
            " {first} − {second} is the difference of the two trends: above zero, draws under {first} rise faster."
        )
    });
    let budgets: Vec<String> = budgets(report, trends).map(count).collect();
    format!(
        "A logistic line in log₂(nodes) for each rule set, errors clustered by opening, p not adjusted for the number of rows.{difference} The trends are those of {} over {} budgets ({} nodes): with few budgets a line fits almost anything, another network may have other trends, and nothing is said about more nodes than these.",
        report.agent(),
        budgets.len(),
        listed(&budgets)
    )
}

/// Returns the table of the points in the figure.
fn numbers(report: &Report) -> Table {
    let keys = "rules nodes games draws draw_share draw_wilson95";
    arms::fields().table("ladder", "Draws by nodes a move", keys, &report.arms)
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
    let keys = "rules nodes games draw_share draw_wilson95";
    let header = keys.replace("draw_wilson95", "wilson95_low wilson95_high");
    let data = Data::of(&arms::fields().table("ladder", "", keys, &report.arms), &header);
    let section = Section::new("nodes", "Ladder", "Draws by nodes per move")
        .with([Block::Figure(Figure::new("ladder", plot, caption, data))])
        .with([Block::Folded("Numbers".into(), vec![Block::Table(numbers(report))])])
        .with(trends_blocks(report).into_iter().flatten());
    (report.budgets().len() > 1).then_some(section)
}
