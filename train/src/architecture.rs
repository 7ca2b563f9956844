//! What a fit needs to know of a kind of network, and the tensors of one.

use std::borrow::Cow;
use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;

use fusion_game::CompleteGame;
use fusion_jobs::seeds;
use fusion_network::{Floats, Quantised, Sizes};
use fusion_runner::records::Record;
use fusion_runner::samples::ReplayError;
use fusion_study::{SampleOptions, TrainConfig};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};

use crate::window::{BadSample, Spool};

/// Bound of the input weights: the exported networks store them in 16 bits.
pub const INPUT_LIMIT: f64 = 1.98;

/// Index of the input weights among the tensors of every network.
pub(crate) const INPUT: usize = 0;
/// Index of the biases of the hidden layer.
pub(crate) const INPUT_BIAS: usize = 1;

/// Index of the weights of the layer behind the hidden one.
const INNER: usize = 2;

/// A kind of network that can be trained. A value has the sizes of one network.
pub trait Architecture: Sizes {
    /// How training positions are stored.
    type Layout: Layout<Sample = Self::Sample, Batch = Self::Batch>;
    /// A batch of them.
    type Batch: Send;
    /// One of them, on the way from a record to the window.
    type Sample: Send;

    /// Returns the sizes for a rule set of a game and a hidden width.
    ///
    /// # Errors
    /// Returns the reason why the width is rejected.
    fn for_game<G: CompleteGame>(rules: &G::Rules, hidden: usize) -> Result<Self, String>;

    /// Returns the name of the inputs and outputs under a rule set.
    fn scheme_name<G: CompleteGame>(rules: &G::Rules) -> Cow<'static, str>;

    /// Parses the bytes of the engine's network file for a rule set.
    ///
    /// # Errors
    /// Returns the reason why the bytes are rejected.
    fn parse<G: CompleteGame>(rules: &G::Rules, file: &[u8]) -> Result<Quantised<Self>, String>;

    /// Makes the engine's network of float weights for a rule set.
    ///
    /// # Errors
    /// Returns the reason why the weights are rejected.
    fn quantise<G: CompleteGame>(
        rules: &G::Rules,
        floats: &Floats<Self>,
    ) -> Result<Quantised<Self>, String>;

    /// Returns the names of the tensors in files, two for each layer.
    fn names() -> impl Iterator<Item = &'static str> {
        Self::LAYERS.iter().flat_map(|layer| [layer.weight, layer.bias])
    }

    /// Makes initial weights, a function of the seed.
    ///
    /// About 55 inputs are active. The bounds put the hidden sums in the middle of the activation's
    /// range, with a standard deviation of slightly more than half of it. All stages begin with the
    /// same weights. The last layers are zeros, so that the new network is neutral.
    fn random(self, seed: u64, device: Device) -> Parameters<Self> {
        let mut rng = seeds::stream("initial weights", &[seed]);
        let sizes = self.tensors(Self::LAYERS).into_iter().enumerate();
        Parameters::of(sizes.map(|(index, (_, size))| match index {
            INPUT => uniform(&size, 0.14, &mut rng, device),
            INPUT_BIAS => filled(&size, 0.4, device),
            INNER => {
                let (stages, bound) = (self.stages(), (12.0 / size[1] as f64).sqrt());
                let stage = uniform(&[size[0] / stages, size[1]], bound, &mut rng, device);
                stage.repeat([stages as i64, 1])
            }
            _ => filled(&size, 0.0, device),
        }))
    }

    /// Returns the losses of a batch. Threads that libtorch does not have are those of the pool.
    fn losses(weights: &Parameters<Self>, batch: &Self::Batch, pool: &ThreadPool) -> Losses;

    /// Returns the losses of a batch and the gradient of their weighted sum.
    fn gradients(
        weights: &Parameters<Self>,
        batch: &Self::Batch,
        factors: Weights,
        pool: &ThreadPool,
    ) -> (Losses, Parameters<Self>);

    /// Returns the layout of positions for a rule set of a game and these settings.
    fn layout<G: CompleteGame>(rules: &G::Rules, config: &TrainConfig) -> Self::Layout;

    /// Returns the samples of a game, in the order of play.
    ///
    /// # Errors
    /// The record is not a legal game.
    fn samples<G: CompleteGame>(
        record: &Record,
        options: &SampleOptions,
    ) -> Result<Vec<Self::Sample>, ReplayError>;
}

/// The storage of training positions for a kind of network, and the batches made from it.
pub trait Layout: Debug + Send + Sync + 'static {
    /// A position, on the way from a record to a block.
    type Sample: Send;
    /// Positions of a few games.
    type Block: Debug + Default + Send + Sync;
    /// A batch of positions.
    type Batch: Send;

    /// Adds a position to a block.
    ///
    /// # Errors
    /// The sample does not fit the network or is not finite, or the block is full. The block is
    /// unchanged.
    fn push(&self, block: &mut Self::Block, sample: &Self::Sample) -> Result<(), BadSample>;

    /// Brings the positions of a finished block to where they stay: into the spool's file, or into as
    /// little memory as they need.
    ///
    /// # Errors
    /// The file cannot be written.
    fn store(block: &mut Self::Block, spool: &mut Spool) -> io::Result<()>;

    /// Returns the batch of these positions, each given by its block and its place there. With
    /// coins, positions are varied at random in ways that do not change their value.
    fn batch(
        &self,
        places: &[(&Self::Block, usize)],
        coins: Option<&mut ChaCha8Rng>,
    ) -> Self::Batch;
}

/// A set of tensors with a network's sizes: weights, gradients, moments or averages.
#[derive(Debug)]
pub struct Parameters<A>(pub(crate) Vec<Tensor>, PhantomData<A>);

impl<A: Architecture> Parameters<A> {
    /// Makes a set of these tensors.
    pub(crate) fn of(tensors: impl IntoIterator<Item = Tensor>) -> Self {
        Self(tensors.into_iter().collect(), PhantomData)
    }

    /// Makes a set by applying a function to each tensor.
    pub(crate) fn map(&self, function: impl FnMut(&Tensor) -> Tensor) -> Self {
        Self::of(self.0.iter().map(function))
    }

    /// Returns zeros of the same sizes.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        self.map(Tensor::zeros_like)
    }

    /// Returns a deep copy.
    #[must_use]
    pub fn copy(&self) -> Self {
        self.map(Tensor::copy)
    }

    /// Returns the tensors with their names.
    pub fn tensors(&self) -> impl Iterator<Item = (&'static str, &Tensor)> {
        A::names().zip(&self.0)
    }

    /// Returns the first tensor that contains a NaN or an infinite number.
    #[must_use]
    pub fn not_finite(&self) -> Option<&'static str> {
        // A maximum propagates NaN.
        self.tensors()
            .find(|(_, tensor)| !tensor.abs().max().double_value(&[]).is_finite())
            .map(|(name, _)| name)
    }

    /// Returns the Euclidean norm of all tensors together.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let squares = self.0.iter().map(|tensor| tensor.norm().double_value(&[]).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Returns the losses of a batch under these weights.
    #[must_use]
    pub fn losses(&self, batch: &A::Batch, pool: &ThreadPool) -> Losses {
        A::losses(self, batch, pool)
    }

    /// Returns the losses of a batch and the gradient of their weighted sum.
    #[must_use]
    pub fn gradients(
        &self,
        batch: &A::Batch,
        factors: Weights,
        pool: &ThreadPool,
    ) -> (Losses, Self) {
        A::gradients(self, batch, factors, pool)
    }

    /// Returns the numbers of each tensor, which must be in the processor's memory.
    pub(crate) fn floats(&self) -> Vec<&[f32]> {
        let floats = |tensor: &Tensor| {
            // SAFETY: `span` describes memory that the tensor owns. Nothing writes to it as long as
            // the set is borrowed: sets that share memory are never written (`Parameters::share`), and
            // `floats_mut` borrows exclusively.
            unsafe { std::slice::from_raw_parts(span(tensor).0, span(tensor).1) }
        };
        self.0.iter().map(floats).collect()
    }

    /// Returns the numbers of each tensor for writing. They must be in the processor's memory.
    pub(crate) fn floats_mut(&mut self) -> Vec<&mut [f32]> {
        let floats = |tensor: &mut Tensor| {
            // SAFETY: `span` describes memory that the tensor owns. Nothing else reads or writes it
            // as long as the set is borrowed exclusively: sets that share memory are never written.
            unsafe { std::slice::from_raw_parts_mut(span(tensor).0, span(tensor).1) }
        };
        self.0.iter_mut().map(floats).collect()
    }
}

/// Returns start and length of a tensor's numbers in the processor's memory.
///
/// # Panics
/// Panics if the tensor is elsewhere, has gaps, or is not of floats.
fn span(tensor: &Tensor) -> (*mut f32, usize) {
    assert!(tensor.device() == Device::Cpu && tensor.kind() == Kind::Float);
    assert!(tensor.is_contiguous());
    (tensor.data_ptr().cast(), tensor.numel())
}

/// Makes a tensor of uniformly random numbers between `-bound` and `bound`.
fn uniform(size: &[usize], bound: f64, rng: &mut ChaCha8Rng, device: Device) -> Tensor {
    use rand::RngExt;
    let bound = bound as f32;
    let count: usize = size.iter().product();
    let values: Vec<f32> = (0..count).map(|_| rng.random_range(-bound..bound)).collect();
    Tensor::from_slice(&values).view(&dims(size)[..]).to(device)
}

/// Makes a tensor of equal numbers.
fn filled(size: &[usize], value: f64, device: Device) -> Tensor {
    Tensor::full(&dims(size)[..], value, (Kind::Float, device))
}

fn dims(size: &[usize]) -> Vec<i64> {
    size.iter().map(|&n| n as i64).collect()
}

/// Sums of a batch's losses and hits, before division by the sums of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// Weighted sum of the policy's cross-entropies.
    pub policy: f64,
    /// Weight of the positions with a policy.
    pub policy_weight: f64,
    /// Weighted sum of the policy targets' entropies, a lower bound of the policy loss.
    pub entropy: f64,
    /// Weighted sum of the value's cross-entropies.
    pub value: f64,
    /// Weight of all positions.
    pub value_weight: f64,
    /// Weight of the positions where the most likely move equals the search's.
    pub agreeing: f64,
    /// Weighted sum of the squared errors of the length's logarithm.
    pub length: f64,
    /// Weight of the positions whose game's length is known.
    pub length_weight: f64,
    /// Weighted sum of the cross-entropies of the value a few plies ahead.
    pub horizon: f64,
}

impl Losses {
    /// Adds another batch's sums.
    pub fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.policy_weight += other.policy_weight;
        self.entropy += other.entropy;
        self.value += other.value;
        self.value_weight += other.value_weight;
        self.agreeing += other.agreeing;
        self.length += other.length;
        self.length_weight += other.length_weight;
        self.horizon += other.horizon;
    }
}

/// Weights of the losses except the policy's, which is 1.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Weight of the value's cross-entropy.
    pub value: f64,
    /// Weight of the squared error of the length's logarithm.
    pub length: f64,
    /// Weight of the cross-entropy of the value a few plies ahead.
    pub horizon: f64,
}
