//! Published figures beside the study's own.

use super::*;
use fusion_print::format::percent;
use fusion_results::names::Agent;
use fusion_results::published::{Agreement, Correlation, Published};
use fusion_statistics::Interval;

/// A figure of a rule set: its name, the published one, and each agent's.
struct Row {
    rules: String,
    published: f64,
    own: Vec<Option<f64>>,
}

/// Returns the names of agents, the part that tells them apart first.
fn name(report: &Report, agent: &Agreement) -> String {
    let Agreement { agent, nodes, own_openings, .. } = agent;
    let row = Agent { agent, nodes: Some(*nodes), own_openings: *own_openings };
    let [name, nodes] = row.name(agents::main_network(report));
    if nodes.is_empty() { name } else { format!("{name}, {nodes}") }
}

/// Returns a table of one figure; `which` is 0 for draws and 1 for White's score.
fn figures(report: &Report, published: &Published, which: usize) -> Option<Table> {
    let rows = published.arms.iter().enumerate().filter_map(|(place, arm)| {
        Some(Row {
            rules: arm.rules.clone(),
            published: [arm.draws, arm.white][which]?,
            own: published.agents.iter().map(|agent| agent.figures[place][which]).collect(),
        })
    });
    let (id, title) =
        [("published-draws", "Share of games drawn"), ("published-white", "White’s score")][which];
    let mut fields = Fields::<Row>::default()
        .text("rules", ("Rule set", "rules"), |row| row.rules.clone())
        .share("published", "Published", |row| row.published);
    for (place, agent) in published.agents.iter().enumerate() {
        let key = format!("{}_{}", agent.measurement, agent.nodes);
        fields = fields.share(&key, &*name(report, agent), move |row| row.own[place]);
    }
    fields.whole_table(id, title, rows).unless_empty()
}

fn interval(correlation: Option<Correlation>) -> Option<Interval> {
    correlation.map(|of| of.interval)
}

/// Returns the table of rank correlations.
fn ranks(report: &Report, published: &Published) -> Table {
    let two = fusion_print::table::Unit::Coefficient(2);
    Fields::<Agreement>::default()
        .text("agent", ("Agent", "agent"), |agent| name(report, agent))
        .text("measurement", ("Measurement", "from"), |agent| agent.measurement.clone())
        .count("nodes", ("Nodes", "nodes"), |agent| agent.nodes)
        .count("rule_sets", ("Rule sets", "arms"), |agent| agent.draws.map(|of| of.arms as u64))
        .value("draws", ("Draws", "draws"), two, |agent| agent.draws.map(|of| of.value))
        .interval("draws95", "95% interval", two, |agent| interval(agent.draws))
        .value("white", ("White’s score", "White"), two, |agent| agent.white.map(|of| of.value))
        .interval("white95", "95% interval", two, |agent| interval(agent.white))
        .whole_table("published", "Rank correlation with the published figures", &published.agents)
}

pub(super) fn file(report: &Report) -> Option<Table> {
    report.published.as_ref().map(|published| ranks(report, published))
}

pub(super) fn figures_files(report: &Report) -> Vec<Table> {
    let published = report.published.as_ref();
    let tables = published.map(|of| [0, 1].map(|which| figures(report, of, which)));
    tables.into_iter().flatten().flatten().collect()
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let table = report.published.as_ref().map(|published| ranks(report, published));
    table
        .map(|table| Paragraph::Table(table.droppable("measurement nodes rule_sets")))
        .into_iter()
        .collect()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let published = report.published.as_ref()?;
    let known: Vec<f64> = published.arms.iter().filter_map(|arm| arm.draws).collect();
    let (low, high) = known.iter().fold((1f64, 0f64), |(low, high), &x| (low.min(x), high.max(x)));
    let text = format!(
        "Published were draw rates from {} to {}: {}. Another player draws more or less often; the question is whether both put the rule sets into the same order. The rank correlation (Spearman’s) is +1 for the same order and −1 for the opposite one; its interval comes from resampled openings.",
        percent(low),
        percent(high),
        published.source
    );
    let tables = [0, 1].map(|which| figures(report, published, which));
    let blocks = [Some(ranks(report, published))].into_iter().chain(tables).flatten();
    let blocks = blocks.map(Block::Table);
    let section = Section::new("published", "Published", "Beside published figures");
    Some(section.with([Block::Paragraph(text)]).with(blocks))
}
