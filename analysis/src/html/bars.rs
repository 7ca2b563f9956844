//! Plots with one row a rule set: intervals and stacked endings.

use super::axis::{Axis, Tick, nice_step, round};
use crate::format::{count, percent, percent_interval, points, points_interval};
use crate::games::RowEnding;
use crate::pairs::Pair;
use crate::report::Report;
use crate::verdict::MATERIAL;
use fusion_engine::game::Ending;
use fusion_statistics::Interval;
use serde::Serialize;

/// Heights in pixels.
const ROW: u32 = 52;
const TOP: u32 = 4;
const AXIS: u32 = 26;

/// Points with intervals, one below the other.
#[derive(Serialize)]
pub(super) struct Forest {
    id: &'static str,
    title: String,
    description: String,
    rows: Vec<ForestRow>,
    ticks: Vec<Tick>,
    /// The zone of immaterial differences, and zero.
    zone: Option<Zone>,
    /// Long names stand on two lines.
    stacked: bool,
    height: u32,
    axis_y: u32,
}

#[derive(Serialize)]
struct ForestRow {
    label: String,
    /// The rest of the label, on a line of its own where names are long.
    minus: String,
    value: String,
    detail: String,
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

fn span(axis: Axis, interval: Interval) -> Span {
    Span { x: axis.x(interval.low), width: axis.width(interval.low, interval.high) }
}

fn heights(rows: usize, row: u32) -> (u32, u32) {
    let axis_y = TOP + row * rows as u32;
    (axis_y + AXIS, axis_y)
}

/// Longer labels leave no room for the value beside them on a narrow screen.
const ONE_LINE: usize = 26;
/// What a second line adds to a row.
const LINE: u32 = 18;

/// Draw shares with Wilson's intervals.
pub(super) fn draw_shares(report: &Report) -> Forest {
    let highest = report
        .main_arms()
        .map(|arm| arm.draw_wilson.high.max(arm.draw_share_upper()))
        .fold(0.1, f64::max);
    let step = nice_step(highest, 6.0).max(0.02);
    let axis = Axis::new(0.0, (highest / step).ceil() * step);
    let rows: Vec<ForestRow> = report
        .main_arms()
        .enumerate()
        .map(|(i, arm)| {
            let share = arm.draw_share.share();
            let interval = percent_interval(arm.draw_wilson);
            ForestRow {
                label: arm.rules.clone(),
                minus: String::new(),
                value: percent(share),
                detail: interval.clone(),
                tooltip: format!(
                    "{}: {} of {} games drawn, {} (95% interval {interval})",
                    arm.rules,
                    count(arm.draws),
                    count(arm.games),
                    percent(share)
                ),
                y: TOP + ROW * i as u32,
                x: axis.x(share),
                wide: span(axis, arm.draw_wilson),
                narrow: None,
                capped: (arm.capped > 0)
                    .then(|| span(axis, Interval { low: share, high: arm.draw_share_upper() })),
            }
        })
        .collect();
    let (height, axis_y) = heights(rows.len(), ROW);
    Forest {
        id: "draws",
        stacked: false,
        title: "Draw share by rule set".into(),
        description: describe(&rows),
        ticks: axis.ticks(step, |value| format!("{:.0}%", 100.0 * value)),
        rows,
        zone: None,
        height,
        axis_y,
    }
}

fn describe(rows: &[ForestRow]) -> String {
    let tooltips: Vec<&str> = rows.iter().map(|row| row.tooltip.as_str()).collect();
    tooltips.join("; ")
}

/// Differences in draws with bootstrap intervals and the zone of ±3 points.
pub(super) fn differences(pairs: &[&Pair], id: &'static str) -> Forest {
    let reach = pairs
        .iter()
        .flat_map(|pair| [pair.bootstrap95.low.abs(), pair.bootstrap95.high.abs()])
        .fold(2.0 * MATERIAL, f64::max);
    let step = nice_step(2.0 * reach, 6.0);
    let limit = (reach / step).ceil() * step;
    let axis = Axis::new(-limit, limit);
    let length = |pair: &Pair| pair.first.len() + " − ".len() + pair.second.len();
    let stacked = pairs.iter().any(|pair| length(pair) > ONE_LINE + 2);
    let row = if stacked { ROW + LINE } else { ROW };
    let rows: Vec<ForestRow> = pairs
        .iter()
        .enumerate()
        .map(|(i, pair)| {
            let interval = points_interval(pair.bootstrap95);
            ForestRow {
                label: pair.first.clone(),
                minus: format!("− {}", pair.second),
                value: points(pair.difference),
                detail: interval.clone(),
                tooltip: format!(
                    "{} minus {}: {} points (95% interval {interval}, 90% interval {})",
                    pair.first,
                    pair.second,
                    points(pair.difference),
                    points_interval(pair.bootstrap90)
                ),
                y: TOP + row * i as u32,
                x: axis.x(pair.difference),
                wide: span(axis, pair.bootstrap95),
                narrow: Some(span(axis, pair.bootstrap90)),
                capped: None,
            }
        })
        .collect();
    let (height, axis_y) = heights(rows.len(), row);
    Forest {
        id,
        stacked,
        title: "Difference in draws, percentage points".into(),
        description: describe(&rows),
        ticks: axis.ticks(step, |value| crate::format::signed(100.0 * value, 0)),
        zone: Some(Zone {
            span: span(axis, Interval { low: -MATERIAL, high: MATERIAL }),
            zero: axis.x(0.0),
        }),
        rows,
        height,
        axis_y,
    }
}

/// Stacked bars of endings.
#[derive(Serialize)]
pub(super) struct Endings {
    description: String,
    rows: Vec<EndingRow>,
    legend: Vec<(&'static str, &'static str)>,
    ticks: Vec<Tick>,
    height: u32,
    axis_y: u32,
}

#[derive(Serialize)]
struct EndingRow {
    label: String,
    value: String,
    y: u32,
    segments: Vec<Segment>,
}

#[derive(Serialize)]
struct Segment {
    class: &'static str,
    x: f64,
    width: f64,
    middle: f64,
    /// Empty where it would not fit.
    label: String,
    tooltip: String,
}

/// Narrower segments have no room for a label on a narrow screen.
const LABEL_SHARE: f64 = 0.09;

pub(super) fn endings(report: &Report) -> Endings {
    let axis = Axis::new(0.0, 1.0);
    let rows: Vec<EndingRow> = report
        .main_arms()
        .enumerate()
        .map(|(i, arm)| {
            let mut before = 0;
            let counted = RowEnding::ALL.into_iter().zip(arm.endings);
            let segments = counted
                .filter(|(ending, games)| *ending != RowEnding::Error && *games > 0)
                .map(|(ending, games)| {
                    let share = |games: u64| games as f64 / arm.games as f64;
                    let (low, high) = (share(before), share(before + games));
                    before += games;
                    Segment {
                        class: ending.name(),
                        x: axis.x(low),
                        width: axis.width(low, high),
                        middle: round(axis.x(low) + axis.width(low, high) / 2.0),
                        label: if high - low < LABEL_SHARE {
                            String::new()
                        } else {
                            format!("{:.0}%", 100.0 * (high - low))
                        },
                        tooltip: format!(
                            "{}: {}, {} of {} games ({})",
                            arm.rules,
                            display(ending),
                            count(games),
                            count(arm.games),
                            percent(high - low)
                        ),
                    }
                })
                .collect();
            EndingRow {
                label: arm.rules.clone(),
                value: format!("{} games", count(arm.games)),
                y: TOP + ROW * i as u32,
                segments,
            }
        })
        .collect();
    let (height, axis_y) = heights(rows.len(), ROW);
    let occurs = |ending: &RowEnding| {
        let index = RowEnding::ALL.iter().position(|other| other == ending);
        *ending != RowEnding::Error
            && index.is_some_and(|i| report.main_arms().any(|arm| arm.endings[i] > 0))
    };
    let tooltips: Vec<&str> = rows
        .iter()
        .flat_map(|row| row.segments.iter().map(|segment| segment.tooltip.as_str()))
        .collect();
    Endings {
        description: tooltips.join("; "),
        legend: RowEnding::ALL
            .into_iter()
            .filter(occurs)
            .map(|ending| (ending.name(), display(ending)))
            .collect(),
        ticks: axis.ticks(0.25, |value| format!("{:.0}%", 100.0 * value)),
        rows,
        height,
        axis_y,
    }
}

/// An ending in prose.
pub(super) fn display(ending: RowEnding) -> &'static str {
    match ending {
        RowEnding::Game(Ending::Checkmate) => "checkmate",
        RowEnding::Game(Ending::Stalemate) => "stalemate",
        RowEnding::Game(Ending::Threefold) => "threefold repetition",
        RowEnding::Game(Ending::FiftyMove) => "fifty-move rule",
        RowEnding::Game(Ending::DeadPosition) => "dead position",
        RowEnding::Game(Ending::Cap) => "ply cap (no result)",
        RowEnding::Error => "error",
    }
}
