//! `bench`: the speed of each part, beside the machine's limits and other programs.
//!
//! Every figure is the median of several runs. Each run measures all contenders of a comparison in
//! turn, so that a disturbance of the machine affects them equally. The ceilings are measured once,
//! at the beginning.

mod ceilings;
mod inference;
mod movegen;
mod pvs;
mod search;
mod selfplay;
mod signature;
mod table;
mod timing;
mod uci_peer;

use super::play::shipped;
use anyhow::Context;
use fusion_game::{CompleteGame, OpenError};
use fusion_jobs::escape::Escaped;
use fusion_network::Network;
use fusion_network::model::{Model, MoveModel};
use fusion_registry::{KnownGame, for_game};
use fusion_study::{failure, rule_set};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use table::Table;
use uci_peer::UciPeer;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Repetitions of each measurement; medians are printed
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Network to measure with, instead of one 256 wide with random weights
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// UCI engine to compare move counts with (`go perft`); may be repeated
    #[arg(long, value_name = "FILE")]
    uci_peer: Vec<PathBuf>,
    /// Smaller depths, searches and numbers of games: rough figures in seconds
    #[arg(long)]
    quick: bool,
    /// Print only the signatures: move counts and searches, condensed into a number for each search
    #[arg(long, conflicts_with_all = ["runs", "network", "uci_peer", "quick"])]
    signature: bool,
    /// A rule set to measure searches, networks and self-play with [default: fusion-2020]. Moves are
    /// counted in the positions of its game, and signatures are of its game
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
}

/// The amount of work in a measurement.
struct Effort {
    runs: usize,
    /// Plies by which move counts are shallower than usual.
    shallower: u32,
    /// Nodes of a search.
    nodes: u32,
    /// Number of training games.
    games: u32,
}

impl Effort {
    fn new(runs: u16, quick: bool) -> Self {
        let runs = runs.into();
        if quick {
            Self { runs, shallower: 1, nodes: 2_000, games: 8 }
        } else {
            Self { runs, shallower: 0, nodes: 10_000, games: 128 }
        }
    }
}

/// The source of networks: a file, or the benchmark's own network.
struct Weights(Option<PathBuf>);

impl Weights {
    fn network<G: CompleteGame>(&self, rules: &G::Rules) -> anyhow::Result<Network> {
        let Some(path) = &self.0 else {
            return fusion_network::benchmark_network::<G>(rules).map_err(anyhow::Error::msg);
        };
        let opened = Network::load::<G>(rules, path);
        Ok(opened.map_err(|error| failure(OpenError::new(error.kind(), error.to_string())))?)
    }

    fn name(&self, network: &Network) -> String {
        let width = network.sizes().hidden;
        match &self.0 {
            Some(path) => format!("{}, {width} wide", path.display()),
            None => format!("{width} wide, random weights"),
        }
    }
}

/// Measures and prints the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let game = args.rules.as_deref().map(KnownGame::of_rules).unwrap_or_default();
    for_game!(game, G => measure::<G>(args, game))
}

fn measure<G: CompleteGame>(args: &Args, game: KnownGame) -> anyhow::Result<()> {
    // Errors in the arguments are reported before any long work begins.
    let rules = rule_set::<G>(args.rules.as_deref().unwrap_or(G::BENCHMARK.rules));
    let rules = rules.map_err(|error| error.under("--rules"))?;
    let mut out = Escaped::new(std::io::stdout());
    if args.signature {
        writeln!(out, "{}", signatures::<G>()?)?;
        return Ok(());
    }
    let weights = Weights(args.network.clone());
    let network = weights.network::<G>(&rules).context("--network")?;
    let start = |path: &PathBuf| UciPeer::start(path);
    let mut peers: Vec<UciPeer> = args.uci_peer.iter().map(start).collect::<Result<_, _>>()?;
    let effort = Effort::new(args.runs, args.quick);

    let mut table = Table::new(out);
    table.text(&heading(args, &weights.name(&network)))?;
    let ceilings = ceilings::measure(&mut table, &effort)?;
    movegen::measure::<G>(&mut table, &effort, &mut peers)?;
    drop(peers);
    inference::measure::<G>(&mut table, &effort, &rules, &weights, &ceilings)?;
    let model = Model::of(network);
    search::measure::<G>(&mut table, &effort, &rules, &model)?;
    let shipped = game.network().map(|_| shipped::<G>(game, &rules)).transpose()?;
    let shipped = shipped.map(MoveModel::Model);
    pvs::measure::<G>(&mut table, &effort, &rules, shipped)?;
    selfplay::measure::<G>(&mut table, &effort, &rules, &model)?;
    table.text(LEGEND)?;
    table.text(&signatures::<G>()?)
}

/// Returns the lines with the signatures of both searches.
fn signatures<G: CompleteGame>() -> anyhow::Result<String> {
    let model = |rules: &G::Rules| {
        let network = fusion_network::benchmark_network::<G>(rules);
        network.map(Model::of).map_err(anyhow::Error::msg)
    };
    let tree = signature::signature::<G>(model)?;
    let pvs = signature::pvs::<G>(|rules| {
        Ok(vec![
            MoveModel::open::<G>("material", [rules])?,
            MoveModel::Model(model(rules)?),
            MoveModel::Views(Arc::new(pvs::view_network::<G>(rules)?)),
        ])
    })?;
    Ok(format!("signature: {tree}\nalpha-beta signature: {pvs}"))
}

fn heading(args: &Args, network: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let runs = if args.runs == 1 { "1 run".into() } else { format!("{} runs", args.runs) };
    let mut text = format!(
        "fusion bench {version}: medians of {runs}, one thread unless said otherwise\n\
         network: {network}"
    );
    if args.quick {
        text += "\n--quick: smaller depths, searches and numbers of games; the figures are rough";
    }
    if cfg!(target_feature = "avx512vnni") {
        text += "\nbuilt for this processor: the compiler may use its newer instructions, such as VNNI's,\n\
                 in the portable and the AVX2 kernel too";
    }
    if cfg!(debug_assertions) {
        text += "\nNOT A RELEASE BUILD: the figures say nothing about the program as released";
    }
    text
}

const LEGEND: &str = "
Operations of a leaf: two for each multiply-add of the value head's hidden layer and of the
different policy rows of legal moves, one for each addition of an input weight, counted as if all were
added afresh. `Value, then policy` is one leaf with both; a search asks for the policy later, if
it comes back. The leaves are in random order, so that they gain little from the sums of the one
before; in a search they gain much. Shares are of the ceilings measured above in this run.
Time split of a search: the same search was run by hand with a clock around the evaluator and
around repeated move generation, which finds warm caches; making moves is about the number of
moves on the way to all leaves times the cost of one, the copy of the root included; the tree
and the rest are what remains of the time of an undisturbed search.
Self-play: whole games with every move searched, opened by random moves, without writing records.
* measured before on a machine of this kind, playing chess with the programs' own networks
";
