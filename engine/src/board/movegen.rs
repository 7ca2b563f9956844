//! Legal move generation for every rule set.
//!
//! Moves come in groups that share their origin and kind, so that counting them is a
//! population count. Legality is decided by masks before a move exists: nothing is made
//! and taken back. Pinned pieces stay on their line; in check, moves capture the checker
//! or block. Three facts about the game's own moves follow from the rules:
//!
//! - A fusion leaves its destination occupied as before and vacates the origin, so it
//!   never answers a check and a pinned piece cannot fuse.
//! - A fission leaves its origin occupied, so pins do not restrict it.
//! - A compound that is attacked includes a royal compound in check.

use super::attacks;
use super::bitboard::{Bitboard, Square};
use super::moves::{Move, MoveKind};
use super::piece::{Color, Component};
use super::position::{Castle, Position};
use crate::rules::{RoyalReach, RuleSet};
use std::cell::Cell;

/// Moves of one kind from one square.
#[derive(Clone, Copy, Debug)]
pub struct MoveGroup {
    /// The common origin.
    pub from: Square,
    /// One move for each destination.
    pub to: Bitboard,
    /// The common kind.
    pub kind: GroupKind,
}

/// The kind of a group of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Every destination is one move of this kind.
    Single(MoveKind),
    /// Every destination is one move for each piece that a Pawn may become.
    Promotions,
}

const SPLITTERS: [Component; 3] = [Component::Rook, Component::Bishop, Component::Knight];

impl Position {
    /// All legal moves under a rule set, appended to `moves`, in a fixed order.
    pub fn legal_moves(&self, rules: &RuleSet, moves: &mut Vec<Move>) {
        self.legal_groups(rules, |MoveGroup { from, to, kind }| match kind {
            GroupKind::Single(kind) => {
                let mut rest = to;
                // A range's length is known to the vector, which then makes room only once.
                let next = |_| rest.next().unwrap_or(from);
                moves.extend((0..to.len()).map(next).map(|to| Move::new(from, to, kind)));
            }
            GroupKind::Promotions => {
                for to in to {
                    moves.extend(
                        rules
                            .promotion
                            .pieces()
                            .map(|piece| Move::new(from, to, MoveKind::Promotion(piece))),
                    );
                }
            }
        });
    }

    /// The number of legal moves under a rule set.
    #[must_use]
    pub fn count_legal_moves(&self, rules: &RuleSet) -> usize {
        let mut count = 0;
        self.legal_groups(rules, |group| {
            count += match group.kind {
                GroupKind::Single(_) => group.to.len(),
                GroupKind::Promotions => group.to.len() * rules.promotion.len(),
            };
        });
        count
    }

    /// Whether there is any legal move; faster than to count them.
    #[must_use]
    pub fn has_legal_move(&self, rules: &RuleSet) -> bool {
        let found = Cell::new(false);
        let mut generator = Generator::new(self, rules, |_| found.set(true));
        // The commonest and the cheapest first. Castling needs no look: who may castle can
        // also move the Rook.
        if generator.check_mask.any() {
            generator.pawn_moves();
            for component in SPLITTERS.into_iter().rev() {
                if !found.get() {
                    generator.component_moves(component);
                }
            }
        }
        if !found.get() {
            generator.royal_moves();
        }
        found.get()
    }

    /// Calls `visit` with every group of legal moves; no group is empty.
    pub fn legal_groups(&self, rules: &RuleSet, visit: impl FnMut(MoveGroup)) {
        Generator::new(self, rules, visit).run();
    }

    /// Whether an enemy attack forbids this compound of the side to move to split.
    fn may_split(&self, rules: &RuleSet, square: Square) -> bool {
        if rules.attacked_split {
            return true;
        }
        let them = !self.side;
        let mut attackers = self.attackers(square, them, self.occupied());
        if rules.royal_reach == RoyalReach::Path {
            let royal = self.royal(them);
            if !self.royal_could_travel(rules, royal, square) {
                attackers &= !royal.bit();
            }
        }
        attackers.is_empty()
    }

    /// Whether the enemy royal could go the way to a square that it attacks, under the
    /// through-check limits, tested with it lifted off the board.
    fn royal_could_travel(&self, rules: &RuleSet, royal: Square, to: Square) -> bool {
        if attacks::king(royal).has(to) {
            return true;
        }
        let lifted = self.occupied() ^ royal.bit();
        let attacked = |square| self.attackers(square, self.side, lifted).any();
        if attacks::knight(royal).has(to) {
            rules.leapers_cross_check || !attacks::gateways(royal, to).all(attacked)
        } else {
            rules.sliders_cross_check || attacks::between(royal, to).all(|s| !attacked(s))
        }
    }
}

struct Generator<'a, V> {
    position: &'a Position,
    rules: &'a RuleSet,
    visit: V,
    us: Color,
    own: Bitboard,
    enemy: Bitboard,
    occupied: Bitboard,
    compounds: Bitboard,
    royal: Square,
    in_check: bool,
    /// Where a non-royal piece must go: anywhere, or to capture or block the checker.
    check_mask: Bitboard,
    pinned: Bitboard,
}

impl<'a, V: FnMut(MoveGroup)> Generator<'a, V> {
    fn new(position: &'a Position, rules: &'a RuleSet, visit: V) -> Self {
        let us = position.side;
        let (own, enemy) = (position.color(us), position.color(!us));
        let royal = position.royal(us);
        let mut generator = Self {
            position,
            rules,
            visit,
            us,
            own,
            enemy,
            occupied: own | enemy,
            compounds: position.compounds() & own,
            royal,
            in_check: false,
            check_mask: Bitboard::ALL,
            pinned: Bitboard::EMPTY,
        };
        generator.find_checks_and_pins();
        generator
    }

    fn find_checks_and_pins(&mut self) {
        let [_, rook, bishop, knight, pawn, ..] = self.position.sets;
        let mut checkers = (attacks::knight(self.royal) & knight
            | attacks::pawn(self.us, self.royal) & pawn
            | attacks::king(self.royal) & self.position.component(Component::King))
            & self.enemy;
        let snipers = (attacks::rook(self.royal, self.enemy) & rook
            | attacks::bishop(self.royal, self.enemy) & bishop)
            & self.enemy;
        for sniper in snipers {
            let blockers = attacks::between(self.royal, sniper) & self.own;
            if blockers.is_empty() {
                checkers |= sniper.bit();
            } else if !blockers.many() {
                self.pinned |= blockers;
            }
        }
        if let Some(checker) = checkers.first() {
            self.in_check = true;
            self.check_mask = if checkers.many() {
                Bitboard::EMPTY
            } else {
                attacks::between(self.royal, checker) | checker.bit()
            };
        }
    }

    #[inline]
    fn emit(&mut self, from: Square, to: Bitboard, kind: MoveKind) {
        if to.any() {
            (self.visit)(MoveGroup { from, to, kind: GroupKind::Single(kind) });
        }
    }

    fn attacked(&self, square: Square, occupied: Bitboard) -> bool {
        self.position.attackers(square, !self.us, occupied).any()
    }

    fn run(mut self) {
        self.royal_moves();
        if self.check_mask.is_empty() {
            return;
        }
        self.pawn_moves();
        for component in SPLITTERS {
            self.component_moves(component);
        }
        if self.rules.castling && !self.in_check {
            self.castling();
        }
    }

    #[inline]
    fn attacks_of(&self, component: Component, from: Square) -> Bitboard {
        match component {
            Component::Rook => attacks::rook(from, self.occupied),
            Component::Bishop => attacks::bishop(from, self.occupied),
            Component::Knight => attacks::knight(from),
            Component::King => attacks::king(from),
            Component::Pawn => attacks::pawn(self.us, from),
        }
    }

    /// Moves of all pieces that have a component, the royal excepted.
    fn component_moves(&mut self, component: Component) {
        let pieces = self.position.component(component) & self.own & !self.royal.bit();
        for from in pieces {
            let attacks = self.attacks_of(component, from);
            let mut to = attacks & !self.own & self.check_mask;
            let pinned = self.pinned.has(from);
            if pinned {
                to &= attacks::line(self.royal, from);
            }
            self.emit(from, to, MoveKind::Plain);
            if self.compounds.has(from) {
                let to = attacks & !self.occupied & self.check_mask;
                if self.rules.fission && to.any() && self.position.may_split(self.rules, from) {
                    self.emit(from, to, MoveKind::Fission(component));
                }
            } else if !self.in_check && !pinned {
                self.emit(from, attacks & self.partners(component), MoveKind::Fusion);
            }
        }
    }

    /// The friendly simple pieces onto which a simple piece may fuse.
    #[inline]
    fn partners(&self, mover: Component) -> Bitboard {
        let simple = self.own & !self.compounds;
        let [king, rook, bishop, knight, ..] = self.position.sets;
        let mut partners = Bitboard::EMPTY;
        if self.rules.fusion {
            partners |= (rook | bishop | knight) & !self.position.component(mover);
        }
        if self.rules.fuse_onto_king {
            partners |= king;
        }
        partners & simple
    }

    fn royal_moves(&mut self) {
        let lifted = self.occupied ^ self.royal.bit();
        let steps = attacks::king(self.royal);
        let safe = |to: &Square| !self.attacked(*to, lifted);
        let to: Bitboard = (steps & !self.own).filter(safe).collect();
        let partners = if self.rules.king_fuses && !self.compounds.has(self.royal) {
            let [_, rook, bishop, knight, ..] = self.position.sets;
            let simple = (rook | bishop | knight) & self.own & !self.compounds;
            (steps & simple).filter(safe).collect()
        } else {
            Bitboard::EMPTY
        };
        self.emit(self.royal, to, MoveKind::Plain);
        self.emit(self.royal, partners, MoveKind::Fusion);
        if self.compounds.has(self.royal) {
            self.royal_compound_moves(lifted);
        }
    }

    /// What a royal compound can do beyond a King's steps: its far moves and fission.
    fn royal_compound_moves(&mut self, lifted: Bitboard) {
        let royal = self.royal;
        let may_split = self.rules.fission && self.position.may_split(self.rules, royal);
        for component in SPLITTERS {
            if !self.position.component(component).has(royal) {
                continue;
            }
            let attacks = self.attacks_of(component, royal);
            let far = attacks & !self.own & !attacks::king(royal);
            let to: Bitboard = far
                .filter(|to| !self.attacked(*to, lifted) && self.may_travel(component, *to, lifted))
                .collect();
            self.emit(royal, to, MoveKind::Plain);
            if may_split {
                let to = attacks & !self.occupied & self.check_mask;
                self.emit(royal, to, MoveKind::Fission(component));
            }
        }
        if may_split {
            // The other component stays behind and may shield the King.
            let to: Bitboard = (attacks::king(royal) & !self.occupied)
                .filter(|to| !self.attacked(*to, self.occupied))
                .collect();
            self.emit(royal, to, MoveKind::Fission(Component::King));
        }
    }

    /// The through-check limits on a royal compound's far moves.
    fn may_travel(&self, component: Component, to: Square, lifted: Bitboard) -> bool {
        let attacked = |square| self.attacked(square, lifted);
        if component == Component::Knight {
            self.rules.leapers_cross_check || !attacks::gateways(self.royal, to).all(attacked)
        } else {
            self.rules.sliders_cross_check
                || attacks::between(self.royal, to).all(|square| !attacked(square))
        }
    }

    fn pawn_moves(&mut self) {
        let empty = !self.occupied;
        let last = Bitboard::rank(self.us.rank(7));
        let third = Bitboard::rank(self.us.rank(2));
        let us = self.us;
        let forward = |set: Bitboard| match us {
            Color::White => Bitboard(set.0 << 8),
            Color::Black => Bitboard(set.0 >> 8),
        };
        for from in self.position.component(Component::Pawn) & self.own {
            let one = forward(from.bit()) & empty;
            let two = forward(one & third) & empty;
            let captures = attacks::pawn(self.us, from) & self.enemy;
            let mut to = (one | two | captures) & self.check_mask;
            if self.pinned.has(from) {
                to &= attacks::line(self.royal, from);
            }
            if (to & last).any() {
                (self.visit)(MoveGroup { from, to, kind: GroupKind::Promotions });
            } else {
                self.emit(from, to, MoveKind::Plain);
            }
        }
        if let Some(square) = self.position.en_passant {
            for from in self.position.en_passant_capturers(square) {
                self.emit(from, square.bit(), MoveKind::EnPassant);
            }
        }
    }

    fn castling(&mut self) {
        for castle in Castle::of(self.us) {
            let mut travelled =
                attacks::between(castle.king_from, castle.king_to) | castle.king_to.bit();
            let between = attacks::between(castle.king_from, castle.rook_from);
            if self.position.castling & castle.bit != 0
                && (between & self.occupied).is_empty()
                && travelled.all(|square| !self.attacked(square, self.occupied))
            {
                self.emit(castle.king_from, castle.king_to.bit(), MoveKind::Castling);
            }
        }
    }
}
