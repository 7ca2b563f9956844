//! Check (rules 19 to 22).

use super::reach::Flood;
use super::{Bitboard, Kind, Piece, Position, Square};
use crate::rules::RuleSet;
use fusion_game::Side;

impl Position {
    /// Returns whether a side is in check (rule 22).
    ///
    /// ```
    /// use fusion_freechess::board::Position;
    /// use fusion_freechess::rules::RuleSet;
    /// use fusion_game::Side;
    ///
    /// let rules: RuleSet = "freechess-9".parse().unwrap();
    /// let check = |text| Position::from_text(&rules, text).unwrap().in_check(&rules, Side::Second);
    /// assert!(check("9/9/9/9/9/k3R4/9/9/4K4 b -/p - -"));
    /// // A pinned Rook gives no check.
    /// assert!(!check("4r4/9/9/9/9/k3R4/9/9/4K4 b -/p - -"));
    /// ```
    #[must_use]
    pub fn in_check(&self, rules: &RuleSet, side: Side) -> bool {
        let Some(royal) = self.royal(side) else { return false };
        self.may_capture(rules, side.other())
            && self.is_checked_by(rules, side, self.strikers(side.other(), royal))
    }

    /// Returns whether one of these strikers of a side's royal gives check.
    pub(super) fn is_checked_by(&self, rules: &RuleSet, side: Side, strikers: Bitboard) -> bool {
        strikers.any()
            && (rules.pinned_checks
                || strikers.into_iter().any(|striker| self.can_carry_out(side, striker)))
    }

    /// Returns whether a strike on a side's royal can be carried out (rules 20 and 21).
    fn can_carry_out(&self, side: Side, striker: Square) -> bool {
        let Some(target) = self.royal(side) else { return false };
        let piece = self.piece_on(striker);
        if piece.is_royal() {
            return target.bit().king_steps().has(striker)
                || self.royal_gets_away(side, striker, target);
        }
        let Some(royal) = self.royal(side.other()) else { return true };
        let avengers = self.of(side).without(target);
        // Only pieces that do not strike the royal yet can forbid the capture.
        let old = self.strikers(side, royal);
        if (avengers & !old).is_empty() {
            return true;
        }
        let is_safe = |board: &Self| (board.strikers(side, royal) & !old).is_empty();
        let mut open = *self;
        open.take(side, target);
        open.take(side.other(), striker);
        // Every end has these squares empty or occupied, and a blocker adds no strike.
        if is_safe(&open) {
            return true;
        }
        let rest = residue(piece, self.piece_on(target));
        open.some_end(side.other(), rest, target, self.ends(striker, target, rest), |board, _| {
            is_safe(board)
        })
    }

    /// Returns whether a royal piece that captures the enemy royal from afar is safe at an end.
    fn royal_gets_away(&self, side: Side, striker: Square, target: Square) -> bool {
        let rest = residue(self.piece_on(striker), self.piece_on(target));
        let mut open = *self;
        open.take(side, target);
        open.take(side.other(), striker);
        open.some_end(side.other(), rest, target, self.ends(striker, target, rest), |board, end| {
            board.strikers(side, end).is_empty()
        })
    }

    /// Returns whether the board passes a test after the capture of a royal, with what is left of the
    /// capturing piece on one of its ends: first the landing, then the others. On `self` it stands
    /// nowhere.
    fn some_end(
        &self,
        side: Side,
        rest: Piece,
        landing: Square,
        others: impl FnOnce() -> Bitboard,
        passes: impl Fn(&Self, Square) -> bool,
    ) -> bool {
        if rest.is_empty() {
            return passes(self, landing);
        }
        let passes_at = |end: Square| {
            let mut board = *self;
            board.put(side, end, rest);
            passes(&board, end)
        };
        passes_at(landing)
            || rest.combines() && others().without(landing).into_iter().any(passes_at)
    }

    /// Returns a function that computes the squares at which the capture of a royal can end if the
    /// capturing piece, of which `rest` is left, goes on over empty squares.
    fn ends(&self, striker: Square, target: Square, rest: Piece) -> impl FnOnce() -> Bitboard {
        let board = *self;
        move || {
            let piece = board.piece_on(striker);
            let before = board.empty().with(striker);
            // The captured royal has gone, and what has moved on is not there.
            let after = before.with(target);
            let mut ends = Bitboard::EMPTY;
            let flood = Flood::new(piece, striker.bit(), before);
            flood.ways_to(target, before, |used| {
                // Used attributes cancel first (rule 17).
                let unused = rest.common(piece.minus(used)).without_all(Kind::Combinator);
                ends |= Flood::new(unused, target.bit(), after).reached();
            });
            ends
        }
    }

    /// Returns whether a side's turn may end here (rule 2).
    pub(super) fn is_legal_end(&self, rules: &RuleSet, side: Side) -> bool {
        self.of(side).any() && !self.in_check(rules, side)
    }
}

/// Returns what is left of a piece after it captures another one (rule 16).
#[inline]
pub(super) fn residue(piece: Piece, captured: Piece) -> Piece {
    piece.minus(piece.common(captured).without_all(Kind::Royal))
}
