//! Inference: the time of a leaf with each kernel, and its share of the ceilings.

use super::ceilings::Ceilings;
use super::table::{Table, commas};
use super::timing::{Work, medians, timed};
use super::{Effort, Weights};
use fusion_game::prelude::*;
use fusion_game::{FeatureSet, leaves};
use fusion_network::VALUE_HIDDEN;
use fusion_network::kernels::Kernel;
use fusion_network::model::Model;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::io::Write;

/// A leaf with its legal moves.
type Leaf<G> = (G, Vec<<G as Game>::Move>);

/// Number of passes over all leaves in one run.
const PASSES: usize = 10;

/// The part of the evaluation that is requested for each leaf.
#[derive(Clone, Copy)]
enum Asked {
    Value,
    Policy,
    Both,
}

impl Asked {
    const ALL: [(Self, &str); 3] =
        [(Self::Value, "value"), (Self::Policy, "policy"), (Self::Both, "value, then policy")];
}

/// The average work of a leaf.
struct Average {
    features: f64,
    moves: f64,
    /// Number of distinct policy rows of the moves.
    policy: f64,
    width: f64,
}

impl Average {
    fn of<G: CompleteGame>(leaves: &[Leaf<G>], width: usize) -> Self {
        let (mut active, mut moves, mut policy) = (0, 0, 0);
        let mut rows = Vec::new();
        for (leaf, legal) in leaves {
            active += FeatureSet::of(leaf).iter().count();
            moves += legal.len();
            rows.clear();
            leaf.policy_factors(legal, &mut rows);
            policy += rows.iter().collect::<BTreeSet<_>>().len();
        }
        let mean = |sum: usize| sum as f64 / leaves.len() as f64;
        Self {
            features: mean(active),
            moves: mean(moves),
            policy: mean(policy),
            width: width as f64,
        }
    }

    fn rows(&self) -> f64 {
        VALUE_HIDDEN as f64 + self.policy
    }

    fn operations(&self) -> f64 {
        self.width * (2.0 * self.rows() + self.features)
    }

    /// Returns the bytes of weights that are read: 16-bit inputs, 8-bit heads.
    fn bytes(&self) -> f64 {
        self.width * (self.rows() + 2.0 * self.features)
    }
}

/// Measures and prints the time of a leaf.
pub fn measure<G: CompleteGame>(
    table: &mut Table<impl Write>,
    effort: &Effort,
    rules: &G::Rules,
    weights: &Weights,
    ceilings: &Ceilings,
) -> anyhow::Result<()> {
    let leaves = with_moves(leaves(&G::middle_games(rules)));
    let average = Average::of(&leaves, weights.network::<G>(rules)?.sizes().hidden);
    table.section("Inference, nanoseconds a leaf")?;
    table.part(&format!(
        "{} leaves of the middle games: {:.1} features, {:.1} legal moves, {:.1} policy rows on average,",
        commas(leaves.len() as f64),
        average.features,
        average.moves,
        average.policy
    ))?;
    table.part(&format!(
        "{} operations and {} bytes of weights a leaf",
        commas(average.operations()),
        commas(average.bytes())
    ))?;
    let kernels = Kernel::available();
    let mut work = Vec::new();
    for &kernel in &kernels {
        let model = Model::of(weights.network::<G>(rules)?.with_kernel(kernel));
        work.extend(Asked::ALL.map(|(asked, _)| ask(&model, &leaves, asked)));
    }
    let seconds = medians(effort.runs, &mut work)?;
    for (&kernel, seconds) in kernels.iter().zip(seconds.as_chunks::<3>().0) {
        for ((asked, name), seconds) in Asked::ALL.into_iter().zip(seconds) {
            let leaf = seconds / (leaves.len() * PASSES) as f64;
            let remark = match asked {
                Asked::Both => shares(&average, leaf, ceilings.operations(kernel), ceilings.l2),
                _ => String::new(),
            };
            let label = format!("{}: {name}", kernel.name());
            table.row(&label, &format!("{} ns", commas(leaf * 1e9)), &remark)?;
        }
    }
    heads(table, effort, weights.network::<G>(rules)?.sizes().hidden, ceilings)
}

/// Number of products that one run of [`heads`] repeats.
const REPEATS: usize = 20_000;

/// Measures the dot products of the value head only. Its weights stay in the first-level cache, so
/// this is the rate of the kernels where memory does not limit them.
fn heads(
    table: &mut Table<impl Write>,
    effort: &Effort,
    width: usize,
    ceilings: &Ceilings,
) -> anyhow::Result<()> {
    let hidden: Vec<u8> = (0..width).map(|i| (i % 127) as u8).collect();
    // Rows begin on cache lines, as in a network.
    let buffer: Vec<i8> = (0..VALUE_HIDDEN * width + 64).map(|i| (i % 251) as u8 as i8).collect();
    let weights = &buffer[buffer.as_ptr().align_offset(64)..][..VALUE_HIDDEN * width];
    let rows: [u16; VALUE_HIDDEN] = std::array::from_fn(|row| row as u16);
    let kernels = Kernel::available();
    let mut work: Vec<Work> = Vec::new();
    for &kernel in &kernels {
        let (hidden, mut dots) = (&hidden, Vec::new());
        let mut product = move |_| {
            kernel.dots(black_box(hidden), weights, &rows, &mut dots);
            black_box(&dots);
        };
        work.push(Box::new(move || Ok(timed(|| (0..REPEATS).for_each(&mut product)).1)));
    }
    let operations = (2 * VALUE_HIDDEN * width) as f64;
    for (&kernel, seconds) in kernels.iter().zip(medians(effort.runs, &mut work)?) {
        let seconds = seconds / REPEATS as f64;
        let rate = operations / seconds;
        let share = ceilings.operations(kernel).map_or(String::new(), |most| {
            format!(", {:.0}% of the multiply-adds", 100.0 * rate / most)
        });
        let label = format!("{}: {VALUE_HIDDEN} rows", kernel.name());
        let remark = format!("{:.0} GOP/s{share}; in the first-level cache", rate / 1e9);
        table.row(&label, &format!("{} ns", commas(seconds * 1e9)), &remark)?;
    }
    Ok(())
}

fn with_moves<G: CompleteGame>(leaves: Vec<G>) -> Vec<Leaf<G>> {
    let with_moves = |leaf: G| {
        let mut moves = Vec::new();
        leaf.legal_moves(&mut moves);
        (leaf, moves)
    };
    leaves.into_iter().map(with_moves).collect()
}

fn ask<'a, G: CompleteGame>(model: &Model, leaves: &'a [Leaf<G>], asked: Asked) -> Work<'a> {
    let mut evaluator = model.evaluator::<G>(0);
    let mut logits = Vec::new();
    Box::new(move || {
        let pass = |_| {
            for (leaf, moves) in leaves {
                if let Asked::Value | Asked::Both = asked {
                    black_box(evaluator.value(leaf));
                }
                if let Asked::Policy | Asked::Both = asked {
                    evaluator.policy(leaf, moves, &mut logits);
                    black_box(&logits);
                }
            }
        };
        Ok(timed(|| (0..PASSES).for_each(pass)).1)
    })
}

fn shares(average: &Average, seconds: f64, ceiling: Option<f64>, l2: f64) -> String {
    let (operations, bytes) = (average.operations() / seconds, average.bytes() / seconds);
    let share = ceiling.map_or(String::new(), |most| {
        format!(", {:.0}% of the multiply-adds", 100.0 * operations / most)
    });
    format!(
        "{:.0} GOP/s{share}; {:.0} GB/s, {:.0}% of the cache",
        operations / 1e9,
        bytes / 1e9,
        100.0 * bytes / l2
    )
}
