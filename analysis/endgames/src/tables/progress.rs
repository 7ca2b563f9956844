//! Progress of the build of a table.

use crate::solve::Step;
use fusion_jobs::bar::Bar;
use fusion_jobs::exit::note;
use std::cell::Cell;

/// The state of one table: a changing line on a terminal, otherwise a line at intervals.
pub struct Progress {
    bar: Bar,
    label: String,
    decided: Cell<u64>,
}

impl Progress {
    /// Creates the progress with nothing shown.
    #[must_use]
    pub fn new(label: &str) -> Self {
        let bar = Bar::new("{prefix}: {msg} ({elapsed})", label.to_owned(), None);
        Self { bar, label: label.into(), decided: 0.into() }
    }

    /// Shows the current action.
    pub fn show(&self, message: &str) {
        self.bar.say(|| message.to_owned());
        if self.bar.is_due() {
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
        self.bar.finish();
    }
}
