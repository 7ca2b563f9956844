//! A search on a separate thread.

use super::games::UciGame;
use super::output::Output;
use super::request::Request;
use super::searcher::{Recipe, UciSearch, search};
use super::tables::Tables;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Where a searcher comes from.
pub(super) enum Supply<G: UciGame> {
    /// From an earlier search.
    Ready(Box<dyn UciSearch<G>>),
    /// From [`Job::prepare`], which may still be at work.
    Preparation(Job<G>),
    /// It has to be made.
    New,
}

impl<G: UciGame> Supply<G> {
    /// Returns the searcher, if there is one. A preparation ends as soon as `stop` returns true.
    fn searcher(self, stop: &dyn Fn() -> bool) -> Option<Box<dyn UciSearch<G>>> {
        match self {
            Supply::Ready(searcher) => Some(searcher),
            Supply::Preparation(job) => {
                while !job.thread.is_finished() && !stop() {
                    thread::park_timeout(POLL);
                }
                job.stop();
                job.finish()
            }
            Supply::New => None,
        }
    }
}

/// Time between two looks at a preparation.
const POLL: Duration = Duration::from_millis(2);

/// The input of a search.
pub(super) struct Task<G: UciGame> {
    pub(super) supply: Supply<G>,
    /// How to make a searcher, if the supply has none.
    pub(super) recipe: Recipe,
    /// A searcher that is not needed any more. Its memory is freed first.
    pub(super) old: Option<Box<dyn UciSearch<G>>>,
    /// The position with its history.
    pub(super) game: G,
    pub(super) tables: Tables<G>,
    pub(super) request: Request<G>,
}

/// A running search, or the making of a searcher.
pub(super) struct Job<G: UciGame> {
    stop: Arc<AtomicBool>,
    is_search: bool,
    ends_soon: bool,
    /// The `isready` that wait for the end; `None` if it is reached, or if none has to wait.
    waiting: Arc<Mutex<Option<u32>>>,
    thread: JoinHandle<Option<Box<dyn UciSearch<G>>>>,
}

impl<G: UciGame> Job<G> {
    /// Starts a search. Its last line is `bestmove`.
    pub(super) fn start(task: Task<G>) -> std::io::Result<Self> {
        let stop = task.request.stop.clone();
        let ends_soon = task.request.limits.ends_soon(task.game.side_to_move());
        let thread = thread::Builder::new().name("search".into()).spawn(|| task.run())?;
        Ok(Self { stop, is_search: true, ends_soon, waiting: Arc::default(), thread })
    }

    /// Starts to make a searcher. At the end, each `isready` that waits only waits for the tables.
    pub(super) fn prepare(
        recipe: Recipe,
        game: G,
        old: Option<Box<dyn UciSearch<G>>>,
        tables: Tables<G>,
        output: Output,
    ) -> std::io::Result<Self> {
        let stop: Arc<AtomicBool> = Arc::default();
        let waiting = Arc::new(Mutex::new(Some(0)));
        let (stopped, waits) = (stop.clone(), waiting.clone());
        let work = move || {
            drop(old);
            let stopped = || stopped.load(Ordering::Relaxed);
            // An error comes again with the search, which reports it.
            let made = recipe.make(&game, &stopped).ok().filter(|_| !stopped());
            let searcher = made.map(|(searcher, remark)| {
                remark.iter().for_each(|remark| output.remark(remark));
                searcher
            });
            let mut waits = waits.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = waits.take().unwrap_or_default();
            (0..waiting).for_each(|_| tables.answer_when_ready(&output));
            searcher
        };
        let thread = thread::Builder::new().name("preparation".into()).spawn(work)?;
        Ok(Self { stop, is_search: false, ends_soon: true, waiting, thread })
    }

    /// Notes an `isready`, unless it can be answered at once. Returns whether it has to wait.
    pub(super) fn is_awaited(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter_mut().for_each(|waiting| *waiting += 1);
        waiting.is_some()
    }

    /// Returns whether this is a search, and no preparation.
    pub(super) fn is_search(&self) -> bool {
        self.is_search
    }

    /// Requests the end.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
    }

    /// Returns whether the end of the input can wait for the end of the search.
    pub(super) fn ends_soon(&self) -> bool {
        self.ends_soon
    }

    /// Waits for the end of the search and returns the searcher, if it can be reused.
    pub(super) fn finish(self) -> Option<Box<dyn UciSearch<G>>> {
        self.thread.join().ok().flatten()
    }
}

/// The answer to `go` if no correct move can be played. Programs that run games count it as an
/// illegal move, and the game as lost. python-chess returns no move. Other answers are worse:
/// python-chess plays `0000` as a null move, and an impossible move such as `a1a1` makes its
/// `analyse` wait forever.
const REJECTION: &str = "bestmove (none)";

/// Answers `go` if a decisive option or the position is wrong.
pub(super) fn reject<T: AsRef<str>>(output: &Output, reasons: impl IntoIterator<Item = T>) {
    for reason in reasons {
        let reason = reason.as_ref();
        output.error(&format!("{reason}; nothing is played until that is set right"));
    }
    output.line(REJECTION);
}

impl<G: UciGame> Task<G> {
    /// Searches and answers. Returns the searcher, unless it lacks the tables or memory.
    fn run(mut self) -> Option<Box<dyn UciSearch<G>>> {
        drop(self.old.take());
        let request = &self.request;
        let time = request.limits.time(self.game.side_to_move());
        let stop = || request.stopped() || request.is_late(time);
        let (searcher, mut complete) = match self.supply.searcher(&stop) {
            Some(searcher) => (searcher, true),
            None => match self.recipe.make(&self.game, &stop) {
                Ok((searcher, remark)) => {
                    remark.iter().for_each(|remark| request.output.remark(remark));
                    // A smaller table is kept if there is no memory for a larger one.
                    (searcher, remark.is_some() || !stop())
                }
                Err(reason) => {
                    reject(&request.output, [reason]);
                    return None;
                }
            },
        };
        let opened = match self.tables.wait(stop) {
            Ok(opened) => opened,
            Err(reason) => {
                reject(&request.output, [reason]);
                return None;
            }
        };
        if opened.is_none() {
            request.output.remark("endgame tables are not open yet: searching without");
            complete = false;
        }
        let mut searcher = searcher.with_tables(opened.flatten());
        answer(&mut *searcher, request, &self.game);
        complete.then_some(searcher)
    }
}

fn answer<G: UciGame>(searcher: &mut dyn UciSearch<G>, request: &Request<G>, game: &G) {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let best = match game.outcome(&moves) {
        None => search(searcher, request, game, moves.len()),
        Some(outcome) => {
            request.output.remark(&format!("the game is over: {}", outcome.ending));
            search_on(searcher, request, game, &moves)
        }
    };
    if !request.limits.bounded(game.side_to_move()) {
        // The protocol allows no answer before `stop`, even if the result is certain.
        while !request.stopped() {
            thread::park_timeout(Duration::from_millis(100));
        }
    }
    let best = best.map_or("(none)".into(), |mv| game.move_text(mv));
    request.output.line(&format!("bestmove {best}"));
}

/// Searches a game that has ended by the rules although the other program continues it. Returns the
/// best move as if clock and history began here.
fn search_on<G: UciGame>(
    searcher: &mut dyn UciSearch<G>,
    request: &Request<G>,
    game: &G,
    moves: &[G::Move],
) -> Option<G::Move> {
    let afresh = game.afresh()?;
    if afresh.outcome(moves).is_some() {
        let score = if game.threatened().is_empty() { "cp 0" } else { "mate 0" };
        request.output.line(&format!("info depth 0 score {score}"));
        return moves.first().copied();
    }
    match searcher.afresh(&afresh) {
        Some(mut other) => search(&mut *other, request, &afresh, moves.len()),
        None => search(searcher, request, &afresh, moves.len()),
    }
}
