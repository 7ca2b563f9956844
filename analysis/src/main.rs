//! `fusion-analysis`: from a run's games to its report.

use clap::{Args, Parser, Subcommand};
use fusion_analysis::pairs::Resampling;
use fusion_analysis::publish;
use fusion_analysis::report::Options;
use std::path::PathBuf;
use std::process::ExitCode;

/// Statistics and reports on measurement games.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Analyse a run's games: tables here, CSV files and an HTML page in its folder.
    Report(ReportArgs),
    /// Copy what a run's report is made from into a folder, compressed, with the report: all
    /// that others need to check it with `report`.
    Publish(PublishArgs),
}

#[derive(Args)]
struct PublishArgs {
    /// Folder of the run.
    run_dir: PathBuf,
    /// Folder to publish into.
    out: PathBuf,
    #[command(flatten)]
    choices: Choices,
}

#[derive(Args)]
struct ReportArgs {
    /// Folder of the run; its games are in measure/games.csv or games.csv.
    run_dir: PathBuf,
    /// Folder for report.html and report/*.csv [default: the run's folder].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
}

/// What a reader may choose.
#[derive(Args)]
struct Choices {
    /// The comparison to judge: draws under rule set A minus draws under rule set B
    /// [default: the study's, else fusion-2020 fusion-1999].
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    primary: Option<Vec<String>>,
    /// Number of bootstrap resamples.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,
    /// Seed of the bootstrap.
    #[arg(long, default_value_t = 2020)]
    seed: u64,
}

fn main() -> ExitCode {
    fusion_engine::cli::main(|cli: Cli| {
        let terminal = &mut std::io::stdout().lock();
        match cli.command {
            Command::Report(args) => {
                let out = args.out.unwrap_or_else(|| args.run_dir.clone());
                fusion_analysis::run(&args.run_dir, &out, args.choices.into(), terminal)
            }
            Command::Publish(args) => {
                publish::publish(&args.run_dir, &args.out, args.choices.into(), terminal)
            }
        }
    })
}

impl From<Choices> for Options {
    fn from(choices: Choices) -> Self {
        let primary = choices.primary.and_then(|names| <[String; 2]>::try_from(names).ok());
        Options {
            primary: primary.map(|[first, second]| (first, second)),
            resampling: Resampling { resamples: choices.resamples, seed: choices.seed },
        }
    }
}
