//! The tree search of `go`.

use super::games::{OpenTables, UciGame};
use super::report;
use super::request::Request;
use super::searcher::UciSearch;
use super::strength::Level;
use fusion_game::evaluator::Evaluator;
use fusion_network::model::Model;
use fusion_search::{Child, Line, Proof, Search};
use std::time::Duration;

/// Playouts between checks that cost more than a playout.
const INTERVAL: u32 = 64;
/// The most visits of a search without limits. Visits are counted in 32 bits.
const MOST_VISITS: u32 = 4_000_000_000;
/// Fill level from which a tree hardly has room to grow deeper.
const FULL: f32 = 0.98;

/// Tree search, with the tree of the game, and the model that evaluates.
pub(super) struct Tree<G: UciGame> {
    pub(super) search: Search<G>,
    pub(super) model: Model,
}

impl<G: UciGame> UciSearch<G> for Tree<G> {
    fn search(&mut self, request: &Request<G>, _: &G, legal: usize) -> Option<G::Move> {
        let mut evaluator = self.model.evaluator(0);
        let visits_before = self.search.visits();
        let mut run = Run { request, search: &mut self.search, visits_before, reported: 0 };
        run.search(evaluator.as_mut(), legal)
    }

    fn follow(&mut self, moves: Option<&[G::Move]>) -> bool {
        moves.into_iter().flatten().for_each(|&mv| self.search.advance(mv));
        moves.is_some()
    }

    fn afresh(&self, game: &G) -> Option<Box<dyn UciSearch<G>>> {
        let search = self.search.afresh(game.clone());
        Some(Box::new(Self { search, model: self.model.clone() }))
    }

    fn with_tables(self: Box<Self>, tables: Option<OpenTables<G>>) -> Box<dyn UciSearch<G>> {
        let Self { search, model } = *self;
        Box::new(Self { search: search.with_tablebase(tables), model })
    }
}

struct Run<'a, G: UciGame> {
    request: &'a Request<G>,
    search: &'a mut Search<G>,
    visits_before: u32,
    /// The number of reports so far. Reports become rarer.
    reported: u32,
}

impl<G: UciGame> Run<'_, G> {
    fn search(&mut self, evaluator: &mut dyn Evaluator<G>, legal: usize) -> Option<G::Move> {
        let side = self.search.game().side_to_move();
        let time = self.request.limits.time(side);
        let forced = legal == 1 && self.request.limits.on_clock(side);
        let mut playouts = 0u32;
        // The children of a root exist only from its second visit on.
        while self.search.nodes() == 1
            || !(forced || self.request.stopped() || self.out_of(time, playouts))
        {
            if self.is_settled() {
                break;
            }
            let first = self.first_move();
            self.search.playout(evaluator, first);
            playouts = playouts.wrapping_add(1);
            if playouts.is_multiple_of(INTERVAL) {
                self.report_if_due();
            }
        }
        let lines = self.lines();
        self.report(&lines);
        let drawn = self.request.level.and_then(|level| self.draw(level));
        drawn.or_else(|| lines.first()?.moves.first().copied())
    }

    /// Draws the move of a limited strength. Returns `None` where the best move is to be played,
    /// for example if it wins.
    fn draw(&self, level: Level) -> Option<G::Move> {
        let search = &*self.search;
        let won = search.proof() == Proof::of(Some(search.game().side_to_move()));
        if won { None } else { level.draw(search, |mv| self.request.is_allowed(mv)) }
    }

    fn out_of(&self, time: Option<Duration>, playouts: u32) -> bool {
        let Self { request, search, .. } = self;
        let Request { limits, level, .. } = request;
        let nodes = limits.nodes.into_iter().chain(level.map(|level| level.nodes));
        nodes.fold(MOST_VISITS, u32::min) <= search.visits()
            || request.is_late(time)
            || limits.depth.is_some_and(|depth| {
                playouts.is_multiple_of(INTERVAL)
                    && (search.fullness() > FULL || search.principal_variation().len() >= depth)
            })
    }

    /// Returns whether the search can find nothing new among the moves to consider: one move wins,
    /// or all are proven. If several lines are requested, a win does not settle the other lines.
    fn is_settled(&self) -> bool {
        let Self { request, search, .. } = self;
        let Request { only, lines, .. } = request;
        if search.nodes() == 1 {
            return false;
        }
        if only.is_empty() && *lines == 1 {
            return search.proof() != Proof::Unknown;
        }
        let win = Proof::of(Some(search.game().side_to_move()));
        let allowed = search.children().into_iter().filter(|child| request.is_allowed(child.mv));
        let proofs: Vec<Proof> = allowed.map(|child| child.proof).collect();
        (*lines == 1 && proofs.contains(&win)) || !proofs.contains(&Proof::Unknown)
    }

    /// Returns the root's child for the next playout if the search must not choose it by itself:
    /// PUCT among the moves to consider. If several lines are requested, the first candidate of
    /// each line gets a visit, and proven moves get none.
    fn first_move(&self) -> Option<usize> {
        let Self { request, search, .. } = self;
        let Request { only, lines, .. } = request;
        if search.nodes() == 1 || (only.is_empty() && *lines == 1) {
            return None;
        }
        let children = search.children();
        let several = *lines > 1;
        let open = |child: &Child<G::Move>| {
            request.is_allowed(child.mv) && !(several && child.proof != Proof::Unknown)
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
        let score = |child: &Child<G::Move>| {
            let known = child.visits > 0 || child.proof != Proof::Unknown;
            let mean = if known { child.wdl.score() } else { search.wdl().score() };
            mean + weight * child.prior / (1.0 + child.visits as f32)
        };
        candidates.by_ref().max_by(|(_, a), (_, b)| score(a).total_cmp(&score(b))).map(|(i, _)| i)
    }

    /// Returns the lines to report. The first begins with the best move.
    fn lines(&self) -> Vec<Line<G::Move>> {
        self.search.best_lines(self.request.lines, |mv| self.request.is_allowed(mv))
    }

    /// Reports after a tenth of a second, and then every second.
    fn report_if_due(&mut self) {
        let due = match self.reported {
            0 => Duration::from_millis(100),
            n => Duration::from_secs(u64::from(n)),
        };
        if self.request.started.elapsed() >= due {
            self.reported += 1;
            self.report(&self.lines());
        }
    }

    fn report(&self, lines: &[Line<G::Move>]) {
        let Self { request, search, .. } = self;
        let visits = search.visits();
        let playouts = visits.saturating_sub(self.visits_before);
        let hits = search.has_tablebase().then(|| search.tablebase_hits());
        let full = Some(search.fullness());
        let effort = request.effort(visits.into(), playouts.into(), full, hits);
        for (i, line) in lines.iter().enumerate() {
            let [found, moves] = report::of_tree(search.game(), i + 1, line, request.show_wdl);
            request.output.line(&format!("info {found} {effort} {moves}"));
        }
    }
}
