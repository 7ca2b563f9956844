//! The picture of a ladder: Elo by generation, by training positions, by processor time.

use std::ops::Range;
use std::path::Path;

use anyhow::anyhow;
use fusion_jobs::atomic::write_bytes;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::entrants::{Cost, Kind};
use super::table::{ALL, Row};
use crate::plot::{Drawn, range};
use fusion_statistics::rating::Rating;

/// Width of the picture and height of its panels, in pixels.
const WIDTH: u32 = 1260;
const HEIGHT: u32 = 400;
/// Height of a line of the legend, and width of a letter in it.
const LINE: i32 = 20;
const LETTER: f64 = 6.6;
/// Space to the right of the first panel for the references' names, in pixels.
const NAMES: u32 = 84;
/// Distance between the bars of two scales, as a share of the panel's width.
const ASIDE: f64 = 0.008;
/// Largest number of letters of a reference's name.
const LETTERS: usize = 14;
/// Colours of single rule sets; the scale over all rule sets is black. Colour-blind readers can
/// distinguish them too (M. Okabe and K. Ito, *Color Universal Design*, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];
const GREY: RGBColor = RGBColor(0x70, 0x70, 0x70);

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The generations on one scale.
struct Scale<'a> {
    rules: &'a str,
    colour: RGBColor,
    rows: Vec<&'a Row>,
}

/// A horizontal axis of Elo.
struct Axis {
    title: &'static str,
    label: &'static str,
    value: fn(&Row) -> Option<f64>,
}

const AXES: [Axis; 3] = [
    Axis { title: "by generation", label: "generations learnt (0: the start)", value: learnt },
    Axis {
        title: "by positions",
        label: "positions learnt from, in all generations so far",
        value: |row| cost(row, |cost| cost.positions as f64),
    },
    Axis {
        title: "by processor time",
        label: "CPU hours so far",
        value: |row| cost(row, |cost| cost.cpu_hours),
    },
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
    let scales = scales(rows);
    let (legend, lines) = legend(&scales);
    let fixed = |row: &&Row| {
        let drawn = scales.first().is_some_and(|scale| scale.rules == row.rules);
        drawn && row.entrant.kind == Kind::Reference
    };
    let references: Vec<&Row> = rows.iter().filter(fixed).collect();
    let mut svg = String::new();
    {
        let top = (lines + 1) * LINE;
        let size = (WIDTH, HEIGHT + top.unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let broken =
            |error: DrawingAreaErrorKind<_>| anyhow!("drawing {}: {error}", path.display());
        area.fill(&WHITE).map_err(broken)?;
        let (head, body) = area.split_vertically(top);
        draw_legend(&head, &legend).map_err(broken)?;
        let width = (WIDTH - NAMES).cast_signed() / AXES.len() as i32;
        let mut rest = body;
        for (place, axis) in AXES.iter().enumerate() {
            let names = if place == 0 { NAMES } else { 0 };
            let (panel, right) = rest.split_horizontally(width + names.cast_signed());
            draw_panel(&panel, axis, &scales, &references, names).map_err(broken)?;
            rest = right;
        }
        area.present().map_err(broken)?;
    }
    write_bytes(path, svg.as_bytes())
}

/// Returns the scales to draw. With a single rule set, the scale over all is the same and left out.
fn scales(rows: &[Row]) -> Vec<Scale<'_>> {
    let mut scales: Vec<Scale> = Vec::new();
    for row in rows {
        if scales.last().is_none_or(|scale| scale.rules != row.rules) {
            let colour = match scales.len() {
                0 => BLACK,
                place => COLOURS[(place - 1) % COLOURS.len()],
            };
            scales.push(Scale { rules: &row.rules, colour, rows: Vec::new() });
        }
        if let Some(scale) = scales.last_mut()
            && row.entrant.kind != Kind::Reference
        {
            scale.rows.push(row);
        }
    }
    if scales.len() == 2 {
        scales.remove(0);
    }
    scales
}

/// Returns left and top of the legend's entries, and the number of lines that they take.
fn legend<'a>(scales: &'a [Scale]) -> (Vec<(i32, i32, &'a Scale<'a>)>, i32) {
    let (mut left, mut line) = (16, 0);
    let mut places = Vec::new();
    for scale in scales {
        let width = 40 + (name(scale).chars().count() as f64 * LETTER) as i32;
        if left + width > WIDTH.cast_signed() && left > 16 {
            (left, line) = (16, line + 1);
        }
        places.push((left, (line + 1) * LINE, scale));
        left += width;
    }
    (places, line + 1)
}

fn name<'a>(scale: &Scale<'a>) -> &'a str {
    if scale.rules == ALL { "all rule sets" } else { scale.rules }
}

fn draw_legend<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    places: &[(i32, i32, &Scale)],
) -> Drawn<'a> {
    let text = ("sans-serif", 12).into_font();
    area.draw(&Text::new(
        "Elo above the start; band and bars are 95% intervals of that difference, dashed lines fixed players",
        (16, 5),
        text.clone(),
    ))?;
    for &(left, top, scale) in places {
        let middle = top + LINE / 2;
        area.draw(&PathElement::new(
            [(left, middle), (left + 18, middle)],
            scale.colour.stroke_width(2),
        ))?;
        area.draw(&Circle::new((left + 9, middle), 3, scale.colour.filled()))?;
        let middle_left =
            text.clone().into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name(scale).to_owned(), (left + 24, middle), middle_left))?;
    }
    Ok(())
}

/// Draws Elo against one quantity, and the references if there is space for their names.
fn draw_panel<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    axis: &Axis,
    scales: &[Scale],
    references: &[&Row],
    names: u32,
) -> Drawn<'a> {
    let shown = || scales.iter().flat_map(|scale| &scale.rows);
    // All panels have the same range of Elo, so that they are comparable.
    let bounds = shown().flat_map(|row| [row.rating.low, row.rating.high]);
    let y = range(bounds.chain(references.iter().map(|row| row.rating.elo)));
    let x = range(shown().filter_map(|row| (axis.value)(row)));
    let mut chart = ChartBuilder::on(area)
        .caption(format!("Elo {}", axis.title), ("sans-serif", 14))
        .margin(8)
        .margin_right(14 + names)
        .x_label_area_size(34)
        .y_label_area_size(46)
        .build_cartesian_2d(x.clone(), y)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(5)
        .y_labels(8)
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|elo| format!("{elo:.0}"))
        .x_desc(axis.label)
        .label_style(("sans-serif", 11))
        .draw()?;
    if names > 0 {
        draw_references(area, &mut chart, references, &x)?;
    }
    let points = |scale: &Scale| -> Vec<(f64, Rating)> {
        let known = |row: &&Row| Some(((axis.value)(row)?, row.rating));
        scale.rows.iter().filter_map(known).collect()
    };
    // Bands of several scales would hide each other: only the first scale has one, the others bars.
    let width = x.end - x.start;
    for (place, scale) in scales.iter().enumerate() {
        match place {
            0 => draw_band(&mut chart, scale.colour, &points(scale))?,
            _ => {
                let aside = (place as f64 - scales.len() as f64 / 2.0) * ASIDE * width;
                draw_bars(&mut chart, scale.colour, &points(scale), aside)?;
            }
        }
    }
    // Lines are drawn after all intervals, so that none is covered.
    for scale in scales {
        draw_line(&mut chart, scale.colour, &points(scale))?;
    }
    Ok(())
}

fn draw_band<'a>(
    chart: &mut Chart<'_, 'a>,
    colour: RGBColor,
    points: &[(f64, Rating)],
) -> Drawn<'a> {
    let low = points.iter().map(|(x, rating)| (*x, rating.low));
    let high = points.iter().rev().map(|(x, rating)| (*x, rating.high));
    let band: Vec<(f64, f64)> = low.chain(high).collect();
    chart.draw_series([Polygon::new(band, colour.mix(0.15).filled())])?;
    Ok(())
}

/// Draws bars slightly beside their points, so that several scales can be distinguished.
fn draw_bars<'a>(
    chart: &mut Chart<'_, 'a>,
    colour: RGBColor,
    points: &[(f64, Rating)],
    aside: f64,
) -> Drawn<'a> {
    let wide = points.iter().filter(|(_, rating)| rating.low < rating.high);
    chart.draw_series(wide.map(|(x, rating)| {
        PathElement::new([(x + aside, rating.low), (x + aside, rating.high)], colour.mix(0.6))
    }))?;
    Ok(())
}

fn draw_line<'a>(
    chart: &mut Chart<'_, 'a>,
    colour: RGBColor,
    points: &[(f64, Rating)],
) -> Drawn<'a> {
    let points = || points.iter().map(|(x, rating)| (*x, rating.elo));
    chart.draw_series(LineSeries::new(points(), colour.stroke_width(2)))?;
    chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
    Ok(())
}

/// Draws dashed lines with names at their right ends. Names that would overlap are moved apart.
fn draw_references<'a>(
    area: &DrawingArea<SVGBackend<'a>, Shift>,
    chart: &mut Chart<'_, 'a>,
    references: &[&Row],
    x: &Range<f64>,
) -> Drawn<'a> {
    let mut sorted = references.to_vec();
    sorted.sort_by(|one, other| other.rating.elo.total_cmp(&one.rating.elo));
    let origin = area.get_pixel_range();
    let middle_left = ("sans-serif", 11)
        .into_font()
        .into_text_style(area)
        .color(&GREY)
        .pos(Pos::new(HPos::Left, VPos::Center));
    let mut free = i32::MIN;
    for row in sorted {
        let ends = [(x.start, row.rating.elo), (x.end, row.rating.elo)];
        chart.draw_series(DashedLineSeries::new(ends, 5, 4, GREY.into()))?;
        let (right, height) = chart.backend_coord(&ends[1]);
        let height = height.max(free);
        free = height + 13;
        let text = format!("{} {:.0}", shortened(&row.entrant.name), row.rating.elo);
        let place = (right + 4 - origin.0.start, height - origin.1.start);
        area.draw(&Text::new(text, place, middle_left.clone()))?;
    }
    Ok(())
}

/// Returns the end of a long name: the distinctive part of a path.
fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    match letters.len().checked_sub(LETTERS) {
        None | Some(0) => name.to_owned(),
        Some(over) => std::iter::once('…').chain(letters[over + 1..].iter().copied()).collect(),
    }
}

/// Formats a number for an axis: 3, 0.25, 1500k, 12M.
fn short(x: f64) -> String {
    let plain = |x: f64| {
        let text = format!("{x:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    match x.abs() {
        size if size >= 1e6 => plain(x / 1e6) + "M",
        size if size >= 1e4 => plain(x / 1e3) + "k",
        _ => plain(x),
    }
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
