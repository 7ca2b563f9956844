//! Learning a network from self-play games, and the loop of generations that does both.
//!
//! libtorch is needed here and nowhere else in the project.

pub mod checkpoint;
pub mod model;
pub mod optimiser;
pub mod window;
