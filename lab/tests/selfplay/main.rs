//! Tests the commands that play games as a user runs them.

mod cli;
mod command;
mod folders;
mod limits;
mod places;
mod players;
mod processes;
mod programs;
mod provenance;
mod records;
mod shards;
mod steps;
mod stops;
mod tables;
mod texts;
#[path = "../../../engine/fusion/tests/tables/tiny.rs"]
mod tiny;
mod variants;
