//! Points with intervals, one below the other on a common axis.

use super::axis::{Axis, Tick, nice_step};
use super::data::{Data, number};
use super::shortened;
use crate::elsewhere::Elsewhere;
use crate::format::{count, p_value, percent, percent_interval, points, points_interval, signed};
use crate::many;
use crate::pairs::Pair;
use crate::report::Report;
use crate::sections::agents;
use crate::sections::effects::RuleChange;
use crate::verdict::MATERIAL;
use fusion_statistics::Interval;
use serde::Serialize;

/// Heights in pixels.
const ROW: u32 = 52;
const TOP: u32 = 4;
const AXIS: u32 = 26;
/// What a second line adds to a row.
const LINE: u32 = 18;
/// Longer names do not fit on a line of a narrow screen.
const LONGEST: usize = 40;
/// Longer ones leave no room for value and interval beside them on a narrow screen; those of two
/// rule sets are broken in two lines.
const SHORT: usize = 22;

/// The plot.
#[derive(Serialize)]
pub(crate) struct Forest {
    id: &'static str,
    title: String,
    description: String,
    rows: Vec<Row>,
    ticks: Vec<Tick>,
    /// The zone of immaterial differences, and zero.
    zone: Option<Zone>,
    /// Long names stand on two lines.
    stacked: bool,
    height: u32,
    axis_y: u32,
    data: Data,
}

#[derive(Serialize)]
struct Row {
    label: String,
    /// The rest of the label, on a line of its own where names are long.
    minus: String,
    /// On a narrow screen its name leaves no room for the interval.
    long: bool,
    /// Less important, after the label; left out on narrow screens.
    aside: String,
    value: String,
    detail: String,
    /// Less important, after the interval; left out on narrow screens.
    extra: String,
    tooltip: String,
    y: u32,
    x: f64,
    wide: Span,
    narrow: Option<Span>,
    /// From the estimate to where it would be with capped games drawn.
    capped: Option<Span>,
}

#[derive(Clone, Copy, Serialize)]
struct Span {
    x: f64,
    width: f64,
}

#[derive(Serialize)]
struct Zone {
    span: Span,
    zero: f64,
}

/// What a row shows, as numbers.
struct Entry {
    label: String,
    minus: String,
    aside: String,
    extra: String,
    tooltip: String,
    estimate: f64,
    wide: Interval,
    narrow: Option<Interval>,
    capped: Option<Interval>,
}

/// Draw shares with Wilson's intervals.
pub(crate) fn draw_shares(report: &Report) -> Forest {
    let entries: Vec<Entry> = many::figure_arms(report)
        .into_iter()
        .map(|arm| {
            let share = arm.draw_share.share();
            Entry {
                label: arm.rules.clone(),
                minus: String::new(),
                aside: String::new(),
                extra: String::new(),
                tooltip: format!(
                    "{}: {} of {} games drawn, {} (95% interval {})",
                    arm.rules,
                    count(arm.draws),
                    count(arm.games),
                    percent(share),
                    percent_interval(arm.draw_wilson)
                ),
                estimate: share,
                wide: arm.draw_wilson,
                narrow: None,
                capped: (arm.capped > 0)
                    .then(|| Interval { low: share, high: arm.draw_share_upper() }),
            }
        })
        .collect();
    let rows = report.main_arms().map(|arm| {
        let mut row = vec![arm.rules.clone()];
        row.extend([arm.nodes, arm.games, arm.draws, arm.capped].map(|value| value.to_string()));
        let Interval { low, high } = arm.draw_wilson;
        row.extend([arm.draw_share.share(), low, high, arm.draw_share_upper()].map(number));
        row
    });
    let header = [
        "rules",
        "nodes",
        "games",
        "draws",
        "capped",
        "draw_share",
        "wilson95_low",
        "wilson95_high",
        "draw_share_if_capped_drawn",
    ];
    let data = Data::new("draws", &header, rows);
    let highest = entries
        .iter()
        .flat_map(|entry| [entry.wide.high, entry.capped.map_or(0.0, |capped| capped.high)])
        .fold(0.1, f64::max);
    let step = nice_step(highest, 6.0).max(0.02);
    let axis = Axis::new(0.0, (highest / step).ceil() * step);
    let ticks = axis.ticks(step, |value| format!("{:.0}%", 100.0 * value));
    let text = |entry: &Entry| (percent(entry.estimate), percent_interval(entry.wide));
    plot("draws", "Draw share by rule set", entries, (axis, ticks), None, text, data)
}

/// Differences in draws with bootstrap intervals and the zone of ±3 points.
pub(crate) fn differences(pairs: &[&Pair], id: &'static str) -> Forest {
    let pairs = many::figure_pairs(pairs);
    let entries = pairs
        .iter()
        .map(|pair| Entry {
            label: pair.first.clone(),
            minus: format!("− {}", pair.second),
            aside: String::new(),
            extra: String::new(),
            tooltip: format!(
                "{} minus {}: {} points (95% interval {}, 90% interval {})",
                pair.first,
                pair.second,
                points(pair.difference),
                points_interval(pair.bootstrap95),
                points_interval(pair.bootstrap90)
            ),
            estimate: pair.difference,
            wide: pair.bootstrap95,
            narrow: Some(pair.bootstrap90),
            capped: None,
        })
        .collect();
    let rows = pairs.iter().map(|pair| {
        let mut row = vec![pair.first.clone(), pair.second.clone()];
        row.extend([pair.nodes, pair.openings].map(|value| value.to_string()));
        let (wide, narrow) = (pair.bootstrap95, pair.bootstrap90);
        row.extend([pair.difference, wide.low, wide.high, narrow.low, narrow.high].map(number));
        row
    });
    let header = [
        "first",
        "second",
        "nodes",
        "openings",
        "difference",
        "low95",
        "high95",
        "low90",
        "high90",
    ];
    let data = Data::new(id, &header, rows);
    in_points(id, "Difference in draws, percentage points", entries, data)
}

/// Effects of rule changes.
pub(crate) fn effects(changes: &[RuleChange]) -> Forest {
    let entries = changes
        .iter()
        .map(|change| {
            let toggle = change.toggle.unwrap_or_default();
            let p = format!("adjusted p {}", p_value(change.p));
            Entry {
                label: change.label.clone(),
                minus: String::new(),
                aside: toggle.to_owned(),
                tooltip: format!(
                    "{}: {} points (95% interval {}, {p})",
                    format!("{} {toggle}", change.label).trim_end(),
                    points(change.estimate),
                    points_interval(change.interval),
                ),
                extra: p,
                estimate: change.estimate,
                wide: change.interval,
                narrow: None,
                capped: None,
            }
        })
        .collect();
    let rows = changes.iter().map(|change| {
        let mut row = vec![change.label.clone(), change.toggle.unwrap_or_default().to_owned()];
        let Interval { low, high } = change.interval;
        row.extend([change.estimate, low, high, change.p].map(number));
        row
    });
    let header = ["change", "against", "effect", "low95", "high95", "adjusted_p"];
    let data = Data::new("effects", &header, rows);
    in_points("effects", "Effect of each rule change on draws, percentage points", entries, data)
}

/// The primary comparison by several agents.
pub(crate) fn agents(rows: &[Elsewhere], main_network: &str) -> Forest {
    let entries = rows
        .iter()
        .map(|row| {
            let [label, aside] = agents::name(row, main_network);
            let [first, second] = row.shares.map(|share| percent(share.share()));
            let shares = format!("{first} against {second}");
            Entry {
                minus: String::new(),
                tooltip: format!(
                    "{label} {aside}: {} points (95% interval {}), {shares}, {} openings",
                    points(row.difference),
                    points_interval(row.interval),
                    count(row.shares[0].trials())
                ),
                label,
                aside,
                extra: shares,
                estimate: row.difference,
                wide: row.interval,
                narrow: None,
                capped: None,
            }
        })
        .collect();
    let cells = rows.iter().map(|row| {
        let mut cells = agents::name(row, main_network).to_vec();
        cells.push(row.shares[0].trials().to_string());
        let [first, second] = row.shares.map(|share| share.share());
        let Interval { low, high } = row.interval;
        cells.extend([first, second, row.difference, low, high].map(number));
        cells
    });
    let header =
        ["agent", "detail", "openings", "first", "second", "difference", "low95", "high95"];
    let data = Data::new("agents", &header, cells);
    in_points("agents", "Difference in draws by agent, percentage points", entries, data)
}

/// A plot of differences of shares: zero in the middle, the zone of ±3 points around it.
fn in_points(id: &'static str, title: &str, entries: Vec<Entry>, data: Data) -> Forest {
    let reach = entries
        .iter()
        .flat_map(|entry| [entry.wide.low.abs(), entry.wide.high.abs()])
        .fold(2.0 * MATERIAL, f64::max);
    let step = nice_step(2.0 * reach, 6.0);
    let limit = (reach / step).ceil() * step;
    let axis = Axis::new(-limit, limit);
    let ticks = axis.ticks(step, |value| signed(100.0 * value, 0));
    let zone =
        Zone { span: span(axis, Interval { low: -MATERIAL, high: MATERIAL }), zero: axis.x(0.0) };
    let text = |entry: &Entry| (points(entry.estimate), points_interval(entry.wide));
    plot(id, title, entries, (axis, ticks), Some(zone), text, data)
}

fn plot(
    id: &'static str,
    title: &str,
    entries: Vec<Entry>,
    (axis, ticks): (Axis, Vec<Tick>),
    zone: Option<Zone>,
    text: impl Fn(&Entry) -> (String, String),
    data: Data,
) -> Forest {
    let length = |text: &str| text.chars().count();
    let stacked = entries.iter().any(|entry| length(&entry.label) + length(&entry.minus) > SHORT);
    let row = if stacked { ROW + LINE } else { ROW };
    let tooltips: Vec<&str> = entries.iter().map(|entry| entry.tooltip.as_str()).collect();
    let description = tooltips.join("; ");
    let axis_y = TOP + row * entries.len() as u32;
    let rows = entries
        .into_iter()
        .enumerate()
        .map(|(i, entry)| {
            let (value, detail) = text(&entry);
            let beside = length(&entry.minus) + if stacked { 0 } else { length(&entry.label) };
            Row {
                long: beside > SHORT,
                value,
                detail,
                y: TOP + row * i as u32,
                x: axis.x(entry.estimate),
                wide: span(axis, entry.wide),
                narrow: entry.narrow.map(|interval| span(axis, interval)),
                capped: entry.capped.map(|interval| span(axis, interval)),
                label: shortened(&entry.label, LONGEST),
                minus: shortened(&entry.minus, LONGEST),
                aside: entry.aside,
                extra: entry.extra,
                tooltip: entry.tooltip,
            }
        })
        .collect();
    Forest {
        id,
        title: title.to_owned(),
        description,
        rows,
        ticks,
        zone,
        stacked,
        height: axis_y + AXIS,
        axis_y,
        data,
    }
}

fn span(axis: Axis, interval: Interval) -> Span {
    Span { x: axis.x(interval.low), width: axis.width(interval.low, interval.high) }
}
