//! Progress of a report on standard error.

use crate::format::count;
use fusion_jobs::bar::Bar;
use fusion_jobs::exit::note;
use std::sync::atomic::{AtomicU64, Ordering};

/// Progress of one step of the work. A terminal has a line that changes; other outputs get a line
/// at intervals.
#[derive(Debug)]
pub struct Progress {
    bar: Bar,
    label: &'static str,
    done: AtomicU64,
    all: u64,
}

impl Progress {
    /// Starts with none of `all` items done.
    #[must_use]
    pub fn new(label: &'static str, all: usize) -> Self {
        let all = all as u64;
        let template = "{prefix}: {human_pos} of {human_len} ({elapsed})";
        let bar = Bar::new(template, label.to_owned(), Some(all));
        Self { bar, label, done: AtomicU64::new(0), all }
    }

    /// Adds items to the number done. Calls from several threads are safe.
    pub fn add(&self, more: usize) {
        let done = self.done.fetch_add(more as u64, Ordering::Relaxed) + more as u64;
        self.bar.add(more as u64);
        if self.bar.is_due() {
            note(format_args!("{}: {} of {}", self.label, count(done), count(self.all)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish();
    }
}
