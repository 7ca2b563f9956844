//! Endings without Pawns, solved exactly.
//!
//! [`graph`] generates the moves of an ending and their reverse. [`solve`] computes the distance to
//! mate of every position. [`verify`] checks the table against the rules. [`mod@line`] plays out
//! best play. [`summary`] counts wins and draws by material and side to move. [`tables`] builds,
//! keeps and shows the tables of a study.

pub mod graph;
pub mod line;
pub mod solve;
pub mod summary;
pub mod tables;
pub mod verify;

#[cfg(test)]
mod tests;
