//! The training positions in flat arrays, and the batches drawn from them.

mod batch;
mod sampler;

use fusion_game::{CompleteGame, Symmetry};
use fusion_runner::samples::Sample;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::architecture::TrainingWindow;
use crate::views::is_distribution;

pub(crate) use batch::Lists;
pub use batch::{Batch, Incidence, Moves};
use batch::{Builder, Target, distinct};
pub use sampler::Sampler;

/// Scale of stored policy shares; a batch normalises them to a sum of 1.
const SHARE_SCALE: f32 = u16::MAX as f32;

/// Scale of stored shares of the value ahead.
const PARTS: u16 = u16::MAX;

/// Marks an unknown length: the game was capped.
const UNKNOWN_LENGTH: f32 = -1.0;

/// The sizes of a game's network inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of inputs, [`fusion_game::Encoding::FEATURES`].
    pub features: usize,
    /// Number of policy rows, [`fusion_game::Encoding::POLICY`].
    pub policy: usize,
    /// Rows of each move, [`fusion_game::Encoding::POLICY_FACTORS`].
    pub terms: usize,
}

impl Ends {
    /// Returns the sizes of the game `G`.
    #[must_use]
    pub fn of<G: CompleteGame>() -> Self {
        Self { features: G::FEATURES, policy: G::POLICY, terms: G::POLICY_FACTORS }
    }
}

/// A reason to reject a sample.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadSample {
    /// An input index is outside the network.
    #[error("it has input {0}, the network has {1}")]
    Feature(usize, usize),
    /// A policy index is outside the network.
    #[error("it has policy row {0}, the network has {1}")]
    Move(usize, usize),
    /// The number of policy rows does not fit the number of shares.
    #[error("it has {0} policy rows for {1} policy shares")]
    Lengths(usize, usize),
    /// There are too many different policy rows: their places are 16 bits wide.
    #[error("it has {0} different policy rows, at most 65,536 can be kept")]
    Rows(usize),
    /// The stage of the game is outside the network.
    #[error("it has stage {0}, the network has {1}")]
    Stage(usize, usize),
    /// Shares are negative, NaN or infinite, or do not add up to 1.
    #[error("its {0} is not a distribution")]
    Distribution(&'static str),
    /// The weight is negative, NaN or infinite.
    #[error("its weight is {0}")]
    Weight(String),
    /// The window is full: offsets are 32 bits wide.
    #[error("the window is full: more than 4,294,967,295 inputs, or policy rows of moves")]
    Full,
}

/// Positions of recent games. A position takes about 700 bytes with a policy, 150 without.
#[derive(Debug)]
pub struct Window {
    ends: Ends,
    root_share: f32,
    reflection: Option<Symmetry>,
    features: Ragged<u16>,
    /// The distinct policy rows of each position.
    rows: Ragged<u16>,
    /// The places of all moves' rows in `rows`.
    terms: Ragged<u16>,
    shares: Vec<u16>,
    values: Vec<[f32; 3]>,
    lengths: Vec<f32>,
    /// Shares of win and loss a few plies ahead, scaled by [`PARTS`]; the rest is the draw's.
    horizons: Vec<[u16; 2]>,
    weights: Vec<f32>,
    train: Vec<u32>,
    held_out: Vec<u32>,
}

/// Lists of different lengths, one after the other.
#[derive(Debug)]
pub(crate) struct Ragged<T> {
    pub(crate) items: Vec<T>,
    ends: Vec<u32>,
}

impl<T: Copy> Ragged<T> {
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), ends: vec![0] }
    }

    pub(crate) fn push(&mut self, items: &[T]) -> Result<(), BadSample> {
        let end = u32::try_from(self.items.len() + items.len()).map_err(|_| BadSample::Full)?;
        self.items.extend_from_slice(items);
        self.ends.push(end);
        Ok(())
    }

    /// Adds several lists, or none if they do not fit.
    pub(crate) fn push_all(&mut self, lists: &[Vec<T>]) -> Result<(), BadSample> {
        let total: usize = lists.iter().map(Vec::len).sum();
        u32::try_from(self.items.len() + total).map_err(|_| BadSample::Full)?;
        lists.iter().try_for_each(|list| self.push(list))
    }

    pub(crate) fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.ends[index] as usize..self.ends[index + 1] as usize
    }
}

impl Window {
    /// Makes an empty window. The value target of each position is a mixture: `root_share` of the
    /// search's root value, and the rest of the game's result. With a reflection,
    /// [`Window::varied_batch`] mirrors positions.
    #[must_use]
    pub fn new(ends: Ends, root_share: f64, reflection: Option<Symmetry>) -> Self {
        Self {
            ends,
            reflection,
            root_share: root_share as f32,
            features: Ragged::new(),
            rows: Ragged::new(),
            terms: Ragged::new(),
            shares: Vec::new(),
            values: Vec::new(),
            lengths: Vec::new(),
            horizons: Vec::new(),
            weights: Vec::new(),
            train: Vec::new(),
            held_out: Vec::new(),
        }
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the sizes that every index was checked against.
    #[must_use]
    pub fn ends(&self) -> Ends {
        self.ends
    }

    fn check(&self, sample: &Sample) -> Result<(), BadSample> {
        let beyond =
            |items: &[u16], end: usize| items.iter().map(|&i| usize::from(i)).find(|&i| i >= end);
        if let Some(feature) = beyond(&sample.features, self.ends.features) {
            return Err(BadSample::Feature(feature, self.ends.features));
        }
        if let Some(row) = beyond(&sample.rows, self.ends.policy) {
            return Err(BadSample::Move(row, self.ends.policy));
        }
        if sample.policy.len() * self.ends.terms != sample.rows.len() {
            return Err(BadSample::Lengths(sample.rows.len(), sample.policy.len()));
        }
        let named = [
            ("policy", &sample.policy[..]),
            ("result", &sample.result),
            ("root value", &sample.root),
            ("value ahead", &sample.horizon),
        ];
        for (name, shares) in named {
            if !(is_distribution(shares) || name == "policy" && shares.is_empty()) {
                return Err(BadSample::Distribution(name));
            }
        }
        if !sample.weight.is_finite() || sample.weight < 0.0 {
            return Err(BadSample::Weight(sample.weight.to_string()));
        }
        Ok(())
    }

    /// Sets a position's value target to NaN, which no sample can do.
    #[cfg(test)]
    pub(crate) fn poison(&mut self, position: u32) {
        self.values[position as usize] = [f32::NAN; 3];
    }

    fn batch_of<'a>(
        &'a self,
        positions: &[u32],
        mut reflected: impl FnMut(usize) -> Option<&'a Symmetry>,
    ) -> Batch {
        let mut builder = Builder::with_capacity(self.ends, positions.len());
        for &position in positions {
            let position = position as usize;
            let table = reflected(position);
            let features = &self.features.items[self.features.range(position)];
            let rows = &self.rows.items[self.rows.range(position)];
            let terms = self.terms.range(position);
            builder.inputs(features, table.map(|reflection| &reflection.features[..]));
            builder.moves(
                rows,
                table.map(|reflection| &reflection.rows[..]),
                &self.terms.items[terms.clone()],
            );
            let shares = &self.shares[terms.start / self.ends.terms..terms.end / self.ends.terms];
            builder.target(shares, &self.target(position));
        }
        builder.finish()
    }

    fn target(&self, position: usize) -> Target {
        let [win, loss] = self.horizons[position];
        let share = |parts: u16| f32::from(parts) / f32::from(PARTS);
        Target {
            values: self.values[position],
            length: self.lengths[position],
            horizon: [win, PARTS - win - loss, loss].map(share),
            weight: self.weights[position],
        }
    }
}

impl TrainingWindow for Window {
    type Sample = Sample;
    type Batch = Batch;

    fn push(&mut self, sample: &Sample, held_out: bool) -> Result<(), BadSample> {
        self.check(sample)?;
        let index = u32::try_from(self.len()).map_err(|_| BadSample::Full)?;
        let (rows, terms) = distinct(&sample.rows)?;
        self.features.push(&sample.features)?;
        self.rows.push(&rows)?;
        self.terms.push(&terms)?;
        let quanta = |share: &f32| (share * SHARE_SCALE).round() as u16;
        self.shares.extend(sample.policy.iter().map(quanta));
        let mix = |i: usize| {
            self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i]
        };
        self.values.push([mix(0), mix(1), mix(2)]);
        self.lengths
            .push(sample.remaining.map_or(UNKNOWN_LENGTH, |plies| f32::from(plies).ln_1p()));
        let parts = |share: f32| (share * f32::from(PARTS)).round() as u16;
        let (win, loss) = (parts(sample.horizon[0]), parts(sample.horizon[2]));
        self.horizons.push([win, loss.min(PARTS - win)]);
        self.weights.push(sample.weight);
        let part = if held_out { &mut self.held_out } else { &mut self.train };
        part.push(index);
        Ok(())
    }

    fn train(&self) -> &[u32] {
        &self.train
    }

    fn held_out(&self) -> &[u32] {
        &self.held_out
    }

    fn batch(&self, positions: &[u32]) -> Batch {
        self.batch_of(positions, |_| None)
    }

    /// Each position with a mirror image is mirrored from left to right with a chance of one half.
    fn varied_batch(&self, positions: &[u32], coins: &mut ChaCha8Rng) -> Batch {
        self.batch_of(positions, |position| {
            let reflection = self.reflection.as_ref()?;
            let features = &self.features.items[self.features.range(position)];
            let allowed = !features.iter().any(|feature| reflection.forbidden.contains(feature));
            (allowed && coins.random_bool(0.5)).then_some(reflection)
        })
    }
}

#[cfg(test)]
#[path = "window/tests.rs"]
mod tests;
