//! The order in which positions are learned from.

use fusion_jobs::seeds;
use rand::seq::SliceRandom;

/// Deals positions into batches: each pass sees every position once, in an order that
/// depends on the seed and the pass alone.
#[derive(Debug)]
pub struct Sampler<'a> {
    seed: u64,
    batch: usize,
    positions: &'a [u32],
    order: Vec<u32>,
    pass: Option<u64>,
}

impl<'a> Sampler<'a> {
    /// A sampler of batches of `batch` positions, or of all if there are fewer.
    #[must_use]
    pub fn new(seed: u64, batch: usize, positions: &'a [u32]) -> Self {
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
            self.order.clear();
            self.order.extend_from_slice(self.positions);
            self.order.shuffle(&mut seeds::stream("order of positions", &[self.seed, pass]));
            self.pass = Some(pass);
        }
        let start = (step % per_pass) as usize * self.batch;
        let end = (start + self.batch).min(self.order.len());
        &self.order[start..end]
    }
}
