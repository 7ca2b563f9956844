//! Pictures of training: one panel per metric.

use std::path::Path;

use anyhow::anyhow;
use fusion_jobs::atomic::write_bytes;
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::metrics::Row;

const SIZE: (u32, u32) = (900, 320);
const TRAIN: RGBColor = RGBColor(0x1f, 0x6f, 0xb4);
const HELD_OUT: RGBColor = RGBColor(0xd9, 0x5f, 0x02);

/// A line of a panel: name, colour and points.
pub struct Line {
    /// Name in the legend.
    pub name: &'static str,
    /// Colour.
    pub colour: RGBColor,
    /// Points, left to right.
    pub points: Vec<(f64, f64)>,
}

/// A plot of one or more quantities with the same unit.
pub struct Panel {
    /// Heading.
    pub title: &'static str,
    /// Label of the horizontal axis.
    pub x: &'static str,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Draws the metrics of a fit: policy, value and agreement side by side in one SVG file.
///
/// # Errors
/// Failures of the file system.
pub fn metrics(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let line = |name, colour, value: fn(&Row) -> Option<f64>| Line {
        name,
        colour,
        points: rows.iter().filter_map(|row| Some((row.step as f64, value(row)?))).collect(),
    };
    let panel = |title, lines| Panel { title, x: "step", lines };
    let panels = [
        panel(
            "Policy: cross-entropy (nats)",
            vec![
                line("training", TRAIN, |row| row.policy_loss),
                line("held out", HELD_OUT, |row| row.held_out_policy_loss),
                line("entropy of the targets", BLACK, |row| row.policy_entropy),
            ],
        ),
        panel(
            "Value: cross-entropy (nats)",
            vec![
                line("training", TRAIN, |row| row.value_loss),
                line("held out", HELD_OUT, |row| row.held_out_value_loss),
            ],
        ),
        panel(
            "Policy: agreement with the search",
            vec![
                line("training", TRAIN, |row| row.policy_top1),
                line("held out", HELD_OUT, |row| row.held_out_policy_top1),
            ],
        ),
    ];
    draw(path, &panels)
}

/// Draws panels side by side into an SVG file, atomically.
///
/// # Errors
/// Failures of the file system.
pub fn draw(path: &Path, panels: &[Panel]) -> anyhow::Result<()> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let broken =
            |error: DrawingAreaErrorKind<_>| anyhow!("drawing {}: {error}", path.display());
        area.fill(&WHITE).map_err(broken)?;
        for (panel, area) in panels.iter().zip(area.split_evenly((1, panels.len().max(1)))) {
            draw_panel(panel, &area).map_err(broken)?;
        }
        area.present().map_err(broken)?;
    }
    write_bytes(path, svg.as_bytes())
}

/// Result of drawing on an SVG file.
pub(crate) type Drawn<'a> =
    Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw_panel<'a>(panel: &Panel, area: &DrawingArea<SVGBackend<'a>, Shift>) -> Drawn<'a> {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let legend = panel.lines.len() > 1;
    let x = range(points().map(|point| point.0));
    let mut y = range(points().map(|point| point.1));
    if legend {
        // Space for the legend above the lines.
        y.end += (y.end - y.start) * 0.08 * (panel.lines.len() + 1) as f64;
    }
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, ("sans-serif", 14))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(32)
        .y_label_area_size(44)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .x_desc(panel.x)
        .label_style(("sans-serif", 11))
        .draw()?;
    for line in &panel.lines {
        let colour = line.colour;
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), &colour))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour));
    }
    if !legend {
        return Ok(());
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 11))
        .background_style(WHITE.mix(0.8))
        .draw()
}

/// Returns the range of some numbers with a margin; never empty.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = ((high - low) * 0.05).max(1e-3 * high.abs()).max(1e-6);
    low - margin..high + margin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Losses;
    use crate::metrics::Since;

    #[test]
    fn plots_show_what_there_is_and_survive_what_there_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.svg");
        let some = Losses {
            policy: 2.0,
            policy_weight: 1.0,
            value: 1.0,
            value_weight: 1.0,
            ..Losses::default()
        };
        let row = |step| {
            Row::new(
                step,
                1.0,
                0.1,
                &Since { losses: some, norms: 1.0, steps: 1 },
                &Losses::default(),
            )
        };
        for rows in [vec![], vec![row(1)], vec![row(1), row(2)]] {
            metrics(&path, &rows).unwrap();
            let svg = std::fs::read_to_string(&path).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("Value: cross-entropy"), "{svg}");
        }
    }
}
