//! `fusion completions`

use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    /// Prints the script that completes commands and options in the shell.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        generate(self.shell, &mut super::Args::command(), "fusion", &mut script);
        Ok(std::io::Write::write_all(&mut std::io::stdout(), &script)?)
    }
}
