//! The efficiently updatable network.
//!
//! It sees a position from both sides by the inputs of [`Views`]. The sums of each view change by a
//! few rows a move. Both views, the mover's first, and the counts feed a small layer of the game's stage.
//!
//! ```text
//! inputs of the mover's view ──┬ input ─► hidden ─┐
//! inputs of the other view ────┘ (shared)  hidden ─┼─ stage_hidden ─► 16 ─ stage ─► win, draw, loss
//! counts ──────────────────────────────────────────┘
//! ```
//!
//! The last two layers have weights of their own for each stage of the game.

mod evaluator;
mod values;

pub use evaluator::ViewEvaluator;

use crate::kernels::HIDDEN_SCALE;
use crate::layers::{Floats, Layer, Sizes, SizesFor, Storage};
use crate::network::Quantised;
use crate::softmax;
use fusion_game::evaluator::Wdl;
use fusion_game::{MOST_COUNT, ViewInputs, Views, ViewsShape};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Width of the layer behind both views.
pub const STAGE_HIDDEN: usize = 16;

/// Number of outputs: the logits of win, draw and loss.
pub const OUTCOMES: usize = 3;

/// The places of the layers.
const INPUT: usize = 0;
const INNER: usize = 1;
const STAGE: usize = 2;

/// A quantised efficiently updatable network.
pub type ViewNetwork = Quantised<ViewSizes>;

/// The float weights of an efficiently updatable network.
///
/// For each view `x = input_bias + Σ input[f]` over the active inputs, and `h = clamp(x, 0, 1)²`.
/// With the mover's view first, the counts `c` and the rows of the stage,
/// `wdl = softmax(stage · relu(stage_hidden · [h, h', c] + b) + b)`.
pub type ViewFloats = Floats<ViewSizes>;

/// The sizes of an efficiently updatable network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewSizes {
    /// Number of inputs of a view.
    pub inputs: usize,
    /// Width of the hidden layer of one view.
    pub hidden: usize,
    /// Number of counts.
    pub counts: usize,
    /// Number of stages.
    pub stages: usize,
    /// SHA-256 of the name of the game's inputs.
    pub scheme: [u8; 32],
}

/// The largest count as a float is 1.
const _: () = assert!(MOST_COUNT == HIDDEN_SCALE as u8);

impl ViewSizes {
    /// Returns the sizes of a network with this hidden width for a rule set of the game `G`.
    ///
    /// # Errors
    /// Returns an error if the width is not a multiple of 64 from 64 to 4096.
    pub fn of<G: Views>(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::check_width(hidden)?;
        let ViewsShape { name, inputs, counts, stages, .. } = G::views(rules);
        let scheme = Sha256::digest(name.as_bytes()).into();
        Ok(Self { inputs, hidden, counts, stages, scheme })
    }

    /// Returns the number of inputs of the second layer.
    #[must_use]
    pub fn second(self) -> usize {
        2 * self.hidden + self.counts
    }
}

impl Sizes for ViewSizes {
    const MAGIC: &'static [u8; 8] = b"FUSIONVN";
    const VERSION: usize = 1;
    const MAX_HIDDEN: usize = 4096;
    const LAYERS: &'static [Layer<Self>] = &[
        Layer {
            weight: "input.weight",
            bias: "input.bias",
            rows: |sizes| sizes.inputs,
            columns: |sizes| sizes.hidden,
            row_of_input: true,
            storage: Storage::Integers,
            spread: |_| 0.15,
            random_bias: (0.0, 0.5),
        },
        Layer {
            weight: "stage_hidden.weight",
            bias: "stage_hidden.bias",
            rows: |sizes| sizes.stages * STAGE_HIDDEN,
            columns: |sizes| sizes.second(),
            row_of_input: false,
            storage: Storage::ScaledRows,
            spread: |_| 0.2,
            random_bias: (0.0, 0.2),
        },
        Layer {
            weight: "stage.weight",
            bias: "stage.bias",
            rows: |sizes| sizes.stages * OUTCOMES,
            columns: |_| STAGE_HIDDEN,
            row_of_input: false,
            storage: Storage::Floats,
            spread: |_| 0.5,
            random_bias: (0.0, 0.2),
        },
    ];

    fn hidden(self) -> usize {
        self.hidden
    }

    fn numbers(self) -> [usize; 4] {
        [self.hidden, self.inputs, self.stages, STAGE_HIDDEN]
    }

    fn scheme(self) -> [u8; 32] {
        self.scheme
    }

    fn stages(self) -> usize {
        self.stages
    }

    /// Samples a uniform number between -1 and 1.
    fn sample(rng: &mut ChaCha8Rng) -> f32 {
        (rng.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

impl<G: Views> SizesFor<G> for ViewSizes {
    fn sizes(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::of::<G>(rules, hidden)
    }

    fn older(rules: &G::Rules, hidden: usize) -> Option<Self> {
        let ViewsShape { inputs, stages, without_counts, .. } = G::views(rules);
        let scheme = Sha256::digest(without_counts?.as_bytes()).into();
        Some(Self { inputs, hidden, counts: 0, stages, scheme })
    }
}

impl ViewFloats {
    /// Returns win, draw and loss for the mover in floats.
    #[must_use]
    pub fn value(&self, inputs: &ViewInputs, stage: usize) -> [f32; OUTCOMES] {
        let views = inputs.views.each_ref();
        let mut hidden = views.map(|inputs| self.layers[INPUT].activations(inputs)).concat();
        hidden.extend(inputs.counts.iter().map(|&count| f32::from(count) / HIDDEN_SCALE));
        let mut inner = self.layers[INNER].outputs(stage * STAGE_HIDDEN, STAGE_HIDDEN, &hidden);
        inner.iter_mut().for_each(|x| *x = x.max(0.0));
        let out = self.layers[STAGE].outputs(stage * OUTCOMES, OUTCOMES, &inner);
        softmax([out[0], out[1], out[2]])
    }
}

impl ViewNetwork {
    /// Returns win, draw and loss from the activations of both views, the mover's first, and the counts.
    fn value(&self, hidden: &[u8], stage: usize, scratch: &mut Vec<i32>) -> Wdl {
        let inner = self.rectified::<STAGE_HIDDEN>(INNER, stage * STAGE_HIDDEN, hidden, scratch);
        let output = |i: usize| self.output::<STAGE_HIDDEN, 4>(STAGE, stage * OUTCOMES + i, &inner);
        let [win, draw, loss] = softmax([output(0), output(1), output(2)]);
        Wdl { win, draw, loss }
    }
}

#[cfg(test)]
mod tests;
