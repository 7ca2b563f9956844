//! A line of progress on standard error.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use shown::Shown;

/// Pause between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// A line that changes, on a terminal. Without one the caller prints lines at intervals; in a browser there is
/// neither.
#[derive(Debug)]
pub struct Bar {
    shown: Option<Shown>,
    /// Time of the last line; `None` on a terminal, and where nothing is printed.
    last: Option<Mutex<Instant>>,
}

impl Bar {
    /// Starts a line by a template of `indicatif`, with what `{prefix}` stands for. Without a length, the number of
    /// items is not known.
    #[must_use]
    pub fn new(template: &str, prefix: String, length: Option<u64>) -> Self {
        if cfg!(target_family = "wasm") {
            return Self::hidden();
        }
        if std::io::stderr().is_terminal() {
            return Self { shown: Some(Shown::new(template, prefix, length)), last: None };
        }
        Self { shown: None, last: Some(Mutex::new(Instant::now())) }
    }

    /// Returns a line that is never printed.
    #[must_use]
    pub fn hidden() -> Self {
        Self { shown: None, last: None }
    }

    /// Returns whether lines are printed at intervals, since there is no terminal.
    #[must_use]
    pub fn prints_lines(&self) -> bool {
        self.last.is_some()
    }

    /// Returns whether it is time to print a line, where there is no terminal. One of several threads is told so.
    #[must_use]
    pub fn is_due(&self) -> bool {
        // Another thread that holds the clock prints, or panicked while it did.
        let Some(Ok(mut last)) = self.last.as_ref().map(Mutex::try_lock) else { return false };
        let is_due = last.elapsed() >= LINE_EVERY;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }

    /// Adds to the number of items done.
    pub fn add(&self, more: u64) {
        if let Some(shown) = &self.shown {
            shown.add(more);
        }
    }

    /// Sets the number of items done by an earlier run, from which the time left is not estimated.
    pub fn begin_at(&self, done: u64) {
        if let Some(shown) = &self.shown {
            shown.begin_at(done);
        }
    }

    /// Sets what `{msg}` stands for.
    pub fn say(&self, message: impl FnOnce() -> String) {
        if let Some(shown) = &self.shown {
            shown.say(message());
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(shown) = &self.shown {
            shown.finish();
        }
    }
}

#[cfg(not(target_family = "wasm"))]
mod shown {
    use indicatif::{ProgressBar, ProgressStyle};

    #[derive(Debug)]
    pub(super) struct Shown(ProgressBar);

    impl Shown {
        pub(super) fn new(template: &str, prefix: String, length: Option<u64>) -> Self {
            let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(prefix);
            Self(bar)
        }

        pub(super) fn add(&self, more: u64) {
            self.0.inc(more);
        }

        pub(super) fn begin_at(&self, done: u64) {
            self.0.set_position(done);
            self.0.reset_eta();
        }

        pub(super) fn say(&self, message: String) {
            self.0.set_message(message);
        }

        pub(super) fn finish(&self) {
            self.0.finish_and_clear();
        }
    }
}

/// A browser has no terminal, and `indicatif` needs functions there that a page would have to provide.
#[cfg(target_family = "wasm")]
mod shown {
    #[derive(Debug)]
    pub(super) struct Shown;

    impl Shown {
        pub(super) fn new(_: &str, _: String, _: Option<u64>) -> Self {
            Self
        }

        pub(super) fn add(&self, _: u64) {}

        pub(super) fn begin_at(&self, _: u64) {}

        pub(super) fn say(&self, _: String) {}

        pub(super) fn finish(&self) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_intervals() {
        let bar = Bar { shown: None, last: Some(Mutex::new(Instant::now() - LINE_EVERY)) };
        assert!(bar.is_due());
        assert!(!bar.is_due(), "the next line comes after a pause");
        assert!(!Bar::hidden().is_due() && !Bar::hidden().prints_lines());
    }
}
