//! Positions for an efficiently updatable network, and the batches drawn from them.

use fusion_network::views::ViewSizes;
use fusion_runner::samples::ViewSample;
use rand_chacha::ChaCha8Rng;

use crate::architecture::TrainingWindow;
use crate::window::{BadSample, Incidence, Lists, Ragged};

/// Positions of recent games. A position takes about 200 bytes.
#[derive(Debug)]
pub struct ViewWindow {
    inputs_of_view: usize,
    stages_of_game: usize,
    root_share: f32,
    /// The inputs of both views of each position, the mover's first.
    inputs: Ragged<u16>,
    stages: Vec<u8>,
    values: Vec<[f32; 3]>,
    weights: Vec<f32>,
    train: Vec<u32>,
    held_out: Vec<u32>,
}

/// A batch of positions, in the order of their stages.
#[derive(Debug)]
pub struct ViewBatch {
    /// The active inputs: two rows a position, the mover's view first.
    pub inputs: Incidence,
    /// Number of positions of each stage.
    pub stages: Vec<i64>,
    /// The value target, three numbers a position.
    pub values: Vec<f32>,
    /// Weight of each position.
    pub weights: Vec<f32>,
}

impl ViewWindow {
    /// Makes an empty window. The value target of each position is a mixture: `root_share` of the
    /// search's root value, and the rest of the game's result.
    #[must_use]
    pub fn new(sizes: ViewSizes, root_share: f64) -> Self {
        Self {
            inputs_of_view: sizes.inputs,
            stages_of_game: sizes.stages,
            root_share: root_share as f32,
            inputs: Ragged::new(),
            stages: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            train: Vec::new(),
            held_out: Vec::new(),
        }
    }
}

/// Returns whether these are shares of a whole.
pub(crate) fn is_distribution(shares: &[f32]) -> bool {
    shares.iter().all(|share| (0.0..=1.001).contains(share))
        && (shares.iter().sum::<f32>() - 1.0).abs() < 0.01
}

impl TrainingWindow for ViewWindow {
    type Sample = ViewSample;
    type Batch = ViewBatch;

    fn push(&mut self, sample: &ViewSample, held_out: bool) -> Result<(), BadSample> {
        let end = self.inputs_of_view;
        let inputs = sample.views.iter().flatten().map(|&input| usize::from(input));
        if let Some(input) = inputs.into_iter().find(|&input| input >= end) {
            return Err(BadSample::Feature(input, end));
        }
        if sample.stage >= self.stages_of_game {
            return Err(BadSample::Stage(sample.stage, self.stages_of_game));
        }
        let shares = [("result", &sample.result), ("root value", &sample.root)];
        if let Some((name, _)) = shares.into_iter().find(|(_, shares)| !is_distribution(*shares)) {
            return Err(BadSample::Distribution(name));
        }
        if !sample.weight.is_finite() || sample.weight < 0.0 {
            return Err(BadSample::Weight(sample.weight.to_string()));
        }
        let index = u32::try_from(self.values.len()).map_err(|_| BadSample::Full)?;
        self.inputs.push_all(&sample.views)?;
        self.stages.push(sample.stage as u8);
        let mix = |i: usize| {
            self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i]
        };
        self.values.push([mix(0), mix(1), mix(2)]);
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

    fn batch(&self, positions: &[u32]) -> ViewBatch {
        let mut order: Vec<usize> = positions.iter().map(|&position| position as usize).collect();
        order.sort_by_key(|&position| self.stages[position]);
        let mut lists = Lists::with_capacity(2 * order.len());
        let mut stages = vec![0; self.stages_of_game];
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        for position in order {
            for view in 0..2 {
                lists.push(&self.inputs.items[self.inputs.range(2 * position + view)], None);
            }
            stages[usize::from(self.stages[position])] += 1;
            values.extend_from_slice(&self.values[position]);
            weights.push(self.weights[position]);
        }
        ViewBatch { inputs: lists.incidence(self.inputs_of_view), stages, values, weights }
    }

    /// There are no variations: the views are the same for mirrored positions.
    fn varied_batch(&self, positions: &[u32], _: &mut ChaCha8Rng) -> ViewBatch {
        self.batch(positions)
    }
}
