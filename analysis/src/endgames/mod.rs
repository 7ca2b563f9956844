//! Endgame tables: solving them, checking them, and what they say about rules.
//!
//! [`graph`] knows the moves, [`solve`] makes a table, [`verify`] checks it, [`summary`] counts
//! it; [`build`] does all that for many endings, with [`files`] to keep them. [`recorded`] reads the
//! summary of a run and [`lone_king`] answers the rules' oldest question from it.

pub mod build;
pub mod command;
pub mod files;
pub mod graph;
pub mod line;
pub mod lone_king;
pub mod probe;
mod progress;
pub mod recorded;
pub mod solve;
pub mod summary;
pub mod terminal;
pub mod verify;

#[cfg(test)]
mod build_tests;
#[cfg(test)]
mod tests;
