//! Use of special moves.

use super::*;
use crate::figures::data::slug;
use fusion_results::arms::{Arm, Usage};

/// A kind of move under one rule set.
type Item<'a> = (&'a Arm, &'a Usage);

fn fields<'a>() -> Fields<'static, Item<'a>> {
    let per_100 = ("Per 100 plies", "per 100 plies");
    let first = ("First use", "first at ply (median)");
    Fields::<Item>::default()
        .text("rules", ("Rule set", "rules"), |(arm, _)| arm.rules.clone())
        .count("nodes", "Nodes", |(arm, _)| arm.nodes)
        .text("kind", ("Kind", "kind"), |(_, usage)| usage.name)
        .count("games_with", "Games with", |(_, usage)| usage.games)
        .share("share_of_games", ("Games with", "of games"), |(_, usage)| usage.share)
        .count("total", "Total", |(_, usage)| usage.total)
        .value("per_100_plies", per_100, Decimals(2), |(_, usage)| usage.per_100_plies)
        .value("median_first_ply", first, Decimals(0), |(_, usage)| usage.median_first)
}

fn items(arm: &Arm) -> impl Iterator<Item = Item<'_>> {
    arm.usage.iter().map(move |usage| (arm, usage))
}

pub(super) fn file(report: &Report) -> Table {
    fields().whole_table("usage", "Use of special moves", report.arms.iter().flat_map(items))
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let title = format!("Use of special moves at {} nodes", count(report.main_nodes));
    let keys = "rules kind share_of_games per_100_plies median_first_ply";
    let items = many::main_arms(report).into_iter().flat_map(items);
    let table = fields().table("usage", &title, keys, items);
    vec![Paragraph::Table(table.droppable("median_first_ply"))]
}

pub(super) fn page(report: &Report) -> Section {
    let about = format!(
        "At {} nodes a move, both sides together, openings left out. First use: median ply over the games that have one.",
        count(report.main_nodes)
    );
    let keys = "kind share_of_games per_100_plies median_first_ply";
    let table = |arm: &Arm| {
        let id = format!("usage-{}", slug(&arm.rules));
        Block::Table(fields().table(&id, &arm.rules, keys, items(arm)))
    };
    Section::new("usage", "Usage", "Use of special moves")
        .folded()
        .with([Block::Fine(about)])
        .with([Block::Grid(many::figure_arms(report).into_iter().map(table).collect())])
}
