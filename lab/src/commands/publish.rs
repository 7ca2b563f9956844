//! `fusion publish`

use super::choices::Choices;
use fusion_jobs::exit::say;
use fusion_print::text::width;
use fusion_report::publish::{Moves, publish};
use fusion_report::terminal;
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
    /// Keep only the moves of this measurement or match; measure is the main measurement, strength
    /// the audit of strength; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "without_moves")]
    moves_of: Vec<String>,
    #[command(flatten)]
    choices: Choices,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let moves = match self.moves_of {
            names if self.without_moves || !names.is_empty() => Moves::Of(names),
            _ => Moves::All,
        };
        let (report, links) = publish(&self.run_dir, &self.out, &moves, self.choices.into())?;
        say(terminal::text(&report).render(width()).trim_end());
        links.iter().for_each(say);
        Ok(())
    }
}
