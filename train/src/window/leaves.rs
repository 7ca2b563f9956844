//! Batches without anything to learn.

use super::{Batch, Ends, Lists};

impl Batch {
    /// A batch to evaluate: the inputs and policy rows of each position, all below `ends`.
    #[must_use]
    pub fn of_leaves(ends: Ends, leaves: &[(Vec<u16>, Vec<u16>)]) -> Self {
        let mut features = Lists::with_capacity(leaves.len());
        let mut moves = Lists::with_capacity(leaves.len());
        for (inputs, rows) in leaves {
            features.push(inputs);
            moves.push(rows);
        }
        Self {
            shares: vec![0.0; moves.columns.len()],
            values: vec![0.0; 3 * leaves.len()],
            weights: vec![1.0; leaves.len()],
            features: features.incidence(ends.features),
            moves: moves.incidence(ends.policy),
        }
    }
}
