//! What the search expected against what happened.

use super::axis::{Axis, Tick, round};
use super::data::{Data, number};
use crate::format::{count, percent};
use serde::Serialize;

/// Positions with about the same expectation of one outcome.
#[derive(Clone, Debug)]
pub struct ReliabilityBin {
    /// The outcome expected: `White wins`, `draw`.
    pub outcome: String,
    /// Mean expectation.
    pub predicted: f64,
    /// Share of the positions whose games had the outcome.
    pub observed: f64,
    /// Lower limit of its 95% interval.
    pub low: f64,
    /// Upper limit of its 95% interval.
    pub high: f64,
    /// Number of positions.
    pub positions: u64,
}

/// Heights in pixels.
const TOP: f64 = 8.0;
const PLOT: f64 = 220.0;
/// The strip of counts below.
const STRIP: f64 = 30.0;
const GAP: f64 = 26.0;
const HEIGHT: u32 = 316;
/// Width of a count's bar in per cent.
const BAR: f64 = 3.0;

/// All panels.
#[derive(Serialize)]
pub(super) struct Reliability {
    panels: Vec<Panel>,
    height: u32,
    top: f64,
    bottom: f64,
    strip: f64,
    data: Data,
}

#[derive(Serialize)]
struct Panel {
    id: String,
    title: String,
    description: String,
    points: Vec<Point>,
    ticks: Vec<Tick>,
    levels: Vec<(f64, String)>,
}

#[derive(Serialize)]
struct Point {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    bar_x: f64,
    bar_width: f64,
    bar_y: f64,
    bar_height: f64,
    tooltip: String,
}

pub(super) fn reliability(bins: &[ReliabilityBin]) -> Reliability {
    let mut outcomes: Vec<&str> = Vec::new();
    for bin in bins {
        if !outcomes.contains(&bin.outcome.as_str()) {
            outcomes.push(&bin.outcome);
        }
    }
    let panels = outcomes
        .iter()
        .enumerate()
        .map(|(i, outcome)| {
            let of_outcome: Vec<&ReliabilityBin> =
                bins.iter().filter(|bin| bin.outcome == *outcome).collect();
            panel(i, outcome, &of_outcome)
        })
        .collect();
    let rows = bins.iter().map(|bin| {
        let mut row = vec![bin.outcome.clone()];
        row.extend([bin.predicted, bin.observed, bin.low, bin.high].map(number));
        row.push(bin.positions.to_string());
        row
    });
    let header = ["outcome", "predicted", "observed", "low95", "high95", "positions"];
    Reliability {
        panels,
        height: HEIGHT,
        top: TOP,
        bottom: TOP + PLOT,
        strip: TOP + PLOT + GAP + STRIP,
        data: Data::new("reliability", &header, rows),
    }
}

fn panel(index: usize, outcome: &str, bins: &[&ReliabilityBin]) -> Panel {
    let axis = Axis::new(0.0, 1.0);
    let y = |share: f64| round(TOP + PLOT * (1.0 - axis.x(share) / 100.0));
    let most = bins.iter().map(|bin| bin.positions).max().unwrap_or(1).max(1);
    let points: Vec<Point> = bins
        .iter()
        .map(|bin| {
            let height = round(STRIP * bin.positions as f64 / most as f64);
            let x = axis.x(bin.predicted);
            let from = round((x - BAR / 2.0).clamp(0.0, 100.0 - BAR));
            Point {
                x,
                y: y(bin.observed),
                low: y(bin.low),
                high: y(bin.high),
                bar_x: from,
                bar_width: BAR,
                bar_y: round(TOP + PLOT + GAP + STRIP - height),
                bar_height: height,
                tooltip: format!(
                    "{outcome}: expected {}, happened {} (95% interval {} to {}), {} positions",
                    percent(bin.predicted),
                    percent(bin.observed),
                    percent(bin.low),
                    percent(bin.high),
                    count(bin.positions)
                ),
            }
        })
        .collect();
    let tooltips: Vec<&str> = points.iter().map(|point| point.tooltip.as_str()).collect();
    let label = |share: f64| format!("{:.0}%", 100.0 * share);
    Panel {
        id: format!("reliability-{index}"),
        title: outcome.to_owned(),
        description: tooltips.join("; "),
        ticks: axis.ticks(0.25, label),
        levels: [0.25, 0.5, 0.75, 1.0].map(|share| (y(share), label(share))).to_vec(),
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_for_each_outcome() {
        let bin = |outcome: &str, predicted, positions| ReliabilityBin {
            outcome: outcome.into(),
            predicted,
            observed: 0.5,
            low: 0.4,
            high: 0.6,
            positions,
        };
        let plot = reliability(&[bin("draw", 0.0, 10), bin("draw", 0.5, 40), bin("loss", 1.0, 7)]);
        assert_eq!(plot.panels.len(), 2);
        let points = &plot.panels[0].points;
        assert_eq!((points[1].x, points[1].y, points[1].bar_height), (50.0, 118.0, 30.0));
        assert_eq!((points[0].bar_x, points[0].bar_height), (0.0, 7.5));
        assert_eq!(plot.panels[1].points[0].bar_x, 97.0);
    }
}
