//! Search: playouts a second, memory, and where the time goes.
//!
//! The split is measured without probes in the search, which would cost as much as what
//! they measure. The same search is run once by hand and every position that it asks about
//! is recorded. Then inference alone is timed over the recorded positions in their order,
//! and so is move generation. Moves made are counted from the depths of the leaves and
//! charged at the cost of a move in random lines of the mean depth, each begun by the copy
//! of the root with which a descent begins. What remains is the tree and everything else.

use super::Effort;
use super::table::{Table, commas};
use super::timing::{Work, medians, timed};
use fusion_engine::benchmark;
use fusion_engine::board::{Color, Move};
use fusion_engine::evaluator::Evaluator;
use fusion_engine::fusion::FusionGame;
use fusion_engine::game::Game;
use fusion_engine::model::Model;
use fusion_engine::rules::RuleSet;
use fusion_engine::search::{Proof, Request, Search, SearchConfig};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::io::Write;

/// Random lines on which the cost of a move is measured.
const LINES: usize = 1_000;

/// A position that the search asked about.
enum Asked {
    Value(FusionGame),
    Policy(FusionGame, Vec<Move>),
}

/// A search that was run by hand.
#[derive(Default)]
struct Record {
    asked: Vec<Asked>,
    playouts: u32,
    /// Moves made on the way from the root to all leaves.
    plies: u64,
    nodes: usize,
}

/// Seconds, and what they were spent on; sums over searches.
#[derive(Default)]
struct Costs {
    playouts: f64,
    nodes: usize,
    plies: u64,
    search: f64,
    inference: f64,
    movegen: f64,
    moves: f64,
}

/// Measures and prints.
pub fn measure(
    table: &mut Table<impl Write>,
    effort: &Effort,
    model: &Model,
) -> anyhow::Result<()> {
    let rules = RuleSet::preset("fusion-2020")?;
    let nodes = commas(effort.nodes.into());
    table.section(&format!("Search under fusion-2020, {nodes} nodes"))?;
    let middle_games = benchmark::middle_games(&rules);
    let sets = [
        ("start position".into(), vec![FusionGame::new(&rules)]),
        (format!("{} middle games", middle_games.len()), middle_games),
    ];
    for (name, games) in sets {
        let mut costs = Costs::default();
        for game in &games {
            costs.add(game, effort, model)?;
        }
        table.part(&name)?;
        costs.print(table)?;
    }
    Ok(())
}

impl Costs {
    fn add(&mut self, game: &FusionGame, effort: &Effort, model: &Model) -> anyhow::Result<()> {
        let record = record(game, model.evaluator(0).as_mut(), effort.nodes);
        let depth = record.plies.div_ceil(record.playouts.into());
        let lines = random_lines(game, depth as usize);
        let mut contenders: [Work; 4] = [
            Box::new(|| {
                let mut search = Search::new(SearchConfig::default(), game.clone());
                let mut evaluator = model.evaluator(0);
                Ok(timed(|| search.run(evaluator.as_mut(), effort.nodes)).1)
            }),
            Box::new(|| Ok(time_inference(&record.asked, model.evaluator(0).as_mut()))),
            Box::new(|| Ok(time_movegen(&record.asked))),
            Box::new(|| Ok(time_per_move(game, &lines) * record.plies as f64)),
        ];
        let seconds = medians(effort.runs, &mut contenders)?;
        self.playouts += f64::from(record.playouts);
        self.nodes += record.nodes;
        self.plies += record.plies;
        self.search += seconds[0];
        self.inference += seconds[1];
        self.movegen += seconds[2];
        self.moves += seconds[3];
        Ok(())
    }

    fn print(&self, table: &mut Table<impl Write>) -> anyhow::Result<()> {
        let depth = self.plies as f64 / self.playouts;
        let rate = format!("{}/s", commas(self.playouts / self.search));
        table.row("playouts", &rate, &format!("{depth:.1} moves deep on average"))?;
        let rest = self.search - self.inference - self.movegen - self.moves;
        for (name, seconds) in [
            ("move generation", self.movegen),
            ("inference", self.inference),
            ("making moves", self.moves),
            ("tree and rest", rest),
        ] {
            let share = format!("{:.0}%", 100.0 * seconds / self.search);
            let each = format!("{} ns a playout", commas(1e9 * seconds / self.playouts));
            table.row(name, &share, &each)?;
        }
        let bytes = Search::<FusionGame>::NODE_BYTES;
        let nodes = self.nodes as f64 / self.playouts;
        let remark = format!("{nodes:.1} nodes, {} bytes a playout", commas(nodes * bytes as f64));
        table.row("tree node", &format!("{bytes} bytes"), &remark)
    }
}

/// The loop of [`Search::run`] with a note of everything that it asks.
fn record(game: &FusionGame, evaluator: &mut dyn Evaluator<FusionGame>, nodes: u32) -> Record {
    let mut search = Search::new(SearchConfig::default(), game.clone());
    let (mut record, mut logits) = (Record::default(), Vec::new());
    while search.visits() < nodes && search.proof() == Proof::Unknown {
        search.begin(None);
        loop {
            match search.descend() {
                Request::Value => {
                    let value = evaluator.value(search.leaf());
                    record.asked.push(Asked::Value(search.leaf().clone()));
                    search.backup(value);
                    break;
                }
                Request::Policy => {
                    let moves = search.leaf_moves().to_vec();
                    evaluator.policy(search.leaf(), &moves, &mut logits);
                    record.asked.push(Asked::Policy(search.leaf().clone(), moves));
                    search.expand(&logits);
                }
                Request::Nothing => break,
            }
        }
        record.plies += ply(search.leaf()) - ply(game);
    }
    record.playouts = search.visits();
    record.nodes = search.nodes();
    record
}

/// Plies since the start of the game, by the move number.
fn ply(game: &FusionGame) -> u64 {
    let position = game.position();
    2 * u64::from(position.fullmove()) + u64::from(position.side_to_move() == Color::Black)
}

fn time_inference(asked: &[Asked], evaluator: &mut dyn Evaluator<FusionGame>) -> f64 {
    let mut logits = Vec::new();
    let ask = |asked: &Asked| match asked {
        Asked::Value(leaf) => {
            black_box(evaluator.value(leaf));
        }
        Asked::Policy(leaf, moves) => {
            evaluator.policy(leaf, moves, &mut logits);
            black_box(&logits);
        }
    };
    timed(|| asked.iter().for_each(ask)).1
}

/// A leaf is tested for the end of the game before it is valued, not again when expanded.
fn time_movegen(asked: &[Asked]) -> f64 {
    let mut moves = Vec::new();
    let generate = |asked: &Asked| {
        let (Asked::Value(leaf) | Asked::Policy(leaf, _)) = asked;
        moves.clear();
        leaf.legal_moves(&mut moves);
        if let Asked::Value(_) = asked {
            black_box(leaf.outcome(&moves));
        }
        black_box(&moves);
    };
    timed(|| asked.iter().for_each(generate)).1
}

/// Lines of random moves of that length, shorter where the game ends.
fn random_lines(game: &FusionGame, depth: usize) -> Vec<Vec<Move>> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut moves = Vec::new();
    let mut line = |_| {
        let (mut cursor, mut line) = (game.clone(), Vec::with_capacity(depth));
        while line.len() < depth {
            moves.clear();
            cursor.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            line.push(mv);
            cursor.play(mv);
        }
        line
    };
    (0..LINES).map(&mut line).collect()
}

fn time_per_move(game: &FusionGame, lines: &[Vec<Move>]) -> f64 {
    let mut cursor = game.clone();
    let play = |line: &Vec<Move>| {
        cursor.clone_from(game);
        line.iter().for_each(|&mv| cursor.play(mv));
        black_box(&cursor);
    };
    let seconds = timed(|| lines.iter().for_each(play)).1;
    seconds / lines.iter().map(Vec::len).sum::<usize>().max(1) as f64
}
