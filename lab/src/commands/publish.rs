//! `fusion publish`

use super::choices::Choices;
use fusion_jobs::exit::say;
use fusion_report::publish::{Moves, publish};
use fusion_report::terminal;
use fusion_report::text::width;
use std::path::PathBuf;

/// Arguments of `publish`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run
    run_dir: PathBuf,
    /// Folder to publish into
    out: PathBuf,
    /// Leave out the moves of the games, which take nine tenths of the space. Their results, events
    /// and hashes stay
    #[arg(long)]
    without_moves: bool,
    #[command(flatten)]
    choices: Choices,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let moves = if self.without_moves { Moves::None } else { Moves::All };
        let (report, links) = publish(&self.run_dir, &self.out, moves, self.choices.into())?;
        say(terminal::text(&report).render(width()).trim_end());
        links.iter().for_each(say);
        Ok(())
    }
}
