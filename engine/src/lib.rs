//! Rules, search and network inference for Fusion Chess and its relatives.

pub mod board;
pub mod cli;
pub mod game;
pub mod notation;
pub mod rules;
