//! Which pieces strike a square, and which squares are valid for placements (rules 5 and 19).

use super::bitboard::{bishop, rook};
use super::reach::{Flood, reach, rider, struck_and_seen, struck_by_kind};
use super::{Bitboard, Kind, Position, Square};
use fusion_game::Side;

impl Position {
    /// Returns the pieces of a side that strike a square on which a piece stands (rule 19). Rights to
    /// capture do not count.
    pub(crate) fn strikers(&self, side: Side, target: Square) -> Bitboard {
        let combining = self.with(side, Kind::Combinator);
        let mut strikers = self.plain_strikers(side, target);
        for from in combining & !self.lone_combinators(side) {
            if self.combinator_strikes(from, target) {
                strikers = strikers.with(from);
            }
        }
        strikers
    }

    /// Returns those of [`Position::strikers`] that have no combinator.
    pub(super) fn plain_strikers(&self, side: Side, target: Square) -> Bitboard {
        let plain = self.of(side) & !self.with(side, Kind::Combinator);
        let royal = self.with(side, Kind::Royal);
        let subjects = plain & !royal;
        let of = |kind| self.with(side, kind) & subjects;
        let bit = target.bit();
        let mut strikers = bit.king_steps() & royal & plain;
        strikers |= bit.leaps() & of(Kind::Knight);
        strikers |= bit.diagonal_steps() & of(Kind::Opawn);
        let (rooks, bishops) = (of(Kind::Rook), of(Kind::Bishop));
        if rooks.any() {
            strikers |= rook(target, self.occupied()) & rooks;
        }
        if bishops.any() {
            strikers |= bishop(target, self.occupied()) & bishops;
        }
        strikers | self.striking_riders(of(Kind::Knight) & !strikers, target)
    }

    /// Returns those of these pieces without a combinator that strike a square by several leaps.
    fn striking_riders(&self, knights: Bitboard, target: Square) -> Bitboard {
        let mut strikers = Bitboard::EMPTY;
        for from in knights {
            let most = self.piece_on(from).count(Kind::Knight);
            if most > 1 && is_on_leap_line(from, target, most) {
                let seen = rider(from, most, self.empty());
                strikers |= if seen.has(target) { from.bit() } else { Bitboard::EMPTY };
            }
        }
        strikers
    }

    /// Returns whether a piece with a combinator strikes a square on which a piece stands.
    pub(super) fn combinator_strikes(&self, from: Square, target: Square) -> bool {
        let empty = self.empty().with(from);
        Flood::strikes(self.piece_on(from), from.bit(), target, empty)
    }

    /// Returns squares that include all that a side would strike if a capturable enemy stood there.
    /// A few others are among them: those that a piece passes on its way.
    pub(crate) fn strike_map(&self, side: Side, empty: Bitboard) -> Bitboard {
        let struck = |map, from| map | struck_and_seen(self.piece_on(from), from, empty).0;
        self.of(side).into_iter().fold(Bitboard::EMPTY, struck) & self.board()
    }

    /// Returns empty squares beside a side's royal on which it would not be struck.
    pub(crate) fn escapes(&self, side: Side) -> Bitboard {
        let Some(royal) = self.royal(side) else { return Bitboard::EMPTY };
        let steps = royal.bit().king_steps() & self.empty();
        if steps.is_empty() {
            return steps;
        }
        steps & !self.strike_map(side.other(), self.empty().with(royal))
    }

    /// Returns which of these squares the piece on `to` would not strike after the side to move has
    /// placed an attribute there, on an empty square or on a piece of its own. The square of the
    /// enemy royal counts as empty, as after its step.
    pub(crate) fn unstruck_by(&self, kind: Kind, to: Square, squares: Bitboard) -> Bitboard {
        let royal = self.royal(self.side.other());
        let empty = royal.map_or(self.empty(), |royal| self.empty().with(royal));
        squares.without(to) & !struck_and_seen(self.piece_on(to).with(kind), to, empty).0
    }

    /// Returns the occupied squares from which a piece would have to leave, so that another piece of
    /// this side could strike a square that it does not strike now. Others may be among them.
    pub(super) fn screens(&self, side: Side, target: Square) -> Bitboard {
        let (empty, occupied) = (self.empty(), self.occupied());
        let combining = self.with(side, Kind::Combinator) & !self.lone_combinators(side);
        let mut screens = rook(target, occupied) | bishop(target, occupied);
        let knights = self.with(side, Kind::Knight);
        let leaps = |square: Square| self.piece_on(square).count(Kind::Knight);
        let most = (knights & !combining).into_iter().map(leaps).max().unwrap_or(0);
        if most > 1 {
            screens |= rider(target, most, empty);
        }
        for from in combining {
            screens |= struck_and_seen(self.piece_on(from), from, empty).1;
        }
        screens & occupied
    }

    /// Returns, for each kind, the empty squares from which one attribute by itself would strike a
    /// square on which a piece stands.
    pub(crate) fn lines_to(&self, target: Square) -> [Bitboard; Kind::COUNT] {
        let empty = self.empty();
        let from = |kind| struck_by_kind(kind, 1, target, empty) & empty;
        Kind::ALL.map(from)
    }

    /// Returns the squares on which attributes may be placed by rule 5.
    ///
    /// ```
    /// use fusion_freechess::board::Position;
    /// use fusion_freechess::rules::RuleSet;
    ///
    /// let rules: RuleSet = "freechess-9".parse().unwrap();
    /// let text = "3c5/9/9/9/9/5K3/9/9/9 w R2B3N5P8C/kr2b3n5p8 - -";
    /// assert_eq!(Position::from_text(&rules, text).unwrap().valid_squares(&rules).len(), 10);
    /// ```
    #[must_use]
    pub fn valid_squares(&self, rules: &crate::rules::RuleSet) -> Bitboard {
        let bare = [Side::First, Side::Second].into_iter().any(|side| self.of(side).is_empty());
        if bare || !rules.valid_squares {
            return self.board();
        }
        let (occupied, empty) = (self.occupied(), self.empty());
        let mut valid = occupied;
        for from in occupied {
            let piece = self.piece_on(from);
            valid |= reach(piece, from, empty.with(from));
            // Wherever it could capture, it could also go, but for the Opawn's capture.
            if piece.has(Kind::Opawn) && !piece.is_royal() {
                valid |= if piece.combines() {
                    let flood = Flood::new(piece, from.bit(), empty.with(from));
                    flood.before_last(Kind::Opawn).diagonal_steps()
                } else {
                    from.bit().diagonal_steps()
                };
            }
        }
        valid & self.board()
    }
}

/// Returns whether a square lies at most this many leaps away in one direction.
fn is_on_leap_line(from: Square, to: Square, most: u32) -> bool {
    let files = from.file().abs_diff(to.file());
    let ranks = from.rank().abs_diff(to.rank());
    let (short, long) = (files.min(ranks), files.max(ranks));
    long == 2 * short && short > 0 && short <= most as usize
}
