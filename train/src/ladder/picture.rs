//! The picture of a ladder: Elo by generation, by training positions, by processor time.

use std::path::Path;

use fusion_jobs::atomic::write_bytes;
use fusion_print::chart::{Chart, Panel, Point};

use super::entrants::{Cost, Kind};
use super::table::{ALL, Row};

/// Largest number of letters of a reference's name.
const LETTERS: usize = 14;

/// A panel: its title, the label of its axis and the place of a row there.
type Axis = (&'static str, &'static str, fn(&Row) -> Option<f64>);

const AXES: [Axis; 3] = [
    ("Elo by generation", "generations learnt (0: the start)", learnt),
    ("Elo by positions", "positions learnt from, in all generations so far", |row| {
        cost(row, |cost| cost.positions as f64)
    }),
    ("Elo by processor time", "CPU hours so far", |row| cost(row, |cost| cost.cpu_hours)),
];

fn learnt(row: &Row) -> Option<f64> {
    let number = row.entrant.generation.map(|number| f64::from(number) + 1.0);
    number.or((row.entrant.kind == Kind::Start).then_some(0.0))
}

fn cost(row: &Row, value: fn(Cost) -> f64) -> Option<f64> {
    row.entrant.cost.map(value)
}

/// Draws the ladder into an SVG file, atomically.
///
/// # Errors
/// Failures of the file system.
pub(super) fn draw(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    write_bytes(path, chart(rows).svg().as_bytes())
}

fn chart(rows: &[Row]) -> Chart {
    let scales = scales(rows);
    let panel = |(title, x, value): Axis| {
        let point = |row: &&Row| {
            let rating = row.rating;
            let interval = (rating.low < rating.high).then_some([rating.low, rating.high]);
            Some(Point { x: value(row)?, y: rating.elo, interval })
        };
        let played = |row: &&Row| row.entrant.kind != Kind::Reference;
        let line = |scale: &&[Row]| -> Vec<Point> {
            scale.iter().filter(played).filter_map(|row| point(&row)).collect()
        };
        Panel { title, x, lines: scales.iter().map(line).collect() }
    };
    let name = |scale: &&[Row]| match &*scale[0].rules {
        ALL => "all rule sets".to_owned(),
        rules => rules.to_owned(),
    };
    let fixed = scales.first().into_iter().copied().flatten();
    let fixed = fixed.filter(|row| row.entrant.kind == Kind::Reference);
    let label = |row: &Row| format!("{} {:.0}", shortened(&row.entrant.name), row.rating.elo);
    Chart {
        title: "Elo above the start; band and bars are 95% intervals of that difference, \
                dashed lines fixed players",
        names: scales.iter().map(name).collect(),
        panels: AXES.map(panel).into(),
        fixed: fixed.map(|row| (label(row), row.rating.elo)).collect(),
        same_range: true,
    }
}

/// Returns the rows of each scale. With a single rule set, the scale over all is the same and left
/// out.
fn scales(rows: &[Row]) -> Vec<&[Row]> {
    let mut scales: Vec<&[Row]> = rows.chunk_by(|one, next| one.rules == next.rules).collect();
    if scales.len() == 2 {
        scales.remove(0);
    }
    scales
}

/// Returns the end of a long name: the distinctive part of a path.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len().checked_sub(LETTERS) {
        None | Some(0) => name.to_owned(),
        Some(over) => std::iter::once('…').chain(letters[over + 1..].iter().copied()).collect(),
    }
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
