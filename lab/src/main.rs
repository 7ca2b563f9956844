//! `fusion`: the program.

use std::process::ExitCode;

fn main() -> ExitCode {
    fusion_jobs::exit::main(fusion_lab::commands::run)
}
