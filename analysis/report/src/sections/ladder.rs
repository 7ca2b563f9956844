//! Draws by nodes per move.

use super::*;
use crate::figures::ladder::ladder;
use fusion_results::trends::{Change, Trends};

fn fields<'a>() -> Fields<'a, Change> {
    Fields::<Change>::default()
        .text("rules", ("Rule set", "rules"), |change| change.rules.clone())
        .count("nodes_from", ("From nodes", "from"), |change| change.nodes[0])
        .count("nodes_to", ("To nodes", "to"), |change| change.nodes[1])
        .count("openings", ("Openings", "openings"), |change| change.openings)
        .points("draws_per_doubling", ("Per doubling", "change"), |change| change.estimate.value)
        .points("standard_error", "Standard error", |change| change.estimate.error)
        .interval("draws_per_doubling95", "95% interval", Points, |change| change.interval)
        .p("p", "p", |change| change.p)
}

const TITLE: &str = "Change in draws for each doubling of the nodes, percentage points";

pub(super) fn file(report: &Report) -> Option<Table> {
    let trends = report.trends.as_ref()?;
    let all = trends.whole.iter().chain(&trends.steps);
    Some(fields().whole_table("trends", "Draws by strength", all))
}

fn table<'a>(title: &str, changes: impl IntoIterator<Item = &'a Change>) -> Table {
    let keys = "rules nodes_from nodes_to openings draws_per_doubling draws_per_doubling95 p";
    fields().table("trends", title, keys, changes)
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let title = format!("{TITLE} ({} only)", report.agent());
    let of = |trends: &Trends| {
        Paragraph::Table(table(&title, &trends.whole).droppable("openings nodes_from nodes_to"))
    };
    report.trends.iter().map(of).collect()
}

fn trends_blocks(report: &Report) -> Vec<Block> {
    let Some(trends) = &report.trends else { return Vec::new() };
    let title = format!("{TITLE}, by {}", report.agent());
    let steps = table("From each budget to the next", &trends.steps).unless_empty();
    let steps = steps.map(|table| {
        Block::Folded("From each budget to the next".into(), vec![Block::Table(table)])
    });
    let whole = [Block::Table(table(&title, &trends.whole)), Block::Fine(about(report))];
    whole.into_iter().chain(steps).collect()
}

/// Returns how the changes are estimated, and for which agent. Another network's may differ.
fn about(report: &Report) -> String {
    let difference = report.primary_names().map_or_else(String::new, |(first, second)| {
        format!(
            " {first} − {second} is the difference of two changes: above zero, draws under {first} rise faster."
        )
    });
    format!(
        "The mean, over the openings played at both budgets, of the difference in draws, divided by the number of doublings; no line is fitted. p is not adjusted for the number of rows.{difference} The changes are those of {}: another network may have others, and nothing is said about more nodes than these.",
        report.agent()
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
        .folded()
        .with([Block::Figure(Figure::new("ladder", plot, caption, data))])
        .with([Block::Folded("Numbers".into(), vec![Block::Table(numbers(report))])])
        .with(trends_blocks(report));
    (report.budgets().len() > 1).then_some(section)
}
