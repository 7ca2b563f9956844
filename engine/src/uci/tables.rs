//! Endgame tables, opened on a thread of their own: checking large ones takes long.

use super::output::Output;
use crate::endgame::{self, EXTENSION, TableError};
use crate::fusion::FusionGame;
use crate::oracle::Oracle;
use crate::rules::RuleSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// A wish to stop is noticed after so long at the latest.
const SLICE: Duration = Duration::from_millis(20);

type Known = Option<Arc<dyn Oracle<FusionGame>>>;

/// The tables of a folder for some rules, open or on their way.
#[derive(Clone)]
pub(super) struct Tables(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    opened: Condvar,
}

enum State {
    /// They are being opened; so many `isready` wait for that.
    Opening(u32),
    /// They are open; or there are none, and the search goes without.
    Open(Known),
    /// The folder is no folder of tables, or a table is damaged.
    Refused(String),
}

impl Tables {
    fn new(state: State) -> Self {
        Self(Arc::new(Shared { state: Mutex::new(state), opened: Condvar::new() }))
    }

    /// No tables.
    pub(super) fn none() -> Self {
        Self::new(State::Open(None))
    }

    /// Goes without tables from now on.
    pub(super) fn close(&mut self, output: &Output) {
        let waiting = self.0.abandon();
        *self = Self::none();
        (0..waiting).for_each(|_| output.line("readyok"));
    }

    /// Begins to open the tables of a folder for these rules instead of those that were there.
    /// What was found, or what is wrong, is said when that is known.
    pub(super) fn open(&mut self, rules: RuleSet, folder: PathBuf, output: Output) {
        *self = Self::new(State::Opening(self.0.abandon()));
        let (shared, answers) = (self.0.clone(), output.clone());
        let work = move || shared.finish(&answers, find(&rules, &folder));
        if let Err(error) = thread::Builder::new().name("tables".into()).spawn(work) {
            self.0.finish(&output, Err(format!("no thread to open them: {error}")));
        }
    }

    /// Answers `isready` now, or as soon as the tables are open.
    pub(super) fn answer_when_ready(&self, output: &Output) {
        match &mut *self.0.state() {
            State::Opening(waiting) => *waiting += 1,
            _ => output.line("readyok"),
        }
    }

    /// Waits until the tables are open; `None` if stopped before that.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn wait(&self, stopped: impl Fn() -> bool) -> Result<Option<Known>, String> {
        let mut state = self.0.state();
        loop {
            match &*state {
                State::Open(known) => return Ok(Some(known.clone())),
                State::Refused(reason) => return Err(reason.clone()),
                State::Opening(_) if stopped() => return Ok(None),
                State::Opening(_) => {
                    let woken = self.0.opened.wait_timeout(state, SLICE);
                    state = woken.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

/// What a folder holds, and what there is to say of it.
type Found = Result<(Known, String), String>;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wants no tables any more; how many `isready` are still to be answered.
    fn abandon(&self) -> u32 {
        match std::mem::replace(&mut *self.state(), State::Open(None)) {
            State::Opening(waiting) => waiting,
            _ => 0,
        }
    }

    /// Hands over what was found, unless other tables are wanted by now.
    fn finish(&self, output: &Output, found: Found) {
        let mut state = self.state();
        let State::Opening(waiting) = *state else { return };
        *state = match found {
            Ok((known, remark)) => {
                output.remark(&remark);
                State::Open(known)
            }
            Err(reason) => {
                let reason = format!("option EndgameTables: {reason}");
                output.error(&reason);
                State::Refused(reason)
            }
        };
        (0..waiting).for_each(|_| output.line("readyok"));
        self.opened.notify_all();
    }
}

/// Opens what a folder has for these rules. A folder of tables need not have any for them.
fn find(rules: &RuleSet, folder: &Path) -> Found {
    if !folder.is_dir() {
        return Err(format!("there is no folder '{}'", folder.display()));
    }
    match endgame::Tables::open(folder, rules) {
        Ok(tables) => {
            let remark = format!("endgame tables for {rules}: {}", tables.materials().len());
            Ok((Some(Arc::new(tables)), remark))
        }
        Err(error @ (TableError::None { .. } | TableError::Uncovered(_))) if has_any(folder) => {
            Ok((None, format!("endgame tables: {error}; searches go without")))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a folder has tables, for whatever rules.
fn has_any(folder: &Path) -> bool {
    let entries = |folder: &Path| folder.read_dir().into_iter().flatten().flatten();
    entries(folder)
        .flat_map(|material| entries(&material.path()))
        .any(|file| file.path().extension().is_some_and(|extension| extension == EXTENSION))
}

#[cfg(test)]
impl Tables {
    /// Tables that stay on their way until [`Tables::arrive`].
    pub(super) fn on_their_way() -> Self {
        Self::new(State::Opening(0))
    }

    /// Lets nothing be found.
    pub(super) fn arrive(&self, output: &Output) {
        self.0.finish(output, Ok((None, "opened".into())));
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::tests::Written;
    use super::*;

    #[test]
    fn readiness_is_answered_once_and_in_the_end() {
        let written = Written::default();
        let output = Output::new(written.clone());
        let mut tables = Tables::on_their_way();
        let first = tables.clone();
        tables.answer_when_ready(&output);
        tables.answer_when_ready(&output);
        assert!(matches!(tables.wait(|| true), Ok(None)));
        assert_eq!(written.take(), "");
        // Other tables are wanted: what is found of the first ones is of no interest.
        tables.open("orthodox".parse().unwrap(), "/no/such".into(), output.clone());
        assert!(tables.wait(|| false).is_err());
        let refused = "info string error: option EndgameTables: there is no folder '/no/such'\n";
        assert_eq!(written.take(), format!("{refused}readyok\nreadyok\n"));
        first.arrive(&output);
        assert_eq!(written.take(), "");
        tables.answer_when_ready(&output);
        assert_eq!(written.take(), "readyok\n");
        let mut tables = Tables::on_their_way();
        tables.answer_when_ready(&output);
        tables.close(&output);
        assert_eq!(written.take(), "readyok\n");
        assert!(matches!(tables.wait(|| false), Ok(Some(None))));
    }
}
