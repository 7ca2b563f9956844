//! `fusion-engine`: move counts, legal moves, benchmarks and the UCI protocol.

mod commands;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Rules, search and play of Fusion Chess and its rule sets.
#[derive(Parser)]
#[command(version, about)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Counts legal move sequences, or checks a table of such counts.
    Perft(commands::perft::Args),
    /// Lists the legal moves of a position in coordinate and algebraic notation.
    Moves(commands::moves::Args),
    /// Measures rules, inference, search and self-play, beside the machine and peers.
    Bench(commands::bench::Args),
    /// Plays by the Universal Chess Interface on standard input and output.
    Uci,
}

fn main() -> ExitCode {
    fusion_jobs::exit::main(|args: Args| match args.command {
        Command::Perft(args) => commands::perft::run(&args),
        Command::Moves(args) => commands::moves::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Uci => commands::uci::run(),
    })
}
