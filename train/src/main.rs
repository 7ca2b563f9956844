//! Training networks for Fusion Chess.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use fusion_game::CompleteGame;
use fusion_jobs::cluster::{self, ShardChoice};
use fusion_jobs::exit::{self, Failure, note, say};
use fusion_jobs::runner::already_complete;
use fusion_jobs::stop::Stop;
use fusion_network::Sizes;
use fusion_registry::{KnownGame, for_game};
use fusion_runner::generate::{self, GROUP};
use fusion_statistics::rating::Rating;
use fusion_study::{
    EvaluatorKind, NetworkConfig, SearchKind, Study, TRAIN, TrainConfig, allow_programs,
    generation_folder,
};
use fusion_train::average::average;
use fusion_train::device;
use fusion_train::fit::{Fit, NETWORK};
use fusion_train::for_architecture;
use fusion_train::generations::{self, BEST, Loop};
use fusion_train::ladder::{self, Ladder};
use fusion_train::shards::Reader;
use fusion_train::torch::TorchEvaluator;
use indicatif::HumanCount;

#[derive(Parser)]
#[command(version, max_term_width = 100, about = "Train networks from self-play games")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fit a network to the games in folders of shards
    Fit(FitArgs),
    /// Average the weights of networks that were trained on from one another
    Average(AverageArgs),
    /// Play, train and gate generations of networks, with the settings of a study file
    Loop(LoopArgs),
    /// Rate a loop's generations and fixed players on one Elo scale, by matches
    Ladder(LoopArgs),
    /// Play training games: those of a loop's generation, or with libtorch for a study with
    /// evaluator = "torch"
    Generate(GenerateArgs),
    /// Learn from the games of a loop's generation, whose shards are all there
    Learn(LearnArgs),
}

#[derive(clap::Args)]
struct FitArgs {
    /// Folders of self-play shards, each with one whole run
    #[arg(long, required = true, num_args = 1.., value_name = "DIR")]
    shards: Vec<PathBuf>,
    /// Folder of the results; an interrupted fit in it is continued
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Network to begin with, net.safetensors or a .fnet [default: random weights]
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Study file whose sections [train] and [network] and whose seed are used
    #[arg(long, visible_alias = "config", value_name = "FILE")]
    study: Option<PathBuf>,
    /// Search that the network is for: tree or pvs [default: the study's]
    #[arg(long, value_name = "SEARCH", value_parser = parse_search)]
    search: Option<SearchKind>,
    /// Width of the hidden layer [default: the study's]
    #[arg(long, value_name = "N")]
    hidden: Option<u32>,
    /// Seed of initial weights and order of positions [default: the study's]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(clap::Args)]
struct AverageArgs {
    /// Networks, net.safetensors or .fnet files
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    networks: Vec<PathBuf>,
    /// Folder of the result, net.fnet and net.safetensors
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Study file whose section [network] is used
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,
    /// Search that the networks are for: tree or pvs [default: the study's]
    #[arg(long, value_name = "SEARCH", value_parser = parse_search)]
    search: Option<SearchKind>,
    /// Width of the hidden layer [default: the study's]
    #[arg(long, value_name = "N")]
    hidden: Option<u32>,
}

#[derive(clap::Args)]
struct LoopArgs {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Folder of the generations [default: train in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Start the programs that the study's file names as players of its ladder (uci:...)
    #[arg(long)]
    allow_programs: bool,
}

#[derive(clap::Args)]
struct GenerateArgs {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Generation of the study's loop to play for, with its settings, seed, player and folder
    #[arg(long, value_name = "N", conflicts_with_all = ["network", "seed", "out"])]
    generation: Option<u32>,
    /// Float weights (net.safetensors) that play
    #[arg(long, value_name = "FILE", required_unless_present = "generation")]
    network: Option<PathBuf>,
    /// Folder of the shards [default: games in the study's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Shard to make: a number from 0, or auto for the number that a scheduler gives this
    /// task and, without one, for all shards in turn
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    shard: ShardChoice,
    /// Seed of everything random [default: the study's]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Groups of games played at a time [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(clap::Args)]
struct LearnArgs {
    /// The study file
    #[arg(value_name = "FILE")]
    study: PathBuf,
    /// Generation to learn
    #[arg(long, value_name = "N")]
    generation: u32,
    /// Threads [default: the scheduler's cores, else all]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

fn main() -> ExitCode {
    device::set_environment();
    exit::main(|args: Args| match args.command {
        Command::Fit(args) => for_game!(game(args.study.as_deref())?, G => fit::<G>(&args)),
        Command::Average(args) => {
            for_game!(game(args.study.as_deref())?, G => write_average::<G>(&args))
        }
        Command::Loop(args) => for_game!(game(Some(&args.study))?, G => run_loop::<G>(&args)),
        Command::Ladder(args) => for_game!(game(Some(&args.study))?, G => run_ladder::<G>(&args)),
        Command::Generate(args) => {
            for_game!(game(Some(&args.study))?, G => generate_games::<G>(&args))
        }
        Command::Learn(args) => for_game!(game(Some(&args.study))?, G => learn::<G>(&args)),
    })
}

fn fit<G: CompleteGame>(args: &FitArgs) -> anyhow::Result<()> {
    let threads = cluster::threads(args.threads)?;
    let device = device::prepare(threads);
    let study = args.study.as_deref().map(Study::open::<G>).transpose()?;
    let (network, train, seed) = match &study {
        Some(study) => (study.network.clone(), study.train.clone(), study.study.seed),
        None => (NetworkConfig::default(), TrainConfig::default(), 1),
    };
    let rules = training_rules::<G>(study.as_ref())?;
    let hidden = args.hidden.unwrap_or(network.hidden);
    let search = args.search.unwrap_or(network.search);
    for_architecture!(search, A => A::check_width(hidden as usize))
        .map_err(|error| Failure::usage(format!("--hidden: {error}")))?;
    let stop = Stop::on_signals()?;
    note(format_args!("training on {}", device::describe(device, threads)));
    let fit = Fit {
        shards: &args.shards,
        out: &args.out,
        initial: args.init.as_deref(),
        config: &train,
        hidden: hidden as usize,
        seed: args.seed.unwrap_or(seed),
        newest: args.shards.len(),
        pool: &cluster::pool(args.threads)?,
        device,
    };
    let report = for_architecture!(search, A => {
        fit.run::<G, A>(&rules, &mut Reader::new::<G>(&rules, &train, &args.out), &stop)
    })?;
    say(format_args!(
        "{}: {} steps over {} positions of {} games ({} more held out)",
        args.out.join(NETWORK).display(),
        HumanCount(report.last.step),
        HumanCount(report.positions),
        HumanCount(report.games),
        HumanCount(report.held_out)
    ));
    Ok(())
}

/// Returns a rule set of a study's training games, or the usual one of the game.
fn training_rules<G: CompleteGame>(study: Option<&Study>) -> Result<G::Rules, Failure> {
    study.map(|study| study.selfplay.clone()).unwrap_or_default().first_rules::<G>()
}

fn write_average<G: CompleteGame>(args: &AverageArgs) -> anyhow::Result<()> {
    let study = args.study.as_deref().map(Study::open::<G>).transpose()?;
    let rules = training_rules::<G>(study.as_ref())?;
    let network = study.map(|study| study.network).unwrap_or_default();
    let hidden = args.hidden.unwrap_or(network.hidden) as usize;
    let search = args.search.unwrap_or(network.search);
    for_architecture!(search, A => average::<G, A>(&rules, &args.networks, hidden, &args.out))?;
    let path = args.out.join(NETWORK);
    say(format_args!("{}: the average of {} networks", path.display(), args.networks.len()));
    Ok(())
}

impl LoopArgs {
    /// Folder of the loop. Its networks are players, and those are named by text.
    fn out(&self, study: &Study) -> Result<PathBuf, Failure> {
        let out = self.out.clone().unwrap_or_else(|| study.out().join(TRAIN));
        match out.to_str() {
            Some(_) => Ok(out),
            None => {
                let message = format!("--out {}: the name is no text in UTF-8", out.display());
                Err(Failure::usage(message))
            }
        }
    }
}

fn run_loop<G: CompleteGame>(args: &LoopArgs) -> anyhow::Result<()> {
    let threads = cluster::threads(args.threads)?;
    let device = device::prepare(threads);
    let study = Study::open::<G>(&args.study)?;
    allow_programs(&study.ladder_programs(), args.allow_programs)?;
    let stop = Stop::on_signals()?;
    let out = args.out(&study)?;
    note(format_args!("training on {}", device::describe(device, threads)));
    let pool = cluster::pool(args.threads)?;
    let run = Loop { study: &study, out: &out, pool: &pool, device };
    let outcomes = run.run::<G>(&stop)?;
    match generations::newest_accepted(&outcomes) {
        Some(best) => say(format_args!(
            "{}: the network of generation {}",
            out.join(BEST).display(),
            best.generation
        )),
        None => say(format_args!(
            "no generation's network was accepted; {} plays best",
            study.train.start
        )),
    }
    Ok(())
}

fn run_ladder<G: CompleteGame>(args: &LoopArgs) -> anyhow::Result<()> {
    let study = Study::open::<G>(&args.study)?;
    allow_programs(&study.ladder_programs(), args.allow_programs)?;
    let out = args.out(&study)?;
    let outcomes = generations::finished::<G>(&study, &out)?;
    let stop = Stop::on_signals()?;
    let config = study.ladder.clone().unwrap_or_default();
    let pool = cluster::pool(args.threads)?;
    let ladder = Ladder { study: &study, config: &config, out: &out, pool: &pool };
    let rows = ladder.run::<G>(&outcomes, &stop)?;
    for row in rows.iter().filter(|row| row.rules == ladder::ALL) {
        let Rating { elo, low, high } = row.rating;
        say(format_args!("{:<24} {elo:+6.0} Elo ({low:+.0} to {high:+.0})", row.entrant.name));
    }
    say(format_args!("{}: the same for each rule set", out.join(ladder::TABLE).display()));
    Ok(())
}

fn generate_games<G: CompleteGame>(args: &GenerateArgs) -> anyhow::Result<()> {
    let threads = cluster::threads(args.threads)?;
    let study = Study::open::<G>(&args.study)?;
    if let Some(number) = args.generation {
        return generate_generation::<G>(args, &study, number, threads);
    }
    let config = study.selfplay_without_stages(&args.study)?;
    if config.evaluator != EvaluatorKind::Torch {
        let message = "the study says selfplay.evaluator = \"native\": \
                       use fusion generate, or ask for torch";
        return Err(Failure::usage(message).into());
    }
    let shards = args.shard.resolve(config.shards)?;
    let device = device::prepare(threads);
    let network = args.network.as_deref().unwrap_or(Path::new(""));
    let evaluator = TorchEvaluator::<G>::load(&config.first_rules::<G>()?, network, device)?;
    let out = args.out.clone().unwrap_or_else(|| study.out().join("games"));
    let seed = args.seed.unwrap_or(study.study.seed);
    let pool = cluster::pool(args.threads)?;
    let stop = Stop::on_signals()?;
    note(format_args!("evaluating on {}", device::describe(device, threads)));
    let summary = pool
        .install(|| generate::run_batched(config, GROUP, &evaluator, seed, &out, shards, &stop))?;
    if summary.new_shards == 0 {
        say(already_complete(&out));
    }
    say(summary);
    Ok(())
}

/// Plays a task's share of the games of a loop's generation.
fn generate_generation<G: CompleteGame>(
    args: &GenerateArgs,
    study: &Study,
    number: u32,
    threads: usize,
) -> anyhow::Result<()> {
    let device = match study.selfplay.evaluator {
        EvaluatorKind::Torch => device::prepare(threads),
        EvaluatorKind::Native => tch::Device::Cpu,
    };
    let shards = args.shard.resolve(study.selfplay_of(number).shards)?;
    let stop = Stop::on_signals()?;
    let (out, pool) = (study.out().join(TRAIN), cluster::pool(args.threads)?);
    let run = Loop { study, out: &out, pool: &pool, device };
    let summary = run.generate::<G>(number, shards, &stop)?;
    if summary.new_shards == 0 {
        say(already_complete(&generation_folder(&out, number).join("games")));
    }
    say(summary);
    Ok(())
}

fn learn<G: CompleteGame>(args: &LearnArgs) -> anyhow::Result<()> {
    let threads = cluster::threads(args.threads)?;
    let device = device::prepare(threads);
    let study = Study::open::<G>(&args.study)?;
    let stop = Stop::on_signals()?;
    let out = study.out().join(TRAIN);
    note(format_args!("training on {}", device::describe(device, threads)));
    let pool = cluster::pool(args.threads)?;
    let run = Loop { study: &study, out: &out, pool: &pool, device };
    if run.learn_from_shards::<G>(args.generation, &stop)?.is_none() {
        say(already_complete(&generation_folder(&out, args.generation)));
    }
    Ok(())
}

fn parse_search(text: &str) -> Result<SearchKind, String> {
    match text {
        "tree" => Ok(SearchKind::Tree),
        "pvs" => Ok(SearchKind::Pvs),
        other => Err(format!("`{other}` is neither tree nor pvs")),
    }
}

/// Returns the game of a study, or the default game without one.
fn game(study: Option<&Path>) -> anyhow::Result<KnownGame> {
    let study = study.map(Study::read).transpose()?;
    let game = study.map(|study| KnownGame::of_rules(study.measure.first_rules()));
    Ok(game.unwrap_or_default())
}
