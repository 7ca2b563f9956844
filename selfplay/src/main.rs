//! Self-play, openings, measurement games and matches of Fusion Chess.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    fusion_jobs::exit::main(commands::run)
}
