//! Changes of single toggles under several rule sets: a panel for each rule set, on a common axis.

use super::shortened;
use fusion_print::axis::{Axis, Tick, description, nice_step};
use fusion_print::format::{count, p_value, percent, points, points_interval, signed};
use fusion_results::ablations::{Ablations, Change};
use fusion_results::means::Difference;
use fusion_results::verdict::MATERIAL;
use fusion_statistics::Interval;
use serde::Serialize;

/// Heights in pixels.
const ROW: u32 = 30;
const AXIS: u32 = 26;
/// Maximum length of a change that leaves room for its numbers.
const LONGEST: usize = 24;

/// The plot.
#[derive(Serialize)]
pub(crate) struct Changes {
    panels: Vec<Panel>,
    ticks: Vec<Tick>,
    zone: Span,
    zero: f64,
}

/// The changes of one rule set, those with the fewest draws first.
#[derive(Serialize)]
struct Panel {
    id: String,
    title: String,
    description: String,
    rows: Vec<Row>,
    height: u32,
    axis_y: u32,
}

#[derive(Serialize)]
struct Row {
    label: String,
    /// Change of draws.
    value: String,
    /// Change of White's score and of the length.
    cost: String,
    tooltip: String,
    y: u32,
    x: f64,
    interval: Span,
    significant: bool,
}

#[derive(Clone, Copy, Serialize)]
struct Span {
    x: f64,
    width: f64,
}

/// Plots the changes of each rule set.
pub(crate) fn changes(all: &[Ablations]) -> Changes {
    let reach = all
        .iter()
        .flat_map(|of| &of.changes)
        .flat_map(|change| [change.pair.interval95.low, change.pair.interval95.high])
        .fold(2.0 * MATERIAL, |reach, limit| reach.max(limit.abs()));
    let step = nice_step(2.0 * reach, 6.0);
    let limit = (reach / step).ceil() * step;
    let axis = Axis::new(-limit, limit);
    Changes {
        panels: all
            .iter()
            .enumerate()
            .map(|(place, of)| panel(place, of, title(of, all), axis))
            .collect(),
        ticks: axis.ticks(step, |value| signed(100.0 * value, 0)),
        zone: span(axis, Interval { low: -MATERIAL, high: MATERIAL }),
        zero: axis.x(0.0),
    }
}

/// Returns the rule set of a panel with its draws and, if other panels have the same rule set, the
/// measurement.
fn title(of: &Ablations, all: &[Ablations]) -> String {
    let same = all.iter().filter(|other| other.base == of.base).count();
    let whence = format!(", “{}” at {} nodes", of.measurement, count(of.nodes));
    let drawn = of.changes.first().map(|change| percent(change.pair.second_share.share()));
    format!(
        "{}{}{}",
        of.base,
        drawn.map(|share| format!(", {share} drawn")).unwrap_or_default(),
        if same > 1 { whence.as_str() } else { "" }
    )
}

fn panel(place: usize, of: &Ablations, title: String, axis: Axis) -> Panel {
    let mut changes: Vec<&Change> = of.changes.iter().collect();
    changes.sort_by(|a, b| a.pair.difference.total_cmp(&b.pair.difference));
    let rows: Vec<Row> = changes
        .into_iter()
        .enumerate()
        .map(|(i, change)| Row {
            label: shortened(&change.text, LONGEST),
            value: points(change.pair.difference),
            cost: cost(change),
            tooltip: tooltip(change),
            y: ROW * i as u32,
            x: axis.x(change.pair.difference),
            interval: span(axis, change.pair.interval95),
            significant: change.is_significant(),
        })
        .collect();
    let axis_y = ROW * rows.len() as u32;
    Panel {
        id: format!("changes-{place}"),
        title,
        description: description(rows.iter().map(|row| &row.tooltip)),
        rows,
        height: axis_y + AXIS,
        axis_y,
    }
}

/// Returns the change of White's score in points and that of the length in plies.
fn cost(change: &Change) -> String {
    let white = change.white.map(|of| format!("W {}", points(of.score.value)));
    let plies = change.plies.map(|of| format!("{} plies", signed(of.value, 0)));
    white.into_iter().chain(plies).collect::<Vec<_>>().join(", ")
}

fn tooltip(change: &Change) -> String {
    let white = |of: Difference| {
        let interval = points_interval(of.interval);
        format!("; White’s score {} ({interval})", points(of.value))
    };
    let plies = |of: Difference| {
        let [low, high] = [of.interval.low, of.interval.high].map(|limit| signed(limit, 0));
        format!("; length {} plies ({low} to {high})", signed(of.value, 0))
    };
    format!(
        "{}: draws {} points (95% interval {}, adjusted p {}){}{}",
        change.text,
        points(change.pair.difference),
        points_interval(change.pair.interval95),
        p_value(change.holm_p),
        change.white.map(|of| white(of.score)).unwrap_or_default(),
        change.plies.map(plies).unwrap_or_default()
    )
}

fn span(axis: Axis, interval: Interval) -> Span {
    Span { x: axis.x(interval.low), width: axis.width(interval.low, interval.high) }
}
