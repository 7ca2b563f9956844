//! `fusion-analysis`: from a run's games to its report.

use clap::{Args, Parser, Subcommand};
use fusion_analysis::pairs::Resampling;
use fusion_analysis::report::Options;
use fusion_analysis::{compare, endgames, plan, publish};
use fusion_jobs::escape::Escaped;
use fusion_jobs::exit::{CTRL_C, INTERRUPTED, exit_code};
use fusion_jobs::stop::Stop;
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
    /// Copy what a run's report is made from into a folder, compressed, with the report: all
    /// that others need to check it with `report`.
    Publish(PublishArgs),
    /// Solve small endings exactly under most rule sets, and look positions up.
    #[command(subcommand)]
    Endgames(endgames::command::Command),
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
struct CompareArgs {
    /// Folder of the first run; its games are in measure/games.csv or games.csv.
    a: PathBuf,
    /// Folder of the second run.
    b: PathBuf,
    /// Folder for compare.csv [default: none is written].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
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
    /// Start the programs that the study's file names (uci:...) to estimate the time.
    #[arg(long)]
    allow_programs: bool,
}

#[derive(Args)]
struct ReportArgs {
    /// Folder of the run; its games are in measure/games.csv or games.csv.
    run_dir: PathBuf,
    /// Folder for report.html, report/*.csv and games.html [default: the run's folder].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// First opening of games.html, which holds the games of as many openings as fit.
    #[arg(long, value_name = "OPENING", default_value_t = 0)]
    games_from: u64,
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
    /// Number of bootstrap resamples of a difference [draw margins take 2,000, piece values 400].
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    resamples: u32,
    /// Seed of the bootstrap.
    #[arg(long, default_value_t = 2020)]
    seed: u64,
}

fn main() -> ExitCode {
    fusion_jobs::exit::main(|cli: Cli| {
        let stop = Stop::on_signals()?;
        fusion_statistics::interrupt::ask(|| Stop::of_process().requested());
        // What fails once a stop is requested fails for that.
        run(cli.command).map_err(|error| match stop.check_unsaved() {
            Err(stopped) if ![INTERRUPTED, CTRL_C].contains(&exit_code(&error)) => stopped.into(),
            _ => error,
        })
    })
}

fn run(command: Command) -> anyhow::Result<()> {
    let terminal = &mut Escaped::new(std::io::stdout().lock());
    match command {
        Command::Report(args) => {
            let out = args.out.unwrap_or_else(|| args.run_dir.clone());
            let from = args.games_from;
            fusion_analysis::run_with_games(
                &args.run_dir,
                &out,
                args.choices.into(),
                from,
                terminal,
            )
        }
        Command::Plan(args) => {
            let calibration = (!args.no_calibration).then(|| Duration::from_secs(args.calibration));
            let PlanArgs { threads, allow_programs, .. } = args;
            let options = plan::Options { threads, calibration, allow_programs };
            plan::run(&args.study, options, terminal)
        }
        Command::Compare(args) => {
            let Options { primary, resampling } = args.choices.into();
            let options = compare::Options { primary, resampling, out: args.out };
            compare::run(&args.a, &args.b, &options, terminal)
        }
        Command::Publish(args) => {
            publish::publish(&args.run_dir, &args.out, args.choices.into(), terminal)
        }
        Command::Endgames(command) => endgames::command::run(command, terminal),
    }
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
