//! The layers of a network, described once.
//!
//! The sections of a file, the names and sizes of tensors, quantisation, random weights and the
//! trainer's tensors follow from the [`Sizes::LAYERS`] of a kind of network.

use fusion_game::Game;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt::Debug;

/// How a layer is stored in a network file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Weights, then biases, as 16-bit integers. 508 stands for 1.
    Integers,
    /// Weights as 8-bit integers; then a scale and a bias for each row, as 32-bit floats.
    ScaledRows,
    /// Weights, then biases, as 32-bit floats.
    Floats,
    /// Not stored: the layer exists only in training.
    None,
}

/// A layer of weights with its biases, in networks whose sizes are of type `S`.
#[derive(Clone, Copy, Debug)]
pub struct Layer<S> {
    /// Name of the tensor of weights, `[rows, columns]`.
    pub weight: &'static str,
    /// Name of the tensor of biases.
    pub bias: &'static str,
    /// Number of rows.
    pub rows: fn(S) -> usize,
    /// Number of columns.
    pub columns: fn(S) -> usize,
    /// Whether a row belongs to an input, so that there is a bias for each column. In the other
    /// layers a row belongs to an output, and there is a bias for each row.
    pub row_of_input: bool,
    /// How the layer is stored in a network file.
    pub storage: Storage,
    /// Spread of the weights of [`Floats::random`], whose mean is zero.
    pub spread: fn(S) -> f32,
    /// Mean and spread of the biases of [`Floats::random`].
    pub random_bias: (f32, f32),
}

impl<S: Copy> Layer<S> {
    /// Returns the number of biases.
    #[must_use]
    pub fn biases(&self, sizes: S) -> usize {
        if self.row_of_input { (self.columns)(sizes) } else { (self.rows)(sizes) }
    }

    /// Returns the number of weights.
    #[must_use]
    pub fn weights(&self, sizes: S) -> usize {
        (self.rows)(sizes) * (self.columns)(sizes)
    }
}

/// The sizes of a network, and with their type its kind. The first layer has a row for each input.
pub trait Sizes: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The first bytes of a file.
    const MAGIC: &'static [u8; 8];
    /// Version of the file format.
    const VERSION: usize;
    /// Largest width of the hidden layer.
    const MAX_HIDDEN: usize;
    /// All layers, in the order of their tensors and of their sections in files. Those of a network
    /// for play come first.
    const LAYERS: &'static [Layer<Self>];

    /// Returns the width of the hidden layer.
    fn hidden(self) -> usize;

    /// Returns the numbers of a file's header after the version, the width of the hidden layer
    /// first.
    fn numbers(self) -> [usize; 4];

    /// Returns the SHA-256 of the name of the inputs and outputs.
    fn scheme(self) -> [u8; 32];

    /// Returns the number of stages of the game. All layers but the first have rows for each stage.
    fn stages(self) -> usize {
        1
    }

    /// Samples a random number with mean zero, for [`Floats::random`].
    fn sample(rng: &mut ChaCha8Rng) -> f32;

    /// Rejects a width of the hidden layer that a file may not have.
    ///
    /// # Errors
    /// The width is not a multiple of 64 from 64 to [`Sizes::MAX_HIDDEN`].
    fn check_width(hidden: usize) -> Result<(), String> {
        if hidden == 0 || !hidden.is_multiple_of(64) || hidden > Self::MAX_HIDDEN {
            let most = Self::MAX_HIDDEN;
            return Err(format!(
                "a hidden width of {hidden} is not a multiple of 64 from 64 to {most}"
            ));
        }
        Ok(())
    }

    /// Returns the layers of a network for play.
    fn playing() -> &'static [Layer<Self>] {
        let stored = |layer: &&Layer<Self>| layer.storage != Storage::None;
        &Self::LAYERS[..Self::LAYERS.iter().take_while(stored).count()]
    }

    /// Returns the names and sizes of all tensors of these layers: weights and biases of each.
    ///
    /// ```
    /// use fusion_game::RuleSet;
    /// use fusion_game::toy::{TicTacToe, Variant};
    /// use fusion_network::{Sizes, TreeSizes};
    ///
    /// let sizes = TreeSizes::of::<TicTacToe>(&Variant::parse("normal")?, 64)?;
    /// assert_eq!(sizes.tensors(TreeSizes::LAYERS)[1], ("input.bias", vec![64]));
    /// # Ok::<(), String>(())
    /// ```
    fn tensors(self, layers: &[Layer<Self>]) -> Vec<(&'static str, Vec<usize>)> {
        let tensors = |layer: &Layer<Self>| {
            let weight = vec![(layer.rows)(self), (layer.columns)(self)];
            [(layer.weight, weight), (layer.bias, vec![layer.biases(self)])]
        };
        layers.iter().flat_map(tensors).collect()
    }
}

/// Sizes of the networks of a game.
pub trait SizesFor<G: Game>: Sizes {
    /// Returns the sizes under a rule set for a width of the hidden layer.
    ///
    /// # Errors
    /// The width is rejected by [`Sizes::check_width`].
    fn sizes(rules: &G::Rules, hidden: usize) -> Result<Self, String>;

    /// Returns the sizes for an older encoding that has grown into the present one.
    fn older(rules: &G::Rules, hidden: usize) -> Option<Self> {
        let _ = (rules, hidden);
        None
    }

    /// Returns the first of several rule sets. One network can be made for all of them, because its
    /// inputs and outputs have the same name and sizes under each.
    ///
    /// ```
    /// use fusion_game::RuleSet;
    /// use fusion_game::toy::{TicTacToe, Variant};
    /// use fusion_network::{SizesFor, TreeSizes};
    ///
    /// let rules = ["normal", "misere"].map(|name| Variant::parse(name).unwrap());
    /// let first = <TreeSizes as SizesFor<TicTacToe>>::common(&rules)?;
    /// assert_eq!(first, &rules[0]);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Names two rule sets whose networks differ. Fails if there is no rule set.
    fn common<'a>(rules: impl IntoIterator<Item = &'a G::Rules>) -> Result<&'a G::Rules, String> {
        let mut rules = rules.into_iter();
        let first = rules.next().ok_or("no rule set says what a network's inputs are")?;
        let sizes = Self::sizes(first, 64)?;
        for other in rules {
            if Self::sizes(other, 64)? != sizes {
                return Err(format!(
                    "one network cannot play both {first} and {other}: its inputs or outputs would \
                     differ"
                ));
            }
        }
        Ok(first)
    }
}

/// The weights of a layer as floats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The weights, row by row.
    pub weights: Vec<f32>,
    /// The biases.
    pub biases: Vec<f32>,
}

impl Weights {
    /// Returns biases plus the products of the rows with an input, for `count` rows from `first`.
    #[must_use]
    pub fn outputs(&self, first: usize, count: usize, input: &[f32]) -> Vec<f32> {
        let rows = self.weights[first * input.len()..].chunks_exact(input.len());
        let rows = rows.zip(&self.biases[first..][..count]);
        rows.map(|(row, b)| b + row.iter().zip(input).map(|(w, x)| w * x).sum::<f32>()).collect()
    }

    /// Returns the hidden activations of the first layer: `clamp(x, 0, 1)²` of `x`, the biases plus
    /// the rows of the active inputs.
    #[must_use]
    pub fn activations(&self, inputs: &[u16]) -> Vec<f32> {
        let mut sums = self.biases.clone();
        for &input in inputs {
            let row = &self.weights[usize::from(input) * sums.len()..];
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
        }
        sums.iter().map(|sum| sum.clamp(0.0, 1.0).powi(2)).collect()
    }
}

/// A network in its trained form: 32-bit floats, the reference for the quantised network.
#[derive(Clone, Debug, PartialEq)]
pub struct Floats<S> {
    /// The sizes.
    pub sizes: S,
    /// The layers of play, in the order of [`Sizes::LAYERS`].
    pub layers: Vec<Weights>,
}

impl<S: Sizes> Floats<S> {
    /// Makes a network of the lists that a function returns for each tensor, given its place, name
    /// and size.
    ///
    /// # Errors
    /// The first error of the function.
    pub fn try_of<E>(
        sizes: S,
        mut list: impl FnMut(&'static str, Vec<usize>) -> Result<Vec<f32>, E>,
    ) -> Result<Self, E> {
        let mut layers = vec![Weights::default(); S::playing().len()];
        for (i, (name, size)) in sizes.tensors(S::playing()).into_iter().enumerate() {
            let layer = &mut layers[i / 2];
            let tensor = if i % 2 == 0 { &mut layer.weights } else { &mut layer.biases };
            *tensor = list(name, size)?;
        }
        Ok(Self { sizes, layers })
    }

    /// Returns the lists of weights in the order of [`Sizes::tensors`].
    pub fn parts(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.layers.iter().flat_map(|layer| [&layer.weights, &layer.biases])
    }

    /// Returns a network for a rule set of the game `G` with untrained weights, sampled from the seed,
    /// for benchmarks and tests.
    ///
    /// The spreads are chosen so that hidden activations take their whole range and searches with
    /// the network are neither uniform nor forced.
    ///
    /// # Errors
    /// The width is rejected by [`Sizes::check_width`].
    pub fn random<G: Game>(rules: &G::Rules, hidden: usize, seed: u64) -> Result<Self, String>
    where
        S: SizesFor<G>,
    {
        let sizes = S::sizes(rules, hidden)?;
        // Weights of the older encoding are sampled first, so that a seed's network stays the same
        // when the encoding only grows.
        let older = S::older(rules, hidden).unwrap_or(sizes);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sample = |list: &mut Vec<f32>, count: usize, mean: f32, spread: f32| {
            let more = count - list.len();
            list.extend((0..more).map(|_| mean + spread * S::sample(&mut rng)));
        };
        let mut layers = vec![Weights::default(); S::playing().len()];
        for sizes in [older, sizes] {
            for (layer, list) in S::playing().iter().zip(&mut layers) {
                let (mean, spread) = layer.random_bias;
                sample(&mut list.weights, layer.weights(sizes), 0.0, (layer.spread)(sizes));
                sample(&mut list.biases, layer.biases(sizes), mean, spread);
            }
        }
        Ok(Self { sizes, layers })
    }
}
