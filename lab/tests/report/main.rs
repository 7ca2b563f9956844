//! Tests the commands that analyse runs as a user runs them.

mod command;
mod compare;
mod endgames;
mod folders;
mod json;
mod plan;
mod signals;
