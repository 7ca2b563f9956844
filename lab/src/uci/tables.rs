//! Endgame tables, opened on a separate thread, because checking large tables takes long.

use super::games::{Found, OpenTables, UciGame};
use super::output::Output;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Longest time until a stop request takes effect.
const SLICE: Duration = Duration::from_millis(20);

/// The tables of a folder for a rule set, open or being opened.
#[derive(Clone)]
pub(super) struct Tables<G: UciGame>(Arc<Shared<G>>);

struct Shared<G: UciGame> {
    state: Mutex<State<G>>,
    opened: Condvar,
}

enum State<G: UciGame> {
    /// The tables are being opened. The number counts the `isready` that wait for them.
    Opening(u32),
    /// The tables are open. If there are none, the search runs without tables.
    Open(Option<OpenTables<G>>),
    /// The folder is not a folder of tables, or a table is damaged.
    Rejected(String),
}

impl<G: UciGame> Tables<G> {
    fn new(state: State<G>) -> Self {
        Self(Arc::new(Shared { state: Mutex::new(state), opened: Condvar::new() }))
    }

    /// Returns a value without tables.
    pub(super) fn none() -> Self {
        Self::new(State::Open(None))
    }

    /// Stops using tables.
    pub(super) fn close(&mut self, output: &Output) {
        let waiting = self.0.abandon();
        *self = Self::none();
        (0..waiting).for_each(|_| output.line("readyok"));
    }

    /// Starts to open the tables of a folder for these rules. They replace the previous tables. The
    /// result, or the error, is reported when opening ends.
    pub(super) fn open(&mut self, rules: G::Rules, folder: PathBuf, output: Output) {
        *self = Self::new(State::Opening(self.0.abandon()));
        let (shared, answers) = (self.0.clone(), output.clone());
        let find = move || match folder.is_dir() {
            true => G::find_tables(&rules, &folder),
            false => Err(format!("there is no folder '{}'", folder.display())),
        };
        let work = move || shared.finish(&answers, find());
        if let Err(error) = thread::Builder::new().name("tables".into()).spawn(work) {
            self.0.finish(&output, Err(format!("no thread to open them: {error}")));
        }
    }

    /// Answers `isready` at once if no tables are being opened, else as soon as they are open.
    pub(super) fn answer_when_ready(&self, output: &Output) {
        match &mut *self.0.state() {
            State::Opening(waiting) => *waiting += 1,
            _ => output.line("readyok"),
        }
    }

    /// Waits until the tables are open. Returns `None` if stopped before that.
    ///
    /// # Errors
    /// Returns the error in the tables.
    pub(super) fn wait(
        &self,
        stopped: impl Fn() -> bool,
    ) -> Result<Option<Option<OpenTables<G>>>, String> {
        let mut state = self.0.state();
        loop {
            match &*state {
                State::Open(known) => return Ok(Some(known.clone())),
                State::Rejected(reason) => return Err(reason.clone()),
                State::Opening(_) if stopped() => return Ok(None),
                State::Opening(_) => {
                    let woken = self.0.opened.wait_timeout(state, SLICE);
                    state = woken.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

impl<G: UciGame> Shared<G> {
    fn state(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Abandons the tables. Returns the number of `isready` that are still unanswered.
    fn abandon(&self) -> u32 {
        match std::mem::replace(&mut *self.state(), State::Open(None)) {
            State::Opening(waiting) => waiting,
            _ => 0,
        }
    }

    /// Stores the result of opening, unless other tables were requested meanwhile.
    fn finish(&self, output: &Output, found: Found<G>) {
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
                State::Rejected(reason)
            }
        };
        (0..waiting).for_each(|_| output.line("readyok"));
        self.opened.notify_all();
    }
}

#[cfg(test)]
impl<G: UciGame> Tables<G> {
    /// Returns tables that are being opened until [`Tables::arrive`].
    pub(super) fn on_their_way() -> Self {
        Self::new(State::Opening(0))
    }

    /// Ends the opening with no tables found.
    pub(super) fn arrive(&self, output: &Output) {
        self.0.finish(output, Ok((None, "opened".into())));
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::tests::Written;
    use super::*;
    use fusion_chess::FusionGame;

    #[test]
    fn readiness_is_answered_once_and_in_the_end() {
        let written = Written::default();
        let output = Output::new(written.clone());
        let mut tables = Tables::<FusionGame>::on_their_way();
        let first = tables.clone();
        tables.answer_when_ready(&output);
        tables.answer_when_ready(&output);
        assert!(matches!(tables.wait(|| true), Ok(None)));
        assert_eq!(written.take(), "");
        // Other tables were requested, so the result of the first ones is dropped.
        tables.open("orthodox".parse().unwrap(), "/no/such".into(), output.clone());
        assert!(tables.wait(|| false).is_err());
        let rejected = "info string error: option EndgameTables: there is no folder '/no/such'\n";
        assert_eq!(written.take(), format!("{rejected}readyok\nreadyok\n"));
        first.arrive(&output);
        assert_eq!(written.take(), "");
        tables.answer_when_ready(&output);
        assert_eq!(written.take(), "readyok\n");
        let mut tables = Tables::<FusionGame>::on_their_way();
        tables.answer_when_ready(&output);
        tables.close(&output);
        assert_eq!(written.take(), "readyok\n");
        assert!(matches!(tables.wait(|| false), Ok(Some(None))));
    }
}
