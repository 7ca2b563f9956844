//! Search: playouts per second, memory, and the split of the time.
//!
//! Playouts are counted in an undisturbed search. For the split, the same search is repeated step
//! by step. A clock times the evaluator, and a repetition of the move generation that the search
//! has just done. The cost of reading the clock is measured and subtracted. The number of moves
//! made follows from the depths of the leaves. Each is charged at the cost of a move in random
//! lines of the mean depth. Each line begins with a copy of the root, as a descent does. The rest
//! of the undisturbed search's time is the tree and everything else.

use super::Effort;
use super::table::{Table, commas};
use super::timing::{median, timed};
use fusion_game::evaluator::Evaluator;
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::{Proof, Request, Search, SearchConfig};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::io::Write;

/// Number of random lines on which the cost of a move is measured.
const LINES: usize = 1_000;

/// A search that was run step by step.
#[derive(Default)]
struct Probed {
    playouts: u32,
    /// Number of moves made on the way from the root to all leaves.
    plies: u64,
    nodes: usize,
    inference: f64,
    movegen: f64,
}

/// Times in seconds by purpose, summed over searches.
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

/// Measures and prints the search's figures.
pub fn measure<G: CompleteGame>(
    table: &mut Table<impl Write>,
    effort: &Effort,
    rules: &G::Rules,
    model: &Model,
) -> anyhow::Result<()> {
    let nodes = commas(effort.nodes.into());
    table.section(&format!("Search under {rules}, {nodes} nodes"))?;
    let middle_games = G::middle_games(rules);
    let sets = [
        ("start position".into(), vec![G::new(rules)]),
        (format!("{} middle games", middle_games.len()), middle_games),
    ];
    for (name, games) in sets {
        let mut costs = Costs::default();
        for game in &games {
            costs.add(game, effort, model);
        }
        table.part(&name)?;
        costs.print::<G>(table)?;
    }
    Ok(())
}

impl Costs {
    fn add<G: CompleteGame>(&mut self, game: &G, effort: &Effort, model: &Model) {
        let mut last = Probed::default();
        let mut split = Vec::with_capacity(effort.runs);
        let mut plain = Vec::with_capacity(effort.runs);
        for _ in 0..effort.runs {
            let mut search = Search::new(SearchConfig::default(), game.clone());
            let mut evaluator = model.evaluator(0);
            plain.push(timed(|| search.run(evaluator.as_mut(), effort.nodes)).1);
            last = probe(game, model.evaluator(0).as_mut(), effort.nodes);
            split.push((last.inference, last.movegen));
        }
        let (mut inference, mut movegen): (Vec<f64>, Vec<f64>) = split.into_iter().unzip();
        let depth = last.plies.div_ceil(last.playouts.into());
        let lines = random_lines(game, depth as usize);
        let mut moves: Vec<f64> = (0..effort.runs).map(|_| time_per_move(game, &lines)).collect();
        self.playouts += f64::from(last.playouts);
        self.nodes += last.nodes;
        self.plies += last.plies;
        self.search += median(&mut plain);
        self.inference += median(&mut inference);
        self.movegen += median(&mut movegen);
        self.moves += median(&mut moves) * last.plies as f64;
    }

    fn print<G: CompleteGame>(&self, table: &mut Table<impl Write>) -> anyhow::Result<()> {
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
        let bytes = Search::<G>::NODE_BYTES;
        let nodes = self.nodes as f64 / self.playouts;
        let remark = format!("{nodes:.1} nodes, {} bytes a playout", commas(nodes * bytes as f64));
        table.row("tree node", &format!("{bytes} bytes"), &remark)
    }
}

/// Runs the loop of [`Search::run`] with a clock in it.
fn probe<G: CompleteGame>(game: &G, evaluator: &mut dyn Evaluator<G>, nodes: u32) -> Probed {
    let mut search = Search::new(SearchConfig::default(), game.clone());
    let (mut probed, mut logits, mut moves) = (Probed::default(), Vec::new(), Vec::new());
    let clock = clock_cost();
    while search.visits() < nodes && search.proof() == Proof::Unknown {
        search.begin(None);
        loop {
            let request = search.descend();
            let leaf = search.leaf();
            match request {
                Request::Value => {
                    let (value, seconds) = timed(|| evaluator.value(leaf));
                    probed.inference += seconds - clock;
                    probed.movegen += timed(|| black_box(leaf.outcome_now())).1 - clock;
                    search.backup(value);
                    break;
                }
                Request::Policy => {
                    let leaf_moves = search.leaf_moves();
                    let seconds = timed(|| evaluator.policy(leaf, leaf_moves, &mut logits)).1;
                    probed.inference += seconds - clock;
                    moves.clear();
                    probed.movegen += timed(|| leaf.legal_moves(&mut moves)).1 - clock;
                    search.expand(&logits);
                }
                Request::Nothing => break,
            }
        }
        probed.plies += search.depth() as u64;
    }
    probed.playouts = search.visits();
    probed.nodes = search.nodes();
    probed
}

/// Returns the seconds that two readings of the clock take.
fn clock_cost() -> f64 {
    let mut readings: Vec<f64> = (0..1_000).map(|_| timed(|| ()).1).collect();
    median(&mut readings)
}

/// Returns lines of `depth` random moves, shorter where the game ends.
fn random_lines<G: CompleteGame>(game: &G, depth: usize) -> Vec<Vec<G::Move>> {
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

fn time_per_move<G: CompleteGame>(game: &G, lines: &[Vec<G::Move>]) -> f64 {
    let mut cursor = game.clone();
    let play = |line: &Vec<G::Move>| {
        cursor.clone_from(game);
        line.iter().for_each(|&mv| cursor.play(mv));
        black_box(&cursor);
    };
    let seconds = timed(|| lines.iter().for_each(play)).1;
    seconds / lines.iter().map(Vec::len).sum::<usize>().max(1) as f64
}
