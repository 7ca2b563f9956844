//! `fusion-selfplay check`

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use fusion_engine::fusion::FusionGame;
use fusion_selfplay::study::Study;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
}

impl Arguments {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let study = Study::open::<FusionGame>(&self.study)?;
        writeln!(stdout(), "{}", study.out().display())?;
        Ok(())
    }
}
