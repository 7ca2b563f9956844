//! The primary comparison by every agent.

use super::*;
use fusion_results::names::{Agent, agent};
use fusion_results::robustness::AgentResult;

fn fields(report: &Report) -> Fields<'_, AgentResult> {
    let (first, second) = report.primary_names().unwrap_or_default();
    Fields::<AgentResult>::default()
        .text("agent", "Agent", |row| row.agent.clone())
        .text("agent_in_words", ("Agent", "agent"), |row| agent(&row.agent))
        .text("name", "Agent", |row| Agent::from(row).name(main_network(report))[0].clone())
        .text("settings", "Settings", |row| Agent::from(row).name(main_network(report))[1].clone())
        .text("openings", ("Openings", "openings"), |row| match (row.nodes, row.own_openings) {
            (None, _) => "none",
            (_, true) => "its own",
            (_, false) => "pool",
        })
        .count("nodes", ("Nodes", "nodes"), |row| row.nodes)
        .text("openings_of_its_own", "Own openings", |row| yes_or_no(row.own_openings))
        .count("first_games", "Openings", |row| row.shares[0].trials())
        .count("first_draws", "Draws of the first", |row| row.shares[0].successes())
        .count("second_games", "Games of the second", |row| row.shares[1].trials())
        .count("second_draws", "Draws of the second", |row| row.shares[1].successes())
        .share("first_share", first, |row| row.shares[0].share())
        .share("second_share", second, |row| row.shares[1].share())
        .points("difference", ("Difference", "points"), |row| row.difference)
        .interval("difference95", "95% interval", Points, |row| row.interval)
}

pub(super) fn main_network(report: &Report) -> &str {
    report.run.games.first().map_or("", |row| row.network.as_str())
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "agent nodes openings_of_its_own first_games first_draws second_games second_draws \
        difference difference95";
    fields(report).table("agents", "Agents", keys, &report.agents)
}

fn table(report: &Report) -> Table {
    let keys = "name settings first_games first_share second_share difference difference95";
    fields(report).table("agents", "The comparison by agent", keys, &report.agents)
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let keys = "agent_in_words openings nodes first_share second_share difference difference95";
    let title = "The primary comparison by every agent, difference in percentage points";
    let table = fields(report).table("agents", title, keys, &report.agents);
    // With only one agent, this is the verdict's own comparison.
    let table = table.droppable("openings first_share second_share");
    (report.agents.len() > 1).then_some(Paragraph::Table(table)).into_iter().collect()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let (first, second) = report.primary_names().filter(|_| report.agents.len() > 1)?;
    let caption = format!(
        "Draws under {first} minus draws under {second}, percentage points with 95% intervals; beside them the two shares. Each interval is one agent’s; whether two agents differ is not tested here. Grey zone: ±3 points."
    );
    let plot = forest::agents(&report.agents, main_network(report));
    let header = "agent detail openings first second difference low95 high95";
    let data = Data::of(&table(report), header);
    let section = Section::new("agents", "Agents", "The same comparison by other agents")
        .folded()
        .with([Block::Figure(Figure::new("forest", plot, caption, data))])
        .with([Block::Folded(
            "Numbers".into(),
            vec![Block::Table(table(report)), Block::Fine(BEFORE_ROUNDING.into())],
        )]);
    Some(section)
}
