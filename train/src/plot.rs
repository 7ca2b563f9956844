//! Pictures of training: one panel per metric.

use std::path::Path;

use fusion_jobs::atomic::write_bytes;
use fusion_print::chart::{Chart, Panel, Point};

use crate::metrics::Row;

/// Draws the metrics of a fit: policy, value and agreement side by side in one SVG file, atomically.
///
/// # Errors
/// Failures of the file system.
pub fn metrics(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let line = |value: fn(&Row) -> Option<f64>| -> Vec<Point> {
        rows.iter().filter_map(|row| Some(Point::exact(row.step as f64, value(row)?))).collect()
    };
    let panel = |title, lines| Panel { title, x: "step", lines };
    let panels = vec![
        panel(
            "Policy: cross-entropy (nats)",
            vec![
                line(|row| row.policy_entropy),
                line(|row| row.policy_loss),
                line(|row| row.held_out_policy_loss),
            ],
        ),
        panel(
            "Value: cross-entropy (nats)",
            vec![vec![], line(|row| row.value_loss), line(|row| row.held_out_value_loss)],
        ),
        panel(
            "Policy: agreement with the search",
            vec![vec![], line(|row| row.policy_top1), line(|row| row.held_out_policy_top1)],
        ),
    ];
    let names = ["entropy of the targets", "training", "held out"].map(String::from).to_vec();
    let chart = Chart { title: "Metrics of the fit", names, panels, ..Chart::default() };
    write_bytes(path, chart.svg().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Losses;
    use crate::metrics::Since;

    #[test]
    fn metrics_are_drawn_where_there_are_any() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.svg");
        let losses = Losses { value: 2.0, value_weight: 1.0, ..Losses::default() };
        let since = Since { losses, norms: 1.0, steps: 1 };
        let row = |step| Row::new(step, 1.0, 0.1, &since, &Losses::default());
        for rows in [vec![], vec![row(1)], vec![row(1), row(2)]] {
            metrics(&path, &rows).unwrap();
            let svg = std::fs::read_to_string(&path).unwrap();
            assert!(svg.contains("Value: cross-entropy"), "{svg}");
            // A dot for each row, and one for each of the three names.
            assert_eq!(svg.matches("<circle").count(), rows.len() + 3);
        }
    }
}
