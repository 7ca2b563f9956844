//! The efficiently updatable network on the processor: losses and gradients.
//!
//! The work is divided so that the result does not depend on the number of threads. The forward pass
//! is divided into blocks of positions, whose sums are added in their order. The backward pass is
//! divided into tiles of the hidden layer, each of which goes through all positions in their order.

use fusion_network::Sizes;
use fusion_network::views::{OUTCOMES, STAGE_HIDDEN, ViewSizes};
use rayon::prelude::*;

use super::ViewBatch;
use super::kernels::{Backward, Forward, Gather, Inner, Row, TILE};
use crate::architecture::{Losses, Weights};
use crate::simd::{LANES, Line, Path};

/// Number of tensors: weights and biases of each layer.
const TENSORS: usize = 2 * ViewSizes::LAYERS.len();

/// Largest number of positions in a block.
const BLOCK: usize = 128;

const ZERO: Row = [[0.0; LANES]; TILE / LANES];

/// The layers of a network.
pub(super) struct Layers<'a> {
    input: &'a [Line],
    input_bias: &'a [Line],
    stage_hidden: &'a [Row],
    stage_hidden_bias: &'a [Inner],
    stage: &'a [[Inner; OUTCOMES]],
    stage_bias: &'a [[f32; OUTCOMES]],
    /// Inputs of the second layer: the units of both views, and the counts.
    width: usize,
    /// The weights of the second layer, of all units of a column together: `width` rows a stage.
    turned: Vec<Inner>,
    path: Path,
}

/// Positions of one stage.
struct Block {
    stage: usize,
    /// Number of the first position.
    start: usize,
    count: usize,
}

/// Results of the forward pass of a block.
struct Passed {
    block: Block,
    /// Clipped activations, tile by tile.
    clipped: Vec<Row>,
    /// Gradients of the second layer's sums.
    inner: Vec<Inner>,
    ends: Ends,
}

/// Sums over positions: the loss and the gradients of what follows the second layer's weights.
#[derive(Default)]
struct Ends {
    loss: f64,
    /// For each count.
    counts: Vec<Inner>,
    stage_hidden_bias: Inner,
    stage: [Inner; OUTCOMES],
    stage_bias: [f32; OUTCOMES],
}

impl<'a> Layers<'a> {
    /// Names the layers among the tensors of a network.
    pub(super) fn new(tensors: [&'a [f32]; TENSORS], path: Path) -> Self {
        let [input, input_bias, stage_hidden, stage_hidden_bias, stage, stage_bias] = tensors;
        let width = stage_hidden.len() / stage_hidden_bias.len();
        let mut turned = vec![[0.0; STAGE_HIDDEN]; stage_hidden.len() / STAGE_HIDDEN];
        let stages = stage_hidden.chunks_exact(STAGE_HIDDEN * width);
        for (rows, turned) in stages.zip(turned.chunks_exact_mut(width)) {
            for (unit, row) in rows.chunks_exact(width).enumerate() {
                turned.iter_mut().zip(row).for_each(|(turned, weight)| turned[unit] = *weight);
            }
        }
        Self {
            input: input.as_chunks().0,
            input_bias: input_bias.as_chunks().0,
            stage_hidden: stage_hidden.as_chunks().0.as_chunks().0,
            stage_hidden_bias: stage_hidden_bias.as_chunks().0,
            stage: stage.as_chunks().0.as_chunks().0,
            stage_bias: stage_bias.as_chunks().0,
            width,
            turned,
            path,
        }
    }

    fn hidden(&self) -> usize {
        self.input_bias.len() * LANES
    }

    fn counts(&self) -> usize {
        self.width - 2 * self.hidden()
    }

    /// Computes a block up to the loss, and back to the second layer's sums. `scale` is the weight
    /// of the value's loss, divided by the weight of all positions.
    fn pass(&self, batch: &ViewBatch, block: Block, scale: f32) -> Passed {
        let stage = block.stage;
        let positions = block.start..block.start + block.count;
        let mut clipped = vec![ZERO; 2 * self.hidden() / TILE * block.count];
        let weights = &self.turned[stage * self.width..][..self.width];
        let (of_views, of_counts) = weights.split_at(2 * self.hidden());
        let counts = |position: usize| {
            batch.counts[position * of_counts.len()..][..of_counts.len()].iter().copied()
        };
        let counted = |position| {
            let mut inner = self.stage_hidden_bias[stage];
            for (count, weights) in counts(position).zip(of_counts) {
                inner.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += count * weight);
            }
            inner
        };
        let mut inner: Vec<Inner> = positions.clone().map(counted).collect();
        self.path.run(Forward {
            input: self.input,
            input_bias: self.input_bias,
            stage_hidden: of_views,
            offsets: &batch.inputs.row_offsets[2 * positions.start..=2 * positions.end],
            columns: &batch.inputs.columns,
            clipped: &mut clipped,
            inner: &mut inner,
        });
        let mut ends = Ends { counts: vec![[0.0; LANES]; of_counts.len()], ..Ends::default() };
        let values = batch.values.as_chunks::<OUTCOMES>().0;
        for (inner, position) in inner.iter_mut().zip(positions) {
            let weight = batch.weights[position];
            self.finish(stage, inner, &values[position], weight, scale, &mut ends);
            for (count, sums) in counts(position).zip(&mut ends.counts) {
                sums.iter_mut().zip(&*inner).for_each(|(sum, inner)| *sum += count * inner);
            }
        }
        Passed { block, clipped, inner, ends }
    }

    /// Computes a position's loss, and replaces the sums of its second layer by their gradients.
    fn finish(
        &self,
        stage: usize,
        inner: &mut Inner,
        target: &[f32; OUTCOMES],
        weight: f32,
        scale: f32,
        ends: &mut Ends,
    ) {
        // Not `max`, which would turn NaN to 0 and hide that training diverges.
        let active = inner.map(|sum| if sum < 0.0 { 0.0 } else { sum });
        let dot = |row: &Inner| -> f32 { row.iter().zip(active).map(|(w, x)| w * x).sum() };
        let logits: [f32; OUTCOMES] =
            std::array::from_fn(|i| self.stage_bias[stage][i] + dot(&self.stage[stage][i]));
        let largest = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
        let logs = logits.map(|logit| logit - largest - sum.ln());
        let crossed: f32 = target.iter().zip(logs).map(|(share, log)| share * log).sum();
        ends.loss -= f64::from(weight * crossed);
        let outputs: [f32; OUTCOMES] =
            std::array::from_fn(|i| (logs[i].exp() - target[i]) * weight * scale);
        *inner = std::array::from_fn(|unit| {
            let sum: f32 = (0..OUTCOMES).map(|i| outputs[i] * self.stage[stage][i][unit]).sum();
            if active[unit] > 0.0 { sum } else { 0.0 }
        });
        for (i, output) in outputs.into_iter().enumerate() {
            ends.stage_bias[i] += output;
            for (sum, active) in ends.stage[i].iter_mut().zip(active) {
                *sum += output * active;
            }
        }
        for (sum, inner) in ends.stage_hidden_bias.iter_mut().zip(inner) {
            *sum += *inner;
        }
    }

    /// Computes all blocks, on the threads of the current pool.
    fn forward(&self, batch: &ViewBatch, factors: Weights) -> (Losses, Vec<Passed>) {
        let value_weight = batch.weights.iter().map(|&weight| f64::from(weight)).sum::<f64>();
        let scale = (factors.value / value_weight.max(f64::MIN_POSITIVE)) as f32;
        let blocks = blocks(&batch.stages).into_par_iter();
        let passed: Vec<_> = blocks.map(|block| self.pass(batch, block, scale)).collect();
        let value = passed.iter().map(|passed| passed.ends.loss).sum();
        (Losses { value, value_weight, ..Losses::default() }, passed)
    }

    /// Returns the losses of a batch.
    pub(super) fn losses(&self, batch: &ViewBatch) -> Losses {
        self.forward(batch, Weights { value: 1.0, length: 0.0, horizon: 0.0 }).0
    }

    /// Returns the losses of a batch, and writes the gradients, which are zero before.
    pub(super) fn gradients(
        &self,
        batch: &ViewBatch,
        factors: Weights,
        gradients: [&mut [f32]; TENSORS],
    ) -> Losses {
        let (losses, passed) = self.forward(batch, factors);
        let [input, input_bias, stage_hidden, stage_hidden_bias, stage, stage_bias] = gradients;
        for Passed { block, ends, .. } in &passed {
            let add = |sums: &mut [f32], part: &[f32]| {
                let sums = &mut sums[block.stage * part.len()..][..part.len()];
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            };
            add(stage_hidden_bias, &ends.stage_hidden_bias);
            add(stage, ends.stage.as_flattened());
            add(stage_bias, &ends.stage_bias);
            let rows = stage_hidden.chunks_exact_mut(self.width).skip(block.stage * STAGE_HIDDEN);
            for (unit, row) in rows.take(STAGE_HIDDEN).enumerate() {
                let row = &mut row[self.width - self.counts()..];
                row.iter_mut().zip(&ends.counts).for_each(|(sum, counts)| *sum += counts[unit]);
            }
        }
        let rows = vec![ZERO; 2 * batch.weights.len()];
        tiles(input, input_bias, stage_hidden, self.width)
            .into_par_iter()
            .enumerate()
            .for_each_with(rows, |rows, (number, tile)| {
                self.backward(batch, &passed, number, tile, rows);
            });
        losses
    }

    /// Computes the gradients of a tile. `rows` has room for the gradients of its sums.
    fn backward(
        &self,
        batch: &ViewBatch,
        passed: &[Passed],
        number: usize,
        mut tile: Tile,
        rows: &mut [Row],
    ) {
        for blocks in passed.chunk_by(|a, b| a.block.stage == b.block.stage) {
            let stage = blocks[0].block.stage;
            let weights = self.of_tile(stage, number);
            let mut gradient = [[ZERO; STAGE_HIDDEN]; 2];
            for Passed { block, clipped, inner, .. } in blocks {
                self.path.run(Backward {
                    stage_hidden: &weights,
                    clipped: &clipped.as_chunks().0[number * block.count..][..block.count],
                    inner,
                    sums: &mut rows.as_chunks_mut().0[block.start..][..block.count],
                    bias: tile.input_bias,
                    gradient: &mut gradient,
                });
            }
            for (view, units) in gradient.iter().enumerate() {
                for (unit, row) in units.iter().enumerate() {
                    *tile.stage_hidden[view][stage * STAGE_HIDDEN + unit] = *row;
                }
            }
        }
        self.path.run(Gather {
            sums: rows,
            offsets: &batch.inputs.column_offsets,
            rows: &batch.inputs.rows_by_column,
            gradient: &mut tile.input,
        });
    }

    /// Returns the weights of a tile's units in the second layer of a stage, for either view.
    fn of_tile(&self, stage: usize, number: usize) -> [[Row; STAGE_HIDDEN]; 2] {
        let (tiles, row) = (self.hidden() / TILE, self.width / TILE);
        std::array::from_fn(|view| {
            let start = |unit| (stage * STAGE_HIDDEN + unit) * row + view * tiles;
            std::array::from_fn(|unit| self.stage_hidden[start(unit) + number])
        })
    }
}

/// The gradients of a tile.
struct Tile<'a> {
    /// A row for each input.
    input: Vec<&'a mut Row>,
    input_bias: &'a mut Row,
    /// For either view, a row for each unit of each stage.
    stage_hidden: [Vec<&'a mut Row>; 2],
}

/// Divides gradients into tiles. The second layer has `width` inputs; those of the counts are in no tile.
fn tiles<'a>(
    input: &'a mut [f32],
    input_bias: &'a mut [f32],
    stage_hidden: &'a mut [f32],
    width: usize,
) -> Vec<Tile<'a>> {
    let count = input_bias.len() / TILE;
    let rows = |floats: &'a mut [f32]| floats.as_chunks_mut().0.as_chunks_mut().0;
    let tile = |input_bias| Tile { input: Vec::new(), input_bias, stage_hidden: [vec![], vec![]] };
    let mut tiles: Vec<Tile> = rows(input_bias).iter_mut().map(tile).collect();
    for (place, row) in rows(input).iter_mut().enumerate() {
        tiles[place % count].input.push(row);
    }
    for (place, row) in rows(stage_hidden).iter_mut().enumerate() {
        let column = place % (width / TILE);
        if column < 2 * count {
            tiles[column % count].stage_hidden[column / count].push(row);
        }
    }
    tiles
}

/// Divides the positions of a batch into blocks of one stage each. `stages` has the number of positions of
/// each stage, in whose order the positions are.
fn blocks(stages: &[i64]) -> Vec<Block> {
    let (mut blocks, mut start) = (Vec::new(), 0);
    for (stage, &positions) in stages.iter().enumerate() {
        let end = start + positions as usize;
        while start < end {
            let count = BLOCK.min(end - start);
            blocks.push(Block { stage, start, count });
            start += count;
        }
    }
    blocks
}
