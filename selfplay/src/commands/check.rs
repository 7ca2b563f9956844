//! `fusion-selfplay check`

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;
use fusion_engine::cli::escape::Escaped;
use fusion_engine::cli::say;
use fusion_engine::fusion::FusionGame;
use fusion_selfplay::study::Study;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// As if it named no network: the study that trains its own
    #[arg(long)]
    train: bool,
    /// Print the study with all its keys instead of its folder and, on a second line, the
    /// network that it names
    #[arg(long)]
    toml: bool,
}

impl Arguments {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let study = Study::open::<FusionGame>(&self.study)?;
        let study = if self.train { study.training() } else { study };
        if self.toml {
            return Ok(write!(Escaped::new(stdout()), "{}", toml::to_string(&study)?)?);
        }
        say(study.out().display());
        if let Some(network) = study.network.file {
            say(network.display());
        }
        Ok(())
    }
}
