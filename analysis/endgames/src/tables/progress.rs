//! Progress of the build of a table.

use crate::solve::Step;
use fusion_jobs::exit::note;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Pause between two lines if no terminal shows the state.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The state of one table: a changing line on a terminal, otherwise a line at intervals.
pub struct Progress {
    bar: Option<ProgressBar>,
    label: String,
    last: Cell<Instant>,
    decided: Cell<u64>,
}

impl Progress {
    /// Creates the progress with nothing shown.
    #[must_use]
    pub fn new(label: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{prefix}: {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.set_prefix(label.to_owned());
            bar
        });
        Self { bar, label: label.into(), last: Instant::now().into(), decided: 0.into() }
    }

    /// Shows the current action.
    pub fn show(&self, message: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(message.to_owned());
        } else if self.last.get().elapsed() > LINE_EVERY {
            self.last.set(Instant::now());
            note(format_args!("{}: {message}", self.label));
        }
    }

    /// Shows the state of the solver.
    pub fn step(&self, step: Step) {
        self.decided.set(self.decided.get() + step.decided);
        let decided = fusion_print::format::count(self.decided.get());
        self.show(&format!("ply {}, {decided} positions decided", step.ply));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
