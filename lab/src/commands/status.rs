//! `fusion status`

use std::path::PathBuf;

use fusion_jobs::cluster::{Status, ranges};
use fusion_jobs::exit::{Failure, note, say};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the shards
    dir: PathBuf,
}

impl Args {
    /// Prints the missing numbers. Only these go to standard output, for a scheduler's command
    /// line.
    pub fn run(self) -> anyhow::Result<()> {
        let status = Status::of(&self.dir)?;
        note(format_args!(
            "{}: {} of {} shards are whole, {} begun",
            self.dir.display(),
            status.complete.len(),
            status.shards,
            status.unfinished.len()
        ));
        say(ranges(&status.missing()));
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
