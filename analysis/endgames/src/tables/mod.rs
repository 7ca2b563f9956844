//! Endgame tables of a study.
//!
//! [`build`] solves, checks and counts many, and [`files`] keeps them. [`plan`] counts those that a
//! study solves. [`probe`] looks positions up. [`recorded`] reads the summary of a run, and
//! [`terminal`] shows it.

pub mod build;
pub mod files;
pub mod plan;
pub mod probe;
mod progress;
pub mod recorded;
pub mod terminal;

#[cfg(test)]
mod build_tests;
