//! Check (rules 19 to 22).

use super::reach::{Flood, struck_and_seen};
use super::{Bitboard, Kind, Piece, Position, Square};
use crate::rules::RuleSet;
use fusion_game::Side;
use std::ops::ControlFlow;

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
    pub(super) fn can_carry_out(&self, side: Side, striker: Square) -> bool {
        let Some(target) = self.royal(side) else { return false };
        let piece = self.piece_on(striker);
        if piece.is_royal() {
            return target.bit().king_steps().has(striker)
                || self.royal_gets_away(side, striker, target);
        }
        let Some(royal) = self.royal(side.other()) else { return true };
        let Some(old) = self.avenging(side, royal, target) else { return true };
        let is_safe = |board: &Self, _| (board.strikers(side, royal) & !old).is_empty();
        let capture = Capture::new(self, side, striker, target);
        // Every end has these squares empty or occupied, and a blocker adds no strike.
        is_safe(&capture.open, target) || capture.some_end(is_safe)
    }

    /// Returns whether a piece that is not royal and strikes a side's royal may capture it and stop
    /// there (rule 21). This is sufficient for the strike to be carried out.
    pub(super) fn lands_safely(&self, side: Side, striker: Square) -> bool {
        let Some(target) = self.royal(side) else { return false };
        let Some(royal) = self.royal(side.other()) else { return true };
        let Some(old) = self.avenging(side, royal, target) else { return true };
        let open = Capture::new(self, side, striker, target).open;
        (open.strikers(side, royal) & !old).is_empty()
    }

    /// Returns the pieces of a side that strike the enemy royal already. `None` if all do but its own
    /// royal on `target`: only the others can forbid the capture of that.
    fn avenging(&self, side: Side, royal: Square, target: Square) -> Option<Bitboard> {
        let old = self.strikers(side, royal);
        (self.of(side).without(target) & !old).any().then_some(old)
    }

    /// Returns whether a royal piece that captures the enemy royal from afar is safe at an end.
    fn royal_gets_away(&self, side: Side, striker: Square, target: Square) -> bool {
        let is_safe = |board: &Self, end| board.strikers(side, end).is_empty();
        Capture::new(self, side, striker, target).some_end(is_safe)
    }

    /// Returns empty squares on which the royal of a side, placed there, would surely be in check. The
    /// opponent must have the right to capture.
    ///
    /// An enemy piece captures the royal and stands where that stood. So only where the piece comes from
    /// can something new strike its own royal (rule 21), which it therefore must not screen.
    pub(super) fn deadly_to_royal(&self, rules: &RuleSet, side: Side) -> Bitboard {
        let (them, empty) = (side.other(), self.empty());
        let royal = self.royal(them);
        let pins = royal.filter(|_| !rules.pinned_checks);
        let screens = pins.map_or(Bitboard::EMPTY, |royal| self.screens(side, royal));
        let mut deadly = royal.map_or(Bitboard::EMPTY, |royal| royal.bit().king_steps());
        for from in self.of(them) & !self.with(them, Kind::Royal) & !screens {
            let mut piece = self.piece_on(from);
            if piece.combines() {
                // All other kinds capture wherever they pass.
                piece = piece.without_all(Kind::Opawn);
            }
            deadly |= struck_and_seen(piece, from, empty).0;
        }
        deadly & empty
    }

    /// Returns the squares on which a piece could end its capture of the royal of a side, if these are
    /// the empty squares (rule 21); none if it does not strike the royal.
    pub(super) fn ends_of_capture(
        &self,
        striker: Square,
        target: Square,
        empty: Bitboard,
    ) -> Bitboard {
        let (piece, empty) = (self.piece_on(striker), empty.with(striker));
        let rest = residue(piece, self.piece_on(target));
        let mut ends = Bitboard::EMPTY;
        let _ = Flood::each_way(piece, striker, target, empty, |used| {
            ends |= further_ends(piece, rest, used, target, empty);
            ControlFlow::Continue(())
        });
        ends
    }

    /// Returns whether a side's turn may end here (rule 2).
    pub(super) fn is_legal_end(&self, rules: &RuleSet, side: Side) -> bool {
        self.of(side).any() && !self.in_check(rules, side)
    }
}

/// A capture of a royal that is supposed (rule 21).
struct Capture {
    /// The board without both pieces.
    open: Position,
    /// The side that captures.
    side: Side,
    striker: Square,
    target: Square,
    piece: Piece,
    /// What is left of the capturing piece.
    rest: Piece,
    /// The empty squares before, with the one that the piece leaves.
    empty: Bitboard,
}

impl Capture {
    /// Supposes that a piece captures the royal of a side.
    fn new(board: &Position, side: Side, striker: Square, target: Square) -> Self {
        let piece = board.piece_on(striker);
        let rest = residue(piece, board.piece_on(target));
        let empty = board.empty().with(striker);
        let mut open = *board;
        open.take(side, target);
        open.take(side.other(), striker);
        Self { open, side: side.other(), striker, target, piece, rest, empty }
    }

    /// Returns whether the board passes a test at one of the ends: the landing, and if the piece can
    /// go on, what it can reach over empty squares.
    fn some_end(&self, passes: impl Fn(&Position, Square) -> bool) -> bool {
        if self.rest.is_empty() {
            return passes(&self.open, self.target);
        }
        let passes_at = |end: Square| {
            let mut board = self.open;
            board.put(self.side, end, self.rest);
            passes(&board, end)
        };
        passes_at(self.target) || self.rest.combines() && self.some_further_end(passes_at)
    }

    fn some_further_end(&self, passes_at: impl Fn(Square) -> bool) -> bool {
        let empty = self.empty.with(self.target);
        let mut tried = self.target.bit();
        let way = Flood::each_way(self.piece, self.striker, self.target, self.empty, |used| {
            if tried != empty {
                let ends = further_ends(self.piece, self.rest, used, self.target, self.empty);
                let ends = ends & !tried;
                tried |= ends;
                if ends.into_iter().any(&passes_at) {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        way.is_break()
    }
}

/// Returns the squares on which a piece can end after it has captured on one, with `rest` left of it
/// and these attributes used.
fn further_ends(
    piece: Piece,
    rest: Piece,
    used: Piece,
    target: Square,
    empty: Bitboard,
) -> Bitboard {
    if !rest.combines() {
        return target.bit();
    }
    // Used attributes cancel first (rule 17).
    let unused = rest.common(piece.minus(used));
    Flood::new(unused, target.bit(), empty.with(target)).reached()
}

/// Returns what is left of a piece after it captures another one (rule 16).
#[inline]
pub(super) fn residue(piece: Piece, captured: Piece) -> Piece {
    piece.minus(piece.common(captured).without_all(Kind::Royal))
}
