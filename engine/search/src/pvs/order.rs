//! The order in which moves are tried: the table's move, captures by what they gain, killers, other
//! quiet moves by their statistics, and captures that lose material.

use super::{Frame, History, Pvs, Run};
use fusion_game::Tactics;

const TABLE: i32 = 1 << 30;
const WINNING: i32 = 1 << 26;
const KILLER: i32 = 1 << 22;
const LOSING: i32 = -(1 << 26);
/// Statistic that a quiet move gains if it threatens the other side.
const THREAT_BONUS: i32 = 8000;

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
        let quiet = self.history.after(self.arrivals_before(ply));
        let threatens = run.game.threats();
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
                let statistic = quiet.of(History::indices(&run.game, mv));
                if threatens(mv) { statistic + THREAT_BONUS } else { statistic }
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
            let rest = frame.scores.get(index..)?;
            // The compiler vectorises this, but not a search for the place as well.
            let score = rest.iter().fold(i32::MIN, |most, &score| most.max(score));
            // Of equal scores the first counts, so that the order is fixed.
            let best = index + rest.iter().position(|&other| other == score)?;
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

    /// Skips the quiet moves from `index` on, so that losing ones follow. A quiet move was picked
    /// before, so no other forcing move is left. Returns the index of the next move.
    ///
    /// Equal scores would be picked in the order that picking one by one leaves. Nothing is skipped
    /// then.
    pub(super) fn skip_quiet(&mut self, ply: usize, index: usize) -> usize {
        let Frame { moves, scores, .. } = &mut self.frames[ply];
        let is_losing = |score: i32| score <= LOSING / 2;
        let mut rest = &scores[index..];
        while let [score, after @ ..] = rest {
            if is_losing(*score) && after.contains(score) {
                return index;
            }
            rest = after;
        }
        let mut next = scores.len();
        for i in (index..scores.len()).rev() {
            if !is_losing(scores[i]) {
                continue;
            }
            next -= 1;
            moves.swap(i, next);
            scores.swap(i, next);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, MaterialCount, PvsConfig};
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_game::Game;
    use proptest::prelude::*;

    proptest! {
        /// After a skip, the losing moves come in the same order as if the quiet moves were picked.
        #[test]
        fn skipped_moves_change_no_order(
            scores in prop::collection::vec((any::<bool>(), 0..12), 20),
            picked in 1..20usize,
        ) {
            let game = FusionGame::new(&"orthodox".parse().unwrap());
            let config = PvsConfig { table_mib: 1, ..PvsConfig::default() };
            let mut search = Pvs::new(config, Box::new(MaterialCount));
            search.begin(&game, Limits::depth(1), None);
            let run = Run { game, stop: &|| false };
            let mut order = |skips: bool| {
                let frame = &mut search.frames[0];
                frame.moves.clear();
                run.game.legal_moves(&mut frame.moves);
                let score = |&(losing, score): &(bool, i32)| if losing { LOSING + score } else { score };
                frame.scores = scores.iter().map(score).collect();
                let (mut index, mut losing) = (0, Vec::new());
                while let Some(next) = search.pick(&run, 0, index) {
                    index += 1;
                    if next.is_losing {
                        losing.push((index, next.mv));
                    } else if skips && index >= picked {
                        index = search.skip_quiet(0, index);
                    }
                }
                losing
            };
            prop_assert_eq!(order(true), order(false));
        }
    }
}
