//! Shard files: a header, one checksummed frame for each game, a footer.
//!
//! A frame's payload is opaque here: a record of a training game, a measurement game, a pair of a
//! match. All integers are little-endian.
//!
//! | part | bytes |
//! | --- | --- |
//! | header | magic `FUSNSHRD`, `u32` version, `u32` length, that many bytes of JSON ([`Header`]), `u32` CRC-32 of all this |
//! | frame | `u8` 1, `u64` game number, `u32` length of the payload, `u32` compressed length, that many bytes of zstd, `u32` CRC-32 of all this |
//! | footer | `u8` 2, `u64` number of frames, SHA-256 of everything before it |
//!
//! A finished shard has its frames in ascending order of game number, and nothing after the footer.
//! While games are being played, `NAME.part` has the header and the frames in the order in which
//! the games ended, without a footer. After a crash its valid frames are kept and a torn tail is
//! cut off. The finished file is written atomically ([`crate::atomic`]); its bytes depend only on
//! its header and games.

mod follow;
mod format;
mod reader;
mod writer;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use follow::FollowedPart;
pub use format::Frame;
pub(crate) use format::difference;
pub use reader::{ShardReader, read_part_header};
pub(crate) use writer::write_part;
pub use writer::{Opened, ShardWriter};

/// The settings of a shard. Shards with different headers are different shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header<P = serde_json::Value> {
    /// The kind of the frames, such as `games`.
    pub kind: String,
    /// Name and version of the program that wrote the shard.
    pub program: String,
    /// A signature of how that build plays (`fusion_runner::behaviour`).
    pub behaviour: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number of this shard, from 0.
    pub shard: u32,
    /// Number of shards of the run.
    pub shards: u32,
    /// Number of games of the run.
    pub games: u64,
    /// Every other setting on which the games depend.
    pub parameters: P,
}

/// Returns this program's name and version, for headers.
#[must_use]
pub fn program() -> String {
    format!("fusion {}", env!("CARGO_PKG_VERSION"))
}

/// Returns the file name of a finished shard.
///
/// # Examples
/// ```
/// use fusion_jobs::shard::file_name;
///
/// assert_eq!(file_name("games", 3, 128), "games-00003-of-00128.shard");
/// ```
#[must_use]
pub fn file_name(kind: &str, shard: u32, shards: u32) -> String {
    format!("{kind}-{shard:05}-of-{shards:05}.{EXTENSION}")
}

/// Limit on the number of shards: file names have five digits.
pub const MAX_SHARDS: u32 = 99_999;

/// Extension of finished shards.
pub const EXTENSION: &str = "shard";

/// Returns the path of a shard that is being written.
///
/// # Examples
/// ```
/// use fusion_jobs::shard::part_path;
/// use std::path::Path;
///
/// let part = part_path(Path::new("run/games-00003-of-00128.shard"));
/// assert_eq!(part, Path::new("run/games-00003-of-00128.shard.part"));
/// ```
#[must_use]
pub fn part_path(finished: &Path) -> PathBuf {
    let mut name = finished.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// The reason why a shard cannot be read or written. The reason is the error's source and carries
/// the exit code.
#[derive(Debug, Error)]
pub enum ShardError {
    /// An error from the operating system.
    #[error("{doing} {}", path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error.
        #[source]
        cause: std::io::Error,
    },
    /// The file is damaged, or is not a shard.
    #[error("{}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The damage.
        #[source]
        reason: Failure,
    },
    /// The file exists with other settings, or another process is writing it.
    #[error("{}", path.display())]
    Rejected {
        /// The file.
        path: PathBuf,
        /// The reason for the rejection.
        #[source]
        reason: Failure,
    },
}

impl ShardError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |cause| match cause.kind() {
            ErrorKind::InvalidInput => Self::corrupt(&path, cause),
            _ => Self::Io { doing, path, cause },
        }
    }

    fn corrupt(path: &Path, reason: impl std::fmt::Display) -> Self {
        ShardError::Corrupt { path: path.to_owned(), reason: Failure::corrupt(reason) }
    }

    fn rejected(path: &Path, reason: Failure) -> Self {
        ShardError::Rejected { path: path.to_owned(), reason }
    }
}
