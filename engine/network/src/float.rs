//! The network in its trained form: 32-bit floats in a safetensors file.

use crate::architecture::{self, PLAYING_TENSORS, VALUES};
use crate::file::{NetworkError, Shape};
use crate::tensors;
use fusion_game::{Encoding, files};
use std::io::Read;
use std::path::Path;

/// Limit on the bytes that are read, far above those of the widest network.
const LONGEST: u64 = 4 << 30;

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

    fn parts(&self) -> [&Vec<f32>; PLAYING_TENSORS] {
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

    /// Reads a safetensors file made for the game `G`.
    ///
    /// # Errors
    /// Returns an error if a tensor is missing, malformed or not finite, or if the scheme is
    /// another.
    pub fn load<G: Encoding>(path: &Path) -> Result<Self, NetworkError> {
        let mut bytes = Vec::new();
        let read = files::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
        read.map_err(|e| NetworkError::io(path, e))?;
        Self::from_bytes::<G>(&bytes).map_err(|reason| NetworkError::bad(path, reason))
    }

    /// Parses the bytes of a safetensors file made for the game `G`.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    pub fn from_bytes<G: Encoding>(bytes: &[u8]) -> Result<Self, String> {
        let sizes = |hidden| {
            let shape = Shape::of::<G>(hidden)?;
            let sizes = Self::tensors(&shape).to_vec();
            Ok((shape, sizes))
        };
        let (shape, mut tensors) = tensors::read(bytes, G::NAME, sizes)?;
        let mut next = || tensors.next().unwrap_or_default();
        Ok(Self {
            shape,
            input: next(),
            input_bias: next(),
            value_hidden: next(),
            value_hidden_bias: next(),
            value: next(),
            value_bias: next(),
            policy: next(),
            policy_bias: next(),
        })
    }

    /// Returns the bytes of the safetensors file.
    ///
    /// # Errors
    /// Returns an error if the safetensors library rejects the weights, for example a tensor of the
    /// wrong size.
    pub fn to_bytes<G: Encoding>(&self) -> Result<Vec<u8>, String> {
        tensors::write(G::NAME, Self::tensors(&self.shape), &self.parts())
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
