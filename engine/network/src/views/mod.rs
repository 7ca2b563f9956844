//! The efficiently updatable network.
//!
//! It sees a position from both sides by the inputs of [`Views`]. The sums of each view change by a
//! few rows a move. Both views, the mover's first, feed a small layer of the game's stage.

mod architecture;
mod evaluator;
mod file;
mod random;
mod values;

pub use architecture::{
    OUTCOMES, STAGE_HIDDEN, VIEW_LAYERS, VIEW_TENSOR_NAMES, VIEW_TENSORS, ViewSizes,
};
pub use evaluator::ViewEvaluator;
pub use random::random;

use crate::kernels::{self, Change, HIDDEN_SCALE, INPUT_SCALE, Kernel};
use crate::{Bytes, NetworkError, hex, softmax};
use file::Layout;
use fusion_game::evaluator::Wdl;
use fusion_game::{Views, files};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// A network's weights as floats. Matrices are row-major, `[rows, columns]`.
///
/// For each view `x = input_bias + Σ input[f]` over the active inputs, and `h = clamp(x, 0, 1)²`.
/// With the mover's view first and the rows of the stage,
/// `wdl = softmax(stage · relu(stage_hidden · [h, h'] + b) + b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewFloats {
    /// The sizes.
    pub sizes: ViewSizes,
    /// `input.weight` `[inputs, hidden]`.
    pub input: Vec<f32>,
    /// `input.bias` `[hidden]`.
    pub input_bias: Vec<f32>,
    /// `stage_hidden.weight` `[stages x 16, 2 x hidden]`.
    pub stage_hidden: Vec<f32>,
    /// `stage_hidden.bias` `[stages x 16]`.
    pub stage_hidden_bias: Vec<f32>,
    /// `stage.weight` `[stages x 3, 16]`.
    pub stage: Vec<f32>,
    /// `stage.bias` `[stages x 3]`.
    pub stage_bias: Vec<f32>,
}

impl ViewFloats {
    /// Returns the weights in the order of [`ViewSizes::tensors`].
    #[must_use]
    pub fn parts(&self) -> [&Vec<f32>; VIEW_TENSORS] {
        [
            &self.input,
            &self.input_bias,
            &self.stage_hidden,
            &self.stage_hidden_bias,
            &self.stage,
            &self.stage_bias,
        ]
    }

    /// Returns win, draw and loss for the mover in floats, the reference for the quantised network.
    #[must_use]
    pub fn value(&self, views: [&[u16]; 2], stage: usize) -> [f32; OUTCOMES] {
        let width = self.sizes.hidden;
        let view = |inputs: &[u16]| -> Vec<f32> {
            let mut sums = self.input_bias.clone();
            for &input in inputs {
                let row = &self.input[usize::from(input) * width..][..width];
                sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
            }
            sums.iter().map(|sum| sum.clamp(0.0, 1.0).powi(2)).collect()
        };
        let hidden = views.map(view).concat();
        let layer = |weights: &[f32], bias: &[f32], rows: usize, input: &[f32]| -> Vec<f32> {
            let weights = weights[stage * rows * input.len()..].chunks_exact(input.len());
            let rows = weights.zip(&bias[stage * rows..][..rows]);
            rows.map(|(row, b)| b + row.iter().zip(input).map(|(w, x)| w * x).sum::<f32>())
                .collect()
        };
        let mut inner = layer(&self.stage_hidden, &self.stage_hidden_bias, STAGE_HIDDEN, &hidden);
        inner.iter_mut().for_each(|x| *x = x.max(0.0));
        let out = layer(&self.stage, &self.stage_bias, OUTCOMES, &inner);
        softmax([out[0], out[1], out[2]])
    }
}

/// A quantised network, ready to evaluate. Share it behind an [`Arc`](std::sync::Arc).
pub struct ViewNetwork {
    bytes: Bytes,
    sizes: ViewSizes,
    layout: Layout,
    kernel: Kernel,
    hash: String,
    /// The largest magnitude of each input's weights.
    largest: Vec<u16>,
    /// The rows of each stage.
    rows: Vec<[u16; STAGE_HIDDEN]>,
}

impl std::fmt::Debug for ViewNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ViewNetwork({} wide, {})", self.sizes.hidden, self.hash)
    }
}

impl ViewNetwork {
    /// Reads a network file made for the game `G` and checks it completely.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is damaged, or was made for another game.
    pub fn load<G: Views>(path: &Path) -> Result<Self, NetworkError> {
        let file = files::open(path).map_err(|e| NetworkError::io(path, e))?;
        // One byte more than the longest network has is enough to reject any longer file.
        let mut bytes = Vec::new();
        let read = file.take(file::longest::<G>() as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|e| NetworkError::io(path, e))?;
        Self::from_bytes::<G>(&bytes).map_err(|reason| NetworkError::bad(path, reason))
    }

    /// Returns whether there is a file at the path that begins like such a network.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut start = [0; file::MAGIC.len()];
        let file = files::open(path).and_then(|mut file| file.read_exact(&mut start));
        file.is_ok() && Self::is_file(&start)
    }

    /// Returns whether the bytes begin like a file of such a network.
    #[must_use]
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(file::MAGIC)
    }

    /// Parses a network from the bytes of its file.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    pub fn from_bytes<G: Views>(bytes: &[u8]) -> Result<Self, String> {
        let hash = hex(&Sha256::digest(bytes));
        let (sizes, layout) = file::check::<G>(bytes)?;
        let rows = (0..sizes.stages)
            .map(|stage| std::array::from_fn(|i| (stage * STAGE_HIDDEN + i) as u16))
            .collect();
        let bytes = Bytes::new(bytes);
        let kernel = Kernel::fastest();
        let largest = Vec::new();
        let mut network = Self { bytes, sizes, layout, kernel, hash, largest, rows };
        let weights = network.section::<i16>(&network.layout.input).chunks_exact(sizes.hidden);
        network.largest =
            weights.map(|row| row.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0)).collect();
        for range in [&network.layout.stage_hidden_rows, &network.layout.stage] {
            // `<=` is false for NaN, so this rejects NaN as well.
            if !network.section::<f32>(range).iter().all(|x| x.abs() <= crate::LARGEST) {
                return Err(format!(
                    "it has weights that are not finite, or beyond {:e}",
                    crate::LARGEST
                ));
            }
        }
        Ok(network)
    }

    /// Quantises a float network.
    ///
    /// # Errors
    /// Returns an error if its sizes are not those of the game.
    pub fn quantise<G: Views>(network: &ViewFloats) -> Result<Self, String> {
        Self::from_bytes::<G>(&file::quantise::<G>(network)?)
    }

    /// Returns the weights as floats, for training on.
    #[must_use]
    pub fn to_float(&self) -> ViewFloats {
        let units = |range| self.section::<i16>(range).iter().map(|&w| f32::from(w) / INPUT_SCALE);
        let sizes = self.sizes;
        let rows = self.section::<f32>(&self.layout.stage_hidden_rows).as_chunks::<2>().0;
        let weights = self.section::<i8>(&self.layout.stage_hidden);
        let weights = weights.chunks_exact(2 * sizes.hidden).zip(rows).flat_map(|(row, scale)| {
            row.iter().map(move |&w| f32::from(w) * scale[0] * HIDDEN_SCALE)
        });
        let stage = self.section::<f32>(&self.layout.stage);
        let (stage, stage_bias) = stage.split_at(sizes.stages * OUTCOMES * STAGE_HIDDEN);
        ViewFloats {
            sizes,
            input: units(&self.layout.input).collect(),
            input_bias: units(&self.layout.input_bias).collect(),
            stage_hidden: weights.collect(),
            stage_hidden_bias: rows.iter().map(|&[_, bias]| bias).collect(),
            stage: stage.to_vec(),
            stage_bias: stage_bias.to_vec(),
        }
    }

    /// Returns the same network, computed with this kernel instead of the fastest one.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }

    /// Returns the bytes of the network's file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get()
    }

    /// Returns the SHA-256 of the whole file in hexadecimal, the network's identity in all results.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the network's sizes.
    #[must_use]
    pub fn sizes(&self) -> ViewSizes {
        self.sizes
    }

    fn section<T: bytemuck::Pod>(&self, range: &Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.bytes.get()[range.clone()])
    }

    fn bias(&self) -> &[i16] {
        self.section(&self.layout.input_bias)
    }

    /// Returns the largest magnitude of a bias.
    fn bias_bound(&self) -> u32 {
        self.bias().iter().map(|bias| u32::from(bias.unsigned_abs())).max().unwrap_or(0)
    }

    /// Replaces `sums` by the sums of a view's inputs in 32 bits, and `hidden` by the activations.
    fn in_32_bits(&self, inputs: &[u16], sums: &mut Vec<i32>, hidden: &mut [u8]) {
        sums.clear();
        sums.extend(self.bias().iter().copied().map(i32::from));
        let weights = self.section::<i16>(&self.layout.input);
        for &input in inputs {
            let row = &weights[usize::from(input) * sums.len()..];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
        hidden.iter_mut().zip(sums).for_each(|(hidden, sum)| *hidden = kernels::activate(*sum));
    }

    /// Updates the sums of a view, and its activations.
    fn change(&self, change: &Change, sums: &mut [i16], hidden: &mut [u8]) {
        self.kernel.change(self.section(&self.layout.input), change, sums, hidden);
    }

    /// Returns win, draw and loss from the activations of both views, the mover's first.
    fn value(&self, hidden: &[u8], stage: usize, scratch: &mut Vec<i32>) -> Wdl {
        let weights = self.section(&self.layout.stage_hidden);
        self.kernel.dots(hidden, weights, &self.rows[stage], scratch);
        let rows = self.section::<f32>(&self.layout.stage_hidden_rows).as_chunks::<2>().0;
        let mut inner = [0f32; STAGE_HIDDEN];
        let rows = &rows[stage * STAGE_HIDDEN..][..STAGE_HIDDEN];
        for ((x, &dot), [scale, bias]) in inner.iter_mut().zip(&*scratch).zip(rows) {
            *x = (dot as f32 * scale + bias).max(0.0);
        }
        let (weights, biases) = self
            .section::<f32>(&self.layout.stage)
            .split_at(self.sizes.stages * OUTCOMES * STAGE_HIDDEN);
        let output = |i: usize| {
            let row = stage * OUTCOMES + i;
            let weights = &weights[row * STAGE_HIDDEN..][..STAGE_HIDDEN];
            // Four partial sums in a fixed order.
            let mut sums = [0f32; 4];
            for (a, b) in inner.chunks_exact(4).zip(weights.chunks_exact(4)) {
                sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
            }
            biases[row] + sums.iter().sum::<f32>()
        };
        let [win, draw, loss] = softmax([output(0), output(1), output(2)]);
        Wdl { win, draw, loss }
    }
}

#[cfg(test)]
mod tests;
