//! Tests the commands that play games as a user runs them.

mod cli;
mod command;
mod folders;
mod limits;
mod players;
mod programs;
mod provenance;
mod records;
mod shards;
mod steps;
mod tables;
#[path = "../../../engine/fusion/tests/tables/tiny.rs"]
mod tiny;
