//! Ending a long computation early.

use super::{Result, StatisticsError};
use std::sync::OnceLock;

static ASK: OnceLock<fn() -> bool> = OnceLock::new();

/// Says how resampling finds out that its result is no longer wanted, such as by a signal to the
/// process. It then ends soon, with [`StatisticsError::Interrupted`]. Only the first call counts.
pub fn ask(requested: fn() -> bool) {
    // What was said first stays.
    let _ = ASK.set(requested);
}

/// Whether the result is no longer wanted.
pub(crate) fn requested() -> bool {
    ASK.get().is_some_and(|ask| ask())
}

/// The error of a result that is no longer wanted.
pub(crate) fn check() -> Result<()> {
    if requested() { Err(StatisticsError::Interrupted) } else { Ok(()) }
}
