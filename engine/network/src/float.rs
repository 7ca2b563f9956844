//! The network in its trained form: 32-bit floats in a safetensors file.

use crate::architecture::{self, PLAYING_TENSORS, VALUES};
use crate::file::{NetworkError, Shape};
use fusion_game::Encoding;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;

/// Key of the feature scheme in a safetensors file's metadata.
pub const SCHEME_KEY: &str = "scheme";

/// Name of the tensor with the [`digest`] of a safetensors file. Files of earlier versions have
/// none. The digest is not in the metadata, because two metadata keys have no fixed order and equal
/// networks would have different files.
pub const DIGEST: &str = "sha256";

/// Returns the SHA-256 of `text`, the value of the metadata's only key, followed by the names and
/// data of all tensors but [`DIGEST`], in the order of the names.
#[must_use]
pub fn digest<'a>(text: &str, tensors: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> [u8; 32] {
    let mut tensors: Vec<_> = tensors.into_iter().filter(|(name, _)| *name != DIGEST).collect();
    tensors.sort_unstable();
    let mut hash = Sha256::new_with_prefix(text);
    for (name, data) in tensors {
        hash.update(name);
        hash.update(data);
    }
    hash.finalize().into()
}

/// Checks the [`digest`] of a file that has one.
///
/// # Errors
/// Returns an error if the file has changed since it was written.
pub fn check_digest(text: &str, file: &SafeTensors<'_>) -> Result<(), String> {
    let Ok(noted) = file.tensor(DIGEST) else { return Ok(()) };
    let found = digest(text, file.iter().map(|(name, tensor)| (name, tensor.data())));
    if noted.data() == found {
        return Ok(());
    }
    Err("its checksum is wrong: the file is damaged".into())
}

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
        let bytes = std::fs::read(path).map_err(|e| NetworkError::io(path, e))?;
        Self::from_bytes::<G>(&bytes).map_err(|reason| NetworkError::bad(path, reason))
    }

    /// Parses the bytes of a safetensors file made for the game `G`.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    pub fn from_bytes<G: Encoding>(bytes: &[u8]) -> Result<Self, String> {
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| e.to_string())?;
        let scheme = metadata.metadata().as_ref().and_then(|map| map.get(SCHEME_KEY));
        if scheme.is_none_or(|scheme| scheme != G::NAME) {
            return Err(format!("its scheme is {scheme:?}, expected \"{}\"", G::NAME));
        }
        let file = SafeTensors::deserialize(bytes).map_err(|e| e.to_string())?;
        check_digest(G::NAME, &file)?;
        let bias = file.tensor("input.bias").map_err(|e| e.to_string())?;
        let shape = Shape::of::<G>(bias.shape().first().copied().unwrap_or(0))?;
        let read = |(name, dims): (&str, Vec<usize>)| -> Result<Vec<f32>, String> {
            let tensor = file.tensor(name).map_err(|e| e.to_string())?;
            if tensor.dtype() != Dtype::F32 || tensor.shape() != dims {
                let (dtype, shape) = (tensor.dtype(), tensor.shape());
                return Err(format!("{name} is {dtype:?} {shape:?}, expected F32 {dims:?}"));
            }
            let (words, _) = tensor.data().as_chunks::<4>();
            let values: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
            match values.iter().all(|value| value.is_finite()) {
                true => Ok(values),
                false => Err(format!("{name} has values that are not finite")),
            }
        };
        let [a, b, c, d, e, f, g, h] = Self::tensors(&shape).map(read);
        Ok(Self {
            shape,
            input: a?,
            input_bias: b?,
            value_hidden: c?,
            value_hidden_bias: d?,
            value: e?,
            value_bias: f?,
            policy: g?,
            policy_bias: h?,
        })
    }

    /// Returns the bytes of the safetensors file.
    ///
    /// # Errors
    /// Returns an error if the safetensors library rejects the weights, for example a tensor of the
    /// wrong size.
    pub fn to_bytes<G: Encoding>(&self) -> Result<Vec<u8>, String> {
        let names = Self::tensors(&self.shape);
        let parts = self.parts();
        let views = names.into_iter().zip(parts).map(|((name, dims), values)| {
            let view = TensorView::new(Dtype::F32, dims, bytemuck::cast_slice(values));
            view.map(|view| (name, view)).map_err(|e| e.to_string())
        });
        let mut views: Vec<_> = views.collect::<Result<_, _>>()?;
        let digest = digest(G::NAME, views.iter().map(|(name, view)| (*name, view.data())));
        let view = TensorView::new(Dtype::U8, vec![digest.len()], &digest);
        views.push((DIGEST, view.map_err(|e| e.to_string())?));
        let metadata = HashMap::from([(SCHEME_KEY.to_string(), G::NAME.to_string())]);
        safetensors::serialize(views, Some(metadata)).map_err(|e| e.to_string())
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
