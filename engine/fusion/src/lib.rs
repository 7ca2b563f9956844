//! Fusion Chess, its relatives and orthodox chess: rules, notation, endgame tables, and the game that
//! search and training play.

pub mod board;
pub mod endgame;
pub mod game;
pub mod notation;
pub mod positions;
pub mod rules;

pub use game::FusionGame;
