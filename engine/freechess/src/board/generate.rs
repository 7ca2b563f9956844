//! Actions by the rules of movement, whether or not they leave the own royal in check.

use super::check::residue;
use super::reach::{reach, reached_by_kind, struck_by_kind};
use super::{Action, Bitboard, Kind, Piece, Position, Square, Turn};
use crate::rules::{RuleSet, Shield};

/// A piece that moves, and what it has done in this turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mover {
    pub(super) origin: Square,
    pub(super) at: Square,
    pub(super) piece: Piece,
    /// Used attributes that the piece still has.
    pub(super) used: Piece,
    /// Whether it has captured anything, friend or enemy.
    pub(super) captured: bool,
}

impl Mover {
    /// Returns whether the turn can go on (rule 11).
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        let unused = self.piece.minus(self.used);
        self.piece.combines() && !unused.without_all(Kind::Combinator).is_empty()
    }

    /// Returns whether the turn may end by rule 13: something has changed.
    #[inline]
    pub(super) fn has_changed(&self) -> bool {
        self.captured || self.at != self.origin
    }

    /// Returns how many instances of a kind a part uses (rules 9 and 10).
    fn uses(&self, kind: Kind, to: Square) -> u32 {
        if self.piece.combines() {
            return 1;
        }
        let files = self.at.file().abs_diff(to.file());
        let ranks = self.at.rank().abs_diff(to.rank());
        match kind {
            Kind::Knight => files.max(ranks) as u32 / 2,
            Kind::Opawn if files == 0 || ranks == 0 => (files + ranks).div_ceil(2) as u32,
            _ => 1,
        }
    }
}

impl Position {
    /// Returns the piece that makes the next part from this square.
    #[inline]
    pub(super) fn mover(&self, from: Square) -> Mover {
        let piece = self.piece_on(from);
        match self.turn {
            Turn::Move { origin, at, used, captured } if at == from => {
                Mover { origin, at, piece, used, captured }
            }
            _ => Mover { origin: from, at: from, piece, used: Piece::NONE, captured: false },
        }
    }

    /// Returns the squares that a mover can land on by a kind of which it has unused attributes.
    pub(super) fn landings(&self, rules: &RuleSet, mover: &Mover, kind: Kind) -> Bitboard {
        // The square that it leaves is empty.
        let empty = self.empty().with(mover.at);
        let count = if mover.piece.combines() { 1 } else { mover.piece.count(kind) };
        let mut landings = reached_by_kind(kind, count, mover.at, empty);
        // Rule 12: a royal piece captures only by the part k.
        if !mover.piece.is_royal() || kind == Kind::Royal {
            let struck = struck_by_kind(kind, count, mover.at, empty);
            landings |= struck & self.capturable(rules, mover);
        }
        landings.without(mover.at)
    }

    /// Returns the squares of pieces, friendly or enemy, that a mover may capture (rules 8, 14, 15
    /// and 18).
    pub(super) fn capturable(&self, rules: &RuleSet, mover: &Mover) -> Bitboard {
        let (us, them) = (self.side, self.side.other());
        if !self.may_capture(rules, us) {
            return Bitboard::EMPTY;
        }
        let kept = self.with(them, Kind::Royal) | self.lone_combinators(them);
        let enemies = self.of(them) & !kept;
        if !rules.fusing {
            return enemies;
        }
        let friends = self.of(us).without(mover.at);
        let friends = if mover.piece.combines() {
            friends & !self.with(us, Kind::Combinator)
        } else {
            friends
        };
        enemies | friends
    }

    /// Returns a mover after a part to a square by a kind (rules 14, 16 and 17). Nothing may be left
    /// of its piece.
    #[inline]
    pub(super) fn after_part(&self, mover: &Mover, kind: Kind, to: Square) -> Mover {
        let target = self.piece_on(to);
        let uses = mover.uses(kind, to);
        let used = (0..uses).fold(mover.used, |used, _| used.with(kind));
        let moved = Mover { at: to, used, ..*mover };
        if target.is_empty() || to == mover.at {
            return moved;
        }
        if self.of(self.side).has(to) {
            return Mover { piece: mover.piece.plus(target), captured: true, ..moved };
        }
        let piece = residue(mover.piece, target);
        let cancelled = mover.piece.minus(piece);
        let used = used.minus(used.common(cancelled));
        Mover { piece, used, captured: true, ..moved }
    }

    /// Calls a function with each part of a piece's move and the piece after it: kinds in order, then
    /// squares. Kinds that end the turn on the same square are one part (rule 28). Parts that end
    /// the turn without a change are left out (rule 13).
    pub(super) fn parts(
        &self,
        rules: &RuleSet,
        from: Square,
        mut visit: impl FnMut(Action, &Mover),
    ) {
        let mover = self.mover(from);
        let mut over = Bitboard::EMPTY;
        for kind in mover.piece.minus(mover.used).without_all(Kind::Combinator).kinds() {
            for to in self.landings(rules, &mover, kind) {
                let after = self.after_part(&mover, kind, to);
                if after.goes_on() {
                    visit(Action::Part { from, to, goes_on: Some(kind) }, &after);
                } else if after.has_changed() && !over.has(to) {
                    over = over.with(to);
                    visit(Action::Part { from, to, goes_on: None }, &after);
                }
            }
        }
    }

    /// Calls a function with each part that a piece of the side to move can make next by the rules
    /// of movement, whether or not it leaves the own royal in check.
    pub(crate) fn each_part(&self, rules: &RuleSet, from: Square, mut visit: impl FnMut(Action)) {
        self.parts(rules, from, |action, _| visit(action));
    }

    /// Returns the squares that an attribute of the reserve may be placed on (rules 6 and 7), of
    /// these valid ones.
    pub(super) fn placements(&self, rules: &RuleSet, kind: Kind, valid: Bitboard) -> Bitboard {
        let (us, them) = (self.side, self.side.other());
        let mut friends = self.of(us);
        let mut enemies = self.with(them, kind);
        match kind {
            Kind::Combinator => {
                friends &= !self.with(us, Kind::Combinator);
                enemies = Bitboard::EMPTY;
            }
            Kind::Royal if !rules.royal_cancel => enemies = Bitboard::EMPTY,
            _ => {}
        }
        if let Some((shielded, square)) = self.shield
            && shielded == kind
            && rules.shield != Shield::Nothing
        {
            enemies = enemies.without(square);
        }
        (self.empty() | friends | enemies) & valid
    }

    /// Returns the kinds that can be lifted from a square into a hand (rules 25 and 28).
    pub(super) fn liftable(
        &self,
        rules: &RuleSet,
        from: Square,
        hand: Piece,
    ) -> impl Iterator<Item = Kind> {
        let piece = self.piece_on(from);
        let leaves = rules.splitting && (rules.recall || piece.len() > 1);
        let last = hand.kinds().last();
        piece.kinds().filter(move |&kind| leaves && last.is_none_or(|last| kind >= last))
    }

    /// Returns the squares that a hand can be set down on (rule 24).
    pub(super) fn set_downs(&self, origin: Square, hand: Piece) -> Bitboard {
        reach(hand, origin, self.empty())
    }

    /// Returns whether a hand may be returned to the reserve (rule 26).
    #[inline]
    pub(super) fn may_return(rules: &RuleSet, hand: Piece) -> bool {
        rules.royal_return || !hand.is_royal()
    }

    /// Returns whether the turn may be ended by the rules of movement: in a move that has changed
    /// something, and in a split with an empty hand.
    pub(super) fn may_end(&self) -> bool {
        match self.turn {
            Turn::Start => false,
            Turn::Move { at, .. } => self.mover(at).has_changed(),
            Turn::Split { hand, .. } => hand.is_empty(),
        }
    }

    /// Calls a function with the actions that the rules of placing, moving and splitting allow, in the
    /// order of [`Position::legal_actions`], whether or not their turn can be ended legally.
    pub(crate) fn each_allowed(&self, rules: &RuleSet, mut visit: impl FnMut(Action)) {
        if self.turn != Turn::Start {
            if self.may_end() {
                visit(Action::End);
            }
            return self.continuations(rules, visit);
        }
        let valid = self.valid_squares(rules);
        for kind in self.reserve(self.side).kinds() {
            for to in self.placements(rules, kind, valid) {
                visit(Action::Place { kind, to });
            }
        }
        for from in self.of(self.side) {
            self.parts(rules, from, |action, _| visit(action));
            for kind in self.liftable(rules, from, Piece::NONE) {
                visit(Action::Lift { from, kind });
            }
        }
    }

    /// Calls a function with the actions with which a turn that has begun can go on, but `end`.
    pub(super) fn continuations(&self, rules: &RuleSet, mut visit: impl FnMut(Action)) {
        match self.turn {
            Turn::Start => {}
            Turn::Move { at, .. } => self.parts(rules, at, |action, _| visit(action)),
            Turn::Split { origin, hand } => {
                for kind in self.liftable(rules, origin, hand) {
                    visit(Action::Lift { from: origin, kind });
                }
                if !hand.is_empty() {
                    for to in self.set_downs(origin, hand) {
                        visit(Action::SetDown { from: origin, to });
                    }
                    if Self::may_return(rules, hand) {
                        visit(Action::Return { from: origin });
                    }
                }
            }
        }
    }
}
