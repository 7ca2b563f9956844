//! Games that programs play against themselves: training games, openings, measurement
//! games, matches and endgames.
//!
//! Everything is generic over [`fusion_engine::game::Game`].

pub mod atomic;
pub mod behaviour;
pub mod cluster;
pub mod elo;
pub mod generate;
pub mod growth;
pub mod lock;
pub mod matches;
pub mod measure;
pub mod openings;
pub mod pgn;
pub mod plain;
mod play;
pub mod progress;
pub mod random;
pub mod records;
pub mod runner;
pub mod samples;
pub mod seeds;
pub mod shard;
pub mod sprt;
pub mod stop;
pub mod study;
pub mod sums;
pub mod technique;
pub mod trial;
