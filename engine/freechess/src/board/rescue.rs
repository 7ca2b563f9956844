//! Which splits can end a check: what the search for a legal end may leave out.
//!
//! A split adds pieces to the board and takes none away but from its origin. So it ends a check in
//! two ways: something comes between a striker and the royal, or the striker is pinned (rule 21).

use super::reach::{Flood, reach, struck_and_seen, struck_by_kind};
use super::{Bitboard, Kind, Piece, Position, Square, Turn};
use crate::rules::RuleSet;

/// What can come of a turn that has begun.
pub(super) struct Outlook {
    /// No way to end the turn is legal.
    pub(super) hopeless: bool,
    /// The squares on which a set-down can make a difference; elsewhere it does the same as a return
    /// to the reserve. `None` if all squares can.
    squares: Option<Bitboard>,
}

impl Outlook {
    const UNKNOWN: Self = Self { hopeless: false, squares: None };

    /// Returns whether a set-down on a square can make a difference.
    pub(super) fn helps(&self, square: Square) -> bool {
        self.squares.is_none_or(|squares| squares.has(square))
    }
}

impl Position {
    /// Returns what can come of a turn that has begun.
    pub(super) fn outlook(&self, rules: &RuleSet) -> Outlook {
        let Turn::Split { origin, hand } = self.turn else { return Outlook::UNKNOWN };
        let material = self.piece_on(origin).plus(hand);
        let us = self.side;
        let Some(royal) = self.royal(us).filter(|_| !material.is_royal()) else {
            return Outlook::UNKNOWN;
        };
        if !self.may_capture(rules, us.other()) {
            return Outlook::UNKNOWN;
        }
        let range = reach(material, origin, self.empty().with(origin)) & self.empty();
        let (mut seen, mut pins) = (Bitboard::EMPTY, false);
        for striker in self.strikers(us.other(), royal) {
            let pinnable = !rules.pinned_checks && self.may_pin(striker, origin, material, range);
            if !pinnable && self.strikes_despite(striker, royal, range) {
                return Outlook { hopeless: true, squares: None };
            }
            pins |= pinnable;
            seen |= struck_and_seen(self.piece_on(striker), striker, self.empty()).1;
        }
        // A whole piece that leaves may open lines, which are not seen yet.
        let all = pins || rules.recall;
        Outlook { hopeless: false, squares: (!all).then_some(seen) }
    }

    /// Returns whether a piece strikes a square even if all of these squares are blocked.
    fn strikes_despite(&self, striker: Square, target: Square, blocked: Bitboard) -> bool {
        let empty = self.empty() & !blocked;
        struck_and_seen(self.piece_on(striker), striker, empty).0.has(target)
    }

    /// Returns whether a split may lead to a position in which the striker's capture of the royal
    /// would expose its own. True if that is not sure.
    fn may_pin(&self, striker: Square, origin: Square, material: Piece, range: Bitboard) -> bool {
        let us = self.side;
        let (Some(target), Some(own)) = (self.royal(us.other()), self.royal(us)) else {
            return false;
        };
        if target == striker {
            return self.may_trap(striker, own, origin, material, range);
        }
        let mut open = *self;
        open.take(us.other(), striker);
        open.take(us, own);
        open.replace(us, origin, Piece::NONE);
        let combining = self.with(us, Kind::Combinator).without(origin).without(own);
        if combining.into_iter().any(|from| open.combinator_strikes(from, target)) {
            return true;
        }
        // Pieces without a combinator strike a square in one way only. One that strikes already
        // does not strike anew.
        if (open.plain_strikers(us, target) & !self.plain_strikers(us, target)).any() {
            return true;
        }
        let from = range.with(origin);
        if material.combines() {
            let empty = open.empty();
            return Flood::strikes(material, from, target, empty);
        }
        material.kinds().any(|kind| {
            let count = material.count(kind);
            let struck = |empty| struck_by_kind(kind, count, target, empty);
            (struck(open.empty()) & !struck(self.empty()) & from).any()
        })
    }

    /// Returns whether a split may lead to a position in which a royal striker would be struck on every
    /// square that it could end its capture of the own royal on (rule 21). True if that is not sure.
    fn may_trap(
        &self,
        striker: Square,
        own: Square,
        origin: Square,
        material: Piece,
        range: Bitboard,
    ) -> bool {
        if striker.bit().king_steps().has(own) {
            // Rule 20.
            return false;
        }
        let us = self.side;
        // Where it can end, whatever is set down.
        let ends = self.ends_of_capture(striker, own, self.empty() & !range);
        let empty = self.empty().with(origin).with(own).with(striker);
        let struck = |piece, from| struck_and_seen(piece, from, empty).0;
        let fixed = self.of(us).without(origin).without(own);
        let free =
            fixed.into_iter().fold(ends, |ends, from| ends & !struck(self.piece_on(from), from));
        let from = range.with(origin);
        if material.combines() {
            return (free & !Flood::new(material, from, empty).struck(empty)).is_empty();
        }
        // The most squares that the attributes of a kind can strike, each on its best square.
        let most = |kind| {
            let struck = |from| (struck(material.only(kind), from) & free).len();
            material.count(kind) as usize * from.into_iter().map(struck).max().unwrap_or(0)
        };
        material.kinds().map(most).sum::<usize>() >= free.len()
    }
}
