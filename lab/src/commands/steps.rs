//! `fusion steps`: the steps of a study, and what is missing of them.

use std::path::{Path, PathBuf};

use fusion_jobs::cluster::ranges;
use fusion_jobs::exit::say;
use fusion_print::table::{Fields, Table};
use fusion_registry::for_game;
use fusion_study::{Step, Study};
use serde_json::{Value, json};

use crate::steps::command;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Print one JSON document: name, command, predecessors, tasks, most cores of a task, use of a
    /// GPU, result and missing tasks of each step
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let steps = read(&self.study)?;
        if self.json {
            let steps: Result<Vec<Value>, _> = steps.iter().map(document).collect();
            say(serde_json::to_string_pretty(&json!({ "steps": steps? }))?);
            return Ok(());
        }
        let mut text = fusion_print::text::Text::default();
        text.table(table(&steps));
        say(text.render(fusion_print::text::width()).trim_end());
        Ok(())
    }
}

/// Reads the steps of a study.
pub(super) fn read(file: &Path) -> anyhow::Result<Vec<Step>> {
    Ok(for_game!(Study::read(file)?.game(), G => {
        Study::open::<G>(file)?.steps::<G>(file, false)
    })?)
}

/// Returns a step with what is missing.
fn document(step: &Step) -> serde_json::Result<Value> {
    let missing = step.missing();
    let mut value = serde_json::to_value(step)?;
    // A program that is not built yet has no path.
    value["command"] = command::words(step).unwrap_or_else(|_| step.command.clone()).into();
    value["missing"] = ranges(&missing).into();
    value["done"] = missing.is_empty().into();
    Ok(value)
}

/// Returns the table of steps.
pub(super) fn table(steps: &[Step]) -> Table {
    Fields::<Step>::default()
        .text("step", "step", |step| step.name.clone())
        .count("tasks", "tasks", |step| u64::from(step.tasks))
        .text("missing", "missing", |step| match &*step.missing() {
            [] => "none".to_owned(),
            missing => ranges(missing),
        })
        .text("after", "after", |step| step.after.join(", "))
        .whole_table("steps", "Steps of the study", steps)
}
