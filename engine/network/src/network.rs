//! A quantised network in memory, and the computations that all kinds of networks share.

use crate::codec::{self, Section};
use crate::kernels::{self, Change, Kernel};
use crate::layers::{Floats, Sizes, SizesFor, Storage};
use fusion_game::{Game, OpenErrorKind, files, hex};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// An error about a network file.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read or written.
    #[error("network file {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not a network for this program and game.
    #[error("network file {path} is rejected: {reason}")]
    Bad {
        /// The file.
        path: PathBuf,
        /// The reason why the file is rejected.
        reason: String,
    },
}

impl NetworkError {
    /// Returns what is wrong, for the program's exit code.
    #[must_use]
    pub fn kind(&self) -> OpenErrorKind {
        match self {
            Self::Io { source, .. } => OpenErrorKind::of(source),
            Self::Bad { .. } => OpenErrorKind::Rejected,
        }
    }
}

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
/// use fusion_game::RuleSet;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_network::{FloatNetwork, Network};
///
/// let rules = Variant::parse("normal")?;
/// let floats = FloatNetwork::random::<TicTacToe>(&rules, 64, 1)?;
/// let network = Network::quantise::<TicTacToe>(&rules, &floats)?;
/// let again = Network::from_bytes::<TicTacToe>(&rules, network.bytes())?;
/// assert_eq!(again.hash(), network.hash());
/// # Ok::<(), String>(())
/// ```
pub struct Quantised<S> {
    bytes: Bytes,
    pub(crate) sizes: S,
    sections: Vec<Section>,
    pub(crate) kernel: Kernel,
    hash: String,
    /// The largest magnitude of each input's weights.
    pub(crate) largest: Vec<u16>,
}

impl<S: Sizes> std::fmt::Debug for Quantised<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Quantised({} wide, {})", self.sizes.hidden(), self.hash)
    }
}

/// Place of the layer of the inputs among all layers.
const INPUT: usize = 0;

/// Largest scale, bias or weight as a float that is accepted: a thousand million times the usual
/// result of training. With this limit no output can overflow. A dot product of integers is below
/// 2e8. An inner value behind it is below 3e17. The sum of 32 of them times their weights is below
/// 1e28.
const LARGEST: f32 = 1e9;

impl<S: Sizes> Quantised<S> {
    /// Reads a network file made for a rule set of the game `G` and checks it completely. The network
    /// is also one for other rule sets with inputs and outputs of the same name and sizes:
    /// [`Quantised::plays`] says so.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read. Returns an error if the file is truncated,
    /// damaged, of another version or size, or made for another scheme.
    pub fn load<G: Game>(rules: &G::Rules, path: &Path) -> Result<Self, NetworkError>
    where
        S: SizesFor<G>,
    {
        let io = |source| NetworkError::Io { path: path.into(), source };
        let file = files::open(path).map_err(io)?;
        // One byte more than the longest network has is enough to reject any longer file.
        let mut bytes = Vec::new();
        file.take(codec::longest::<G, S>(rules) as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
        Self::from_bytes::<G>(rules, &bytes)
            .map_err(|reason| NetworkError::Bad { path: path.into(), reason })
    }

    /// Returns whether there is a file at the path that begins like a network of this kind.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut start = [0; 8];
        let file = files::open(path).and_then(|mut file| file.read_exact(&mut start));
        file.is_ok() && Self::is_file(&start)
    }

    /// Returns whether the bytes begin like a file of a network of this kind.
    #[must_use]
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(S::MAGIC)
    }

    /// Parses a network for a rule set of the game `G` from the bytes of its file.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    pub fn from_bytes<G: Game>(rules: &G::Rules, bytes: &[u8]) -> Result<Self, String>
    where
        S: SizesFor<G>,
    {
        // The hash is that of the original bytes: a network keeps its identity when it is upgraded.
        let hash = hex(&Sha256::digest(bytes));
        let grown = codec::upgraded::<G, S>(rules, bytes)?;
        let bytes = Bytes::new(grown.as_deref().unwrap_or(bytes));
        let sizes = codec::check(bytes.get(), |hidden| S::sizes(rules, hidden))?;
        let (sections, _) = codec::sections(sizes);
        let (kernel, largest) = (Kernel::fastest(), Vec::new());
        let mut network = Self { bytes, sizes, sections, kernel, hash, largest };
        let rows = network.weights::<i16>(INPUT).chunks_exact(sizes.hidden());
        network.largest =
            rows.map(|row| row.iter().map(|w| w.unsigned_abs()).max().unwrap_or(0)).collect();
        // `<=` is false for NaN, so this rejects NaN as well.
        if !network.floats().all(|x| x.abs() <= LARGEST) {
            return Err(format!("it has weights that are not finite, or beyond {LARGEST:e}"));
        }
        Ok(network)
    }

    /// Returns whether the network has the inputs and outputs of a rule set of the game `G`.
    #[must_use]
    pub fn plays<G: Game>(&self, rules: &G::Rules) -> bool
    where
        S: SizesFor<G>,
    {
        S::sizes(rules, self.sizes.hidden()).is_ok_and(|sizes| sizes == self.sizes)
    }

    /// Returns all numbers that are stored as floats.
    fn floats(&self) -> impl Iterator<Item = f32> {
        S::playing().iter().enumerate().flat_map(|(index, layer)| {
            let (weights, biases) = match layer.storage {
                Storage::Floats => (self.weights(index), self.biases(index)),
                Storage::ScaledRows => (&[][..], self.biases(index)),
                Storage::Integers | Storage::None => (&[][..], &[][..]),
            };
            weights.iter().chain(biases).copied()
        })
    }

    /// Quantises a float network for a rule set of the game `G`.
    ///
    /// # Errors
    /// Returns an error if the network was made for another game, or for a rule set with other inputs.
    pub fn quantise<G: Game>(rules: &G::Rules, network: &Floats<S>) -> Result<Self, String>
    where
        S: SizesFor<G>,
    {
        Self::from_bytes::<G>(rules, &codec::encode(network))
    }

    /// Converts the network's weights to floats, as exactly as its integers allow. Training can
    /// continue from the result.
    #[must_use]
    pub fn to_float(&self) -> Floats<S> {
        codec::decode(self.sizes, self.bytes())
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
    pub fn sizes(&self) -> S {
        self.sizes
    }

    /// Returns the weights of a layer, given by its place among all layers.
    pub(crate) fn weights<T: bytemuck::Pod>(&self, layer: usize) -> &[T] {
        bytemuck::cast_slice(&self.bytes.get()[self.sections[layer].weights.clone()])
    }

    /// Returns the biases of a layer; its scales and biases in pairs if its rows are scaled.
    pub(crate) fn biases<T: bytemuck::Pod>(&self, layer: usize) -> &[T] {
        bytemuck::cast_slice(&self.bytes.get()[self.sections[layer].biases.clone()])
    }

    /// Returns the biases of the hidden layer.
    pub(crate) fn bias(&self) -> &[i16] {
        self.biases(INPUT)
    }

    /// Updates the sums of the input layer, and the activations, from one position to another. The sums of
    /// the first are `earlier`, if there are any.
    pub(crate) fn change(
        &self,
        change: &Change,
        earlier: Option<&[i16]>,
        sums: &mut [i16],
        hidden: &mut [u8],
    ) {
        self.kernel.change(self.weights(INPUT), change, earlier, sums, hidden);
    }

    /// Returns the sums of a set of inputs, computed from nothing in 32 bits. Replaces `hidden` by
    /// their activations.
    pub(crate) fn in_32_bits(
        &self,
        inputs: impl IntoIterator<Item = u16>,
        hidden: &mut [u8],
    ) -> Vec<i32> {
        let mut sums: Vec<i32> = self.bias().iter().copied().map(i32::from).collect();
        let weights = self.weights::<i16>(INPUT);
        for input in inputs {
            let row = &weights[usize::from(input) * sums.len()..];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum += i32::from(weight));
        }
        hidden.iter_mut().zip(&sums).for_each(|(hidden, &sum)| *hidden = kernels::activate(sum));
        sums
    }

    /// Returns the outputs of a layer of scaled rows that are at least zero: those of `N` rows from
    /// row `first` on.
    pub(crate) fn rectified<const N: usize>(
        &self,
        layer: usize,
        first: usize,
        hidden: &[u8],
        scratch: &mut Vec<i32>,
    ) -> [f32; N] {
        let weights = &self.weights(layer)[first * hidden.len()..];
        self.kernel.dots(hidden, weights, &first_rows::<N>(), scratch);
        let mut outputs = [0f32; N];
        let rows = &self.biases::<[f32; 2]>(layer)[first..][..N];
        for ((x, &dot), [scale, bias]) in outputs.iter_mut().zip(&*scratch).zip(rows) {
            *x = (dot as f32 * scale + bias).max(0.0);
        }
        outputs
    }

    /// Returns the output of a row of a layer of floats. The products are added in `LANES` partial
    /// sums, which the compiler can keep in one register.
    pub(crate) fn output<const N: usize, const LANES: usize>(
        &self,
        layer: usize,
        row: usize,
        input: &[f32; N],
    ) -> f32 {
        let weights = &self.weights(layer)[row * N..][..N];
        let mut sums = [0f32; LANES];
        for (a, b) in input.chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
            for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
                *sum += a * b;
            }
        }
        self.biases::<f32>(layer)[row] + sums.iter().sum::<f32>()
    }
}

const fn first_rows<const N: usize>() -> [u16; N] {
    let mut rows = [0; N];
    let mut i = 0;
    while i < N {
        rows[i] = i as u16;
        i += 1;
    }
    rows
}
