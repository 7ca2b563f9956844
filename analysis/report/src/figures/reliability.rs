//! Forecasts of the search against outcomes.

use fusion_print::axis::{Axis, Tick, description, round, whole_percent};
use fusion_print::format::{count, percent};
use fusion_results::calibration::Calibration;
use fusion_statistics::Interval;
use fusion_statistics::reliability::Bin;
use serde::Serialize;

/// Heights in pixels.
const TOP: f64 = 8.0;
const PLOT: f64 = 220.0;
/// Height of the strip of counts below.
const STRIP: f64 = 30.0;
const GAP: f64 = 26.0;
const HEIGHT: u32 = 316;
/// Width of a count's bar in per cent.
const BAR: f64 = 3.0;

/// All panels.
#[derive(Serialize)]
pub(crate) struct Reliability {
    panels: Vec<Panel>,
    height: u32,
    top: f64,
    bottom: f64,
    strip: f64,
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

/// Returns the outcomes with their bins, corrected forecasts last.
pub(crate) fn outcomes(of: &Calibration) -> Vec<(&'static str, &[Bin])> {
    let all = [
        ("draw", Some(&of.draws)),
        ("White wins", Some(&of.wins)),
        ("draw, corrected", of.corrected_draws.as_ref()),
        ("White wins, corrected", of.corrected_wins.as_ref()),
    ];
    all.into_iter().filter_map(|(name, of)| Some((name, &of?.bins[..]))).collect()
}

pub(crate) fn reliability(of: &Calibration) -> Reliability {
    let outcomes = outcomes(of).into_iter().enumerate();
    let panels = outcomes.map(|(i, (outcome, bins))| panel(i, outcome, bins));
    Reliability {
        panels: panels.collect(),
        height: HEIGHT,
        top: TOP,
        bottom: TOP + PLOT,
        strip: TOP + PLOT + GAP + STRIP,
    }
}

fn panel(index: usize, outcome: &str, bins: &[Bin]) -> Panel {
    let axis = Axis::new(0.0, 1.0);
    let y = |share: f64| round(TOP + PLOT * (1.0 - axis.x(share) / 100.0));
    let most = bins.iter().map(|bin| bin.happened.trials()).max().unwrap_or(1).max(1);
    let points: Vec<Point> = bins
        .iter()
        .map(|bin| {
            let (positions, observed) = (bin.happened.trials(), bin.happened.share());
            let Interval { low, high } = bin.interval;
            let height = round(STRIP * positions as f64 / most as f64);
            let x = axis.x(bin.predicted);
            let from = round((x - BAR / 2.0).clamp(0.0, 100.0 - BAR));
            Point {
                x,
                y: y(observed),
                low: y(low),
                high: y(high),
                bar_x: from,
                bar_width: BAR,
                bar_y: round(TOP + PLOT + GAP + STRIP - height),
                bar_height: height,
                tooltip: format!(
                    "{outcome}: expected {}, happened {} (95% interval {} to {}), {} positions",
                    percent(bin.predicted),
                    percent(observed),
                    percent(low),
                    percent(high),
                    count(positions)
                ),
            }
        })
        .collect();
    Panel {
        id: format!("reliability-{index}"),
        title: outcome.to_owned(),
        description: description(points.iter().map(|point| &point.tooltip)),
        ticks: axis.ticks(0.25, whole_percent),
        levels: [0.25, 0.5, 0.75, 1.0].map(|share| (y(share), whole_percent(share))).to_vec(),
        points,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_statistics::Proportion;

    #[test]
    fn bars_are_as_high_as_positions_are_many() {
        let bin = |predicted, positions| Bin {
            range: Interval { low: 0.0, high: 1.0 },
            happened: Proportion::new(positions / 2, positions).unwrap(),
            interval: Interval { low: 0.4, high: 0.6 },
            predicted,
        };
        let points = panel(0, "draw", &[bin(0.0, 10), bin(0.5, 40), bin(1.0, 8)]).points;
        assert_eq!((points[1].x, points[1].y, points[1].bar_height), (50.0, 118.0, 30.0));
        assert_eq!((points[0].bar_x, points[0].bar_height), (0.0, 7.5));
        assert_eq!(points[2].bar_x, 97.0);
    }
}
