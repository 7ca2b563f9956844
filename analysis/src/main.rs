//! `fusion-analysis`: from a run's games to its report.

use clap::{Args, Parser, Subcommand};
use fusion_analysis::pairs::Resampling;
use fusion_analysis::report::Options;
use fusion_analysis::{compare, plan};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    /// Say what a study will play, how long that takes here and what it can show.
    Plan(PlanArgs),
    /// Compare two runs: their settings, their draws and the effect of the rules in both.
    Compare(CompareArgs),
}

#[derive(Args)]
struct CompareArgs {
    /// Folder of the first run; its games are in measure/games.csv or games.csv.
    a: PathBuf,
    /// Folder of the second run.
    b: PathBuf,
    /// Folder for compare.csv [default: none is written].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The primary comparison: draws under rule set A minus draws under rule set B
    /// [default: fusion-2020 fusion-1999].
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    primary: Option<Vec<String>>,
    /// Number of bootstrap resamples.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,
    /// Seed of the bootstrap.
    #[arg(long, default_value_t = 2020)]
    seed: u64,
}

#[derive(Args)]
struct PlanArgs {
    /// Study file.
    study: PathBuf,
    /// Games played at a time [default: SLURM_CPUS_PER_TASK, else the number of cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How long to play a few games, from which the time of all is estimated.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    calibration: u64,
    /// Play no games and estimate no time.
    #[arg(long, conflicts_with = "calibration")]
    no_calibration: bool,
}

#[derive(Args)]
struct ReportArgs {
    /// Folder of the run; its games are in measure/games.csv or games.csv.
    run_dir: PathBuf,
    /// Folder for report.html and report/*.csv [default: the run's folder].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The comparison to judge: draws under rule set A minus draws under rule set B
    /// [default: fusion-2020 fusion-1999].
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
    fusion_engine::cli::main(|cli: Cli| match cli.command {
        Command::Report(args) => report(args),
        Command::Plan(args) => plan(&args),
        Command::Compare(args) => compare(args),
    })
}

fn report(args: ReportArgs) -> anyhow::Result<()> {
    let primary = args.primary.and_then(|names| <[String; 2]>::try_from(names).ok());
    let options = Options {
        primary: primary.map(|[first, second]| (first, second)),
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
    };
    let out = args.out.unwrap_or_else(|| args.run_dir.clone());
    fusion_analysis::run(&args.run_dir, &out, options, &mut std::io::stdout().lock())
}

fn plan(args: &PlanArgs) -> anyhow::Result<()> {
    let calibration = (!args.no_calibration).then(|| Duration::from_secs(args.calibration));
    let options = plan::Options { threads: args.threads, calibration };
    plan::run(&args.study, options, &mut std::io::stdout().lock())
}

fn compare(args: CompareArgs) -> anyhow::Result<()> {
    let primary = args.primary.and_then(|names| <[String; 2]>::try_from(names).ok());
    let options = compare::Options {
        primary: primary.map(|[first, second]| (first, second)),
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
        out: args.out,
    };
    compare::run(&args.a, &args.b, &options, &mut std::io::stdout().lock())
}
