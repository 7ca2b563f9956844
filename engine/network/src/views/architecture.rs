//! The architecture of the network that follows moves, described once.
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
