//! The order of training positions.

use fusion_jobs::seeds;
use rand::seq::SliceRandom;

use super::PositionSet;

/// A sampler that splits positions into batches. Each pass has every position once, in an order
/// that depends only on the seed and the pass.
#[derive(Debug)]
pub struct Sampler<'a> {
    seed: u64,
    batch: usize,
    positions: &'a PositionSet,
    order: Vec<u32>,
    pass: Option<u64>,
}

impl<'a> Sampler<'a> {
    /// Makes a sampler of batches of `batch` positions, or of all if there are fewer.
    #[must_use]
    pub fn new(seed: u64, batch: usize, positions: &'a PositionSet) -> Self {
        Self {
            seed,
            batch: batch.min(positions.len()).max(1),
            positions,
            order: Vec::new(),
            pass: None,
        }
    }

    /// Returns the number of positions in each batch.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Returns the number of batches in a pass. Positions that do not fill a batch are left out.
    #[must_use]
    pub fn batches_per_pass(&self) -> u64 {
        (self.positions.len() / self.batch) as u64
    }

    /// Returns the positions of a step, a function of the seed and the step.
    pub fn positions(&mut self, step: u64) -> &[u32] {
        let per_pass = self.batches_per_pass().max(1);
        let pass = step / per_pass;
        if self.pass != Some(pass) {
            self.order.clear();
            self.order.reserve_exact(self.positions.len());
            self.order.extend(self.positions.iter());
            self.order.shuffle(&mut seeds::stream("order of positions", &[self.seed, pass]));
            self.pass = Some(pass);
        }
        let start = (step % per_pass) as usize * self.batch;
        let end = (start + self.batch).min(self.order.len());
        &self.order[start..end]
    }
}
