//! Whether a royal piece with a combinator, inside its move, can still come to a legal end.
//!
//! Its choices can be counted: it captures by its k part only (rule 12), so at most once. Before and
//! after that it moves over empty squares, where a flood finds all that it can come to.

use super::check::residue;
use super::ends::Ends;
use super::generate::Mover;
use super::reach::Flood;
use super::{Bitboard, Kind, Piece, Position, Square};
use std::ops::ControlFlow;

impl Ends<'_> {
    /// Returns whether the move of a royal piece with a combinator can be ended legally.
    pub(super) fn exist_in_run(&mut self, position: &Position, mover: &Mover) -> bool {
        let (us, at) = (position.side, mover.at);
        let mut open = *position;
        open.take(us, at);
        let empty = position.empty().with(at);
        let unused = mover.piece.minus(mover.used);
        let mut ends = Flood::new(unused, at.bit(), empty).reached();
        if !mover.captured {
            // Rule 13.
            ends = ends.without(mover.origin);
        }
        self.has_legal_run(&open, mover.piece, ends)
            || unused.is_royal() && self.exists_after_capture(position, &open, mover)
    }

    /// Returns whether the move can be ended legally after a capture.
    fn exists_after_capture(
        &mut self,
        position: &Position,
        open: &Position,
        mover: &Mover,
    ) -> bool {
        let unused = mover.piece.minus(mover.used);
        let empty = position.empty().with(mover.at);
        position.capturable(self.rules, mover).into_iter().any(|target| {
            let captured = position.piece_on(target);
            let is_own = position.of(position.side).has(target);
            let piece = match is_own {
                true => mover.piece.plus(captured),
                false => residue(mover.piece, captured),
            };
            let mut ends = Bitboard::EMPTY;
            let _ = Flood::each_way(unused, mover.at, target, empty, |way| {
                let used = mover.used.plus(way);
                // Used attributes are cancelled first (rule 17): of each kind, as many are unused as
                // are left, and as were unused before.
                let left = match is_own {
                    true => piece.minus(used),
                    false => piece.common(mover.piece.minus(used)),
                };
                ends |= run_from(piece, left, target, empty.with(target));
                ControlFlow::Continue(())
            });
            if ends.is_empty() {
                return false;
            }
            let mut open = *open;
            open.take(if is_own { position.side } else { position.side.other() }, target);
            self.has_legal_run(&open, piece, ends)
        })
    }

    /// Returns whether a turn is legal that ends with the royal piece on one of these squares; `open`
    /// is the board without it.
    fn has_legal_run(&mut self, open: &Position, piece: Piece, ends: Bitboard) -> bool {
        let them = self.us.other();
        if !open.may_capture(self.rules, them) {
            return ends.any();
        }
        // What stands on a square adds no strike on another one.
        if (ends & !open.strike_map(them, open.empty())).any() {
            return true;
        }
        ends.into_iter().any(|end| {
            let mut board = *open;
            board.put(self.us, end, piece);
            self.is_legal_once(&board)
        })
    }
}

/// Returns the squares that a piece on `from` can end its turn on over empty squares, if it has these
/// unused attributes.
fn run_from(piece: Piece, unused: Piece, from: Square, empty: Bitboard) -> Bitboard {
    if piece.combines() && !unused.without_all(Kind::Combinator).is_empty() {
        Flood::new(unused, from.bit(), empty).reached()
    } else {
        from.bit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const RULES: [&str; 4] = [
        "freechess-7",
        "freechess-7,fusing=no",
        "freechess-7,pinned-checks=yes",
        "freechess-7,royal-to-capture=no",
    ];

    /// Compares the search of a run with the one that tries all parts, in random games.
    #[test]
    fn runs_end_as_trying_all_parts_says() {
        let (mut found, mut hopeless) = (0, 0);
        for (seed, rules) in
            RULES.into_iter().flat_map(|rules| (0..40).map(move |seed| (seed, rules)))
        {
            let rules: RuleSet = rules.parse().unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let (mut position, mut actions) = (Position::start(&rules), Vec::new());
            for _ in 0..200 {
                actions.clear();
                position.legal_actions(&rules, &mut actions);
                let Some(last) = actions.len().checked_sub(1) else { break };
                let mut allowed = Vec::new();
                position.each_allowed(&rules, |action| allowed.push(action));
                allowed.retain(|&action| position.is_legal(&rules, action));
                assert_eq!(allowed, actions, "{}", position.to_text());
                // Parts of royal pieces, legal or not.
                if let Some(royal) = position.royal(position.side) {
                    position.each_part(&rules, royal, |part| {
                        let next = position.after(&rules, part);
                        if let super::super::Turn::Move { at, .. } = next.turn {
                            let run =
                                Ends::new(&rules, next.side).exist_in_run(&next, &next.mover(at));
                            let all = Ends::new(&rules, next.side).exist_in_move(&next);
                            assert_eq!(run, all, "{}", next.to_text());
                            *if run { &mut found } else { &mut hopeless } += 1;
                        }
                    });
                }
                position.play(&rules, actions[rng.random_range(0..=last)]);
            }
        }
        assert!(found > 1000 && hopeless > 100, "{found} found, {hopeless} hopeless");
    }
}
