//! A search on a thread of its own.

use super::Output;
use super::limits::Limits;
use crate::board::{Move, Position};
use crate::evaluator::{Evaluator, Wdl};
use crate::fusion::FusionGame;
use crate::game::Game;
use crate::search::{Child, Proof, Search};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a search needs.
pub(super) struct Task {
    pub(super) search: Search<FusionGame>,
    pub(super) evaluator: Box<dyn Evaluator<FusionGame>>,
    pub(super) limits: Limits,
    /// The root's moves to consider; all if there are none.
    pub(super) only: Vec<Move>,
    pub(super) show_wdl: bool,
    pub(super) output: Output,
    pub(super) started: Instant,
}

/// A search under way.
pub(super) struct Job {
    stop: Arc<AtomicBool>,
    bounded: bool,
    thread: JoinHandle<Search<FusionGame>>,
}

impl Job {
    /// Starts a search; its last words are `bestmove`.
    pub(super) fn start(task: Task) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let bounded = task.limits.bounded(task.search.game().side_to_move());
        let worker = Worker { visits_before: 0, reported: 0, task, stop: stop.clone() };
        let thread = thread::Builder::new().name("search".into()).spawn(|| worker.run())?;
        Ok(Self { stop, bounded, thread })
    }

    /// Asks for the end of the search.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
    }

    /// Whether the search ends by itself.
    pub(super) fn bounded(&self) -> bool {
        self.bounded
    }

    /// Waits for the end of the search and takes its tree back.
    pub(super) fn finish(self) -> Option<Search<FusionGame>> {
        self.thread.join().ok()
    }
}

struct Worker {
    task: Task,
    stop: Arc<AtomicBool>,
    visits_before: u32,
    /// How many reports were made; they become rarer.
    reported: u32,
}

/// Playouts between looks at what costs more than a playout.
const INTERVAL: u32 = 64;
/// Visits are counted in 32 bits: a search without limits goes no further.
const MOST_VISITS: u32 = 4_000_000_000;
/// A tree as full as this has hardly room to grow any deeper.
const FULL: f32 = 0.98;

impl Worker {
    fn run(mut self) -> Search<FusionGame> {
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
            // Until `stop` the protocol allows no answer, however clear things are.
            while !self.stopped() {
                thread::park_timeout(Duration::from_millis(100));
            }
        }
        let best = best.map_or("(none)".into(), |mv| mv.to_string());
        self.task.output.line(&format!("bestmove {best}"));
        self.task.search
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.task.output.is_closed()
    }

    /// A move where the rules have ended the game but the other program plays on: the
    /// best one as if clock and history began here.
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

    /// Searches up to the limits; the best move.
    fn search(&mut self, legal: usize) -> Option<Move> {
        self.visits_before = self.task.search.visits();
        let side = self.task.search.game().side_to_move();
        let time = self.task.limits.time(side);
        let forced = legal == 1 && self.task.limits.on_clock(side);
        let mut playouts = 0u32;
        // A root has children, among which to choose, from its second visit.
        while self.task.search.nodes() == 1
            || !(forced || self.stopped() || self.out_of(time, playouts))
        {
            if self.choice_is_proven() {
                break;
            }
            let first = self.restricted_choice();
            self.task.search.playout(&mut *self.task.evaluator, first);
            playouts = playouts.wrapping_add(1);
            if playouts.is_multiple_of(INTERVAL) {
                self.report_if_due();
            }
        }
        let best = self.best_move();
        self.report(best);
        best
    }

    fn out_of(&self, time: Option<Duration>, playouts: u32) -> bool {
        let Task { search, limits, started, .. } = &self.task;
        limits.nodes.unwrap_or(MOST_VISITS).min(MOST_VISITS) <= search.visits()
            || time.is_some_and(|time| started.elapsed() >= time)
            || limits.depth.is_some_and(|depth| {
                playouts.is_multiple_of(INTERVAL)
                    && (search.fullness() > FULL || search.principal_variation().len() >= depth)
            })
    }

    /// Whether the moves to consider leave nothing to find out: one wins, or all are proven.
    fn choice_is_proven(&self) -> bool {
        let Task { search, only, .. } = &self.task;
        if search.nodes() == 1 {
            return false;
        }
        if only.is_empty() {
            return search.proof() != Proof::Unknown;
        }
        let win = Proof::of(Some(search.game().side_to_move()));
        let allowed = search.children().into_iter().filter(|child| only.contains(&child.mv));
        let proofs: Vec<Proof> = allowed.map(|child| child.proof).collect();
        proofs.contains(&win) || !proofs.contains(&Proof::Unknown)
    }

    /// The root's child for the next playout if only some moves are considered: PUCT
    /// among them.
    fn restricted_choice(&self) -> Option<usize> {
        let Task { search, only, .. } = &self.task;
        if only.is_empty() || search.nodes() == 1 {
            return None;
        }
        let weight = (search.visits() as f32).sqrt();
        let score = |child: &Child<Move>| {
            let known = child.visits > 0 || child.proof != Proof::Unknown;
            let mean = if known { child.wdl.score() } else { search.wdl().score() };
            mean + weight * child.prior / (1.0 + child.visits as f32)
        };
        let children = search.children();
        let allowed = children.iter().enumerate().filter(|(_, child)| only.contains(&child.mv));
        allowed.max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b))).map(|(i, _)| i)
    }

    fn best_move(&self) -> Option<Move> {
        let Task { search, only, .. } = &self.task;
        let allowed = |mv| only.is_empty() || only.contains(&mv);
        search.best_move_among(allowed, &mut ChaCha8Rng::seed_from_u64(0))
    }

    /// Reports after a tenth of a second, then every second.
    fn report_if_due(&mut self) {
        let due = match self.reported {
            0 => Duration::from_millis(100),
            n => Duration::from_secs(u64::from(n)),
        };
        if self.task.started.elapsed() >= due {
            self.reported += 1;
            self.report(self.best_move());
        }
    }

    fn report(&self, best: Option<Move>) {
        let Task { search, started, output, show_wdl, .. } = &self.task;
        let elapsed = started.elapsed();
        let playouts = search.visits().saturating_sub(self.visits_before);
        let per_second = f64::from(playouts) / elapsed.as_secs_f64().max(1e-6);
        let mut line = search.principal_variation();
        // The most visited move need not be the best.
        if let Some(best) = best
            && line.first() != Some(&best)
        {
            line = vec![best];
        }
        let line: Vec<String> = line.iter().map(Move::to_string).collect();
        let wdl = search.wdl();
        let chances = if *show_wdl { wdl_text(wdl) } else { String::new() };
        let hits = if search.has_oracle() {
            format!(" tbhits {}", search.oracle_hits())
        } else {
            String::new()
        };
        output.line(&format!(
            "info depth {} nodes {} nps {:.0} time {} score {}{chances} hashfull {:.0}{hits} pv {}",
            line.len(),
            search.visits(),
            per_second,
            elapsed.as_millis(),
            self.score(),
            (search.fullness() * 1000.0).min(1000.0),
            line.join(" ")
        ));
    }

    /// `mate N` if that is proven, negative for the side that is mated, else `cp N`.
    fn score(&self) -> String {
        let Task { search, only, .. } = &self.task;
        let win = Proof::of(Some(search.game().side_to_move()));
        // A proof may rest on moves that are not to be considered.
        match (search.proof(), search.plies_to_mate()) {
            (proof, Some(plies)) if only.is_empty() => {
                let sign = if proof == win { "" } else { "-" };
                format!("mate {sign}{}", plies.div_ceil(2))
            }
            (Proof::Draw, _) if only.is_empty() => "cp 0".into(),
            _ => format!("cp {}", centipawns(search.wdl())),
        }
    }
}

/// Expected score as hundredths of a Pawn, on the scale on which a Pawn is worth 61%.
fn centipawns(wdl: Wdl) -> i32 {
    let score = wdl.score().clamp(1e-5, 1.0 - 1e-5);
    ((score / (1.0 - score)).ln() / 0.45 * 100.0).round() as i32
}

fn wdl_text(wdl: Wdl) -> String {
    let mille = |chance: f32| (chance * 1000.0).round().clamp(0.0, 1000.0) as i32;
    let (win, loss) = (mille(wdl.win), mille(wdl.loss));
    let (win, loss) = (win, loss.min(1000 - win));
    format!(" wdl {win} {} {loss}", 1000 - win - loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_become_scores() {
        assert_eq!(centipawns(Wdl::NEUTRAL), 0);
        assert_eq!(centipawns(Wdl { win: 0.61, draw: 0.0, loss: 0.39 }), 99);
        assert_eq!(centipawns(Wdl::WIN), -centipawns(Wdl::LOSS));
        assert!(centipawns(Wdl::WIN) > 2000);
        assert_eq!(wdl_text(Wdl { win: 0.2504, draw: 0.2496, loss: 0.5 }), " wdl 250 250 500");
        assert_eq!(wdl_text(Wdl { win: 0.5005, draw: 0.0, loss: 0.4995 }), " wdl 501 0 499");
    }
}
