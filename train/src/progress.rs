//! Progress display of training: a bar on a terminal, else a plain line at intervals.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fusion_jobs::exit::note;
use indicatif::{ProgressBar, ProgressStyle};

/// Interval between two lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Progress of a number of steps.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    label: &'static str,
    /// Time of the last printed line; `None` if a bar or nothing is shown.
    line: Option<Mutex<Instant>>,
}

impl Progress {
    /// Shows progress on standard error.
    #[must_use]
    pub fn new(label: &'static str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal { ProgressBar::no_length() } else { ProgressBar::hidden() };
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} steps, {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_prefix(label);
        Self { bar, label, line: (!terminal).then(|| Mutex::new(Instant::now())) }
    }

    /// Counts without showing anything.
    #[must_use]
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), label: "", line: None }
    }

    /// Sets the number of steps, and the number that an earlier run has done.
    pub fn start(&self, steps: u64, done: u64) {
        self.bar.set_length(steps);
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Counts a step.
    pub fn count(&self) {
        self.bar.inc(1);
    }

    /// Returns the number of finished steps.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.bar.position()
    }

    /// Shows a message with the progress.
    pub fn say(&self, message: String) {
        if let Some(line) = &self.line
            && let Ok(mut last) = line.try_lock()
            && last.elapsed() >= LINE_EVERY
        {
            *last = Instant::now();
            let steps = self.bar.length().unwrap_or_default();
            note(format_args!("{}: {}/{steps} steps, {message}", self.label, self.bar.position()));
        }
        self.bar.set_message(message);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
