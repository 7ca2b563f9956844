//! Which pieces strike a square, and which squares are valid for placements (rules 5 and 19).

use super::bitboard::{bishop, rook};
use super::reach::{Flood, reach, rider, struck_and_seen, struck_by_kind};
use super::{Bitboard, Kind, Piece, Position, Square};
use fusion_game::Side;

/// Where the royal of the side not to move can step.
#[derive(Clone, Copy)]
pub(crate) struct Escapes {
    /// Empty squares beside it on which it would not be struck.
    pub(crate) squares: Bitboard,
    /// Squares that the pieces of the side to move see, once it has left its square.
    sight: Bitboard,
}

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
        self.strike_and_sight_maps(side, empty).0
    }

    /// Returns [`Position::strike_map`], and the squares that the side's pieces see: if none of them changes,
    /// they strike the same.
    fn strike_and_sight_maps(&self, side: Side, empty: Bitboard) -> (Bitboard, Bitboard) {
        let (mut strikes, mut sight) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for from in self.of(side) {
            let (struck, seen) = struck_and_seen(self.piece_on(from), from, empty);
            strikes |= struck;
            sight |= seen;
        }
        (strikes & self.board(), sight & self.board())
    }

    /// Returns empty squares beside the royal of the side not to move on which it would not be struck.
    pub(crate) fn escapes(&self) -> Escapes {
        let us = self.side_to_move();
        let none = Escapes { squares: Bitboard::EMPTY, sight: Bitboard::EMPTY };
        let Some(royal) = self.royal(us.other()) else { return none };
        let steps = royal.bit().king_steps() & self.empty();
        if steps.is_empty() {
            return none;
        }
        let (strikes, sight) = self.strike_and_sight_maps(us, self.empty().with(royal));
        Escapes { squares: steps & !strikes, sight }
    }

    /// Returns whether one of these escapes of the enemy royal is left after a part that ends the turn of the
    /// side to move. `false` may be wrong.
    pub(crate) fn leaves_escape(&self, from: Square, to: Square, escapes: Escapes) -> bool {
        let landed = self.landed(from, to);
        let opened = if landed.is_empty() { from.bit().with(to) } else { from.bit() };
        if escapes.squares.is_empty() || (opened & escapes.sight).any() {
            return false;
        }
        let royal = self.royal(self.side_to_move().other());
        let empty = self.empty().with(from);
        let empty = royal.map_or(empty, |royal| empty.with(royal));
        (escapes.squares.without(to) & !struck_and_seen(landed, to, empty).0).any()
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
    pub(crate) fn screens(&self, side: Side, target: Square) -> Bitboard {
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

    /// Returns whether the piece on `from` of the side to move, after a part to `to` that ends its turn,
    /// strikes a square on which an enemy piece stands.
    pub(crate) fn lands_with_strike(&self, from: Square, to: Square, target: Square) -> bool {
        struck_and_seen(self.landed(from, to), to, self.empty().with(from)).0.has(target)
    }

    /// Returns what stands on `to` after a part of the side to move that ends its turn.
    fn landed(&self, from: Square, to: Square) -> Piece {
        let mover = self.mover(from);
        // Which kind makes the part makes no difference to what is left (rule 28).
        let kind = mover.piece.kinds().next();
        kind.map_or(Piece::NONE, |kind| self.after_part(&mover, kind, to).piece)
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
            // Wherever it could capture, it could also go, but for the Opawn's capture.
            let opawn = piece.has(Kind::Opawn) && !piece.is_royal();
            if piece.combines() {
                let flood = Flood::new(piece, from.bit(), empty.with(from));
                valid |= flood.reached();
                if opawn {
                    valid |= flood.before_last(Kind::Opawn).diagonal_steps();
                }
            } else {
                valid |= reach(piece, from, empty);
                if opawn {
                    valid |= from.bit().diagonal_steps();
                }
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
