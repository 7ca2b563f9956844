//! `fusion status`

use std::path::PathBuf;

use fusion_jobs::cluster::{Status, ranges};
use fusion_jobs::exit::{Failure, note, say};
use fusion_report::table::{Fields, Table};

use super::output::Output;
use super::steps;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the shards
    #[arg(required_unless_present = "study", conflicts_with = "study")]
    dir: Option<PathBuf>,
    /// Study file whose steps are shown, each with its missing tasks
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

impl Args {
    /// Prints the missing numbers of a run, or the steps of a study. Of a run only these numbers go
    /// to standard output, for a scheduler's command line.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(study) = &self.study {
            self.output.print_table(steps::table(&steps::read(study)?));
            return Ok(());
        }
        let dir = self.dir.unwrap_or_default();
        let status = Status::of(&dir)?;
        note(format_args!(
            "{}: {} of {} shards are whole, {} begun",
            dir.display(),
            status.complete.len(),
            status.shards,
            status.unfinished.len()
        ));
        if self.output.json {
            self.output.print_table(table(&status));
        } else {
            say(ranges(&status.missing()));
        }
        match status.corrupt.as_slice() {
            [] => Ok(()),
            damaged => {
                let reasons: Vec<&str> =
                    damaged.iter().map(|(_, reason)| reason.as_str()).collect();
                Err(Failure::corrupt(reasons.join("; ")).into())
            }
        }
    }
}

/// Returns the numbers of shards, and of those that are missing.
fn table(status: &Status) -> Table {
    Fields::<Status>::default()
        .count("shards", "shards", |status| u64::from(status.shards))
        .count("whole", "whole", |status| status.complete.len() as u64)
        .count("begun", "begun", |status| status.unfinished.len() as u64)
        .count("damaged", "damaged", |status| status.corrupt.len() as u64)
        .counts("missing", "missing", |status| {
            status.missing().into_iter().map(u64::from).collect()
        })
        .whole_table("status", "Shards of the run", [status])
}
