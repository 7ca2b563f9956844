//! The commands of the engine as their users meet them.

mod bench;
mod commands;
#[path = "../../../engine/fusion/tests/tables/tiny.rs"]
mod tiny;
mod uci;
mod uci_tables;
