//! The command line.

mod check;
mod generate;
mod matches;
mod measure;
mod openings;
mod random;
mod status;
mod technique;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use fusion_engine::fusion::FusionGame;
use fusion_engine::search::SearchConfig;
use fusion_jobs::cluster::ShardChoice;
use fusion_jobs::exit::Failure;
use fusion_selfplay::study::{Study, room_for};

/// Play training games, openings, measurement games, matches and endgames.
///
/// Settings come from a study file, from options, or both: an option overrides the file.
/// Exit codes: 0 done or already done; 64 usage; 65 corrupt input; 66 no such file;
/// 75 interrupted, run again to continue; 130 Ctrl-C; 1 anything else.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play training games into shards of records
    Generate(generate::Arguments),
    /// Make a pool of openings that are legal in all rule sets
    Openings(openings::Arguments),
    /// Play a study's measurements: a game for every rule set, node budget and opening
    Measure(measure::Arguments),
    /// Count the endings of games of random movers
    Random(random::Arguments),
    /// Play a match between two networks, evaluators or programs, or a study's matches
    Match(matches::Arguments),
    /// Try whether a network can mate a bare King
    Technique(technique::Arguments),
    /// Print the numbers of a run's missing shards, such as 3,7-9
    Status(status::Arguments),
    /// Check every key and value of a study file and print its folder
    Check(check::Arguments),
}

/// Options of every command that plays.
#[derive(Debug, Args)]
struct Common {
    /// Study file with the settings
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    /// Seed of everything random [default: the study's, else 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Games played at a time [default: SLURM_CPUS_PER_TASK, else the number of cores]
    #[arg(long)]
    threads: Option<usize>,
}

/// Options of runs that are dealt out to shards.
#[derive(Debug, Args)]
struct Sharding {
    /// Shard to make: a number from 0, or auto for the number that a scheduler gives this
    /// task (HQ_TASK_ID, SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, PBS_ARRAY_INDEX,
    /// SGE_TASK_ID) and, without one, for all shards in turn
    #[arg(long, default_value = "auto")]
    shard: ShardChoice,
    /// Number of shards of the run [default: the study's, else 1]
    #[arg(long)]
    shards: Option<u32>,
}

/// Runs the program.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let done = match arguments.command {
        Command::Generate(arguments) => arguments.run(),
        Command::Openings(arguments) => arguments.run(),
        Command::Measure(arguments) => arguments.run(),
        Command::Random(arguments) => arguments.run(),
        Command::Match(arguments) => arguments.run(),
        Command::Technique(arguments) => arguments.run(),
        Command::Check(arguments) => arguments.run(),
        Command::Status(arguments) => arguments.run(),
    };
    done.map_err(|error| {
        if is_disk_full(&error) {
            error.context("free some space and run the same command to continue")
        } else {
            error
        }
    })
}

fn is_disk_full(error: &anyhow::Error) -> bool {
    let full = |io: &std::io::Error| io.kind() == std::io::ErrorKind::StorageFull;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(full))
}

impl Common {
    fn study(&self) -> anyhow::Result<Option<Study>> {
        self.study.as_deref().map(Study::open::<FusionGame>).transpose()
    }

    fn seed(&self, study: Option<&Study>) -> u64 {
        self.seed.or(study.map(|study| study.study.seed)).unwrap_or(1)
    }
}

/// A path given by an option, else one inside the study's folder.
fn path_or(
    given: Option<PathBuf>,
    study: Option<&Study>,
    inside: &str,
    option: &str,
) -> Result<PathBuf, Failure> {
    given
        .or_else(|| study.map(|study| study.out().join(inside)))
        .ok_or_else(|| Failure::usage(format!("give {option} or --study")))
}

/// A network or evaluator given by an option, else the study's best network.
fn network_or(
    given: Option<String>,
    study: Option<&Study>,
    option: &str,
) -> Result<String, Failure> {
    let best = |study: &Study| path_text(&study.network());
    given.or_else(|| study.map(best)).ok_or_else(|| {
        Failure::usage(format!(
            "give {option} or --study: uniform, material, rollout or a network file"
        ))
    })
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The same search with room in its tree for so many nodes, where no study says how much it has.
fn with_room(search: SearchConfig, study: Option<&Study>, nodes: u32) -> SearchConfig {
    if study.is_some() {
        return search;
    }
    SearchConfig { max_nodes: search.max_nodes.max(room_for(nodes)), ..search }
}

/// An option, the key of a study that it replaces, and whether it was given.
type Replaced = (&'static str, &'static str, bool);

/// Puts options in the place of keys that an error names: of those that were given, and of all
/// where there is no study with keys.
fn by_option<T>(
    checked: Result<T, Failure>,
    study: Option<&Study>,
    options: &[Replaced],
) -> Result<T, Failure> {
    checked.map_err(|error| {
        let mut message = error.to_string();
        for (option, key, _) in options.iter().filter(|(_, _, given)| *given || study.is_none()) {
            message = message.replace(key, option);
        }
        Failure::usage(message)
    })
}

/// Replaces a setting where an option was given.
fn set<T>(setting: &mut T, option: Option<T>) {
    if let Some(value) = option {
        *setting = value;
    }
}

/// Parses `FROM-TO` or a single number of plies.
fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let number =
        |text: &str| text.trim().parse().map_err(|_| format!("`{text}` is no number of plies"));
    match text.split_once('-') {
        Some((from, to)) => Ok((number(from)?, number(to)?)),
        None => number(text).map(|plies| (plies, plies)),
    }
}
