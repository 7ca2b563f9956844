//! The network of the tree search.
//!
//! ```text
//! active inputs ─ input ─► hidden ─┬─ value_hidden ─► 32 ─ value ─► win, draw, loss, length
//!                                  ├─ policy ───────► one output for each policy row
//!                                  └─ horizon ──────► values some plies ahead (in training only)
//! ```

mod evaluator;

pub use evaluator::NetworkEvaluator;

use crate::layers::{Floats, Layer, Sizes, SizesFor, Storage};
use crate::network::Quantised;
use crate::softmax;
use fusion_game::evaluator::{Evaluation, Wdl};
use fusion_game::math::exp;
use fusion_game::{Encoding, EncodingShape, OlderEncoding};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Width of the value head's hidden layer.
pub const VALUE_HIDDEN: usize = 32;

/// Number of outputs of the value head: the logits of win, draw and loss, and log(1 + plies to the
/// end of the game).
pub const VALUES: usize = 4;

/// Number of outputs of the head that exists only in training.
pub const HORIZONS: usize = 3;

/// Logarithm of the longest game that is expected, about 3,000 plies.
pub const MOST_LENGTH: f32 = 8.0;

/// Number of active features of a typical position. The spread of random weights depends on it.
const ACTIVE: f32 = 55.0;

/// Mean square of the hidden activations that random weights give.
const MEAN_SQUARE: f32 = 0.15;

/// The places of the layers.
const INPUT: usize = 0;
const INNER: usize = 1;
const VALUE: usize = 2;
const POLICY: usize = 3;

/// A quantised network of the tree search.
pub type Network = Quantised<TreeSizes>;

/// The float weights of a network of the tree search.
///
/// `x = input_bias + Σ input[f]` over the active features, and `h = clamp(x, 0, 1)²`. For the side
/// to move, `wdl = softmax(value · relu(value_hidden · h + b) + b)`. The output of policy row `i`
/// is `policy[i] · h + b[i]`. The logit of a move is the sum over its rows.
pub type FloatNetwork = Floats<TreeSizes>;

/// The sizes of a network of the tree search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSizes {
    /// Hidden width, a multiple of 64.
    pub hidden: usize,
    /// Number of features.
    pub features: usize,
    /// Number of policy rows.
    pub policy: usize,
    /// Number of policy rows of a move.
    pub terms: usize,
    /// SHA-256 of the name of the game's features and policy rows.
    pub scheme: [u8; 32],
}

impl TreeSizes {
    /// Returns the sizes of a network with this hidden width for a rule set of the game `G`.
    ///
    /// # Errors
    /// Returns an error if the width is not a multiple of 64 from 64 to 8192.
    pub fn of<G: Encoding>(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::check_width(hidden)?;
        let EncodingShape { name, features, policy, .. } = G::encoding(rules);
        let scheme = Sha256::digest(name.as_bytes()).into();
        Ok(Self { hidden, features, policy, terms: G::POLICY_FACTORS, scheme })
    }
}

impl Sizes for TreeSizes {
    const MAGIC: &'static [u8; 8] = b"FUSIONNN";
    const VERSION: usize = 2;
    const MAX_HIDDEN: usize = 8192;
    const LAYERS: &'static [Layer<Self>] = &[
        Layer {
            weight: "input.weight",
            bias: "input.bias",
            rows: |sizes| sizes.features,
            columns: |sizes| sizes.hidden,
            row_of_input: true,
            storage: Storage::Integers,
            spread: |_| 0.4 / ACTIVE.sqrt(),
            random_bias: (0.3, 0.2),
        },
        Layer {
            weight: "value_hidden.weight",
            bias: "value_hidden.bias",
            rows: |_| VALUE_HIDDEN,
            columns: |sizes| sizes.hidden,
            row_of_input: false,
            storage: Storage::ScaledRows,
            spread: |sizes| 1.0 / (sizes.hidden as f32 * MEAN_SQUARE).sqrt(),
            random_bias: (0.0, 0.2),
        },
        Layer {
            weight: "value.weight",
            bias: "value.bias",
            rows: |_| VALUES,
            columns: |_| VALUE_HIDDEN,
            row_of_input: false,
            storage: Storage::Floats,
            spread: |_| 0.3,
            random_bias: (0.0, 0.2),
        },
        Layer {
            weight: "policy.weight",
            bias: "policy.bias",
            rows: |sizes| sizes.policy,
            columns: |sizes| sizes.hidden,
            row_of_input: false,
            storage: Storage::ScaledRows,
            // A logit is the sum of several rows.
            spread: |sizes| {
                1.0 / (sizes.hidden as f32 * MEAN_SQUARE).sqrt() / (sizes.terms as f32).sqrt()
            },
            random_bias: (0.0, 0.2),
        },
        Layer {
            weight: "horizon.weight",
            bias: "horizon.bias",
            rows: |_| HORIZONS,
            columns: |sizes| sizes.hidden,
            row_of_input: false,
            storage: Storage::None,
            spread: |_| 0.0,
            random_bias: (0.0, 0.0),
        },
    ];

    fn hidden(self) -> usize {
        self.hidden
    }

    fn numbers(self) -> [usize; 4] {
        [self.hidden, VALUE_HIDDEN, self.features, self.policy]
    }

    fn scheme(self) -> [u8; 32] {
        self.scheme
    }

    /// Samples a nearly standard normal variate: the standardised sum of four random bytes. Logits
    /// of random networks then have a standard deviation of about one.
    fn sample(rng: &mut ChaCha8Rng) -> f32 {
        const MEAN: f32 = 4.0 * 255.0 / 2.0;
        /// Standard deviation of the sum: the square root of 4 (256² - 1) / 12.
        const DEVIATION: f32 = 147.8;
        let sum: u32 = rng.next_u32().to_le_bytes().into_iter().map(u32::from).sum();
        (sum as f32 - MEAN) / DEVIATION
    }
}

impl<G: Encoding> SizesFor<G> for TreeSizes {
    fn sizes(rules: &G::Rules, hidden: usize) -> Result<Self, String> {
        Self::of::<G>(rules, hidden)
    }

    fn older(rules: &G::Rules, hidden: usize) -> Option<Self> {
        let OlderEncoding { name, features, policy } = G::encoding(rules).older?;
        let scheme = Sha256::digest(name.as_bytes()).into();
        Some(Self { hidden, features, policy, terms: G::POLICY_FACTORS, scheme })
    }
}

/// Returns the benchmarks' own network for a rule set: 256 wide, with random weights, always the same.
///
/// # Errors
/// Returns the message of [`Network::quantise`]. This cannot occur for this network.
pub fn benchmark_network<G: Encoding>(rules: &G::Rules) -> Result<Network, String> {
    Network::quantise::<G>(rules, &FloatNetwork::random::<G>(rules, 256, 1)?)
}

impl FloatNetwork {
    /// Returns the hidden activations in floats.
    #[must_use]
    pub fn hidden(&self, features: &[u16]) -> Vec<f32> {
        self.layers[INPUT].activations(features)
    }

    /// Returns win, draw and loss for the side to move, in floats, then log(1 + plies to the end of
    /// the game).
    #[must_use]
    pub fn value(&self, hidden: &[f32]) -> [f32; VALUES] {
        let mut inner = self.layers[INNER].outputs(0, VALUE_HIDDEN, hidden);
        inner.iter_mut().for_each(|x| *x = x.max(0.0));
        let out = self.layers[VALUE].outputs(0, VALUES, &inner);
        let [win, draw, loss] = softmax([out[0], out[1], out[2]]);
        [win, draw, loss, out[3]]
    }

    /// Returns the logit of a move with these policy rows, in floats.
    #[must_use]
    pub fn logit(&self, hidden: &[f32], rows: &[u16]) -> f32 {
        let output = |&row: &u16| self.layers[POLICY].outputs(row.into(), 1, hidden)[0];
        rows.iter().map(output).sum()
    }
}

impl Network {
    /// Returns win, draw and loss for the side to move, and the expected plies to the end.
    #[must_use]
    pub fn value(&self, hidden: &[u8], scratch: &mut Vec<i32>) -> Evaluation {
        let inner = self.rectified::<VALUE_HIDDEN>(INNER, 0, hidden, scratch);
        let output = |i: usize| self.output::<VALUE_HIDDEN, 8>(VALUE, i, &inner);
        let [win, draw, loss] = softmax([output(0), output(1), output(2)]);
        // The output is log(1 + plies).
        let plies = 1.0 / exp(-output(3).clamp(0.0, MOST_LENGTH)) - 1.0;
        Evaluation { wdl: Wdl { win, draw, loss }, plies }
    }

    /// Replaces `outputs` by the outputs of the given policy rows.
    pub fn rows(
        &self,
        hidden: &[u8],
        rows: &[u16],
        scratch: &mut Vec<i32>,
        outputs: &mut Vec<f32>,
    ) {
        self.kernel.dots(hidden, self.weights(POLICY), rows, scratch);
        let parameters = self.biases::<[f32; 2]>(POLICY);
        outputs.clear();
        outputs.extend(rows.iter().zip(scratch).map(|(&row, &mut dot)| {
            let [scale, bias] = parameters[usize::from(row)];
            dot as f32 * scale + bias
        }));
    }
}

#[cfg(test)]
mod tests;
