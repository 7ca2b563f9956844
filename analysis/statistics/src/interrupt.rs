//! Early termination of a long computation.

use super::{Result, StatisticsError};
use std::sync::OnceLock;

static ASK: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the function that resampling calls to check for an interrupt, such as a signal to the
/// process. After it returns `true`, resampling soon ends with [`StatisticsError::Interrupted`].
/// Only the first call has an effect.
///
/// # Examples
/// ```standalone_crate
/// use fusion_statistics::{StatisticsError, bootstrap::BootstrapMeans, interrupt};
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// static STOP: AtomicBool = AtomicBool::new(false);
///
/// interrupt::ask(|| STOP.load(Ordering::Relaxed));
/// assert!(BootstrapMeans::draw(&[0.0, 1.0], 100, 1).is_ok());
/// STOP.store(true, Ordering::Relaxed);
/// let error = BootstrapMeans::draw(&[0.0, 1.0], 100, 1).unwrap_err();
/// assert_eq!(error, StatisticsError::Interrupted);
/// ```
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
