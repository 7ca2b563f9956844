//! The search of forcing moves beyond the depth, until the position is quiet enough to be valued.

use super::transposition::{Bound, Found};
use super::value::{DECIDED, INFINITY, MAX_PLY};
use super::{Pvs, Run, decided, repeated};
use fusion_game::Tactics;

impl<G: Tactics> Pvs<G> {
    /// Returns the value of the current position if only forcing moves follow, or all replies to a
    /// threat.
    pub(super) fn quiescence(
        &mut self,
        run: &mut Run<'_, G>,
        pv: bool,
        ply: usize,
        mut alpha: i32,
        beta: i32,
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
            && !pv
            && found.cuts(alpha, beta)
        {
            return found.value;
        }
        let threatened = run.game.is_threatened();
        let mut moves = std::mem::take(&mut self.frames[ply].moves);
        moves.clear();
        let mut best = -INFINITY;
        let mut standing = 0;
        let mut evaluation = 0;
        if threatened {
            run.game.legal_moves(&mut moves);
        } else {
            evaluation = found.map_or_else(|| self.standing(run), |found| found.standing);
            standing = self.corrected(run, evaluation);
            best = standing;
            if let Some(found) = found
                && found.improves(standing)
            {
                best = found.value;
            }
            if best < beta {
                run.game.forcing_moves(&mut moves);
            }
        }
        let is_over = (threatened || moves.is_empty() && best < beta)
            .then(|| if threatened { run.game.outcome(&moves) } else { run.game.outcome_now() });
        self.frames[ply].moves = moves;
        if let Some(outcome) = is_over.flatten() {
            return decided(outcome, run.game.side_to_move(), ply);
        }
        if best >= beta {
            return best;
        }
        let start = alpha;
        alpha = alpha.max(best);
        self.score(run, ply, found.and_then(|found| found.mv));
        let mut best_move = None;
        let mut index = 0;
        while let Some(picked) = self.pick(run, ply, index) {
            index += 1;
            let mv = picked.mv;
            if best > -DECIDED {
                if threatened && !picked.is_forcing {
                    // One quiet reply is enough to see that the threat is no mate.
                    break;
                }
                if !threatened {
                    if picked.is_losing {
                        break;
                    }
                    if index as i32 > self.config.quiescence_moves {
                        break;
                    }
                    let most = standing + self.config.quiescence_margin + run.game.gain(mv);
                    if most <= alpha {
                        best = best.max(most);
                        continue;
                    }
                }
            }
            let side = run.game.side_to_move();
            self.frames[ply].arrival = Some(run.game.arrival(mv));
            let undo = self.make(run, mv);
            let value = if run.game.side_to_move() == side {
                self.quiescence(run, pv, ply + 1, alpha, beta)
            } else {
                -self.quiescence(run, pv, ply + 1, -beta, -alpha)
            };
            self.unmake(run, &undo);
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    alpha = value;
                    self.extend_line(ply, mv);
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        let bound = match best {
            best if best >= beta => Bound::Lower,
            best if best > start && pv => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Found { mv: best_move, value: best, standing: evaluation, depth: 0, bound };
        self.table.put(run.game.hash(), ply, entry);
        best
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
