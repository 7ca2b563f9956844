//! Endings without Pawns, solved exactly.
//!
//! [`graph`] generates the moves of an ending and their reverse, [`solve`] computes the distance to
//! mate of every position, [`verify`] checks the table against the rules, [`mod@line`] plays out
//! best play and [`summary`] counts wins and draws by material and side to move.
//!
//! Keeping tables in files, and the report on them, belong to `fusion-analysis`.

pub mod graph;
pub mod line;
pub mod solve;
pub mod summary;
pub mod verify;

#[cfg(test)]
mod tests;
