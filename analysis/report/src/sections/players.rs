//! The primary comparison pooled over players.

use super::*;
use fusion_print::format::points_interval;
use fusion_results::pooled::{Estimate, PlayerResult, Pooled};
use fusion_statistics::Interval;

/// Columns of the tables for people, and of the figures' data.
const NUMBERS: &str =
    "player measurement family nodes openings first_share second_share difference difference95";
/// Their names in the figures' data.
const HEADER: &str =
    "player measurement search nodes openings first second difference low95 high95";

/// A row of the tables.
enum Row<'a> {
    /// A player, and whether its result is pooled.
    One(&'a PlayerResult, bool),
    /// The pooled difference, for these players, with its interval.
    Together(String, f64, Interval),
}

impl Row<'_> {
    fn player(&self) -> Option<&PlayerResult> {
        match self {
            Row::One(player, _) => Some(player),
            Row::Together(..) => None,
        }
    }

    fn estimate(&self) -> (f64, Interval) {
        match self {
            Row::One(player, _) => (player.result.difference, player.result.interval),
            Row::Together(_, mean, interval) => (*mean, *interval),
        }
    }
}

fn fields(report: &Report) -> Fields<'_, Row<'_>> {
    let (first, second) = report.primary_names().unwrap_or_default();
    let share = |row: &Row, at: usize| row.player().map(|player| player.result.shares[at].share());
    Fields::<Row>::default()
        .text("measurement", ("Measurement", "measurement"), |row| match row {
            Row::One(player, _) => player.measurement.clone(),
            Row::Together(name, ..) => name.clone(),
        })
        .text("player", ("Player", "player"), |row| match row {
            Row::One(player, _) => {
                report.pooled.as_ref().map_or_else(String::new, |of| of.label(player))
            }
            Row::Together(name, ..) => name.clone(),
        })
        .text("family", ("Search", "search"), |row| row.player().map_or("", PlayerResult::family))
        .text("agent", "Player", |row| {
            row.player().map_or_else(String::new, |player| player.result.agent.clone())
        })
        .text("pooled", "Pooled", |row| match row {
            Row::One(_, pooled) => yes_or_no(*pooled),
            Row::Together(..) => "",
        })
        .count("nodes", ("Nodes", "nodes"), |row| row.player().and_then(|of| of.result.nodes))
        .count("openings", ("Openings", "openings"), |row| {
            row.player().map(|player| player.result.shares[0].trials())
        })
        .share("first_share", first, move |row| share(row, 0))
        .share("second_share", second, move |row| share(row, 1))
        .points("difference", ("Difference", "points"), |row| row.estimate().0)
        .interval("difference95", "95% interval", Points, |row| row.estimate().1)
}

/// Returns the players, then all of them together and one more.
fn players(pooled: &Pooled) -> impl Iterator<Item = Row<'_>> {
    let together =
        pooled.together().map(|(name, mean, interval)| Row::Together(name, mean, interval));
    pooled.players.iter().map(|player| Row::One(player, true)).chain(together)
}

fn variants(pooled: &Pooled) -> impl Iterator<Item = Row<'_>> {
    pooled.variants.iter().map(|player| Row::One(player, false))
}

fn rows(pooled: &Pooled) -> impl Iterator<Item = Row<'_>> {
    players(pooled).chain(variants(pooled))
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement family agent pooled nodes openings first_share second_share \
        difference difference95";
    fields(report).table("players", "Players", keys, report.pooled.iter().flat_map(rows))
}

/// What the uncertainty of the pooled difference comes of: its name, number of groups, standard deviation between
/// them, variance of the pooled difference, and the share of that in the whole.
type Part = (&'static str, usize, Option<f64>, f64, f64);

fn parts(pooled: &Pooled) -> Vec<Part> {
    let Some(Estimate { pooled: estimate, .. }) = &pooled.estimate else { return Vec::new() };
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
        .value("deviation", "Standard deviation between them, points", Decimals(1), |of| {
            of.2.map(|deviation| 100.0 * deviation)
        })
        .value("error", "Standard error by it, points", Decimals(1), |of| 100.0 * of.3.sqrt())
        .share("share", "Share of the variance", |(.., share)| *share)
}

pub(super) fn uncertainty_file(report: &Report) -> Table {
    let parts: Vec<Part> = report.pooled.iter().flat_map(parts).collect();
    part_fields().whole_table("uncertainty", "Uncertainty of the pooled difference", parts)
}

fn numbers<'a>(report: &'a Report, rows: impl Iterator<Item = Row<'a>>) -> Table {
    fields(report).table("players", "The comparison by player", NUMBERS, rows)
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let Some(pooled) = &report.pooled else { return Vec::new() };
    let title = "Where the uncertainty of the pooled difference comes from, percentage points";
    let table = part_fields().whole_table("uncertainty", title, parts(pooled)).unless_empty();
    table.map(|table| Paragraph::Table(table.droppable("share"))).into_iter().collect()
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

/// Returns the figure of all players, which stands beside the verdict.
pub(super) fn page(report: &Report) -> Option<Section> {
    let pooled = report.pooled.as_ref()?;
    let (first, second) = report.primary_names()?;
    let caption = format!(
        "Draws under {first} minus draws under {second}, percentage points with 95% intervals. A player’s interval is about the choice of openings only. That of all players is also about the choice of networks and budgets; the last row is for a player that was not measured. Grey zone: ±3 points. {}",
        pooled.numbers_in_words()
    );
    let data = Data::of(&numbers(report, players(pooled)), HEADER);
    let figure = Figure::new("forest", forest::players(pooled), caption, data);
    let heading = "The same question to every player";
    Some(Section::new("players", "Players", heading).with([Block::Figure(figure)]))
}

/// Returns the section on what the pooled difference depends on.
pub(super) fn uncertainty_page(report: &Report) -> Option<Section> {
    const PARTS: &str = "Each source is taken as a choice among others like it, if there are at least five of it; the kinds of search are those that were measured. Networks are counted within each kind of search, budgets within each network. The standard deviations are means of their posterior distributions.";
    let pooled = report.pooled.as_ref()?;
    let (first, second) = report.primary_names()?;
    let title = "Where the uncertainty of the pooled difference comes from";
    let parts = part_fields().whole_table("uncertainty", title, parts(pooled)).unless_empty();
    let parts = parts.map(|parts| [Block::Table(parts), Block::Fine(PARTS.into())]);
    let changed = range(pooled).map(|range| {
        let caption = format!("{range} Draws under {first} minus draws under {second}.");
        let data = Data::of(&numbers(report, variants(pooled)), HEADER);
        Block::Figure(Figure::new("forest", forest::variants(pooled), caption, data))
    });
    let section = Section::new("uncertainty", "Uncertainty", "What the difference depends on")
        .with(parts.into_iter().flatten())
        .with(changed)
        .with([Block::Folded(
            "Numbers".into(),
            vec![Block::Table(numbers(report, rows(pooled))), Block::Fine(BEFORE_ROUNDING.into())],
        )]);
    Some(section)
}
