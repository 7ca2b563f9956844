//! The network in its trained form: 32-bit floats.

use crate::architecture::{self, PLAYING_TENSORS, VALUES};
use crate::file::Shape;

/// A network's weights as floats. Matrices are row-major, `[rows, columns]`.
///
/// `x = input_bias + Σ input[f]` over the active features, and `h = clamp(x, 0, 1)²`. For the side
/// to move, `wdl = softmax(value · relu(value_hidden · h + b) + b)`. The output of policy row `i`
/// is `policy[i] · h + b[i]`. The logit of a move is the sum over its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatNetwork {
    /// Sizes and the scheme of features and policy rows.
    pub shape: Shape,
    /// `input.weight` `[features, hidden]`.
    pub input: Vec<f32>,
    /// `input.bias` `[hidden]`.
    pub input_bias: Vec<f32>,
    /// `value_hidden.weight` `[32, hidden]`.
    pub value_hidden: Vec<f32>,
    /// `value_hidden.bias` `[32]`.
    pub value_hidden_bias: Vec<f32>,
    /// `value.weight` `[4, 32]`: win, draw, loss, length.
    pub value: Vec<f32>,
    /// `value.bias` `[4]`.
    pub value_bias: Vec<f32>,
    /// `policy.weight` `[policy rows, hidden]`.
    pub policy: Vec<f32>,
    /// `policy.bias` `[policy rows]`.
    pub policy_bias: Vec<f32>,
}

impl FloatNetwork {
    /// Returns the names and shapes of a network's tensors.
    #[must_use]
    pub fn tensors(shape: &Shape) -> [(&'static str, Vec<usize>); PLAYING_TENSORS] {
        let all = architecture::tensors(shape.sizes());
        std::array::from_fn(|i| all[i].clone())
    }

    /// Returns the weights in the order of [`FloatNetwork::tensors`].
    #[must_use]
    pub fn parts(&self) -> [&Vec<f32>; PLAYING_TENSORS] {
        [
            &self.input,
            &self.input_bias,
            &self.value_hidden,
            &self.value_hidden_bias,
            &self.value,
            &self.value_bias,
            &self.policy,
            &self.policy_bias,
        ]
    }

    /// Returns the hidden activations in floats, the reference for the quantised network.
    #[must_use]
    pub fn hidden(&self, features: &[u16]) -> Vec<f32> {
        let width = self.shape.hidden;
        let mut sums = self.input_bias.clone();
        for &feature in features {
            let row = &self.input[usize::from(feature) * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
        }
        sums.iter().map(|sum| sum.clamp(0.0, 1.0).powi(2)).collect()
    }

    /// Returns win, draw and loss for the side to move, in floats, then log(1 + plies to the end of
    /// the game).
    #[must_use]
    pub fn value(&self, hidden: &[f32]) -> [f32; VALUES] {
        let layer = |weights: &[f32], bias: &[f32], input: &[f32]| -> Vec<f32> {
            let rows = weights.chunks_exact(input.len()).zip(bias);
            rows.map(|(row, b)| b + row.iter().zip(input).map(|(w, x)| w * x).sum::<f32>())
                .collect()
        };
        let mut inner = layer(&self.value_hidden, &self.value_hidden_bias, hidden);
        inner.iter_mut().for_each(|x| *x = x.max(0.0));
        let out = layer(&self.value, &self.value_bias, &inner);
        let [win, draw, loss] = super::softmax([out[0], out[1], out[2]]);
        [win, draw, loss, out[3]]
    }

    /// Returns the logit of a move with these policy rows, in floats.
    #[must_use]
    pub fn logit(&self, hidden: &[f32], rows: &[u16]) -> f32 {
        let output = |&row: &u16| {
            let row = usize::from(row);
            let weights = &self.policy[row * self.shape.hidden..][..self.shape.hidden];
            self.policy_bias[row] + weights.iter().zip(hidden).map(|(w, x)| w * x).sum::<f32>()
        };
        rows.iter().map(output).sum()
    }
}
