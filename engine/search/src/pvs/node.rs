//! The search of a position to a depth.

use super::history::bonus;
use super::kind::{Kind, Window};
use super::order::Picked;
use super::transposition::{Bound, Found};
use super::value::{DECIDED, INFINITY, MATE, MAX_PLY};
use super::{Pvs, Run, decided, repeated};
use fusion_game::{Outcome, Side, Tactics};

/// Number of legal moves for which [`LATE_MOVES`] is given.
const USUAL_MOVES: i32 = 32;
/// Moves that are searched at depth 0 before late pruning. Of more than [`USUAL_MOVES`] legal moves,
/// proportionally more are searched.
const LATE_MOVES: i32 = 12;
/// Margin of reverse futility for each ply, in hundredths of the cheapest piece, as all margins.
const REVERSE_MARGIN: i32 = 80;
/// Margin of futility at depth 0.
const FUTILITY_MARGIN: i32 = 120;
/// Margin of futility for each ply.
const FUTILITY_GROWTH: i32 = 100;
/// Lower end of the window from which on no move is pruned: the game is all but won, and only a mate
/// is better.
const WINNING: i32 = 800;
/// Sum of a move's statistics that changes its reduction by a ply.
const REDUCTION_STATISTIC: i32 = 8192;

/// The search of one position: its place, its window, and what was found out about it.
#[derive(Clone, Copy)]
struct Node {
    ply: usize,
    kind: Kind,
    depth: i32,
    window: Window,
    threatened: bool,
    /// Static evaluation, or a value without meaning under a threat.
    evaluation: i32,
    /// Static evaluation as earlier searches correct it.
    standing: i32,
    /// Whether the static evaluation is better than two plies before.
    improving: bool,
}

impl<M> Found<M> {
    /// Returns whether the result makes a search with this window superfluous, its depth apart.
    pub(super) fn cuts(&self, window: Window) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= window.beta,
            Bound::Upper => self.value <= window.alpha,
        }
    }

    /// Returns whether the value is closer to the truth than a static evaluation.
    pub(super) fn improves(&self, standing: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value > standing,
            Bound::Upper => self.value < standing,
        }
    }
}

impl<G: Tactics> Pvs<G> {
    /// Returns the value of the current position for its side to move: exact within the window, and a
    /// bound outside. The value of a stopped search has no meaning.
    pub(super) fn node(
        &mut self,
        run: &mut Run<'_, G>,
        kind: Kind,
        ply: usize,
        depth: i32,
        mut window: Window,
    ) -> i32 {
        if depth <= 0 {
            return self.quiescence(run, kind, ply, window);
        }
        self.frames[ply].line.clear();
        if self.count(run, ply) {
            return 0;
        }
        if ply > 0 {
            if let Some(outcome) = run.game.recurrence(ply) {
                return repeated(outcome, run.game.side_to_move());
            }
            if ply >= MAX_PLY {
                return self.standing(run);
            }
            // A mate that is nearer is known already.
            window.alpha = window.alpha.max(ply as i32 - MATE);
            window.beta = window.beta.min(MATE - ply as i32 - 1);
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }
        let excluded = self.frames[ply].excluded;
        let found = self.table.get(run.game.hash(), ply).filter(|_| excluded.is_none());
        if let Some(found) = found
            && kind != Kind::Pv
            && found.depth >= depth
            && found.cuts(window)
            && run.game.is_far_from_draw()
        {
            return found.value;
        }
        if ply > 0
            && excluded.is_none()
            && let Some(value) = self.probe(run, ply)
        {
            return value;
        }
        let mut node = self.evaluate(run, kind, ply, depth, window, found);
        if kind != Kind::Pv
            && !node.threatened
            && excluded.is_none()
            && let Some(value) = self.cut_by_standing(run, &node, found)
        {
            return value;
        }
        if self.stopped {
            return 0;
        }
        let knows_no_move = excluded.is_none() && found.is_none_or(|found| found.mv.is_none());
        if self.config.internal_reduction && node.depth >= 4 && knows_no_move {
            node.depth -= 1;
        }
        match self.find_legal_moves(run, ply) {
            Some(outcome) => decided(outcome, run.game.side_to_move(), ply),
            None => self.moves(run, node, found, excluded),
        }
    }

    /// Returns a node with its static evaluation.
    fn evaluate(
        &mut self,
        run: &mut Run<'_, G>,
        kind: Kind,
        ply: usize,
        depth: i32,
        window: Window,
        found: Option<Found<G::Move>>,
    ) -> Node {
        let is_excluding = self.frames[ply].excluded.is_some();
        let threatened = run.game.is_threatened();
        let evaluation = match found {
            _ if threatened || is_excluding => 0,
            Some(found) => found.standing,
            None => self.standing(run),
        };
        let standing = if threatened {
            -INFINITY
        } else if is_excluding {
            self.frames[ply].standing.unwrap_or_default()
        } else {
            self.corrected(run, evaluation)
        };
        self.frames[ply].standing = (!threatened).then_some(standing);
        let earlier = ply.checked_sub(2).and_then(|ply| self.frames[ply].standing);
        let improving = !threatened && earlier.is_none_or(|earlier| standing > earlier);
        Node { ply, kind, depth, window, threatened, evaluation, standing, improving }
    }

    /// Finds the legal moves of a ply, at the root those to be searched, and returns the outcome of a
    /// game that is over.
    fn find_legal_moves(&mut self, run: &Run<'_, G>, ply: usize) -> Option<Outcome> {
        let mut moves = std::mem::take(&mut self.frames[ply].moves);
        moves.clear();
        run.game.legal_moves(&mut moves);
        let outcome = if ply > 0 { run.game.outcome(&moves) } else { None };
        if ply == 0 {
            moves.retain(|mv| !self.found.contains(mv));
        }
        self.frames[ply].moves = moves;
        outcome
    }

    /// Returns the result of a tablebase, if it has one.
    fn probe(&mut self, run: &Run<'_, G>, ply: usize) -> Option<i32> {
        let solved = self.tablebase.as_ref()?.probe(&run.game)?;
        self.tablebase_hits += 1;
        let distance = MATE - ply as i32 - (solved.plies as i32).min(MAX_PLY as i32);
        Some(match solved.winner {
            None => 0,
            Some(winner) if winner == run.game.side_to_move() => distance,
            Some(_) => -distance,
        })
    }

    /// Returns a value if the static evaluation is so far outside of the window that no search to
    /// the full depth is needed.
    fn cut_by_standing(
        &mut self,
        run: &mut Run<'_, G>,
        node: &Node,
        found: Option<Found<G::Move>>,
    ) -> Option<i32> {
        let Node { ply, depth, window: Window { alpha, beta }, .. } = *node;
        let better = found.filter(|found| found.improves(node.standing));
        let standing = better.map_or(node.standing, |found| found.value);
        if standing.abs() >= DECIDED || beta.abs() >= DECIDED {
            return None;
        }
        let margin = REVERSE_MARGIN * (depth - i32::from(node.improving));
        if self.config.reverse_futility && depth <= 8 && standing - margin >= beta {
            return Some(i32::midpoint(standing, beta));
        }
        if self.config.razoring && depth <= 3 && standing + 150 + 180 * depth < alpha {
            let value = self.quiescence(run, node.kind, ply, Window::above(alpha));
            if value <= alpha {
                return Some(value);
            }
        }
        let passed = ply > 0 && self.frames[ply - 1].arrival.is_none();
        if self.config.null_move && depth >= 3 && standing >= beta && !passed {
            return self.null_move(run, node, standing);
        }
        None
    }

    /// Returns a value if even a pass reaches beta. At large depths a search without passes has to
    /// confirm it.
    fn null_move(&mut self, run: &mut Run<'_, G>, node: &Node, standing: i32) -> Option<i32> {
        let Node { ply, depth, window: Window { beta, .. }, .. } = *node;
        let undo = run.game.pass()?;
        self.evaluator.make(&run.game, &undo);
        self.frames[ply].arrival = None;
        let reduced = depth - 4 - depth / 4 - ((standing - beta) / 200).clamp(0, 3);
        let value = -self.node(run, node.kind.below(), ply + 1, reduced, Window::above(-beta));
        self.unmake(run, &undo);
        if self.stopped || value < beta {
            return None;
        }
        let value = if value >= DECIDED { beta } else { value };
        if depth < 14 {
            return Some(value);
        }
        let confirmed = self.without_pass(run, node, reduced);
        (confirmed >= beta && !self.stopped).then_some(value)
    }

    /// Searches a node without passes in the whole tree below it, which zugzwang would make wrong.
    fn without_pass(&mut self, run: &mut Run<'_, G>, node: &Node, depth: i32) -> i32 {
        let before = std::mem::replace(&mut self.config.null_move, false);
        let value =
            self.node(run, Kind::All, node.ply, depth.max(1), Window::above(node.window.beta - 1));
        self.config.null_move = before;
        value
    }

    /// Searches the moves of a node.
    fn moves(
        &mut self,
        run: &mut Run<'_, G>,
        mut node: Node,
        found: Option<Found<G::Move>>,
        excluded: Option<G::Move>,
    ) -> i32 {
        let ply = node.ply;
        let start = node.window.alpha;
        let table_move = found.and_then(|found| found.mv);
        self.begin_picking(ply, table_move);
        self.frames[ply].tried.clear();
        self.frames[ply].tried_forcing.clear();
        self.frames[ply + 1].killers = [None; 2];
        let mut best = -INFINITY;
        let mut best_move = None;
        let mut index = 0;
        while let Some(picked) = self.pick(run, ply, index) {
            index += 1;
            if Some(picked.mv) == excluded {
                continue;
            }
            if let Some(next) = self.skipped(run, &node, picked, index, best) {
                index = next;
                continue;
            }
            let of_table = found.filter(|_| Some(picked.mv) == table_move && excluded.is_none());
            let extension = of_table.map(|found| self.singular(run, &node, picked.mv, found));
            let extension = match extension {
                Some(Err(value)) => return value,
                Some(Ok(extension)) => extension,
                None => 0,
            };
            let value = match self.stopped {
                true => 0,
                false => self.one_move(run, &node, picked, index, extension),
            };
            if self.stopped {
                // At the root, moves that were searched in full still count.
                return if ply == 0 { best } else { 0 };
            }
            self.note_tried(run, ply, picked);
            if value > best {
                best = value;
                if value > node.window.alpha {
                    node.window.alpha = value;
                    best_move = Some(picked.mv);
                    self.extend_line(ply, picked.mv);
                    if value >= node.window.beta {
                        self.reward(run, &node, picked);
                        break;
                    }
                }
            }
        }
        if best == -INFINITY {
            // Only the excluded move was legal.
            return node.window.alpha;
        }
        if excluded.is_none() && (ply > 0 || self.found.is_empty()) {
            self.store(run, &node, start, best, best_move);
        }
        best
    }

    /// Returns the index from which the moves go on if this one is not worth a search.
    fn skipped(
        &mut self,
        run: &Run<'_, G>,
        node: &Node,
        picked: Picked<G::Move>,
        index: usize,
        best: i32,
    ) -> Option<usize> {
        if node.ply == 0 || best <= -DECIDED || node.window.alpha >= WINNING {
            return None;
        }
        let legal = self.frames[node.ply].moves.len();
        if !picked.is_forcing && self.is_too_late(node, index, legal) {
            return Some(self.skip_quiet(node.ply));
        }
        self.is_pruned(run, node, picked, index).then_some(index)
    }

    /// Stores the result of a node in the table, and corrects static evaluations by it. `start` is alpha
    /// as it was before the first move.
    fn store(
        &mut self,
        run: &Run<'_, G>,
        node: &Node,
        start: i32,
        best: i32,
        best_move: Option<G::Move>,
    ) {
        let bound = match best {
            best if best >= node.window.beta => Bound::Lower,
            best if best > start => Bound::Exact,
            _ => Bound::Upper,
        };
        let is_quiet = best_move.is_none_or(|mv| !run.game.is_forcing(mv));
        let is_beyond = match bound {
            Bound::Exact => true,
            Bound::Lower => best > node.standing,
            Bound::Upper => best < node.standing,
        };
        if !node.threatened && is_quiet && is_beyond && best.abs() < DECIDED {
            self.corrections.update(&run.game, node.depth, best - node.standing);
        }
        let Node { evaluation: standing, depth, .. } = *node;
        let entry = Found { mv: best_move, value: best, standing, depth, bound };
        self.table.put(run.game.hash(), node.ply, entry);
    }

    /// Returns whether a quiet move is not worth a search because many moves came before it or
    /// because the evaluation is far below the window. All later quiet moves are not, either.
    fn is_too_late(&self, node: &Node, count: usize, legal: usize) -> bool {
        let Node { depth, threatened, standing, window: Window { alpha, .. }, improving, .. } =
            *node;
        if threatened {
            return false;
        }
        let most = (LATE_MOVES + depth * depth) * legal as i32 / USUAL_MOVES;
        let most = most / (2 - i32::from(improving));
        let reduced = self.reduced(depth, count);
        let margin = FUTILITY_MARGIN + FUTILITY_GROWTH * reduced;
        self.config.late_pruning && depth <= 8 && count as i32 > most
            || self.config.futility && reduced <= 7 && standing + margin <= alpha
    }

    /// Returns whether a move is not worth a search because it loses material.
    fn is_pruned(
        &self,
        run: &Run<'_, G>,
        node: &Node,
        picked: Picked<G::Move>,
        count: usize,
    ) -> bool {
        if !self.config.exchange_pruning {
            return false;
        }
        let least = if picked.is_forcing {
            (picked.is_losing && node.depth <= 7).then_some(-110 * node.depth)
        } else {
            let reduced = self.reduced(node.depth, count);
            (reduced <= 8).then_some(-25 * reduced * reduced)
        };
        least.is_some_and(|least| !run.game.exchange_gains(picked.mv, least))
    }

    /// Returns the depth of a late move's search.
    fn reduced(&self, depth: i32, count: usize) -> i32 {
        (depth - self.reduction(depth, count as i32) / 1024).max(0)
    }

    /// Returns the reduction of a move by its number, in 1024ths of a ply.
    fn reduction(&self, depth: i32, count: i32) -> i32 {
        self.reductions[(depth.clamp(0, 63) * 64 + count.clamp(0, 63)) as usize]
    }

    /// Searches whether the table's move is far better than all others. Returns the extension, or a
    /// value if several moves reach beta.
    fn singular(
        &mut self,
        run: &mut Run<'_, G>,
        node: &Node,
        mv: G::Move,
        found: Found<G::Move>,
    ) -> Result<i32, i32> {
        let Node { ply, depth, window: Window { beta, .. }, .. } = *node;
        let is_candidate = self.config.singular_extension
            && ply > 0
            && depth >= 7
            && found.depth >= depth - 3
            && found.bound != Bound::Upper
            && found.value.abs() < DECIDED
            && (ply as i32) < 2 * self.depth;
        if !is_candidate {
            return Ok(0);
        }
        let limit = found.value - 2 * depth;
        let moves = self.frames[ply].moves.clone();
        self.frames[ply].excluded = Some(mv);
        let value =
            self.node(run, node.kind.narrowed(), ply, (depth - 1) / 2, Window::above(limit - 1));
        self.frames[ply].excluded = None;
        self.frames[ply].moves = moves;
        self.begin_picking(ply, Some(mv));
        self.frames[ply].tried.clear();
        self.frames[ply].tried_forcing.clear();
        self.frames[ply].line.clear();
        self.frames[ply].standing = (!node.threatened).then_some(node.standing);
        if self.stopped {
            return Ok(0);
        }
        if value < limit {
            return Ok(if node.kind != Kind::Pv && value < limit - 20 { 2 } else { 1 });
        }
        if limit >= beta && node.kind != Kind::Pv {
            return Err(limit);
        }
        Ok(if found.value >= beta { -1 } else { 0 })
    }

    /// Makes a move, searches it, and takes it back. Returns its value for the side to move.
    fn one_move(
        &mut self,
        run: &mut Run<'_, G>,
        node: &Node,
        picked: Picked<G::Move>,
        count: usize,
        extension: i32,
    ) -> i32 {
        let ply = node.ply;
        let at = self.history.indices(&run.game, picked.mv);
        let quiet = self.history.after(self.arrivals_before(ply));
        let statistic = if picked.is_forcing { 0 } else { quiet.of(at) };
        let killer = self.frames[ply].killers.contains(&Some(picked.mv));
        self.frames[ply].arrival = Some(at.arrival);
        let side = run.game.side_to_move();
        let undo = self.make(run, picked.mv);
        let threatens = run.game.is_threatened();
        let depth = node.depth - 1 + extension;
        let mut value = 0;
        let pv = node.kind == Kind::Pv;
        let narrow = Window::above(node.window.alpha);
        let mut full = !pv || count > 1;
        if self.config.late_reductions && node.depth >= 2 && count > 1 + usize::from(pv) {
            let mut by = self.reduction(node.depth, count as i32);
            by += if node.kind == Kind::Cut { 1400 } else { 0 };
            by -= if pv { 900 } else { 0 };
            by += if node.improving { 0 } else { 500 };
            by -= if threatens { 1000 } else { 0 };
            by -= if killer { 900 } else { 0 };
            by -= if picked.is_forcing { 1000 } else { 0 };
            by -= 1024 * statistic / REDUCTION_STATISTIC;
            let reduced = (depth - by / 1024).clamp(1.min(depth), depth);
            if reduced < depth {
                value = self.child(run, side, node.ply, Kind::Cut, reduced, narrow);
                full = value > narrow.alpha;
            }
        }
        if full {
            value = self.child(run, side, node.ply, node.kind.below(), depth, narrow);
        }
        if pv && (count == 1 || value > narrow.alpha) {
            value = self.child(run, side, node.ply, Kind::Pv, depth, node.window);
        }
        self.unmake(run, &undo);
        value
    }

    /// Searches the position after a move, for the side that made it.
    fn child(
        &mut self,
        run: &mut Run<'_, G>,
        side: Side,
        ply: usize,
        kind: Kind,
        depth: i32,
        window: Window,
    ) -> i32 {
        if run.game.side_to_move() == side {
            self.node(run, kind, ply + 1, depth, window)
        } else {
            -self.node(run, kind, ply + 1, depth, window.turned())
        }
    }

    fn note_tried(&mut self, run: &Run<'_, G>, ply: usize, picked: Picked<G::Move>) {
        let frame = &mut self.frames[ply];
        if picked.is_forcing {
            frame.tried_forcing.push(picked.mv);
        } else {
            frame.tried.push((picked.mv, self.history.indices(&run.game, picked.mv)));
        }
    }

    /// Updates the statistics after a cutoff. The last move that was tried made it.
    fn reward(&mut self, run: &Run<'_, G>, node: &Node, picked: Picked<G::Move>) {
        let bonus = bonus(node.depth);
        let before = self.arrivals_before(node.ply);
        let frame = &mut self.frames[node.ply];
        if !picked.is_forcing {
            if frame.killers[0] != Some(picked.mv) {
                frame.killers = [Some(picked.mv), frame.killers[0]];
            }
            for &(mv, at) in &frame.tried {
                let change = if mv == picked.mv { bonus } else { -bonus };
                self.history.update_quiet(at, before, change);
            }
        }
        for &mv in &frame.tried_forcing {
            let change = if mv == picked.mv { bonus } else { -bonus };
            self.history.update_forcing(&run.game, mv, change);
        }
    }
}
