//! Speed of the alpha-beta search, and what it visits, for comparisons of two builds.
//!
//! ```text
//! speed check            nodes, value and best move of searches under several rules
//! speed time [NODES]     positions per second in orthodox chess
//! ```
//!
//! Both use the count of material and a network of random weights, 256 wide, and a mixture of the
//! two.

use fusion_chess::FusionGame;
use fusion_game::evaluator::MoveEvaluator;
use fusion_game::{Notation, Tactics, Views};
use fusion_network::views::{ViewEvaluator, ViewFloats, ViewNetwork, ViewSizes};
use fusion_search::pvs::{Limits, MaterialCount, Pvs, PvsConfig, PvsResult};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, LazyLock};

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

/// The count of material, and a little of what a network says, so that the search is like that of a
/// network that has learnt something.
struct Mixed(ViewEvaluator);

impl MoveEvaluator<FusionGame> for Mixed {
    fn begin(&mut self, game: &FusionGame) {
        self.0.begin(game);
    }

    fn make(&mut self, game: &FusionGame, undo: &<FusionGame as Tactics>::Undo) {
        self.0.make(game, undo);
    }

    fn unmake(&mut self) {
        MoveEvaluator::<FusionGame>::unmake(&mut self.0);
    }

    fn value(&mut self, game: &FusionGame) -> i32 {
        MoveEvaluator::value(&mut MaterialCount, game) + self.0.value(game).clamp(-400, 400) / 10
    }
}

/// A network with random weights.
fn network() -> ViewNetwork {
    let (inputs, stages) = (FusionGame::VIEW_INPUTS, FusionGame::STAGES);
    let sizes = ViewSizes { inputs, hidden: 256, stages };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut draw = |count: usize, spread: f32| -> Vec<f32> {
        let unit = |rng: &mut ChaCha8Rng| (rng.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0;
        (0..count).map(|_| spread * unit(&mut rng)).collect()
    };
    let floats = ViewFloats {
        sizes,
        input: draw(inputs * sizes.hidden, 0.15),
        input_bias: draw(sizes.hidden, 0.5),
        stage_hidden: draw(stages * 16 * 2 * sizes.hidden, 0.2),
        stage_hidden_bias: draw(stages * 16, 0.2),
        stage: draw(stages * 3 * 16, 0.5),
        stage_bias: draw(stages * 3, 0.2),
    };
    ViewNetwork::quantise::<FusionGame>(&floats).unwrap()
}

/// Returns the time that the program has had on a processor, which other programs disturb less than
/// the time of the clock.
fn seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/self/schedstat").expect("Linux counts the time");
    times.split(' ').next().and_then(|time| time.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn search(
    evaluator: Box<dyn MoveEvaluator<FusionGame>>,
    game: &FusionGame,
    limits: Limits,
) -> PvsResult<<FusionGame as fusion_game::Game>::Move> {
    Pvs::new(PvsConfig::default(), evaluator).search(game, limits, &|| false).unwrap()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "check".into());
    let nodes = arguments.next().map_or(1_000_000, |nodes| nodes.parse().unwrap());
    let only = arguments.next();
    let network = LazyLock::new(|| Arc::new(network()));
    let evaluator = |name: &str| -> Box<dyn MoveEvaluator<FusionGame>> {
        match name {
            "material" => Box::new(MaterialCount),
            "mixed" => Box::new(Mixed(ViewEvaluator::new(Arc::clone(&network)))),
            _ => Box::new(ViewEvaluator::new(Arc::clone(&network))),
        }
    };
    let game = |rules: &str, fen: &str| FusionGame::from_text(&rules.parse().unwrap(), fen);
    let names = ["material", "network", "mixed"].into_iter();
    for name in names.filter(|name| only.as_ref().is_none_or(|only| only == name)) {
        if mode == "time" {
            let mut rates = Vec::new();
            for (position, fen) in &POSITIONS[1..5] {
                let game = game("orthodox", fen).unwrap();
                let start = seconds();
                let found = search(evaluator(name), &game, Limits::nodes(nodes));
                let rate = found.nodes as f64 / (seconds() - start) / 1e3;
                print!("{position} {rate:.0}  ");
                rates.push(rate);
            }
            let mean = rates.iter().map(|rate| 1.0 / rate).sum::<f64>() / rates.len() as f64;
            println!("{name}: {:.0} thousand a second", 1.0 / mean);
            continue;
        }
        for rules in RULES {
            for (position, fen) in POSITIONS {
                let game = game(rules, fen).unwrap();
                for limits in [Limits::depth(8), Limits::nodes(60_000)] {
                    let found = search(evaluator(name), &game, limits);
                    let line: Vec<String> =
                        found.lines[0].moves.iter().map(ToString::to_string).collect();
                    println!(
                        "{name} {rules} {position}: depth {} nodes {} value {} {}",
                        found.depth,
                        found.nodes,
                        found.lines[0].value,
                        line.join(" ")
                    );
                }
            }
        }
    }
}
