//! Endgame tables: how they are built and kept, and their results about rules.
//!
//! [`fusion_endgames`] solves one ending. [`build`] solves, checks and counts many, and [`files`]
//! keeps them. `plan` counts those that a study solves. [`recorded`] reads the summary of a run. [`lone_king`] answers the rules' oldest
//! question from it.

pub mod build;
pub mod files;
pub mod games;
pub mod lone_king;
pub(crate) mod plan;
pub mod probe;
mod progress;
pub mod recorded;
pub mod terminal;

#[cfg(test)]
mod build_tests;
