//! Stops on request: a scheduler's signal, or Ctrl-C.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::exit::{CTRL_C, Failure, INTERRUPTED};
use crate::system::{SIGINT, SIGTERM, signal_name, store_signals};
use anyhow::Context;

/// The flag that signals set. The process has only one, because signals are sent to processes.
static OF_PROCESS: OnceLock<Stop> = OnceLock::new();

/// A flag that long work checks between moves. Clones share it.
///
/// # Examples
/// ```
/// use fusion_jobs::exit::{INTERRUPTED, exit_code};
/// use fusion_jobs::stop::Stop;
///
/// let stop = Stop::new();
/// let in_a_thread = stop.clone();
/// assert!(in_a_thread.check().is_ok());
/// stop.request();
/// let error = in_a_thread.check().unwrap_err();
/// assert!(error.to_string().starts_with("stopped by SIGTERM"));
/// assert_eq!(exit_code(&error.into()), INTERRUPTED);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stop {
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Creates a flag that only [`Stop::request`] sets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a flag that SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU and SIGINT set, as far as the system has them. A
    /// second SIGINT ends the process at once.
    ///
    /// # Errors
    /// Fails if the operating system reports an error.
    pub fn on_signals() -> anyhow::Result<Self> {
        if let Some(stop) = OF_PROCESS.get() {
            return Ok(stop.clone());
        }
        let stop = Self::new();
        store_signals(&stop.signal, CTRL_C.into()).context("handling signals")?;
        Ok(OF_PROCESS.get_or_init(|| stop).clone())
    }

    /// Returns the flag of [`Stop::on_signals`], for code deep inside a computation. The flag is
    /// never set where no signals are handled.
    #[must_use]
    pub fn of_process() -> Self {
        OF_PROCESS.get().cloned().unwrap_or_default()
    }

    /// Requests a stop, as SIGTERM does.
    pub fn request(&self) {
        self.signal.store(SIGTERM as usize, Ordering::SeqCst);
    }

    /// Returns whether work should stop.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.signal.load(Ordering::SeqCst) != 0
    }

    /// Returns the number of the signal that requested the stop; SIGTERM after [`Stop::request`].
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        let signal = self.signal.load(Ordering::SeqCst) as i32;
        (signal != 0).then_some(signal)
    }

    /// Returns an error with the exit code of the signal if a stop was requested.
    ///
    /// # Errors
    /// Returns a [`Failure`] with exit code 130 for Ctrl-C, and with 75 for the other signals.
    pub fn check(&self) -> Result<(), Failure> {
        self.check_saying("what is finished is saved; run the same command to continue")
    }

    /// Checks as [`Stop::check`] does, for work that saves nothing before its end.
    ///
    /// # Errors
    /// Fails as [`Stop::check`] does.
    pub fn check_unsaved(&self) -> Result<(), Failure> {
        self.check_saying("nothing of this step is saved; run the same command to begin it again")
    }

    fn check_saying(&self, again: &str) -> Result<(), Failure> {
        match self.signal.load(Ordering::SeqCst) as i32 {
            0 => Ok(()),
            SIGINT => Err(Failure::new(CTRL_C, format!("stopped by Ctrl-C: {again}"))),
            signal => {
                let name = signal_name(signal).unwrap_or("a signal");
                Err(Failure::new(INTERRUPTED, format!("stopped by {name}: {again}")))
            }
        }
    }
}
