//! Draw share by nodes, one line for each rule set.

use super::series::{self, Key};
use crate::many;
use fusion_print::axis::{Axis, Level, Tick, description, nice_step, round, tick};
use fusion_print::format::{count, percent, percent_interval};
use fusion_results::report::Report;
use serde::Serialize;

const TOP: f64 = 12.0;
const BOTTOM: f64 = 272.0;
const HEIGHT: u32 = 314;
/// Distance of the outermost budgets' points from the edges, in per cent.
const MARGIN: f64 = 15.0;
/// Width of a label on a narrow screen, in per cent.
const LABEL: f64 = 14.0;
/// Horizontal distance of neighbouring lines in pixels, which keeps error bars from hiding each
/// other.
const DODGE: f64 = 6.0;

/// The plot.
#[derive(Serialize)]
pub(crate) struct Ladder {
    description: String,
    series: Vec<Series>,
    x_ticks: Vec<XTick>,
    y_ticks: Vec<Level>,
    height: u32,
    bottom: f64,
    /// Number of rule sets without a line.
    pub left_out: usize,
}

#[derive(Serialize)]
struct XTick {
    tick: Tick,
    /// Whether the label has no room on a narrow screen.
    minor: bool,
}

#[derive(Serialize)]
struct Series {
    label: String,
    /// Number of the colour and marker.
    style: usize,
    dodge: f64,
    points: Vec<Point>,
    lines: Vec<Line>,
}

#[derive(Clone, Serialize)]
struct Point {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    tooltip: String,
}

#[derive(Serialize)]
struct Line {
    x1: f64,
    y1: f64,
    x2: f64,
    y2: f64,
}

pub(crate) fn ladder(report: &Report) -> Ladder {
    let budgets = report.budgets();
    let log = |nodes: u64| (nodes as f64).log2();
    let (first, last) =
        (budgets.first().copied().map_or(0.0, log), budgets.last().copied().map_or(1.0, log));
    let inner = Axis::new(first, last);
    let x = |nodes: u64| round(MARGIN + (100.0 - 2.0 * MARGIN) / 100.0 * inner.x(log(nodes)));
    let highest = report.arms.iter().map(|arm| arm.draw_wilson.high).fold(0.1, f64::max);
    let step = nice_step(highest, 6.0).max(0.02);
    let vertical = Axis::new(0.0, (highest / step).ceil() * step);
    let y = |share: f64| round(BOTTOM - (BOTTOM - TOP) / 100.0 * vertical.x(share));
    let lines = many::figure_lines(report);
    let played = series::keys(report.arms.iter().map(|arm| arm.rules.as_str())).len();
    let left_out = played - lines.len();
    let keys = series::keys(lines.into_iter());
    let middle = (keys.len() as f64 - 1.0) / 2.0;
    let series: Vec<Series> = keys
        .into_iter()
        .enumerate()
        .map(|(i, Key { label: name, style })| {
            let arms = report.arms.iter().filter(|arm| arm.rules == name);
            let points: Vec<Point> = arms
                .map(|arm| Point {
                    x: x(arm.nodes),
                    y: y(arm.draw_share.share()),
                    low: y(arm.draw_wilson.low),
                    high: y(arm.draw_wilson.high),
                    tooltip: format!(
                        "{name} at {} nodes: {} (95% interval {})",
                        count(arm.nodes),
                        percent(arm.draw_share.share()),
                        percent_interval(arm.draw_wilson)
                    ),
                })
                .collect();
            Series {
                label: name,
                style,
                dodge: round((i as f64 - middle) * DODGE),
                lines: points.windows(2).map(line).collect(),
                points,
            }
        })
        .collect();
    Ladder {
        description: description(series.iter().flat_map(|s| &s.points).map(|p| &p.tooltip)),
        series,
        x_ticks: x_ticks(&budgets, x),
        y_ticks: vertical.levels(step, TOP, BOTTOM),
        height: HEIGHT,
        bottom: BOTTOM,
        left_out,
    }
}

/// Returns a label for each budget. A narrow screen shows only labels that do not overlap.
fn x_ticks(budgets: &[u64], x: impl Fn(u64) -> f64) -> Vec<XTick> {
    // From the largest budget down, because the largest counts most.
    let mut clear = f64::INFINITY;
    let mut ticks: Vec<XTick> = budgets
        .iter()
        .rev()
        .map(|&nodes| {
            let tick = tick(x(nodes), count(nodes));
            let minor = clear - tick.x < LABEL;
            if !minor {
                clear = tick.x;
            }
            XTick { tick, minor }
        })
        .collect();
    ticks.reverse();
    ticks
}

fn line(points: &[Point]) -> Line {
    Line { x1: points[0].x, y1: points[0].y, x2: points[1].x, y2: points[1].y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_many_budgets_keep_clear_of_each_other() {
        let minor = |budgets: &[u64], step: f64| -> Vec<bool> {
            let first = budgets[0] as f64;
            let x = |nodes: u64| 15.0 + step * (nodes as f64 / first).log2();
            x_ticks(budgets, x).iter().map(|tick| tick.minor).collect()
        };
        assert_eq!(minor(&[16, 64, 256, 1024], 12.0), [false; 4]);
        assert_eq!(minor(&[16, 32, 64, 128, 256], 8.0), [false, true, false, true, false]);
    }
}
