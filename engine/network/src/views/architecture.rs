//! The architecture of the efficiently updatable network, described once.
//!
//! File layout, names and sizes of tensors, quantisation and the trainer follow from [`VIEW_LAYERS`].
//!
//! ```text
//! inputs of the mover's view ──┬ input ─► hidden ─┐
//! inputs of the other view ────┘ (shared)  hidden ─┴─ stage_hidden ─► 16 ─ stage ─► win, draw, loss
//! ```
//!
//! The last two layers have weights of their own for each stage of the game.

use crate::{Layer, Storage};
use fusion_game::Views;

/// Width of the layer behind both views.
pub const STAGE_HIDDEN: usize = 16;

/// Number of outputs: the logits of win, draw and loss.
pub const OUTCOMES: usize = 3;

/// The sizes that differ between networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewSizes {
    /// Number of inputs of a view.
    pub inputs: usize,
    /// Width of the hidden layer of one view.
    pub hidden: usize,
    /// Number of stages.
    pub stages: usize,
}

/// Largest width of a view's hidden layer.
pub(super) const MAX_HIDDEN: usize = 4096;

impl ViewSizes {
    /// Returns the sizes of a network of the game `G` with this hidden width.
    ///
    /// # Errors
    /// Returns an error if the width is not a multiple of 64 from 64 to 4096.
    pub fn of<G: Views>(hidden: usize) -> Result<Self, String> {
        if hidden == 0 || !hidden.is_multiple_of(64) || hidden > MAX_HIDDEN {
            return Err(format!(
                "a hidden width of {hidden} is not a multiple of 64 from 64 to {MAX_HIDDEN}"
            ));
        }
        Ok(Self { inputs: G::VIEW_INPUTS, hidden, stages: G::STAGES })
    }

    /// Returns the names and sizes of all tensors.
    #[must_use]
    pub fn tensors(self) -> Vec<(&'static str, Vec<usize>)> {
        VIEW_LAYERS.iter().flat_map(|layer| layer.tensors(self)).collect()
    }
}

/// All layers, in the order of their tensors and of their sections in files.
pub const VIEW_LAYERS: [Layer<ViewSizes>; 3] = [
    Layer {
        weight: "input.weight",
        bias: "input.bias",
        rows: |sizes| sizes.inputs,
        columns: |sizes| sizes.hidden,
        row_of_input: true,
        storage: Storage::Integers,
    },
    Layer {
        weight: "stage_hidden.weight",
        bias: "stage_hidden.bias",
        rows: |sizes| sizes.stages * STAGE_HIDDEN,
        columns: |sizes| 2 * sizes.hidden,
        row_of_input: false,
        storage: Storage::ScaledRows,
    },
    Layer {
        weight: "stage.weight",
        bias: "stage.bias",
        rows: |sizes| sizes.stages * OUTCOMES,
        columns: |_| STAGE_HIDDEN,
        row_of_input: false,
        storage: Storage::Floats,
    },
];

/// Number of weight tensors: two for each layer.
pub const VIEW_TENSORS: usize = 2 * VIEW_LAYERS.len();

/// Names of all tensors, in the order of [`ViewSizes::tensors`].
pub const VIEW_TENSOR_NAMES: [&str; VIEW_TENSORS] = {
    let mut names = [""; VIEW_TENSORS];
    let mut i = 0;
    while i < VIEW_LAYERS.len() {
        names[2 * i] = VIEW_LAYERS[i].weight;
        names[2 * i + 1] = VIEW_LAYERS[i].bias;
        i += 1;
    }
    names
};
