//! Moves of Pawns: single and double steps, captures, promotions, and steps back or sideways where
//! the rules have them.

use super::{Generator, GroupKind, MoveGroup};
use crate::board::attacks;
use crate::board::bitboard::{Bitboard, Square};
use crate::board::moves::MoveKind;
use crate::board::piece::{Color, Component, Piece};
use crate::rules::{PawnDouble, PromotionSet};

impl<V: FnMut(MoveGroup), const FUSION: bool, const FAMILY: bool, const FORCING: bool>
    Generator<'_, V, FUSION, FAMILY, FORCING>
{
    /// Generates the moves of all Pawns.
    #[inline]
    pub(super) fn pawn_moves(&mut self) {
        let rules = self.rules;
        let doubles = rules.pawn_double != PawnDouble::First;
        if FAMILY && (doubles | rules.pawn_back | rules.pawn_sideways | rules.self_capture) {
            self.further_moves();
        } else {
            self.moves_of_pawns::<false>();
        }
    }

    /// Not inlined, because few rule sets need it.
    #[inline(never)]
    fn further_moves(&mut self) {
        self.moves_of_pawns::<true>();
    }

    /// Generates the moves of all Pawns, with `MORE` those of rules in which Pawns do more than in
    /// orthodox chess.
    #[inline]
    fn moves_of_pawns<const MORE: bool>(&mut self) {
        let empty = !self.occupied;
        let us = self.us;
        let last = Bitboard::rank(us.rank(7));
        let passed = if MORE { self.passed_ranks() } else { Bitboard::rank(us.rank(2)) };
        let friends = if MORE { self.targets() & self.own } else { Bitboard::EMPTY };
        let capturable = self.enemy | friends;
        let forward = |set: Bitboard| match us {
            Color::White => Bitboard(set.0 << 8),
            Color::Black => Bitboard(set.0 >> 8),
        };
        for from in self.position.component(Component::Pawn) & self.own {
            let one = forward(from.bit()) & empty;
            let two = forward(one & passed) & empty;
            let captures = attacks::pawn(self.us, from) & capturable;
            let returns = if MORE { self.pawn_returns(from) } else { Bitboard::EMPTY };
            let mut to = (one | two | captures | returns) & self.check_mask;
            if self.pinned.has(from) {
                to &= attacks::line(self.royal, from);
            }
            let promotes = to & last;
            if promotes.any() {
                let kind = GroupKind::Promotions(self.promotions());
                (self.visit)(MoveGroup { from, to: promotes, kind });
                to = if MORE { to & !last } else { Bitboard::EMPTY };
            }
            self.emit(from, to, MoveKind::Plain);
        }
        if let Some(square) = self.position.en_passant() {
            for from in self.position.en_passant_capturers(square) {
                self.emit(from, square.bit(), MoveKind::EnPassant);
            }
        }
    }

    /// Returns the ranks that Pawns may pass by a double step.
    fn passed_ranks(&self) -> Bitboard {
        let ranks = self.rules.pawn_double.ranks();
        let passed = ranks.map(|rank| Bitboard::rank(self.us.rank(rank + 1)));
        passed.fold(Bitboard::EMPTY, |set, rank| set | rank)
    }

    /// Returns the empty squares beside and behind a Pawn to which it may step.
    fn pawn_returns(&self, from: Square) -> Bitboard {
        let mut to = Bitboard::EMPTY;
        if self.rules.pawn_sideways {
            to |= attacks::king(from) & Bitboard::rank(from.rank());
        }
        if self.rules.pawn_back && self.us.rank(from.rank()) > 1 {
            let behind = self.us.rank(self.us.rank(from.rank()) - 1);
            to |= Square::at(from.file(), behind).bit();
        }
        to & !self.occupied
    }

    /// Returns the pieces to which a Pawn may promote now.
    fn promotions(&self) -> PromotionSet {
        if !FAMILY || !self.rules.promotion_unique {
            return self.rules.promotion;
        }
        let own: Vec<Piece> = self.compounds.map(|square| self.position.piece_on(square)).collect();
        self.rules.promotion.filter(|piece| !own.contains(&piece))
    }
}
