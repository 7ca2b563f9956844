//! The network's architecture, described once.
//!
//! File layout, tensor names and sizes, quantisation and the trainer follow from [`LAYERS`].
//!
//! ```text
//! active inputs ─ input ─► hidden ─┬─ value_hidden ─► 32 ─ value ─► win, draw, loss, length
//!                                  ├─ policy ───────► one output for each policy row
//!                                  └─ horizon ──────► values some plies ahead (in training only)
//! ```

/// Width of the value head's hidden layer.
pub const VALUE_HIDDEN: usize = 32;

/// Number of outputs of the value head: the logits of win, draw and loss, and log(1 + plies to the
/// end of the game).
pub const VALUES: usize = 4;

/// Number of outputs of the head that exists only in training.
pub const HORIZONS: usize = 3;

/// The sizes that differ between networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Number of inputs of the game.
    pub features: usize,
    /// Width of the hidden layer.
    pub hidden: usize,
    /// Number of policy rows of the game.
    pub policy: usize,
}

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
pub struct Layer<S = Sizes> {
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
}

impl<S: Copy> Layer<S> {
    /// Returns the number of biases.
    #[must_use]
    pub fn biases(&self, sizes: S) -> usize {
        if self.row_of_input { (self.columns)(sizes) } else { (self.rows)(sizes) }
    }

    /// Returns the names and sizes of the two tensors.
    #[must_use]
    pub fn tensors(&self, sizes: S) -> [(&'static str, Vec<usize>); 2] {
        let weight = vec![(self.rows)(sizes), (self.columns)(sizes)];
        [(self.weight, weight), (self.bias, vec![self.biases(sizes)])]
    }

    /// Returns the lengths in bytes of the layer's sections in a network file.
    #[must_use]
    pub fn sections(&self, sizes: S) -> Vec<usize> {
        let (rows, columns) = ((self.rows)(sizes), (self.columns)(sizes));
        match self.storage {
            Storage::Integers => vec![2 * rows * columns, 2 * self.biases(sizes)],
            Storage::ScaledRows => vec![rows * columns, 8 * rows],
            Storage::Floats => vec![4 * (rows * columns + self.biases(sizes))],
            Storage::None => Vec::new(),
        }
    }
}

/// All layers, in the order of their tensors and of their sections in files. Those of a network for
/// play come first.
///
/// ```
/// use fusion_network::{LAYERS, Sizes};
///
/// let sizes = Sizes { features: 300, hidden: 64, policy: 90 };
/// let names: Vec<&str> = LAYERS.iter().map(|layer| layer.weight).collect();
/// assert_eq!(names[..2], ["input.weight", "value_hidden.weight"]);
/// assert_eq!(LAYERS[0].tensors(sizes)[1], ("input.bias", vec![64]));
/// ```
pub const LAYERS: [Layer; 5] = [
    Layer {
        weight: "input.weight",
        bias: "input.bias",
        rows: |sizes| sizes.features,
        columns: |sizes| sizes.hidden,
        row_of_input: true,
        storage: Storage::Integers,
    },
    Layer {
        weight: "value_hidden.weight",
        bias: "value_hidden.bias",
        rows: |_| VALUE_HIDDEN,
        columns: |sizes| sizes.hidden,
        row_of_input: false,
        storage: Storage::ScaledRows,
    },
    Layer {
        weight: "value.weight",
        bias: "value.bias",
        rows: |_| VALUES,
        columns: |_| VALUE_HIDDEN,
        row_of_input: false,
        storage: Storage::Floats,
    },
    Layer {
        weight: "policy.weight",
        bias: "policy.bias",
        rows: |sizes| sizes.policy,
        columns: |sizes| sizes.hidden,
        row_of_input: false,
        storage: Storage::ScaledRows,
    },
    Layer {
        weight: "horizon.weight",
        bias: "horizon.bias",
        rows: |_| HORIZONS,
        columns: |sizes| sizes.hidden,
        row_of_input: false,
        storage: Storage::None,
    },
];

/// Number of layers of a network for play.
pub const PLAYING_LAYERS: usize = 4;

/// Number of weight tensors of a network in training: two for each layer.
pub const TENSORS: usize = 2 * LAYERS.len();

/// Number of tensors of a network for play, which come first.
pub const PLAYING_TENSORS: usize = 2 * PLAYING_LAYERS;

/// Returns the names and sizes of all tensors of a network in training.
#[must_use]
pub fn tensors(sizes: Sizes) -> [(&'static str, Vec<usize>); TENSORS] {
    std::array::from_fn(|i| {
        let [weight, bias] = LAYERS[i / 2].tensors(sizes);
        if i % 2 == 0 { weight } else { bias }
    })
}

/// Names of all tensors, in the order of [`tensors`].
pub const TENSOR_NAMES: [&str; TENSORS] = {
    let mut names = [""; TENSORS];
    let mut i = 0;
    while i < LAYERS.len() {
        names[2 * i] = LAYERS[i].weight;
        names[2 * i + 1] = LAYERS[i].bias;
        i += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_of_play_come_first_and_are_stored() {
        let stored = LAYERS.iter().map(|layer| layer.storage != Storage::None);
        assert_eq!(stored.collect::<Vec<_>>(), [true, true, true, true, false]);
        assert_eq!(LAYERS[..PLAYING_LAYERS].len(), PLAYING_LAYERS);
        let sizes = Sizes { features: 7, hidden: 64, policy: 5 };
        for (name, (found, _)) in TENSOR_NAMES.into_iter().zip(tensors(sizes)) {
            assert_eq!(name, found);
        }
    }
}
