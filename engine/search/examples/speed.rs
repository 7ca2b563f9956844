//! Speed of the alpha-beta search, and what it visits, for comparisons of two builds.
//!
//! ```text
//! speed check                          nodes, value and best line of searches under several rules
//! speed time [NODES] [EVALUATOR]       positions per second in orthodox chess
//! ```
//!
//! The evaluators are the count of material, a network of random weights, 256 wide, and the shipped
//! network, or the one that is named: `material`, `random` or a file.

use fusion_chess::FusionGame;
use fusion_chess::board::Move;
use fusion_game::evaluator::MoveEvaluator;
use fusion_game::{Game, Notation};
use fusion_network::model::MoveModel;
use fusion_network::views::{ViewEvaluator, ViewFloats, ViewNetwork};
use fusion_search::pvs::{Limits, Pvs, PvsConfig, PvsResult};
use std::sync::Arc;

const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/nets/family-pvs.fnet");

const RULES: [&str; 6] =
    ["orthodox", "fusion-1999", "fusion-2020", "metamorphin", "confederate", "union"];

const POSITIONS: [(&str, &str); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    ("middle 1", "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8"),
    ("middle 2", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    ("middle 3", "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16"),
    ("endgame", "8/5pk1/3p2p1/1p1Pn2p/1P2P2P/5PP1/r2B2K1/4R3 w - - 4 38"),
];

/// Returns the time that the program has had on a processor, which other programs disturb less than
/// the time of the clock.
fn seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/self/schedstat").expect("Linux counts the time");
    times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn search(evaluator: &str, game: &FusionGame, limits: Limits) -> PvsResult<Move> {
    let evaluator: Box<dyn MoveEvaluator<FusionGame>> = match evaluator {
        "random" => {
            let floats = ViewFloats::random::<FusionGame>(game.rules(), 256, 1).unwrap();
            let network = ViewNetwork::quantise::<FusionGame>(game.rules(), &floats).unwrap();
            Box::new(ViewEvaluator::new(Arc::new(network)))
        }
        name => {
            let model = MoveModel::open::<FusionGame>(name, [game.rules()]);
            model.expect("an evaluator").evaluator(1)
        }
    };
    let mut search = Pvs::new(PvsConfig::default(), game.rules(), evaluator);
    search.search(game, limits, &|| false).unwrap()
}

fn time(evaluator: &str, nodes: u64) {
    let mut rates = Vec::new();
    for (position, fen) in &POSITIONS[1..5] {
        let game = FusionGame::from_text(&"orthodox".parse().unwrap(), fen).unwrap();
        let start = seconds();
        let found = search(evaluator, &game, Limits::nodes(nodes));
        let rate = found.nodes as f64 / (seconds() - start) / 1e3;
        print!("{position} {rate:.0}  ");
        rates.push(rate);
    }
    let mean = rates.iter().map(|rate| 1.0 / rate).sum::<f64>() / rates.len() as f64;
    println!("{evaluator}: {:.0} thousand a second", 1.0 / mean);
}

fn check(evaluator: &str) {
    for (rules, (position, fen)) in RULES.iter().flat_map(|rules| POSITIONS.map(|at| (rules, at))) {
        let game = FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap();
        for limits in [Limits::depth(8), Limits::nodes(60_000)] {
            let PvsResult { lines, depth, nodes, .. } = search(evaluator, &game, limits);
            let line: Vec<String> = lines[0].moves.iter().map(ToString::to_string).collect();
            let (value, line) = (lines[0].value, line.join(" "));
            println!(
                "{evaluator} {rules} {position}: depth {depth} nodes {nodes} value {value} {line}"
            );
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "check".into());
    let nodes = arguments.next().map_or(1_000_000, |nodes| nodes.parse().unwrap());
    let only = arguments.next();
    let names = ["material", "random", SHIPPED].into_iter();
    for name in only.as_deref().map_or(names.collect(), |only| vec![only]) {
        match mode.as_str() {
            "time" => time(name, nodes),
            _ => check(name),
        }
    }
}
