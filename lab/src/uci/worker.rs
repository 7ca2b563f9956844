//! A search on a separate thread.

use super::limits::Limits;
use super::output::Output;
use super::report;
use super::strength::Level;
use super::tables::Tables;
use fusion_chess::FusionGame;
use fusion_chess::board::{Move, Position};
use fusion_game::evaluator::Evaluator;
use fusion_game::prelude::*;
use fusion_search::{Child, Line, Proof, Search};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The input of a search.
pub(super) struct Task {
    pub(super) search: Search<FusionGame>,
    pub(super) evaluator: Box<dyn Evaluator<FusionGame>>,
    pub(super) limits: Limits,
    /// The root's moves to consider. An empty list means all moves.
    pub(super) only: Vec<Move>,
    /// The number of lines to report.
    pub(super) lines: usize,
    /// The strength to play at, if it is limited.
    pub(super) level: Option<Level>,
    pub(super) tables: Tables,
    pub(super) show_wdl: bool,
    pub(super) output: Output,
    pub(super) started: Instant,
}

/// A running search.
pub(super) struct Job {
    stop: Arc<AtomicBool>,
    bounded: bool,
    thread: JoinHandle<Option<Search<FusionGame>>>,
}

impl Job {
    /// Starts a search. Its last line is `bestmove`.
    pub(super) fn start(task: Task) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let bounded = task.limits.bounded(task.search.game().side_to_move());
        let worker = Worker { visits_before: 0, reported: 0, task, stop: stop.clone() };
        let thread = thread::Builder::new().name("search".into()).spawn(|| worker.run())?;
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

    /// Waits for the end of the search and returns its tree, if it can be reused.
    pub(super) fn finish(self) -> Option<Search<FusionGame>> {
        self.thread.join().ok().flatten()
    }
}

struct Worker {
    task: Task,
    stop: Arc<AtomicBool>,
    visits_before: u32,
    /// The number of reports so far. Reports become rarer.
    reported: u32,
}

/// Playouts between checks that cost more than a playout.
const INTERVAL: u32 = 64;
/// The most visits of a search without limits. Visits are counted in 32 bits.
const MOST_VISITS: u32 = 4_000_000_000;
/// Fill level from which a tree hardly has room to grow deeper.
const FULL: f32 = 0.98;

/// The answer to `go` if no correct move can be played. Programs that run games count it as an
/// illegal move, and the game as lost. python-chess returns no move. Other answers are worse:
/// python-chess plays `0000` as a null move, and an impossible move such as `a1a1` makes its
/// `analyse` wait forever.
const REJECTION: &str = "bestmove (none)";

/// Answers `go` if a decisive option or the position is wrong.
pub(super) fn reject<'a>(output: &Output, reasons: impl IntoIterator<Item = &'a str>) {
    for reason in reasons {
        output.error(&format!("{reason}; nothing is played until that is set right"));
    }
    output.line(REJECTION);
}

impl Worker {
    /// Searches and answers. Returns the tree, unless it lacks the tables.
    fn run(mut self) -> Option<Search<FusionGame>> {
        let time = self.task.limits.time(self.task.search.game().side_to_move());
        let opened = match self.task.tables.wait(|| self.stopped() || self.is_late(time)) {
            Ok(opened) => opened,
            Err(reason) => {
                reject(&self.task.output, [&*reason]);
                return None;
            }
        };
        let complete = opened.is_some();
        if !complete {
            self.task.output.remark("endgame tables are not open yet: searching without");
        }
        self.task.search = self.task.search.with_tablebase(opened.flatten());
        self.answer();
        complete.then_some(self.task.search)
    }

    fn answer(&mut self) {
        let root = self.task.search.game().clone();
        let mut moves = Vec::new();
        root.legal_moves(&mut moves);
        let best = match root.outcome(&moves) {
            None => self.search(moves.len()),
            Some(outcome) => {
                self.task.output.remark(&format!("the game is over: {}", outcome.ending));
                self.search_on(&root, &moves)
            }
        };
        if !self.task.limits.bounded(root.side_to_move()) {
            // The protocol allows no answer before `stop`, even if the result is certain.
            while !self.stopped() {
                thread::park_timeout(Duration::from_millis(100));
            }
        }
        let best = best.map_or("(none)".into(), |mv| mv.to_string());
        self.task.output.line(&format!("bestmove {best}"));
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.task.output.is_closed()
    }

    /// Searches a game that has ended by the rules although the other program continues it. Returns
    /// the best move as if clock and history began here.
    fn search_on(&mut self, root: &FusionGame, moves: &[Move]) -> Option<Move> {
        let fen = root.to_text();
        let placement: Vec<&str> = fen.split(' ').take(4).collect();
        let afresh = Position::from_fen(root.rules(), &placement.join(" ")).ok()?;
        let game = FusionGame::at(*root.rules(), afresh);
        if game.outcome(moves).is_some() {
            let score = if root.position().in_check() { "mate 0" } else { "cp 0" };
            self.task.output.line(&format!("info depth 0 score {score}"));
            return moves.first().copied();
        }
        let fresh = self.task.search.afresh(game);
        let kept = std::mem::replace(&mut self.task.search, fresh);
        let best = self.search(moves.len());
        self.task.search = kept;
        best
    }

    /// Searches up to the limits and returns the best move.
    fn search(&mut self, legal: usize) -> Option<Move> {
        self.visits_before = self.task.search.visits();
        let side = self.task.search.game().side_to_move();
        let time = self.task.limits.time(side);
        let forced = legal == 1 && self.task.limits.on_clock(side);
        let mut playouts = 0u32;
        // The children of a root exist only from its second visit on.
        while self.task.search.nodes() == 1
            || !(forced || self.stopped() || self.out_of(time, playouts))
        {
            if self.is_settled() {
                break;
            }
            let first = self.first_move();
            self.task.search.playout(&mut *self.task.evaluator, first);
            playouts = playouts.wrapping_add(1);
            if playouts.is_multiple_of(INTERVAL) {
                self.report_if_due();
            }
        }
        let lines = self.lines();
        self.report(&lines);
        let drawn = self.task.level.and_then(|level| self.draw(level));
        drawn.or_else(|| lines.first()?.moves.first().copied())
    }

    /// Draws the move of a limited strength. Returns `None` where the best move is to be played,
    /// for example if it wins.
    fn draw(&self, level: Level) -> Option<Move> {
        let search = &self.task.search;
        let won = search.proof() == Proof::of(Some(search.game().side_to_move()));
        if won { None } else { level.draw(search, |mv| self.is_allowed(mv)) }
    }

    fn is_late(&self, time: Option<Duration>) -> bool {
        time.is_some_and(|time| self.task.started.elapsed() >= time)
    }

    fn out_of(&self, time: Option<Duration>, playouts: u32) -> bool {
        let Task { search, limits, level, .. } = &self.task;
        let nodes = limits.nodes.into_iter().chain(level.map(|level| level.nodes));
        nodes.fold(MOST_VISITS, u32::min) <= search.visits()
            || self.is_late(time)
            || limits.depth.is_some_and(|depth| {
                playouts.is_multiple_of(INTERVAL)
                    && (search.fullness() > FULL || search.principal_variation().len() >= depth)
            })
    }

    fn is_allowed(&self, mv: Move) -> bool {
        self.task.only.is_empty() || self.task.only.contains(&mv)
    }

    /// Returns whether the search can find nothing new among the moves to consider: one move wins,
    /// or all are proven. If several lines are requested, a win does not settle the other lines.
    fn is_settled(&self) -> bool {
        let Task { search, only, lines, .. } = &self.task;
        if search.nodes() == 1 {
            return false;
        }
        if only.is_empty() && *lines == 1 {
            return search.proof() != Proof::Unknown;
        }
        let win = Proof::of(Some(search.game().side_to_move()));
        let allowed = search.children().into_iter().filter(|child| self.is_allowed(child.mv));
        let proofs: Vec<Proof> = allowed.map(|child| child.proof).collect();
        (*lines == 1 && proofs.contains(&win)) || !proofs.contains(&Proof::Unknown)
    }

    /// Returns the root's child for the next playout if the search must not choose it by itself:
    /// PUCT among the moves to consider. If several lines are requested, the first candidate of
    /// each line gets a visit, and proven moves get none.
    fn first_move(&self) -> Option<usize> {
        let Task { search, only, lines, .. } = &self.task;
        if search.nodes() == 1 || (only.is_empty() && *lines == 1) {
            return None;
        }
        let children = search.children();
        let several = *lines > 1;
        let open = |child: &Child<Move>| {
            self.is_allowed(child.mv) && !(several && child.proof != Proof::Unknown)
        };
        let mut candidates = children.iter().enumerate().filter(|(_, child)| open(child));
        if several {
            let mut first = candidates.clone().take(*lines);
            if let Some((unvisited, _)) = first.find(|(_, child)| child.visits == 0) {
                return Some(unvisited);
            }
            if only.is_empty() && search.proof() == Proof::Unknown {
                return None;
            }
        }
        let weight = (search.visits() as f32).sqrt();
        let score = |child: &Child<Move>| {
            let known = child.visits > 0 || child.proof != Proof::Unknown;
            let mean = if known { child.wdl.score() } else { search.wdl().score() };
            mean + weight * child.prior / (1.0 + child.visits as f32)
        };
        candidates.by_ref().max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b))).map(|(i, _)| i)
    }

    /// Returns the lines to report. The first begins with the best move.
    fn lines(&self) -> Vec<Line<Move>> {
        self.task.search.best_lines(self.task.lines, |mv| self.is_allowed(mv))
    }

    /// Reports after a tenth of a second, and then every second.
    fn report_if_due(&mut self) {
        let due = match self.reported {
            0 => Duration::from_millis(100),
            n => Duration::from_secs(u64::from(n)),
        };
        if self.task.started.elapsed() >= due {
            self.reported += 1;
            self.report(&self.lines());
        }
    }

    fn report(&self, lines: &[Line<Move>]) {
        let Task { search, started, output, show_wdl, .. } = &self.task;
        let elapsed = started.elapsed();
        let playouts = search.visits().saturating_sub(self.visits_before);
        let per_second = f64::from(playouts) / elapsed.as_secs_f64().max(1e-6);
        let hits = if search.has_tablebase() {
            format!(" tbhits {}", search.tablebase_hits())
        } else {
            String::new()
        };
        let effort = format!(
            "nodes {} nps {per_second:.0} time {} hashfull {:.0}{hits}",
            search.visits(),
            elapsed.as_millis(),
            (search.fullness() * 1000.0).min(1000.0),
        );
        for (i, line) in lines.iter().enumerate() {
            let [found, moves] = report::line(i + 1, line, *show_wdl);
            output.line(&format!("info {found} {effort} {moves}"));
        }
    }
}
