//! Progress of a report on standard error.

use crate::format::count;
use fusion_jobs::exit::note;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Pause between two lines if there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Progress of one step of the work. A terminal has a line that changes; other outputs get a line
/// at intervals.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    label: &'static str,
    done: AtomicU64,
    all: u64,
    last: Mutex<Instant>,
}

impl Progress {
    /// Starts with none of `all` items done.
    #[must_use]
    pub fn new(label: &'static str, all: usize) -> Self {
        let all = all as u64;
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(all);
            if let Ok(style) =
                ProgressStyle::with_template("{prefix}: {human_pos} of {human_len} ({elapsed})")
            {
                bar.set_style(style);
            }
            bar.set_prefix(label);
            bar
        });
        Self { bar, label, done: AtomicU64::new(0), all, last: Mutex::new(Instant::now()) }
    }

    /// Adds items to the number done. Calls from several threads are safe.
    pub fn add(&self, more: usize) {
        let done = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            return;
        }
        // Only the thread that holds the clock prints.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.elapsed() > LINE_EVERY {
            *last = Instant::now();
            note(format_args!("{}: {} of {}", self.label, count(done), count(self.all)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
