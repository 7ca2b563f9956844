//! `fusion train`

use anyhow::Context;
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_jobs::system;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Arguments of `train`: those of `fusion-train`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Command and arguments of fusion-train: fit, average, loop, ladder, generate; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Args {
    /// Runs `fusion-train` in place of this program, so that signals reach it and its exit code is
    /// returned.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let program = program()?;
        let error = system::replace_process(Command::new(&program).args(self.arguments));
        Err(error).with_context(|| format!("starting {}", program.display()))
    }
}

/// Returns the path of `fusion-train`, which is in the folder of this program.
///
/// # Errors
/// Fails if there is no such program (exit code 66).
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("finding the folder of this program")?;
    let program = own.with_file_name(format!("fusion-train{}", std::env::consts::EXE_SUFFIX));
    if !program.is_file() {
        let message = format!(
            "{}: there is no such program. It trains networks and needs libtorch: \
             ./scripts/setup torch gets libtorch, and cargo build --release -p fusion-train builds \
             the program",
            program.display()
        );
        return Err(Failure::new(NO_INPUT, message).into());
    }
    Ok(program)
}
