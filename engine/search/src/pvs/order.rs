//! The order in which moves are tried: the table's move, captures by what they gain, killers, other
//! quiet moves by their statistics, and captures that lose material.

use super::{History, Pvs, Run};
use fusion_game::Tactics;

const TABLE: i32 = 1 << 30;
const WINNING: i32 = 1 << 26;
const KILLER: i32 = 1 << 22;
const LOSING: i32 = -(1 << 26);

/// A move with its place in the order.
#[derive(Clone, Copy)]
pub(super) struct Picked<M> {
    pub(super) mv: M,
    pub(super) is_forcing: bool,
    /// Whether the move is forcing and loses material in an exchange.
    pub(super) is_losing: bool,
}

impl<G: Tactics> Pvs<G> {
    /// Scores the moves of a ply.
    pub(super) fn score(&mut self, run: &Run<'_, G>, ply: usize, table: Option<G::Move>) {
        let before = self.arrivals_before(ply);
        let frame = &mut self.frames[ply];
        frame.scores.clear();
        for &mv in &frame.moves {
            let score = if Some(mv) == table {
                TABLE
            } else if run.game.is_forcing(mv) {
                WINNING + 32 * run.game.gain(mv) + self.history.forcing(&run.game, mv)
            } else if let Some(i) = frame.killers.iter().position(|killer| *killer == Some(mv)) {
                KILLER - i as i32
            } else {
                self.history.quiet(History::indices(&run.game, mv), before)
            };
            frame.scores.push(score);
        }
    }

    /// Moves the best move from `index` on to `index` and returns it. A forcing move whose exchange
    /// loses is put behind the quiet moves when its turn comes.
    pub(super) fn pick(
        &mut self,
        run: &Run<'_, G>,
        ply: usize,
        index: usize,
    ) -> Option<Picked<G::Move>> {
        let frame = &mut self.frames[ply];
        loop {
            let scores = frame.scores.iter().enumerate().skip(index);
            // Of equal scores the first counts, so that the order is fixed.
            let (best, &score) = scores.max_by_key(|&(i, score)| (*score, usize::MAX - i))?;
            let mv = frame.moves[best];
            let is_forcing = score >= WINNING / 2 && score != TABLE;
            if is_forcing && !run.game.exchange_gains(mv, 0) {
                frame.scores[best] = LOSING + run.game.gain(mv);
                continue;
            }
            frame.moves.swap(index, best);
            frame.scores.swap(index, best);
            let is_losing = score <= LOSING / 2;
            let is_forcing = is_forcing || is_losing || run.game.is_forcing(mv);
            return Some(Picked { mv, is_forcing, is_losing });
        }
    }
}
