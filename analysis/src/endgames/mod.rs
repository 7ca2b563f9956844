//! Endgame tables: solving them, checking them, and what they say about rules.

pub mod graph;
pub mod solve;
pub mod verify;

#[cfg(test)]
mod tests;
