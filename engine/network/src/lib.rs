//! The evaluation network on a plain CPU.
//!
//! The network has sparse inputs, one wide integer layer, a WDL head and a policy head. Policy rows
//! are computed only for legal moves. Leaves are evaluated one by one, without batches. All threads
//! share the weights. The trainer writes a [`FloatNetwork`], which is also the reference for the
//! integer path.

mod architecture;
pub mod ceiling;
mod evaluator;
mod file;
mod float;
pub mod kernels;
pub mod model;
mod random;
pub mod views;

pub use architecture::{
    HORIZONS, LAYERS, Layer, PLAYING_LAYERS, PLAYING_TENSORS, Sizes, Storage, TENSOR_NAMES,
    TENSORS, VALUE_HIDDEN, VALUES, tensors,
};
pub use evaluator::NetworkEvaluator;
pub use file::{NetworkError, Shape};
pub use float::FloatNetwork;
pub use random::{benchmark_network, random};

use file::Layout;
use fusion_game::evaluator::{Evaluation, Wdl};
use fusion_game::math::exp;
use fusion_game::{Encoding, FeatureSet, files, hex};
use kernels::{Change, HIDDEN_SCALE, INPUT_SCALE, Kernel};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// Memory with the alignment of a file's sections, so that rows of weights fill whole cache lines.
///
/// The file is not memory-mapped. If a mapped file were overwritten in place, the weights would
/// change during a game while the network kept its old hash.
struct Bytes {
    lines: Vec<CacheLine>,
    length: usize,
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        let mut lines = vec![CacheLine([0; 64]); bytes.len().div_ceil(64)];
        bytemuck::cast_slice_mut(&mut lines)[..bytes.len()].copy_from_slice(bytes);
        Self { lines, length: bytes.len() }
    }

    fn get(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }
}

/// A quantised network, ready to evaluate. Share it behind an [`Arc`](std::sync::Arc).
///
/// ```
/// use fusion_game::toy::TicTacToe;
/// use fusion_network::{Network, random};
///
/// let network = Network::quantise::<TicTacToe>(&random::<TicTacToe>(64, 1)?)?;
/// let again = Network::from_bytes::<TicTacToe>(network.bytes())?;
/// assert_eq!(again.hash(), network.hash());
/// # Ok::<(), String>(())
/// ```
pub struct Network {
    bytes: Bytes,
    shape: Shape,
    layout: Layout,
    kernel: Kernel,
    hash: String,
    /// The largest magnitude of each input's weights.
    largest: Vec<u16>,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network({} wide, {})", self.shape.hidden, self.hash)
    }
}

impl Network {
    /// Reads a network file made for the game `G` and checks it completely.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. Returns an error if the file is truncated,
    /// damaged, of another version or shape, or made for another scheme.
    pub fn load<G: Encoding>(path: &Path) -> Result<Self, NetworkError> {
        let file = files::open(path).map_err(|e| NetworkError::io(path, e))?;
        // Reads at most one byte more than the longest network has: enough to reject any longer
        // file.
        let mut bytes = Vec::new();
        let read = file.take(file::longest::<G>() as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|e| NetworkError::io(path, e))?;
        Self::from_bytes::<G>(&bytes).map_err(|reason| NetworkError::bad(path, reason))
    }

    /// Returns whether the bytes begin like a network file.
    #[must_use]
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(file::MAGIC)
    }

    /// Parses a network from the bytes of its file.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    pub fn from_bytes<G: Encoding>(bytes: &[u8]) -> Result<Self, String> {
        Self::new::<G>(Bytes::new(bytes))
    }

    /// Quantises a float network.
    ///
    /// # Errors
    /// Returns an error if the network was made for another game.
    pub fn quantise<G: Encoding>(network: &FloatNetwork) -> Result<Self, String> {
        Self::from_bytes::<G>(&file::quantise(network))
    }

    fn new<G: Encoding>(bytes: Bytes) -> Result<Self, String> {
        // The hash is that of the original bytes: a network keeps its identity when it is upgraded.
        let hash = hex(&Sha256::digest(bytes.get()));
        let bytes = match file::upgraded::<G>(bytes.get())? {
            Some(grown) => Bytes::new(&grown),
            None => bytes,
        };
        let (shape, layout) = file::check(bytes.get(), Shape::of::<G>)?;
        let largest = Vec::new();
        let mut network = Self { bytes, shape, layout, kernel: Kernel::fastest(), hash, largest };
        let weights = network.section::<i16>(&network.layout.input);
        let rows = weights.chunks_exact(network.shape.hidden);
        network.largest =
            rows.map(|row| row.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0)).collect();
        let floats = [
            network.floats(&network.layout.value_hidden_rows),
            network.floats(&network.layout.value),
            network.floats(&network.layout.policy_rows),
        ];
        // `<=` is false for NaN, so this rejects NaN as well.
        if !floats.iter().all(|section| section.iter().all(|x| x.abs() <= LARGEST)) {
            return Err(format!("it has weights that are not finite, or beyond {LARGEST:e}"));
        }
        Ok(network)
    }

    /// Converts the network's weights to floats, as exactly as its integers allow. Training can
    /// continue from the result.
    #[must_use]
    pub fn to_float(&self) -> FloatNetwork {
        let units = |range| self.section::<i16>(range).iter().map(|&w| f32::from(w) / INPUT_SCALE);
        let rows = |weights: &Range<usize>, rows: &Range<usize>| {
            let parameters = self.floats(rows).as_chunks::<2>().0;
            let rows = self.section::<i8>(weights).chunks_exact(self.shape.hidden).zip(parameters);
            rows.map(|(row, &[scale, bias])| {
                let scale = scale * HIDDEN_SCALE;
                (row.iter().map(|&w| f32::from(w) * scale).collect::<Vec<f32>>(), bias)
            })
            .unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let layout = &self.layout;
        let (value_hidden, value_hidden_bias) =
            rows(&layout.value_hidden, &layout.value_hidden_rows);
        let (policy, policy_bias) = rows(&layout.policy, &layout.policy_rows);
        let (value, value_bias) = self.floats(&layout.value).split_at(VALUES * VALUE_HIDDEN);
        FloatNetwork {
            shape: self.shape.clone(),
            input: units(&layout.input).collect(),
            input_bias: units(&layout.input_bias).collect(),
            value_hidden: value_hidden.concat(),
            value_hidden_bias,
            value: value.to_vec(),
            value_bias: value_bias.to_vec(),
            policy: policy.concat(),
            policy_bias,
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
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn section<T: bytemuck::Pod>(&self, range: &std::ops::Range<usize>) -> &[T] {
        bytemuck::cast_slice(&self.bytes.get()[range.clone()])
    }

    fn floats(&self, range: &std::ops::Range<usize>) -> &[f32] {
        self.section(range)
    }

    fn bias(&self) -> &[i16] {
        self.section(&self.layout.input_bias)
    }

    /// Replaces `hidden` by the activations of a set of inputs, computed from nothing in 32 bits.
    fn activations(&self, features: &FeatureSet, hidden: &mut [u8]) {
        let mut sums: Vec<i32> = self.bias().iter().copied().map(i32::from).collect();
        let weights = self.section::<i16>(&self.layout.input);
        for input in features.iter() {
            let row = &weights[usize::from(input) * sums.len()..];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
        hidden.iter_mut().zip(sums).for_each(|(hidden, sum)| *hidden = kernels::activate(sum));
    }

    /// Updates the sums of the input layer, and the activations, from one position to another.
    fn change(&self, change: &Change, sums: &mut [i16], hidden: &mut [u8]) {
        self.kernel.change(self.section(&self.layout.input), change, sums, hidden);
    }

    /// Returns win, draw and loss for the side to move, and the expected plies to the end.
    #[must_use]
    pub fn value(&self, hidden: &[u8], scratch: &mut Vec<i32>) -> Evaluation {
        const ROWS: [u16; VALUE_HIDDEN] = {
            let mut rows = [0; VALUE_HIDDEN];
            let mut i = 0;
            while i < VALUE_HIDDEN {
                rows[i] = i as u16;
                i += 1;
            }
            rows
        };
        self.kernel.dots(hidden, self.section(&self.layout.value_hidden), &ROWS, scratch);
        let rows = self.floats(&self.layout.value_hidden_rows).as_chunks::<2>().0;
        let mut inner = [0f32; VALUE_HIDDEN];
        for ((x, &dot), [scale, bias]) in inner.iter_mut().zip(&*scratch).zip(rows) {
            *x = (dot as f32 * scale + bias).max(0.0);
        }
        let (weights, bias) = self.floats(&self.layout.value).split_at(VALUES * VALUE_HIDDEN);
        let output = |i: usize| bias[i] + dot(&inner, &weights[i * VALUE_HIDDEN..]);
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
        self.kernel.dots(hidden, self.section(&self.layout.policy), rows, scratch);
        let parameters = self.floats(&self.layout.policy_rows).as_chunks::<2>().0;
        outputs.clear();
        outputs.extend(rows.iter().zip(scratch).map(|(&row, &mut dot)| {
            let [scale, bias] = parameters[usize::from(row)];
            dot as f32 * scale + bias
        }));
    }
}

/// Returns the dot product, in eight partial sums that the compiler can keep in one register.
fn dot(a: &[f32; VALUE_HIDDEN], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let highest = logits.into_iter().fold(f32::MIN, f32::max);
    let weights = logits.map(|logit| exp(logit - highest));
    let total: f32 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// Largest scale, bias or value weight that is accepted: a thousand million times the usual result
/// of training. With this limit no output can overflow. A dot product of integers is below 2e8. An
/// inner value of the value head is below 3e17. The sum of 32 of them times their weights is below
/// 1e28.
const LARGEST: f32 = 1e9;

/// Logarithm of the longest game that is expected, about 3,000 plies.
pub const MOST_LENGTH: f32 = 8.0;

#[cfg(test)]
mod tests;
