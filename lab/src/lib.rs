//! The parts of the program `fusion`: its commands, and the engine for chess programs.

pub mod commands;
mod shipped;
pub mod steps;
pub mod uci;
