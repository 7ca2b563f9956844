//! `fusion publish`

use super::choices::Choices;
use fusion_jobs::escape::Escaped;
use std::path::PathBuf;

/// Arguments of `publish`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the run
    run_dir: PathBuf,
    /// Folder to publish into
    out: PathBuf,
    #[command(flatten)]
    choices: Choices,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let terminal = &mut Escaped::new(std::io::stdout().lock());
        fusion_report::publish::publish(&self.run_dir, &self.out, self.choices.into(), terminal)
    }
}
