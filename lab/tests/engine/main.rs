//! Tests the engine's commands as a user runs them.

mod bench;
mod commands;
mod play;
#[path = "../../../engine/fusion/tests/tables/tiny.rs"]
mod tiny;
mod uci;
mod uci_files;
mod uci_pvs;
mod uci_robust;
mod uci_tables;
