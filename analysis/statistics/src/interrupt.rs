//! Early termination of a long computation.

use super::{Result, StatisticsError};
use std::sync::OnceLock;

static ASK: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the function that resampling calls to check for an interrupt, such as a signal to the
/// process. After `true`, resampling soon ends with [`StatisticsError::Interrupted`]. Only the
/// first call has an effect.
pub fn ask(requested: fn() -> bool) {
    // Later calls keep the first function.
    let _ = ASK.set(requested);
}

/// Returns whether an interrupt was requested.
pub(crate) fn requested() -> bool {
    ASK.get().is_some_and(|ask| ask())
}

/// Returns the interrupt error if an interrupt was requested.
pub(crate) fn check() -> Result<()> {
    if requested() { Err(StatisticsError::Interrupted) } else { Ok(()) }
}
