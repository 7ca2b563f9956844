//! `fusion check` by itself: `scripts/study` builds it first, in a minute, and finds mistakes before it
//! builds the rest.

use clap::Parser;
use fusion_study::CheckArgs;
use std::process::ExitCode;

/// Checks a study file and the files that it names, without playing anything.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    check: CheckArgs,
}

fn main() -> ExitCode {
    fusion_jobs::exit::main(|arguments: Arguments| arguments.check.run())
}
