//! A search on a separate thread.

use super::limits::Limits;
use super::output::Output;
use super::strength::Level;
use super::tables::Tables;
use super::{pvs, tree};
use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_game::prelude::*;
use fusion_network::model::Model;
use fusion_search::Search;
use fusion_search::pvs::Pvs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// One of the two searches, with what it keeps from move to move.
pub(super) enum GameSearch {
    /// Tree search, with the tree of the game, and the model that evaluates.
    Tree(Box<Search<FusionGame>>, Model),
    /// Alpha-beta search of selective depth, with its table.
    Pvs(Box<Pvs<FusionGame>>),
}

/// The input of a search.
pub(super) struct Task {
    pub(super) searcher: GameSearch,
    /// The position with its history.
    pub(super) game: FusionGame,
    pub(super) tables: Tables,
    pub(super) request: Request,
}

/// What to search for, when to stop, and how to report.
pub(super) struct Request {
    pub(super) limits: Limits,
    /// The root's moves to consider. An empty list means all moves.
    pub(super) only: Vec<Move>,
    /// The number of lines to report.
    pub(super) lines: usize,
    /// The strength to play at, if it is limited.
    pub(super) level: Option<Level>,
    pub(super) show_wdl: bool,
    pub(super) output: Output,
    pub(super) started: Instant,
    pub(super) stop: Arc<AtomicBool>,
}

impl Request {
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.output.is_closed()
    }

    pub(super) fn is_late(&self, time: Option<Duration>) -> bool {
        time.is_some_and(|time| self.started.elapsed() >= time)
    }

    pub(super) fn is_allowed(&self, mv: Move) -> bool {
        self.only.is_empty() || self.only.contains(&mv)
    }

    /// Formats the effort of the search: nodes, time, and hits in the tables that it has.
    pub(super) fn effort(
        &self,
        nodes: u64,
        new: u64,
        full: Option<f32>,
        hits: Option<u64>,
    ) -> String {
        let elapsed = self.started.elapsed();
        let per_second = new as f64 / elapsed.as_secs_f64().max(1e-6);
        let full = full.map(|share| format!(" hashfull {:.0}", (share * 1000.0).min(1000.0)));
        let hits = hits.map(|hits| format!(" tbhits {hits}"));
        let [full, hits] = [full, hits].map(Option::unwrap_or_default);
        let time = elapsed.as_millis();
        format!("nodes {nodes} nps {per_second:.0} time {time}{full}{hits}")
    }
}

/// A running search.
pub(super) struct Job {
    stop: Arc<AtomicBool>,
    bounded: bool,
    thread: JoinHandle<Option<GameSearch>>,
}

impl Job {
    /// Starts a search. Its last line is `bestmove`.
    pub(super) fn start(task: Task) -> std::io::Result<Self> {
        let stop = task.request.stop.clone();
        let bounded = task.request.limits.bounded(task.game.side_to_move());
        let thread = thread::Builder::new().name("search".into()).spawn(|| task.run())?;
        Ok(Self { stop, bounded, thread })
    }

    /// Requests the end of the search.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
    }

    /// Returns whether the search ends by itself.
    pub(super) fn bounded(&self) -> bool {
        self.bounded
    }

    /// Waits for the end of the search and returns the searcher, if it can be reused.
    pub(super) fn finish(self) -> Option<GameSearch> {
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

impl Task {
    /// Searches and answers. Returns the searcher, unless it lacks the tables.
    fn run(mut self) -> Option<GameSearch> {
        let request = &self.request;
        let time = request.limits.time(self.game.side_to_move());
        let opened = match self.tables.wait(|| request.stopped() || request.is_late(time)) {
            Ok(opened) => opened,
            Err(reason) => {
                reject(&request.output, [reason]);
                return None;
            }
        };
        let complete = opened.is_some();
        if !complete {
            request.output.remark("endgame tables are not open yet: searching without");
        }
        self.searcher = match self.searcher {
            GameSearch::Tree(search, model) => {
                GameSearch::Tree(Box::new(search.with_tablebase(opened.flatten())), model)
            }
            GameSearch::Pvs(search) => {
                GameSearch::Pvs(Box::new(search.with_tablebase(opened.flatten())))
            }
        };
        self.answer();
        complete.then_some(self.searcher)
    }

    fn answer(&mut self) {
        let mut moves = Vec::new();
        self.game.legal_moves(&mut moves);
        let best = match self.game.outcome(&moves) {
            None => self.searcher.search(&self.request, &self.game, moves.len()),
            Some(outcome) => {
                self.request.output.remark(&format!("the game is over: {}", outcome.ending));
                self.search_on(&moves)
            }
        };
        if !self.request.limits.bounded(self.game.side_to_move()) {
            // The protocol allows no answer before `stop`, even if the result is certain.
            while !self.request.stopped() {
                thread::park_timeout(Duration::from_millis(100));
            }
        }
        let best = best.map_or("(none)".into(), |mv| mv.to_string());
        self.request.output.line(&format!("bestmove {best}"));
    }

    /// Searches a game that has ended by the rules although the other program continues it. Returns
    /// the best move as if clock and history began here.
    fn search_on(&mut self, moves: &[Move]) -> Option<Move> {
        let fen = self.game.to_text();
        let rules = self.game.rules();
        let placement: Vec<&str> = fen.split(' ').take(4).collect();
        let afresh = Position::from_fen(rules, &placement.join(" ")).ok()?;
        let game = FusionGame::at(*rules, afresh);
        if game.outcome(moves).is_some() {
            let score = if self.game.position().in_check() { "mate 0" } else { "cp 0" };
            self.request.output.line(&format!("info depth 0 score {score}"));
            return moves.first().copied();
        }
        match &mut self.searcher {
            GameSearch::Tree(search, model) => {
                let fresh = Box::new(search.afresh(game.clone()));
                GameSearch::Tree(fresh, model.clone()).search(&self.request, &game, moves.len())
            }
            GameSearch::Pvs(_) => self.searcher.search(&self.request, &game, moves.len()),
        }
    }
}

impl GameSearch {
    /// Searches a game up to the limits and returns the best move. A tree is that of the game.
    fn search(&mut self, request: &Request, game: &FusionGame, legal: usize) -> Option<Move> {
        match self {
            Self::Tree(search, model) => {
                let mut evaluator = model.evaluator(0);
                tree::search(request, search, evaluator.as_mut(), legal)
            }
            Self::Pvs(search) => pvs::search(request, search, game, legal),
        }
    }
}
