//! All that depends on the operating system: one module for systems like Unix, one for the others, with the
//! same functions. Where a system lacks something, the function says so or does nothing, as its
//! documentation tells.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::*;

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub use other::*;

/// What tells two files apart, if the system has such numbers.
pub type FileId = Option<(u64, u64)>;
