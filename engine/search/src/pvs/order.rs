//! The order in which moves are tried: the table's move, captures by what they gain, killers, other
//! quiet moves by their statistics, and captures that lose material.

use super::{Frame, Pvs, Run};
use fusion_game::Tactics;

const WINNING: i32 = 1 << 26;
const KILLER: i32 = 1 << 22;
const LOSING: i32 = -(1 << 26);
/// Statistic that a quiet move gains if it threatens the other side.
const THREAT_BONUS: i32 = 8000;

/// The key of a quiet move that has no score yet.
const LATER: i64 = i64::MIN + 1;
/// The key of a move that was picked.
const PICKED: i64 = i64::MIN;

/// Returns the key by which moves are picked, the greatest first: the score and, of equal scores, the first place.
fn key_of(score: i32, place: usize) -> i64 {
    i64::from(score) << 32 | i64::from(!(place as u32))
}

fn score_of(key: i64) -> i32 {
    (key >> 32) as i32
}

fn place_of(key: i64) -> usize {
    !(key as u32) as usize
}

/// A move with its place in the order.
#[derive(Clone, Copy)]
pub(super) struct Picked<M> {
    pub(super) mv: M,
    pub(super) is_forcing: bool,
    /// Whether the move is forcing and loses material in an exchange.
    pub(super) is_losing: bool,
}

impl<G: Tactics> Pvs<G> {
    /// Begins to pick the moves of a ply, the table's move first. The others are scored when their turn comes.
    pub(super) fn begin_picking(&mut self, ply: usize, table: Option<G::Move>) {
        let frame = &mut self.frames[ply];
        frame.keys.clear();
        frame.first = table.and_then(|table| frame.moves.iter().position(|&mv| mv == table));
    }

    /// Scores the forcing moves.
    fn score_forcing(&mut self, run: &Run<'_, G>, ply: usize) {
        let Frame { moves, keys, first, has_later, .. } = &mut self.frames[ply];
        *has_later = false;
        for (place, &mv) in moves.iter().enumerate() {
            keys.push(if Some(place) == *first {
                PICKED
            } else if run.game.is_forcing(mv) {
                let statistic = self.history.forcing(&run.game, mv);
                key_of(WINNING + 32 * run.game.gain(mv) + statistic, place)
            } else {
                *has_later = true;
                LATER
            });
        }
    }

    /// Scores the quiet moves.
    fn score_quiet(&mut self, run: &Run<'_, G>, ply: usize) {
        let quiet = self.history.after(self.arrivals_before(ply));
        let threatens = run.game.threats();
        let Frame { moves, keys, killers, has_later, .. } = &mut self.frames[ply];
        *has_later = false;
        for (place, (&mv, slot)) in moves.iter().zip(keys).enumerate() {
            if *slot != LATER {
                continue;
            }
            let killer = killers.iter().position(|killer| *killer == Some(mv));
            let score = killer.map_or_else(
                || {
                    let statistic = quiet.of(self.history.indices(&run.game, mv));
                    if threatens(mv) { statistic + THREAT_BONUS } else { statistic }
                },
                |number| KILLER - number as i32,
            );
            *slot = key_of(score, place);
        }
    }

    /// Returns the next move; `count` were picked before. A forcing move whose exchange loses comes behind
    /// the quiet moves.
    pub(super) fn pick(
        &mut self,
        run: &Run<'_, G>,
        ply: usize,
        count: usize,
    ) -> Option<Picked<G::Move>> {
        let frame = &self.frames[ply];
        if count == 0
            && let Some(first) = frame.first
        {
            let mv = frame.moves[first];
            return Some(Picked { mv, is_forcing: run.game.is_forcing(mv), is_losing: false });
        }
        if frame.keys.is_empty() {
            self.score_forcing(run, ply);
        }
        loop {
            let frame = &mut self.frames[ply];
            let key = frame.keys.iter().fold(PICKED, |most, &key| most.max(key));
            if key == PICKED {
                return None;
            }
            let score = score_of(key);
            let is_forcing = score >= WINNING / 2;
            if !is_forcing && frame.has_later {
                self.score_quiet(run, ply);
                continue;
            }
            let place = place_of(key);
            let mv = frame.moves[place];
            if is_forcing && !run.game.exchange_gains(mv, 0) {
                frame.keys[place] = key_of(LOSING + run.game.gain(mv), place);
                continue;
            }
            frame.keys[place] = PICKED;
            let is_losing = score <= LOSING / 2;
            return Some(Picked { mv, is_forcing: is_forcing || is_losing, is_losing });
        }
    }

    /// Skips the quiet moves that are left, so that losing ones follow. A quiet move was picked before, so
    /// no other forcing move is left. Returns the number of moves before those.
    pub(super) fn skip_quiet(&mut self, ply: usize) -> usize {
        let keys = &mut self.frames[ply].keys;
        let mut losing = 0;
        for key in &mut *keys {
            if *key != PICKED && score_of(*key) <= LOSING / 2 {
                losing += 1;
            } else {
                *key = PICKED;
            }
        }
        keys.len() - losing
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
            let mut search = Pvs::new(config, game.rules(), Box::new(MaterialCount));
            search.begin(&game, Limits::depth(1), None);
            let run = Run { game, stop: &|| false };
            let mut order = |skips: bool| {
                let frame = &mut search.frames[0];
                frame.moves.clear();
                run.game.legal_moves(&mut frame.moves);
                let score = |&(losing, score): &(bool, i32)| if losing { LOSING + score } else { score };
                frame.keys =
                    scores.iter().map(score).enumerate().map(|(i, score)| key_of(score, i)).collect();
                (frame.first, frame.has_later) = (None, false);
                let (mut index, mut losing) = (0, Vec::new());
                while let Some(next) = search.pick(&run, 0, index) {
                    index += 1;
                    if next.is_losing {
                        losing.push((index, next.mv));
                    } else if skips && index >= picked {
                        index = search.skip_quiet(0);
                    }
                }
                losing
            };
            prop_assert_eq!(order(true), order(false));
        }
    }
}
