//! What a search is asked for.

use super::limits::Limits;
use super::output::Output;
use super::strength::Level;
use fusion_game::Game;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to search for, when to stop, and how to report.
#[derive(Clone)]
pub(super) struct Request<G: Game> {
    pub(super) limits: Limits,
    /// The root's moves to consider. An empty list means all moves.
    pub(super) only: Vec<G::Move>,
    /// The number of lines to report.
    pub(super) lines: usize,
    /// The strength to play at, if it is limited.
    pub(super) level: Option<Level>,
    pub(super) show_wdl: bool,
    pub(super) output: Output,
    pub(super) started: Instant,
    pub(super) stop: Arc<AtomicBool>,
}

impl<G: Game> Request<G> {
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.output.is_closed()
    }

    pub(super) fn is_late(&self, time: Option<Duration>) -> bool {
        time.is_some_and(|time| self.started.elapsed() >= time)
    }

    pub(super) fn is_allowed(&self, mv: G::Move) -> bool {
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
