//! What the other crates' promises are tested with: parsers under hostile input, programs under
//! kills, full disks and damaged files. `docs/reliability.md` says what is promised.
//!
//! Nothing here is part of the programs.

pub mod mounts;
pub mod programs;
pub mod targets;
