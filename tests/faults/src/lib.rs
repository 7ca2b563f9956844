//! Tests of the other crates' guarantees: parsers under hostile input, and programs under kills,
//! full disks and damaged files. `docs/reliability.md` lists the guarantees.
//!
//! Nothing here is part of the programs.

pub mod mounts;
pub mod programs;
pub mod targets;
