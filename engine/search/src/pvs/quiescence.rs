//! The search of forcing moves beyond the depth, until the position is quiet enough to be valued.

use super::kind::{Kind, Window};
use super::transposition::{Bound, Found};
use super::value::{DECIDED, INFINITY, MAX_PLY};
use super::{Pvs, Run, decided, repeated};
use fusion_game::Tactics;

/// A position that is searched by forcing moves only, or by all replies to a threat.
struct Quiet {
    ply: usize,
    kind: Kind,
    window: Window,
    threatened: bool,
    /// Static evaluation, or 0 under a threat.
    evaluation: i32,
    /// Static evaluation as earlier searches correct it, or 0 under a threat.
    standing: i32,
}

/// Forcing moves that are tried in a position.
const MOST_MOVES: i32 = 100;
/// Gain beyond the captured piece for which a capture is tried.
const MARGIN: i32 = 150;

impl<G: Tactics> Pvs<G> {
    /// Returns the value of the current position if only forcing moves follow, or all replies to a
    /// threat.
    pub(super) fn quiescence(
        &mut self,
        run: &mut Run<'_, G>,
        kind: Kind,
        ply: usize,
        window: Window,
    ) -> i32 {
        self.frames[ply].line.clear();
        if self.count(run, ply) {
            return 0;
        }
        if let Some(outcome) = run.game.recurrence(ply) {
            return repeated(outcome, run.game.side_to_move());
        }
        if ply >= MAX_PLY {
            let evaluation = self.standing(run);
            return self.corrected(run, evaluation);
        }
        let found = self.table.get(run.game.hash(), ply);
        if let Some(found) = found
            && kind != Kind::Pv
            && found.cuts(window)
        {
            return found.value;
        }
        let threatened = run.game.is_threatened();
        let mut node = Quiet { ply, kind, window, threatened, evaluation: 0, standing: 0 };
        let mut best = -INFINITY;
        if !threatened {
            node.evaluation = found.map_or_else(|| self.standing(run), |found| found.standing);
            node.standing = self.corrected(run, node.evaluation);
            let better = found.filter(|found| found.improves(node.standing));
            best = better.map_or(node.standing, |found| found.value);
        }
        if let Some(value) = self.find_moves(run, &node, best) {
            return value;
        }
        if best >= window.beta {
            return best;
        }
        node.window.alpha = window.alpha.max(best);
        self.begin_picking(ply, found.and_then(|found| found.mv));
        let Some((value, best_move)) = self.search_moves(run, &mut node, best) else { return 0 };
        let bound = match value {
            value if value >= window.beta => Bound::Lower,
            value if value > window.alpha && kind == Kind::Pv => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Found { mv: best_move, value, standing: node.evaluation, depth: 0, bound };
        self.table.put(run.game.hash(), ply, entry);
        value
    }

    /// Finds the moves to search, and returns the value of a game that is over. `best` is the value
    /// without a move.
    fn find_moves(&mut self, run: &Run<'_, G>, node: &Quiet, best: i32) -> Option<i32> {
        let mut moves = std::mem::take(&mut self.frames[node.ply].moves);
        moves.clear();
        let reaches_beta = best >= node.window.beta;
        if node.threatened {
            run.game.legal_moves(&mut moves);
        } else if !reaches_beta {
            run.game.forcing_moves(&mut moves);
        }
        let outcome = match node.threatened {
            true => run.game.outcome(&moves),
            false if moves.is_empty() && !reaches_beta => run.game.outcome_now(),
            false => None,
        };
        self.frames[node.ply].moves = moves;
        outcome.map(|outcome| decided(outcome, run.game.side_to_move(), node.ply))
    }

    /// Searches the moves, best first. Returns the value and the move that raised alpha; `None` if
    /// the search was stopped.
    fn search_moves(
        &mut self,
        run: &mut Run<'_, G>,
        node: &mut Quiet,
        mut best: i32,
    ) -> Option<(i32, Option<G::Move>)> {
        let ply = node.ply;
        let mut best_move = None;
        let mut index = 0;
        while let Some(picked) = self.pick(run, ply, index) {
            index += 1;
            let mv = picked.mv;
            if best > -DECIDED {
                if node.threatened && !picked.is_forcing {
                    // One quiet reply is enough to see that the threat is no mate.
                    break;
                }
                if !node.threatened {
                    if picked.is_losing || index as i32 > MOST_MOVES {
                        break;
                    }
                    let most = node.standing + MARGIN + run.game.gain(mv);
                    if most <= node.window.alpha {
                        best = best.max(most);
                        continue;
                    }
                }
            }
            let side = run.game.side_to_move();
            self.frames[ply].arrival = Some(run.game.arrival(mv));
            let undo = self.make(run, mv);
            let value = if run.game.side_to_move() == side {
                self.quiescence(run, node.kind, ply + 1, node.window)
            } else {
                -self.quiescence(run, node.kind, ply + 1, node.window.turned())
            };
            self.unmake(run, &undo);
            if self.stopped {
                return None;
            }
            if value > best {
                best = value;
                if value > node.window.alpha {
                    best_move = Some(mv);
                    node.window.alpha = value;
                    self.extend_line(ply, mv);
                    if value >= node.window.beta {
                        break;
                    }
                }
            }
        }
        Some((best, best_move))
    }

    /// Puts a move before the best line of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (here, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut here[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }
}
