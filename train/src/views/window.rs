//! Positions for an efficiently updatable network, and the batches drawn from them.

use fusion_runner::samples::ViewSample;
use rand_chacha::ChaCha8Rng;

use crate::architecture::Layout;
use crate::window::{BadSample, Incidence, Lists, Ragged};

/// The layout of positions for an efficiently updatable network.
#[derive(Debug)]
pub struct ViewLayout {
    inputs_of_view: usize,
    stages_of_game: usize,
    root_share: f32,
}

/// Positions of a few games. A position takes about 200 bytes.
#[derive(Debug, Default)]
pub struct ViewBlock {
    /// The inputs of both views of each position, the mover's first.
    inputs: Ragged<u16>,
    stages: Vec<u8>,
    values: Vec<[f32; 3]>,
    weights: Vec<f32>,
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

impl ViewLayout {
    /// Makes a layout. The value target of each position is a mixture: `root_share` of the search's
    /// root value, and the rest of the game's result.
    #[must_use]
    pub fn new(inputs_of_view: usize, stages_of_game: usize, root_share: f64) -> Self {
        Self { inputs_of_view, stages_of_game, root_share: root_share as f32 }
    }
}

/// Returns whether these are shares of a whole.
pub(crate) fn is_distribution(shares: &[f32]) -> bool {
    shares.iter().all(|share| (0.0..=1.001).contains(share))
        && (shares.iter().sum::<f32>() - 1.0).abs() < 0.01
}

impl Layout for ViewLayout {
    type Sample = ViewSample;
    type Block = ViewBlock;
    type Batch = ViewBatch;

    fn push(&self, block: &mut ViewBlock, sample: &ViewSample) -> Result<(), BadSample> {
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
        block.inputs.check_room(sample.views.iter().map(Vec::len).sum())?;
        for view in &sample.views {
            block.inputs.push(view);
        }
        block.stages.push(sample.stage as u8);
        let mix = |i: usize| {
            self.root_share * sample.root[i] + (1.0 - self.root_share) * sample.result[i]
        };
        block.values.push([mix(0), mix(1), mix(2)]);
        block.weights.push(sample.weight);
        Ok(())
    }

    fn shrink(block: &mut ViewBlock) {
        block.inputs.shrink();
        block.stages.shrink_to_fit();
        block.values.shrink_to_fit();
        block.weights.shrink_to_fit();
    }

    /// There are no variations: the views are the same for mirrored positions.
    fn batch(&self, places: &[(&ViewBlock, usize)], _: Option<&mut ChaCha8Rng>) -> ViewBatch {
        let mut order = places.to_vec();
        order.sort_by_key(|&(block, place)| block.stages[place]);
        let mut lists = Lists::with_capacity(2 * order.len());
        let mut stages = vec![0; self.stages_of_game];
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        for (block, place) in order {
            for view in 0..2 {
                lists.push(block.inputs.list(2 * place + view), None);
            }
            stages[usize::from(block.stages[place])] += 1;
            values.extend_from_slice(&block.values[place]);
            weights.push(block.weights[place]);
        }
        ViewBatch { inputs: lists.incidence(self.inputs_of_view), stages, values, weights }
    }
}
