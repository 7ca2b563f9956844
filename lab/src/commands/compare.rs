//! `fusion compare`

use super::choices::Choices;
use super::output::Output;
use fusion_results::compare;
use fusion_results::report::Options;
use std::path::PathBuf;

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the first run; its games are in measure/games.csv or games.csv
    a: PathBuf,
    /// Folder of the second run
    b: PathBuf,
    /// Folder for compare.csv [default: none is written]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    output: Output,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Options { primary, inference, .. } = self.choices.into();
        let options = compare::Options { primary, inference, out: self.out };
        self.output.print(&compare::run(&self.a, &self.b, &options)?);
        Ok(())
    }
}
