//! Endgame tables: building them, keeping them, and what they say about rules.
//!
//! [`fusion_endgames`] solves one ending; [`build`] solves, checks and counts many, with [`files`] to
//! keep them. [`recorded`] reads the summary of a run and [`lone_king`] answers the rules' oldest
//! question from it.

pub mod build;
pub mod files;
pub mod lone_king;
pub mod probe;
mod progress;
pub mod recorded;
pub mod terminal;

#[cfg(test)]
mod build_tests;
