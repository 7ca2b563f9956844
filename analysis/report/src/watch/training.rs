//! Curves of training: the losses of the newest fit, and the generations of a loop.
//!
//! The program that trains writes these files; it needs libtorch, so its types are not at hand here. Only
//! the columns that are shown are read.

use fusion_jobs::plain;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Largest number of points of a curve.
const POINTS: usize = 200;

/// A row of `metrics.csv`: cross-entropies in nats after a number of steps.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Losses {
    step: u64,
    policy_loss: Option<f64>,
    held_out_policy_loss: Option<f64>,
    value_loss: Option<f64>,
    held_out_value_loss: Option<f64>,
}

/// The metrics of the newest fit.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Fit {
    name: String,
    rows: Vec<Losses>,
}

/// A finished generation.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Generation {
    generation: u32,
    accepted: bool,
    games: u64,
    fit: FitReport,
    gate: Option<Gate>,
}

/// The last losses of a generation's fit.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct FitReport {
    held_out_policy_loss: Option<f64>,
    held_out_value_loss: Option<f64>,
}

/// The match of a generation's network against the best one before.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Gate {
    games: u64,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

/// Returns the newest fit among these folders, if it has written metrics.
pub(super) fn newest_fit(run: &Path, folders: &[PathBuf]) -> Option<Fit> {
    let changed = |path: &PathBuf| -> Option<(SystemTime, PathBuf)> {
        let file = path.join("metrics.csv");
        Some((file.metadata().ok()?.modified().ok()?, file))
    };
    let (_, file) = folders.iter().filter_map(changed).max()?;
    let mut reader = csv::Reader::from_reader(plain::open(&file).ok()?);
    let rows: Vec<Losses> = reader.deserialize().filter_map(Result::ok).collect();
    let step = rows.len().div_ceil(POINTS).max(1);
    let offset = rows.len().saturating_sub(1) % step;
    let folder = file.parent()?.strip_prefix(run).ok()?;
    let name = folder.display().to_string();
    let rows: Vec<Losses> = rows.into_iter().skip(offset).step_by(step).collect();
    (!rows.is_empty()).then_some(Fit { name, rows })
}

/// Returns the finished generations of a loop in a folder, up to the first that is missing.
pub(super) fn generations(folder: &Path) -> Vec<Generation> {
    let read = |number: u32| {
        let path = folder.join(format!("generation-{number:03}/generation.json"));
        serde_json::from_slice(&plain::read(&path, plain::SMALL).ok()?).ok()
    };
    (0..).map_while(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_newest_fit_and_the_generations_are_read() {
        let run = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = run.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            folder
        };
        let (first, second) =
            (folder("train/generation-000/fit"), folder("train/generation-001/fit"));
        let folders = [first.clone(), second];
        assert_eq!(newest_fit(run.path(), &folders), None);
        let header = "step,epoch,policy_loss,value_loss,held_out_policy_loss,held_out_value_loss";
        let rows: String = (1..=450).map(|step| format!("{step},0.1,2.5,,2.75,0.5\n")).collect();
        fs::write(first.join("metrics.csv"), format!("{header}\n{rows}451,torn")).unwrap();
        let fit = newest_fit(run.path(), &folders).unwrap();
        assert_eq!(fit.name, "train/generation-000/fit");
        assert!(fit.rows.len() <= POINTS);
        let last = fit.rows.last().unwrap();
        assert_eq!((last.step, last.value_loss, last.held_out_value_loss), (450, None, Some(0.5)));
        let outcome = r#"{"generation": 0, "accepted": true, "player": "x", "games": 60, "plies": 9,
            "fit": {"games": 60, "step": 4, "held_out_policy_loss": 2.5, "held_out_value_loss": null},
            "gate": {"games": 8, "score": 0.5, "elo": 1.5, "elo_low": -9.0, "elo_high": 12.0, "decision": "H1"}}"#;
        fs::write(run.path().join("train/generation-000/generation.json"), outcome).unwrap();
        let generations = generations(&run.path().join("train"));
        assert_eq!(generations.len(), 1);
        assert!(generations[0].accepted && generations[0].gate.as_ref().unwrap().elo == Some(1.5));
    }
}
