//! The primary comparison pooled over players.

use super::*;
use crate::format::{points, points_interval};
use crate::pooled::{PlayerResult, Pooled};
use fusion_statistics::Interval;

/// A player's result, and whether it is one of those that are pooled.
type Item<'a> = (&'a PlayerResult, bool);

fn fields(report: &Report) -> Fields<'_, Item<'_>> {
    let (first, second) = report.primary_names().unwrap_or_default();
    Fields::<Item>::default()
        .text("measurement", ("Measurement", "measurement"), |(player, _)| {
            player.measurement.clone()
        })
        .text("family", ("Search", "search"), |(player, _)| player.family())
        .text("agent", "Player", |(player, _)| player.result.agent.clone())
        .text("pooled", "Pooled", |(_, pooled)| yes_or_no(*pooled))
        .count("nodes", ("Nodes", "nodes"), |(player, _)| player.result.nodes)
        .count("openings", ("Openings", "openings"), |(player, _)| player.result.shares[0].trials())
        .share("first_share", first, |(player, _)| player.result.shares[0].share())
        .share("second_share", second, |(player, _)| player.result.shares[1].share())
        .points("difference", ("Difference", "points"), |(player, _)| player.result.difference)
        .interval("difference95", "95% interval", Points, |(player, _)| player.result.interval)
}

fn items(pooled: &Pooled) -> impl Iterator<Item = Item<'_>> {
    let variants = pooled.variants.iter().map(|player| (player, false));
    pooled.players.iter().map(|player| (player, true)).chain(variants)
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement family agent pooled nodes openings first_share second_share \
        difference difference95";
    let items = report.pooled.iter().flat_map(items);
    fields(report).table("players", "Players", keys, items)
}

/// What the uncertainty of the pooled difference comes of: its name, number of groups, standard deviation between
/// them, variance of the pooled difference, and the share of that in the whole.
type Part = (&'static str, usize, Option<f64>, f64, f64);

fn parts(pooled: &Pooled) -> Vec<Part> {
    let estimate = &pooled.estimate;
    let total: f64 = estimate.variances.iter().sum();
    let openings = ("openings", pooled.openings, None);
    let levels = pooled.levels.iter().zip(&estimate.deviations);
    let levels = levels.map(|(&(level, number), &sd)| (level.words(), number, Some(sd)));
    let parts = std::iter::once(openings).chain(levels).zip(&estimate.variances);
    parts.map(|((name, number, sd), &part)| (name, number, sd, part, part / total)).collect()
}

fn part_fields() -> Fields<'static, Part> {
    Fields::<Part>::default()
        .text("source", ("Source", "source"), |(name, ..)| *name)
        .count("number", ("Number", "number"), |(_, number, ..)| *number as u64)
        .points("deviation", "Standard deviation between them", |(_, _, sd, ..)| *sd)
        .points("error", "Standard error by it", |(_, _, _, part, _)| part.sqrt())
        .share("share", "Share of the variance", |(.., share)| *share)
}

pub(super) fn levels_file(report: &Report) -> Table {
    let parts: Vec<Part> = report.pooled.iter().flat_map(parts).collect();
    part_fields().whole_table("pooled", "What the pooled difference owes to what", parts)
}

fn table(report: &Report, pooled: &Pooled) -> Table {
    let keys = "measurement family nodes openings first_share second_share difference difference95";
    fields(report).table("players", "The comparison by player", keys, items(pooled))
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let Some(pooled) = &report.pooled else { return Vec::new() };
    let title = "Where the uncertainty of the pooled difference comes from, percentage points";
    let table = part_fields().whole_table("pooled", title, parts(pooled));
    vec![Paragraph::Table(table.droppable("share"))]
}

/// Returns the range of the variants in a sentence.
fn range(pooled: &Pooled) -> Option<String> {
    let differences = || pooled.variants.iter().map(|variant| variant.result.difference);
    let low = differences().reduce(f64::min)?;
    let high = differences().reduce(f64::max)?;
    Some(format!(
        "With one setting changed, the estimates range from {} points.",
        points_interval(Interval { low, high })
    ))
}

pub(super) fn page(report: &Report) -> Option<Section> {
    const PARTS: &str = "Each source is taken as a choice among others like it. The standard deviations are means of their posterior distributions; with few networks or kinds of search they are hardly known, which the interval allows for.";
    let pooled = report.pooled.as_ref()?;
    let (first, second) = report.primary_names()?;
    let caption = format!(
        "Draws under {first} minus draws under {second}, percentage points with 95% intervals. A player’s interval is about the choice of openings only. That of all players is also about the choice of networks, budgets and kinds of search; the last row is for a player that was not measured. Grey zone: ±3 points."
    );
    let header = "measurement search nodes openings first second difference low95 high95";
    let data = Data::of(&table(report, pooled), header);
    let figure = Figure::new("forest", forest::players(pooled), caption, data);
    let title =
        format!("Where the uncertainty of {} points comes from", points(pooled.estimate.mean));
    let parts = part_fields().whole_table("pooled", &title, parts(pooled));
    let variants = range(pooled).map(|range| {
        let caption = format!("{range} Draws under {first} minus draws under {second}.");
        let keys =
            "measurement family nodes openings first_share second_share difference difference95";
        let items = pooled.variants.iter().map(|player| (player, false));
        let data = Data::of(&fields(report).table("variants", "", keys, items), header);
        Block::Figure(Figure::new("forest", forest::variants(pooled), caption, data))
    });
    let section = Section::new("players", "Players", "The same question to every player")
        .with([Block::Figure(figure), Block::Table(parts), Block::Fine(PARTS.into())])
        .with(variants)
        .with([Block::Folded("Numbers".into(), vec![Block::Table(table(report, pooled))])]);
    Some(section)
}
