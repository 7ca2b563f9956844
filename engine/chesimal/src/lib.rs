//! Chesimal Fusion I: rules, positions, notation, and the game that search and training play.
//!
//! A ply is an action: the choice of a leader, an activation, recruiting, or the end of the turn. The
//! rules are in `docs/chesimal.md`; comments cite its numbers as "rule 1".

pub mod board;
pub mod counts;
pub mod game;
pub mod notation;
mod positions;
pub mod rules;

pub use game::ChesimalGame;
