//! What a report shows on standard error while it is being made.

use crate::format::count;
use fusion_jobs::exit::note;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Pause between two lines where no terminal shows the state.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// One step of the work: a line that changes on a terminal, else a line now and then.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    label: &'static str,
    done: AtomicU64,
    all: u64,
    last: Mutex<Instant>,
}

impl Progress {
    /// Begins with nothing done of `all`.
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

    /// Says that so many more are done; may be called from several threads.
    pub fn add(&self, more: usize) {
        let done = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            return;
        }
        // Whoever holds the clock says it.
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
