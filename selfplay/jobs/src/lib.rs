//! Infrastructure of long runs, independent of any game: exit codes, atomic files, locks,
//! checksums, shards, stops and resumption.

pub mod atomic;
pub mod bar;
pub mod checksums;
pub mod child;
pub mod cluster;
mod compression;
pub mod deal;
pub mod escape;
pub mod exit;
pub mod growth;
pub mod lock;
pub mod plain;
mod processor;
pub mod progress;
pub mod resources;
pub mod runner;
pub mod seeds;
pub mod shard;
pub mod stop;
pub mod system;
pub mod timing;
