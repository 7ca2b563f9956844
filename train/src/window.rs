//! The positions to learn from, in flat arrays, and the batches drawn from them.

mod leaves;

use fusion_selfplay::samples::Sample;
use fusion_selfplay::seeds;
use rand::seq::SliceRandom;
use thiserror::Error;

/// Policy shares are kept in this many parts; a batch scales them to add up to 1 again.
const SHARE_SCALE: f32 = u16::MAX as f32;

/// The sizes of a game's network ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Number of inputs, [`fusion_engine::game::Game::FEATURES`].
    pub features: usize,
    /// Number of policy rows, [`fusion_engine::game::Game::POLICY`].
    pub policy: usize,
}

/// Why a sample cannot be learned from.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadSample {
    /// An input index that the network does not have.
    #[error("it has input {0}, the network has {1}")]
    Feature(usize, usize),
    /// A policy index that the network does not have.
    #[error("it has policy row {0}, the network has {1}")]
    Move(usize, usize),
    /// As many shares as moves are needed.
    #[error("it has {0} moves but {1} policy shares")]
    Lengths(usize, usize),
    /// Shares must not be negative, NaN or infinite, and must add up to 1.
    #[error("its {0} is not a distribution")]
    Distribution(&'static str),
    /// The weight must not be negative, NaN or infinite.
    #[error("its weight is {0}")]
    Weight(String),
    /// Offsets are 32 bits wide.
    #[error("the window is full: more than 4,294,967,295 inputs or moves")]
    Full,
}

/// Positions of recent games. About 260 bytes each with a policy, 100 without.
#[derive(Debug)]
pub struct Window {
    ends: Ends,
    root_share: f32,
    features: Ragged,
    moves: Ragged,
    shares: Vec<u16>,
    values: Vec<[f32; 3]>,
    weights: Vec<f32>,
    train: Vec<u32>,
    held_out: Vec<u32>,
}

/// Lists of different lengths, one after the other.
#[derive(Debug)]
struct Ragged {
    items: Vec<u16>,
    ends: Vec<u32>,
}

impl Ragged {
    fn new() -> Self {
        Self { items: Vec::new(), ends: vec![0] }
    }

    fn push(&mut self, items: &[u16]) -> Result<(), BadSample> {
        let end = u32::try_from(self.items.len() + items.len()).map_err(|_| BadSample::Full)?;
        self.items.extend_from_slice(items);
        self.ends.push(end);
        Ok(())
    }

    fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.ends[index] as usize..self.ends[index + 1] as usize
    }
}

impl Window {
    /// An empty window. The value target of each position is `root_share` of the search's
    /// root value; the rest is the game's result.
    #[must_use]
    pub fn new(ends: Ends, root_share: f64) -> Self {
        Self {
            ends,
            root_share: root_share as f32,
            features: Ragged::new(),
            moves: Ragged::new(),
            shares: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            train: Vec::new(),
            held_out: Vec::new(),
        }
    }

    /// Positions to learn from.
    #[must_use]
    pub fn train(&self) -> &[u32] {
        &self.train
    }

    /// Positions of the games that are kept aside to measure what was learned.
    #[must_use]
    pub fn held_out(&self) -> &[u32] {
        &self.held_out
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The sizes that every index was checked against.
    #[must_use]
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Adds a position, to learn from or to be held out.
    ///
    /// # Errors
    /// A sample that does not fit the network or is not finite; the window is unchanged.
    pub fn push(&mut self, sample: &Sample, held_out: bool) -> Result<(), BadSample> {
        self.check(sample)?;
        let index = u32::try_from(self.len()).map_err(|_| BadSample::Full)?;
        self.features.push(&sample.features)?;
        // A position without a policy needs no moves: nothing is learned about them.
        let moves = if sample.policy.is_empty() { &[] } else { &sample.moves[..] };
        self.moves.push(moves)?;
        let quanta = |share: &f32| (share * SHARE_SCALE).round() as u16;
        self.shares.extend(sample.policy.iter().map(quanta));
        let mix = |i: usize| {
            self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i]
        };
        self.values.push([mix(0), mix(1), mix(2)]);
        self.weights.push(sample.weight);
        let part = if held_out { &mut self.held_out } else { &mut self.train };
        part.push(index);
        Ok(())
    }

    fn check(&self, sample: &Sample) -> Result<(), BadSample> {
        let beyond =
            |items: &[u16], end: usize| items.iter().map(|&i| usize::from(i)).find(|&i| i >= end);
        if let Some(feature) = beyond(&sample.features, self.ends.features) {
            return Err(BadSample::Feature(feature, self.ends.features));
        }
        if let Some(row) = beyond(&sample.moves, self.ends.policy) {
            return Err(BadSample::Move(row, self.ends.policy));
        }
        if !sample.policy.is_empty() && sample.policy.len() != sample.moves.len() {
            return Err(BadSample::Lengths(sample.moves.len(), sample.policy.len()));
        }
        let distribution = |shares: &[f32]| {
            shares.iter().all(|share| (0.0..=1.001).contains(share))
                && (shares.iter().sum::<f32>() - 1.0).abs() < 0.01
        };
        let named = [
            ("policy", &sample.policy[..]),
            ("result", &sample.result),
            ("root value", &sample.root),
        ];
        for (name, shares) in named {
            if !(distribution(shares) || name == "policy" && shares.is_empty()) {
                return Err(BadSample::Distribution(name));
            }
        }
        if !sample.weight.is_finite() || sample.weight < 0.0 {
            return Err(BadSample::Weight(sample.weight.to_string()));
        }
        Ok(())
    }

    /// Makes a position's value target a NaN, as no sample can.
    #[cfg(test)]
    pub(crate) fn poison(&mut self, position: u32) {
        self.values[position as usize] = [f32::NAN; 3];
    }

    /// The batch of these positions.
    #[must_use]
    pub fn batch(&self, positions: &[u32]) -> Batch {
        let mut features = Lists::with_capacity(positions.len());
        let mut moves = Lists::with_capacity(positions.len());
        let mut batch = Batch::default();
        for &position in positions {
            let position = position as usize;
            features.push(&self.features.items[self.features.range(position)]);
            let range = self.moves.range(position);
            moves.push(&self.moves.items[range.clone()]);
            let shares = &self.shares[range];
            let total: f32 = shares.iter().map(|&share| f32::from(share)).sum();
            batch.shares.extend(shares.iter().map(|&share| f32::from(share) / total));
            batch.values.extend_from_slice(&self.values[position]);
            batch.weights.push(self.weights[position]);
        }
        batch.features = features.incidence(self.ends.features);
        batch.moves = moves.incidence(self.ends.policy);
        batch
    }
}

/// Positions as the learner takes them.
#[derive(Debug, Default)]
pub struct Batch {
    /// Which inputs are active.
    pub features: Incidence,
    /// Which moves are legal, where there is a policy to learn.
    pub moves: Incidence,
    /// The policy target, parallel to `moves.columns`.
    pub shares: Vec<f32>,
    /// The value target, three numbers a position.
    pub values: Vec<f32>,
    /// Weight of each position.
    pub weights: Vec<f32>,
}

/// A sparse matrix of zeros and ones, listed by rows (positions) and again by columns
/// (inputs or policy rows): the second list makes the gradient of a weight matrix the same
/// kind of sum as the forward pass, without a scatter.
#[derive(Debug, Default)]
pub struct Incidence {
    /// Where each row's columns begin, and the end of the last.
    pub row_offsets: Vec<i32>,
    /// The columns, row by row.
    pub columns: Vec<i32>,
    /// The row of each of `columns`.
    pub rows: Vec<i32>,
    /// Where each column's rows begin, and the end of the last.
    pub column_offsets: Vec<i32>,
    /// Indices into `columns` and `rows`, column by column.
    pub by_column: Vec<i32>,
    /// Length of the longest row.
    pub longest: usize,
}

struct Lists {
    row_offsets: Vec<i32>,
    columns: Vec<i32>,
    rows: Vec<i32>,
}

impl Lists {
    fn with_capacity(rows: usize) -> Self {
        let mut row_offsets = Vec::with_capacity(rows + 1);
        row_offsets.push(0);
        Self {
            row_offsets,
            columns: Vec::with_capacity(rows * 40),
            rows: Vec::with_capacity(rows * 40),
        }
    }

    fn push(&mut self, columns: &[u16]) {
        let row = self.row_offsets.len() as i32 - 1;
        self.columns.extend(columns.iter().map(|&column| i32::from(column)));
        self.rows.resize(self.columns.len(), row);
        self.row_offsets.push(self.columns.len() as i32);
    }

    /// Adds the list by columns, by a counting sort.
    fn incidence(self, width: usize) -> Incidence {
        let mut column_offsets = vec![0i32; width + 1];
        for &column in &self.columns {
            column_offsets[column as usize + 1] += 1;
        }
        for column in 0..width {
            column_offsets[column + 1] += column_offsets[column];
        }
        let mut next = column_offsets.clone();
        let mut by_column = vec![0i32; self.columns.len()];
        for (index, &column) in self.columns.iter().enumerate() {
            let slot = &mut next[column as usize];
            by_column[*slot as usize] = index as i32;
            *slot += 1;
        }
        let longest = self.row_offsets.windows(2).map(|pair| pair[1] - pair[0]).max();
        Incidence {
            longest: longest.unwrap_or(0) as usize,
            row_offsets: self.row_offsets,
            columns: self.columns,
            rows: self.rows,
            column_offsets,
            by_column,
        }
    }
}

/// Deals positions into batches: each pass sees every position once, in an order that
/// depends on the seed and the pass alone.
#[derive(Debug)]
pub struct Sampler {
    seed: u64,
    batch: usize,
    positions: Vec<u32>,
    order: Vec<u32>,
    pass: Option<u64>,
}

impl Sampler {
    /// A sampler of batches of `batch` positions, or of all if there are fewer.
    #[must_use]
    pub fn new(seed: u64, batch: usize, positions: Vec<u32>) -> Self {
        Self {
            seed,
            batch: batch.min(positions.len()).max(1),
            positions,
            order: Vec::new(),
            pass: None,
        }
    }

    /// Positions in each batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Batches in a pass; what does not fill a batch is left out of that pass.
    #[must_use]
    pub fn batches_per_pass(&self) -> u64 {
        (self.positions.len() / self.batch) as u64
    }

    /// The positions of a step, a function of the seed and the step.
    pub fn positions(&mut self, step: u64) -> &[u32] {
        let per_pass = self.batches_per_pass().max(1);
        let pass = step / per_pass;
        if self.pass != Some(pass) {
            self.order.clone_from(&self.positions);
            self.order.shuffle(&mut seeds::stream("order of positions", &[self.seed, pass]));
            self.pass = Some(pass);
        }
        let start = (step % per_pass) as usize * self.batch;
        let end = (start + self.batch).min(self.order.len());
        &self.order[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: Ends = Ends { features: 8, policy: 6 };

    fn sample(features: &[u16], moves: &[u16], policy: &[f32]) -> Sample {
        Sample {
            features: features.to_vec(),
            moves: moves.to_vec(),
            policy: policy.to_vec(),
            result: [1.0, 0.0, 0.0],
            root: [0.2, 0.3, 0.5],
            weight: 1.0,
        }
    }

    #[test]
    fn a_batch_lists_its_positions_by_rows_and_by_columns() {
        let mut window = Window::new(ENDS, 0.5);
        window.push(&sample(&[1, 7], &[0, 3], &[0.25, 0.75]), false).unwrap();
        window.push(&sample(&[0, 1, 2], &[0, 3, 5], &[]), false).unwrap();
        window.push(&sample(&[2], &[5, 3, 0], &[0.5, 0.5, 0.0]), false).unwrap();
        let batch = window.batch(&[2, 1, 0]);
        assert_eq!(batch.features.row_offsets, [0, 1, 4, 6]);
        assert_eq!(batch.features.columns, [2, 0, 1, 2, 1, 7]);
        assert_eq!(batch.features.rows, [0, 1, 1, 1, 2, 2]);
        assert_eq!(batch.features.column_offsets, [0, 1, 3, 5, 5, 5, 5, 5, 6]);
        assert_eq!(batch.features.by_column, [1, 2, 4, 0, 3, 5]);
        assert_eq!(batch.moves.row_offsets, [0, 3, 3, 5]);
        assert_eq!(batch.moves.longest, 3);
        for (found, wanted) in batch.shares.iter().zip([0.5, 0.5, 0.0, 0.25, 0.75]) {
            assert!((found - wanted).abs() < 1e-4);
        }
        assert_eq!(batch.values[..3], [0.6, 0.15, 0.25]);
    }

    #[test]
    fn unusable_samples_are_refused_and_leave_no_trace() {
        let mut window = Window::new(ENDS, 0.5);
        let good = sample(&[1], &[0], &[1.0]);
        let bad = [
            (sample(&[8], &[0], &[1.0]), BadSample::Feature(8, 8)),
            (sample(&[1], &[6], &[]), BadSample::Move(6, 6)),
            (sample(&[1], &[0, 1], &[1.0]), BadSample::Lengths(2, 1)),
            (sample(&[1], &[0], &[f32::NAN]), BadSample::Distribution("policy")),
            (sample(&[1], &[0, 1], &[0.4, 0.4]), BadSample::Distribution("policy")),
            (
                Sample { root: [f32::INFINITY, 0.0, 0.0], ..good.clone() },
                BadSample::Distribution("root value"),
            ),
            (Sample { weight: -1.0, ..good.clone() }, BadSample::Weight("-1".into())),
        ];
        for (sample, error) in bad {
            assert_eq!(window.push(&sample, false), Err(error));
        }
        assert!(window.is_empty());
        window.push(&good, false).unwrap();
        assert_eq!(window.batch(&[0]).features.columns, [1]);
    }

    #[test]
    fn every_pass_deals_each_position_once_and_any_step_can_be_asked_for() {
        let mut sampler = Sampler::new(7, 4, (0..12).collect());
        let mut passes = Vec::new();
        for pass in 0..2 {
            let mut seen: Vec<u32> = Vec::new();
            for step in 0..3 {
                seen.extend(sampler.positions(pass * 3 + step));
            }
            passes.push(seen.clone());
            seen.sort_unstable();
            assert_eq!(seen, (0..12).collect::<Vec<u32>>());
        }
        assert_ne!(passes[0], passes[1]);
        let mut fresh = Sampler::new(7, 4, (0..12).collect());
        assert_eq!(fresh.positions(4), &passes[1][4..8]);
        assert_ne!(Sampler::new(8, 4, (0..12).collect()).positions(0), &passes[0][..4]);
        assert_eq!(Sampler::new(7, 100, (0..12).collect()).positions(5).len(), 12);
    }
}
