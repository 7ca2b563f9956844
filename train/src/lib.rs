//! Training of a network from self-play games, and the loop of generations that does both.
//!
//! This is the only crate of the project that needs libtorch.

pub mod architecture;
pub mod average;
pub mod checkpoint;
pub mod device;
pub mod fit;
pub mod floats;
pub mod generations;
pub mod ladder;
pub mod learner;
pub mod metrics;
pub mod model;
pub mod networks;
pub mod optimiser;
pub mod plot;
pub mod progress;
pub mod runs;
pub mod sanity;
pub mod shards;
mod simd;
mod sparse;
pub mod torch;
pub mod views;
pub mod window;
