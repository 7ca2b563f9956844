//! Values of pieces with intervals, in Pawns: a row for each piece, a dot for each rule
//! set.

use super::axis::{Axis, Tick, nice_step};
use super::data::{Data, number, slug};
use super::series::{self, Key};
use super::tables::TableView;
use crate::format::signed;
use serde::Serialize;

/// What a piece is worth under one rule set, or what two components are worth beyond
/// their sum.
#[derive(Clone, Debug)]
pub struct PieceValue {
    /// Rule-set expression.
    pub rules: String,
    /// The piece: `R`, `RB`; or the sum: `RB − R − B`.
    pub piece: String,
    /// Value in Pawns.
    pub value: f64,
    /// Lower limit of its 95% interval.
    pub low: f64,
    /// Upper limit of its 95% interval.
    pub high: f64,
}

/// Heights in pixels.
const TOP: f64 = 4.0;
/// The piece's name above its dots.
const LABEL: f64 = 24.0;
const DOT: f64 = 15.0;
const SPACE: f64 = 10.0;
const AXIS: f64 = 42.0;

/// The plot.
#[derive(Serialize)]
pub(super) struct Values {
    id: &'static str,
    title: &'static str,
    description: String,
    legend: Vec<Key>,
    rows: Vec<Row>,
    ticks: Vec<Tick>,
    zero: f64,
    height: f64,
    axis_y: f64,
    table: TableView,
    data: Data,
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

/// A plot of values, pieces in the order in which they come.
pub(super) fn values(id: &'static str, title: &'static str, values: &[PieceValue]) -> Values {
    let legend = series::keys(values.iter().map(|value| value.rules.as_str()));
    let mut pieces: Vec<&str> = Vec::new();
    for value in values {
        if !pieces.contains(&value.piece.as_str()) {
            pieces.push(&value.piece);
        }
    }
    let lowest = values.iter().map(|value| value.low).fold(0.0, f64::min);
    let highest = values.iter().map(|value| value.high).fold(1.0, f64::max);
    let step = nice_step(highest - lowest, 5.0);
    let axis = Axis::new((lowest / step).floor() * step, (highest / step).ceil() * step);
    let row_height = LABEL + DOT * legend.len() as f64 + SPACE;
    let rows: Vec<Row> = pieces
        .iter()
        .enumerate()
        .map(|(i, piece)| {
            let y = TOP + row_height * i as f64;
            let dots = legend.iter().enumerate().filter_map(|(line, key)| {
                let value = find(values, piece, &key.label)?;
                Some(Dot {
                    style: key.style,
                    y: y + LABEL + DOT * (line as f64 + 0.5),
                    x: axis.x(value.value),
                    low: axis.x(value.low),
                    high: axis.x(value.high),
                    tooltip: format!("{}, {}: {}", value.piece, value.rules, text(value)),
                })
            });
            Row { label: (*piece).to_owned(), y, dots: dots.collect() }
        })
        .collect();
    let tooltips: Vec<&str> =
        rows.iter().flat_map(|row| row.dots.iter().map(|dot| dot.tooltip.as_str())).collect();
    let decimals = if step < 1.0 { 1 } else { 0 };
    let axis_y = TOP + row_height * rows.len() as f64;
    let cells = values.iter().map(|value| {
        let mut row = vec![value.rules.clone(), value.piece.clone()];
        row.extend([value.value, value.low, value.high].map(number));
        row
    });
    Values {
        id,
        title,
        description: tooltips.join("; "),
        ticks: axis.ticks(step, |value| signed(value, decimals).replace('+', "")),
        zero: axis.x(0.0),
        height: axis_y + AXIS,
        axis_y,
        table: table(id, title, values, &pieces, &legend),
        data: Data::new(id, &["rules", "piece", "pawns", "low95", "high95"], cells),
        legend,
        rows,
    }
}

fn find<'a>(values: &'a [PieceValue], piece: &str, rules: &str) -> Option<&'a PieceValue> {
    values.iter().find(|value| value.piece == piece && value.rules == rules)
}

fn text(value: &PieceValue) -> String {
    let number = |value: f64| signed(value, 2).replace('+', "");
    format!("{} ({} to {})", number(value.value), number(value.low), number(value.high))
}

fn table(
    id: &str,
    title: &str,
    values: &[PieceValue],
    pieces: &[&str],
    legend: &[Key],
) -> TableView {
    let mut header = vec!["Piece"];
    header.extend(legend.iter().map(|key| key.label.as_str()));
    let rows = pieces.iter().map(|piece| {
        let cell = |key: &Key| find(values, piece, &key.label).map_or("–".into(), text);
        std::iter::once((*piece).to_owned()).chain(legend.iter().map(cell)).collect()
    });
    TableView::new(title, &slug(id), &header, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_table() {
        let value = |rules: &str, piece: &str, value| PieceValue {
            rules: rules.into(),
            piece: piece.into(),
            value,
            low: value - 0.5,
            high: value + 0.5,
        };
        let list = [value("b", "R", 5.0), value("a", "R", 4.5), value("b", "KN", -0.5)];
        let plot = values("values", "Values", &list);
        assert_eq!(plot.rows.len(), 2);
        assert_eq!(plot.rows[0].dots.len(), 2);
        assert_eq!(plot.rows[1].dots.len(), 1);
        assert!(plot.zero > 0.0 && plot.rows[1].dots[0].x < plot.zero);
        assert!(plot.description.contains("KN, b: −0.50 (−1.00 to 0.00)"), "{}", plot.description);
    }
}
