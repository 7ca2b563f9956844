//! Games that programs play against themselves: training games, openings, measurement
//! games and matches.
//!
//! Everything is generic over [`fusion_engine::game::Game`].

pub mod elo;
pub mod pending;
pub mod records;
pub mod samples;
pub mod sprt;
pub mod study;
