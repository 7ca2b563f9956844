//! Histograms of game length, one below the other on a common axis.

use super::shortened;
use crate::many;
use fusion_print::axis::{Axis, Tick, nice_step, round, tick};
use fusion_print::format::{count, fixed};
use fusion_results::arms::Arm;
use fusion_results::report::Report;
use fusion_statistics::quantile::quantile;
use serde::Serialize;

const ROW: u32 = 104;
const TOP: u32 = 4;
/// Maximum number of characters of a row's name.
pub(crate) const NAME: usize = 30;
/// Room for the row's label above its bars.
const LABEL: u32 = 30;
const BARS: u32 = ROW - LABEL - 6;
const AXIS: u32 = 26;
const BINS: f64 = 28.0;

/// The plot.
#[derive(Serialize)]
pub(crate) struct Lengths {
    description: String,
    rows: Vec<LengthRow>,
    ticks: Vec<Tick>,
    height: u32,
    axis_y: u32,
    any_capped: bool,
}

#[derive(Serialize)]
struct LengthRow {
    label: String,
    value: String,
    y: u32,
    base: u32,
    top: u32,
    median: f64,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    class: &'static str,
    x: f64,
    width: f64,
    y: f64,
    height: f64,
    tooltip: String,
}

/// Bins of equal width. The last one holds all longer games.
struct Bins {
    width: f64,
    count: usize,
    overflow: bool,
}

impl Bins {
    fn new(arms: &[&Arm]) -> Self {
        let mut plies: Vec<f64> = arms.iter().flat_map(|arm| all(arm)).map(f64::from).collect();
        plies.sort_by(f64::total_cmp);
        let longest = plies.last().copied().unwrap_or(1.0);
        // The axis ends early, so that a few very long games do not squeeze the others to the left.
        let usual = quantile(&plies, 0.98).unwrap_or(longest);
        let width = nice_step(usual.max(1.0), BINS).max(1.0);
        let count = (usual / width).floor() as usize + 1;
        let overflow = longest >= count as f64 * width;
        Self { width, count: count + usize::from(overflow), overflow }
    }

    fn index(&self, plies: u32) -> usize {
        ((f64::from(plies) / self.width) as usize).min(self.count - 1)
    }

    fn histogram(&self, plies: &[u32]) -> Vec<u64> {
        let mut bins = vec![0; self.count];
        for &plies in plies {
            bins[self.index(plies)] += 1;
        }
        bins
    }

    fn axis(&self) -> Axis {
        Axis::new(0.0, self.count as f64 * self.width)
    }

    fn name(&self, index: usize) -> String {
        let from = index as f64 * self.width;
        if self.overflow && index == self.count - 1 {
            format!("{from:.0} plies or more")
        } else {
            format!("{from:.0} to {:.0} plies", from + self.width - 1.0)
        }
    }

    fn ticks(&self) -> Vec<Tick> {
        let end = (self.count - usize::from(self.overflow)) as f64 * self.width;
        let axis = self.axis();
        let step = nice_step(end, 6.0).max(self.width);
        let mut ticks = axis.ticks(step, |value| format!("{value:.0}"));
        if self.overflow {
            ticks.retain(|tick| tick.x < axis.x(end - step / 2.0));
            ticks.push(tick(axis.x(end), format!("{end:.0}+")));
        }
        ticks
    }
}

fn all(arm: &Arm) -> impl Iterator<Item = u32> {
    let length = &arm.length;
    let plies = length.decisive.iter().chain(&length.drawn);
    plies.chain(&length.capped).copied()
}

pub(crate) fn lengths(report: &Report) -> Lengths {
    let arms = many::figure_arms(report);
    let bins = Bins::new(&arms);
    // All rows have one scale of shares, so that areas are comparable.
    let tallest = arms
        .iter()
        .map(|arm| {
            let plies: Vec<u32> = all(arm).collect();
            let most = bins.histogram(&plies).into_iter().max().unwrap_or(1);
            most as f64 / arm.games as f64
        })
        .fold(f64::MIN_POSITIVE, f64::max);
    let rows: Vec<LengthRow> = arms
        .iter()
        .enumerate()
        .map(|(i, arm)| row(arm, TOP + ROW * i as u32, &bins, tallest))
        .collect();
    let axis_y = TOP + ROW * rows.len() as u32;
    let described: Vec<String> =
        rows.iter().map(|row| format!("{}: {}", row.label, row.value)).collect();
    Lengths {
        description: described.join("; "),
        ticks: bins.ticks(),
        rows,
        height: axis_y + AXIS,
        axis_y,
        any_capped: arms.iter().any(|arm| arm.capped > 0),
    }
}

/// Returns the kinds of games in stacking order: class, name, lengths.
fn kinds(arm: &Arm) -> [(&'static str, &'static str, &[u32]); 3] {
    let length = &arm.length;
    [
        ("decisive", "decisive", &length.decisive),
        ("drawn", "drawn", &length.drawn),
        ("cap", "capped", &length.capped),
    ]
}

/// A bin: rule set, least plies, and numbers of decided, drawn and capped games.
pub(crate) type Counted<'a> = (&'a Arm, u64, [u64; 3]);

/// Returns all bins of the plot.
pub(crate) fn counted(report: &Report) -> Vec<Counted<'_>> {
    let arms = many::figure_arms(report);
    let bins = Bins::new(&arms);
    let mut all = Vec::new();
    for arm in arms {
        let games = kinds(arm).map(|(_, _, plies)| bins.histogram(plies));
        let bin = |i| (arm, (i as f64 * bins.width) as u64, games.each_ref().map(|of| of[i]));
        all.extend((0..bins.count).map(bin));
    }
    all
}

fn row(arm: &Arm, y: u32, bins: &Bins, tallest: f64) -> LengthRow {
    let axis = bins.axis();
    let base = y + LABEL + BARS;
    let unit = f64::from(BARS) / (tallest * arm.games as f64);
    let mut below = vec![0u64; bins.count];
    let mut bars = Vec::new();
    for (class, name, plies) in kinds(arm) {
        for (i, games) in bins.histogram(plies).into_iter().enumerate() {
            if games == 0 {
                continue;
            }
            let from = i as f64 * bins.width;
            let top = below[i] + games;
            bars.push(Bar {
                class,
                x: axis.x(from),
                width: axis.width(from, from + bins.width),
                y: round(f64::from(base) - top as f64 * unit),
                height: round(games as f64 * unit),
                tooltip: format!("{}: {} {name}, {}", arm.rules, count(games), bins.name(i)),
            });
            below[i] = top;
        }
    }
    let [_, _, median, _, _] = arm.length.quartiles;
    let [_, q1, middle, q3, _] = arm.length.quartiles.map(|plies| fixed(plies, 0));
    LengthRow {
        label: shortened(&arm.rules, NAME),
        value: format!("median {middle}, half of them {q1} to {q3}"),
        y,
        base,
        top: y + LABEL - 4,
        median: axis.x(median),
        bars,
    }
}
