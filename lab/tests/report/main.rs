//! The commands that analyse runs as their users meet them.

mod command;
mod compare;
mod endgames;
mod folders;
mod plan;
mod signals;
