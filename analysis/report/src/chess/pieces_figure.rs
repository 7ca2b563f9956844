//! Values of pieces with intervals, in Pawns: a row for each piece, a dot for each rule set.

use super::pieces::Item;
use crate::figures::series::{self, Key};
use fusion_print::axis::{Axis, Tick, description, nice_step};
use fusion_print::table::{Cell, Unit};
use serde::Serialize;

/// Heights in pixels.
const TOP: f64 = 4.0;
/// Height of the piece's name above its dots.
const LABEL: f64 = 24.0;
const DOT: f64 = 15.0;
const SPACE: f64 = 10.0;
const AXIS: f64 = 42.0;

/// The plot.
#[derive(Serialize)]
pub(crate) struct Pieces {
    id: &'static str,
    title: &'static str,
    /// Unit of the axis.
    unit: &'static str,
    description: String,
    legend: Vec<Key>,
    rows: Vec<Row>,
    ticks: Vec<Tick>,
    zero: f64,
    height: f64,
    axis_y: f64,
}

#[derive(Serialize)]
struct Row {
    label: String,
    y: f64,
    dots: Vec<Dot>,
}

#[derive(Serialize)]
struct Dot {
    style: usize,
    y: f64,
    x: f64,
    low: f64,
    high: f64,
    tooltip: String,
}

/// Plots values. Pieces keep the order of the items.
pub(crate) fn pieces(id: &'static str, title: &'static str, items: &[Item]) -> Pieces {
    let legend = series::keys(items.iter().map(|(values, _)| values.rules.as_str()));
    let intervals = || items.iter().map(|(_, worth)| worth.interval);
    let lowest = intervals().map(|interval| interval.low).fold(0.0, f64::min);
    let highest = intervals().map(|interval| interval.high).fold(1.0, f64::max);
    let step = nice_step(highest - lowest, 5.0);
    let axis = Axis::new((lowest / step).floor() * step, (highest / step).ceil() * step);
    let row_height = LABEL + DOT * legend.len() as f64 + SPACE;
    let rows: Vec<Row> = names(items)
        .into_iter()
        .enumerate()
        .map(|(i, piece)| {
            let y = TOP + row_height * i as f64;
            let dots = legend.iter().enumerate().filter_map(|(line, key)| {
                let (_, worth) = find(items, piece, &key.label)?;
                let value = Cell::Estimate(worth.value, worth.interval, Unit::Signed(2));
                Some(Dot {
                    style: key.style,
                    y: y + LABEL + DOT * (line as f64 + 0.5),
                    x: axis.x(worth.value),
                    low: axis.x(worth.interval.low),
                    high: axis.x(worth.interval.high),
                    tooltip: format!("{piece}, {}: {}", key.label, value.format()),
                })
            });
            Row { label: piece.to_owned(), y, dots: dots.collect() }
        })
        .collect();
    let decimals = if step < 1.0 { 1 } else { 0 };
    let axis_y = TOP + row_height * rows.len() as f64;
    Pieces {
        id,
        title,
        unit: "Pawns",
        description: description(rows.iter().flat_map(|row| &row.dots).map(|dot| &dot.tooltip)),
        ticks: axis.ticks(step, |value| Unit::Signed(decimals).format(value)),
        zero: axis.x(0.0),
        height: axis_y + AXIS,
        axis_y,
        legend,
        rows,
    }
}

/// Returns the pieces, each once.
pub(crate) fn names<'a>(items: &[Item<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, worth) in items {
        if !names.contains(&worth.name.as_str()) {
            names.push(&worth.name);
        }
    }
    names
}

/// Returns a piece under a rule set.
pub(crate) fn find<'a>(items: &[Item<'a>], piece: &str, rules: &str) -> Option<Item<'a>> {
    let is = |(values, worth): &&Item| values.rules == rules && worth.name == piece;
    items.iter().find(is).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_results::chess::piece_values::{Values, Worth};
    use fusion_statistics::Interval;

    #[test]
    fn a_row_for_each_piece_and_a_dot_for_each_rule_set() {
        let worth = |name: &str, value| Worth {
            name: name.into(),
            value,
            interval: Interval { low: value - 0.5, high: value + 0.5 },
        };
        let values = |rules: &str, pieces| Values {
            rules: rules.into(),
            games: 1,
            pieces,
            synergies: Vec::new(),
        };
        let of_b = values("b", vec![worth("R", 5.0), worth("KN", -0.5)]);
        let of_a = values("a", vec![worth("R", 4.5)]);
        let items = [(&of_b, &of_b.pieces[0]), (&of_a, &of_a.pieces[0]), (&of_b, &of_b.pieces[1])];
        let plot = pieces("values", "Values", &items);
        assert_eq!(plot.rows.len(), 2);
        assert_eq!(plot.rows[0].dots.len(), 2);
        assert_eq!(plot.rows[1].dots.len(), 1);
        assert!(plot.zero > 0.0 && plot.rows[1].dots[0].x < plot.zero);
        assert!(plot.description.contains("KN, b: −0.50 (−1.00 to 0.00)"), "{}", plot.description);
    }
}
