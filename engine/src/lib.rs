//! Rules, search and network inference for Fusion Chess and its relatives.

pub mod alphabeta;
pub mod benchmark;
pub mod board;
pub mod endgame;
pub mod evaluator;
pub mod fusion;
pub mod game;
pub mod model;
pub mod network;
pub mod notation;
pub mod oracle;
pub mod rules;
pub mod search;
pub mod toy;
pub mod uci;
