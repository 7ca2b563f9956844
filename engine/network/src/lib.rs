//! The evaluation network on a plain CPU.
//!
//! The network has sparse inputs, one wide integer layer, a WDL head and a policy head. Policy rows
//! are computed only for legal moves. Leaves are evaluated one by one, without batches. All threads
//! share the weights. The trainer writes [`Floats`], which are also the reference for the integer
//! path.

pub mod ceiling;
mod codec;
pub mod kernels;
mod layers;
pub mod model;
mod network;
mod sums;
mod tree;
pub mod views;

pub use layers::{Floats, Layer, Sizes, SizesFor, Storage, Weights};
pub use network::{NetworkError, Quantised};
pub use tree::{
    FloatNetwork, HORIZONS, MOST_LENGTH, Network, NetworkEvaluator, TreeSizes, VALUE_HIDDEN,
    VALUES, benchmark_network,
};

use fusion_game::math::exp;

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let highest = logits.into_iter().fold(f32::MIN, f32::max);
    let weights = logits.map(|logit| exp(logit - highest));
    let total: f32 = weights.iter().sum();
    weights.map(|weight| weight / total)
}
