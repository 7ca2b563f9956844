//! Self-play games: training games, openings, measurement games, matches and endgames.
//!
//! Everything is generic over [`fusion_game::Game`].

pub mod behaviour;
pub mod divergence;
pub mod forced;
mod games_file;
pub mod generate;
pub mod matches;
pub mod measure;
pub mod openings;
mod play;
pub mod provenance;
pub mod random;
pub mod records;
pub mod samples;
pub mod technique;
