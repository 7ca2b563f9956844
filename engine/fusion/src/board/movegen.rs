//! Legal move generation for every rule set.
//!
//! Moves come in groups that share their origin and kind, so a population count counts them. Masks
//! decide legality before a move is generated. No move is made and taken back. Pinned pieces stay
//! on their line. In check, moves capture the checker or block. Four facts about this game's moves
//! follow from the rules:
//!
//! - A fusion leaves its destination occupied as before and vacates the origin. So it never answers
//!   a check, and a pinned piece cannot fuse.
//! - A fission leaves its origin occupied, so pins do not restrict it.
//! - A piece that changes as it arrives blocks lines as the original piece does.
//! - A compound that is attacked includes a royal compound in check.

mod fusions;
mod pawns;

use super::attacks;
use super::bitboard::{Bitboard, Square};
use super::moves::{Move, MoveKind};
use super::piece::{Color, Component};
use super::position::{Castle, Position};
use crate::rules::{Fission, Kind, PromotionSet, RuleSet};
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
    /// Every destination is one move for each of these pieces, to which the Pawn may promote.
    Promotions(PromotionSet),
}

/// The components of pieces other than Pawns, besides the King.
const OFFICERS: [Component; 4] = [ROYAL[0], ROYAL[1], ROYAL[2], Component::Mann];

/// The components that can share a piece with a King.
const ROYAL: [Component; 3] = [Component::Rook, Component::Bishop, Component::Knight];

impl Position {
    /// Appends all legal moves under a rule set to `moves`, in a fixed order.
    pub fn legal_moves(&self, rules: &RuleSet, moves: &mut Vec<Move>) {
        self.legal_groups(rules, |MoveGroup { from, to, kind }| match kind {
            GroupKind::Single(kind) => {
                let mut rest = to;
                // The vector reads a range's length, so it allocates only once.
                let next = |_| rest.next().unwrap_or(from);
                moves.extend((0..to.len()).map(next).map(Move::towards(from, kind)));
            }
            GroupKind::Promotions(set) => {
                let promotion = |to, piece| Move::new(from, to, MoveKind::Promotion(piece));
                to.for_each(|to| moves.extend(set.pieces().map(|piece| promotion(to, piece))));
            }
        });
    }

    /// Returns the number of legal moves under a rule set.
    #[must_use]
    pub fn count_legal_moves(&self, rules: &RuleSet) -> usize {
        let mut count = 0;
        self.legal_groups(rules, |group| {
            count += match group.kind {
                GroupKind::Single(_) => group.to.len(),
                GroupKind::Promotions(set) => group.to.len() * set.len(),
            };
        });
        count
    }

    /// Returns whether there is any legal move. This is faster than counting them.
    #[must_use]
    pub fn has_legal_move(&self, rules: &RuleSet) -> bool {
        if rules.denied.limits(self.side) {
            return self.has_limited_move(rules);
        }
        match rules.kind() {
            Kind::Chess => self.has_move::<false, false>(rules),
            Kind::Fusion => self.has_move::<true, false>(rules),
            Kind::Family => self.has_move::<true, true>(rules),
        }
    }

    #[cold]
    #[inline(never)]
    fn has_limited_move(&self, rules: &RuleSet) -> bool {
        self.has_legal_move(&rules.of_side(self.side))
    }

    fn has_move<const FUSION: bool, const FAMILY: bool>(&self, rules: &RuleSet) -> bool {
        let found = Cell::new(false);
        let visit = |_| found.set(true);
        let mut generator = Generator::<_, FUSION, FAMILY, false>::new(self, rules, visit);
        // The most common and cheapest moves come first. Castling is not tested: a side that can
        // castle can also move the Rook.
        if generator.check_mask.any() {
            generator.pawn_moves();
            for component in ROYAL.into_iter().rev() {
                if !found.get() {
                    generator.component_moves(component);
                }
            }
            if FAMILY && !found.get() {
                generator.component_moves(Component::Mann);
            }
        }
        if !found.get() {
            generator.royal_moves();
        }
        found.get()
    }

    /// Calls `visit` with every group of legal moves; no group is empty.
    pub fn legal_groups(&self, rules: &RuleSet, visit: impl FnMut(MoveGroup)) {
        self.groups::<false>(rules, visit);
    }

    /// Calls `visit` with groups of legal moves. With `FORCING` most moves are left out that are
    /// neither captures nor promotions of Pawns.
    #[inline]
    pub(super) fn groups<const FORCING: bool>(
        &self,
        rules: &RuleSet,
        visit: impl FnMut(MoveGroup),
    ) {
        if rules.denied.limits(self.side) {
            return self.limited_groups::<FORCING>(rules, visit);
        }
        match rules.kind() {
            Kind::Chess => Generator::<_, false, false, FORCING>::new(self, rules, visit).run(),
            Kind::Fusion => Generator::<_, true, false, FORCING>::new(self, rules, visit).run(),
            Kind::Family => self.family_groups::<FORCING>(rules, visit),
        }
    }

    /// Generates the moves of a side to which something is denied.
    #[cold]
    #[inline(never)]
    fn limited_groups<const FORCING: bool>(&self, rules: &RuleSet, visit: impl FnMut(MoveGroup)) {
        self.groups::<FORCING>(&rules.of_side(self.side), visit);
    }

    #[inline(never)]
    fn family_groups<const FORCING: bool>(&self, rules: &RuleSet, visit: impl FnMut(MoveGroup)) {
        Generator::<_, true, true, FORCING>::new(self, rules, visit).run();
    }
}

/// Generates the moves of a position. Fusion and fission are left out unless `FUSION`. Moves that
/// only the family's other games need are left out unless `FAMILY`; see [`Kind`]. With `FORCING` the
/// destinations of pieces other than Pawns are enemy pieces.
struct Generator<'a, V, const FUSION: bool, const FAMILY: bool, const FORCING: bool> {
    position: &'a Position,
    rules: &'a RuleSet,
    visit: V,
    us: Color,
    own: Bitboard,
    enemy: Bitboard,
    occupied: Bitboard,
    compounds: Bitboard,
    /// Own pieces that are the target of some fusion.
    open: Bitboard,
    /// The officers among them that fuse with each other, and the royal piece if officers fuse onto
    /// it.
    partners: [Bitboard; 2],
    /// Own pieces with a Mann.
    manns: Bitboard,
    royal: Square,
    in_check: bool,
    /// The allowed destinations of a non-royal piece: all squares, or those that capture or block
    /// the checker.
    check_mask: Bitboard,
    pinned: Bitboard,
}

impl<'a, V: FnMut(MoveGroup), const FUSION: bool, const FAMILY: bool, const FORCING: bool>
    Generator<'a, V, FUSION, FAMILY, FORCING>
{
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
            open: Bitboard::EMPTY,
            partners: [Bitboard::EMPTY; 2],
            manns: position.component(Component::Mann) & own,
            royal,
            in_check: false,
            check_mask: Bitboard::ALL,
            pinned: Bitboard::EMPTY,
        };
        if FUSION && !FORCING && rules.fuses() {
            generator.find_partners();
        }
        generator.find_checks_and_pins();
        generator
    }

    fn find_checks_and_pins(&mut self) {
        let [king, rook, bishop, knight, pawn, mann, ..] = self.position.sets;
        let mut checkers = (attacks::knight(self.royal) & knight
            | attacks::pawn(self.us, self.royal) & pawn
            | attacks::king(self.royal) & (king | mann))
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
        for component in ROYAL {
            self.component_moves(component);
        }
        if FAMILY {
            self.component_moves(Component::Mann);
        }
        let castles =
            self.rules.castling && self.position.fullmove >= self.rules.castling_from.number();
        if !FORCING && castles && !self.in_check {
            self.castling();
        }
    }

    /// Returns the destinations of moves that are no fusions. Under self-capture, friendly pieces
    /// with which the moving piece may fuse are among them.
    #[inline]
    fn targets(&self) -> Bitboard {
        if FORCING {
            self.enemy
        } else if FAMILY && self.rules.self_capture {
            !self.royal.bit()
        } else {
            !self.own
        }
    }

    #[inline]
    fn attacks_of(&self, component: Component, from: Square) -> Bitboard {
        match component {
            Component::Rook => attacks::rook(from, self.occupied),
            Component::Bishop => attacks::bishop(from, self.occupied),
            Component::Knight => attacks::knight(from),
            Component::King | Component::Mann => attacks::king(from),
            Component::Pawn => attacks::pawn(self.us, from),
        }
    }

    /// Visits the moves of all pieces that have a component, except the royal piece.
    #[inline]
    fn component_moves(&mut self, component: Component) {
        let pieces = self.position.component(component) & self.own & !self.royal.bit();
        let partners = if self.in_check { Bitboard::EMPTY } else { self.partners_of(component) };
        for from in pieces {
            let attacks = self.attacks_of(component, from);
            let pinned = self.pinned.has(from);
            let compound = FUSION && self.compounds.has(from);
            let onto = attacks & partners;
            let mut to = attacks & self.targets() & self.check_mask;
            if FAMILY && self.rules.self_capture && !pinned {
                to &= !self.spared(component, from, onto, compound);
            }
            if pinned {
                to &= attacks::line(self.royal, from);
            }
            self.whole_moves(component, from, to, compound);
            if !FUSION {
                continue;
            }
            if compound {
                let away = self.ways_out(component, attacks & self.check_mask);
                if away.any() && self.position.may_split(self.rules, from) {
                    self.emit(from, away, MoveKind::Fission(component));
                }
            }
            if onto.any() && !pinned {
                let onto = self.fusions(component, from, onto, compound);
                self.emit(from, onto, MoveKind::Fusion);
            }
        }
    }

    /// Visits the moves of a piece as a whole by one of its components.
    #[inline]
    fn whole_moves(&mut self, component: Component, from: Square, to: Bitboard, compound: bool) {
        if FAMILY {
            self.changing_moves(component, from, to, compound);
        } else {
            self.emit(from, to, MoveKind::Plain);
        }
    }

    /// Does the same as [`Generator::whole_moves`] under rules that may change pieces as they move
    /// or capture.
    fn changing_moves(&mut self, component: Component, from: Square, to: Bitboard, compound: bool) {
        let to = to & !self.steps_of_mann(component, from);
        if compound && self.rules.demote_on_capture {
            self.emit(from, to & !self.occupied, MoveKind::Plain);
            self.emit(from, to & self.occupied, MoveKind::Demotion);
            return;
        }
        self.emit(from, to, MoveKind::Plain);
        let empty = to & !self.occupied;
        if !compound
            && self.rules.metamorph
            && let Some(piece) = component.metamorphosis()
            && empty.any()
            && self.attacked(from, self.occupied)
        {
            self.emit(from, empty, MoveKind::Promotion(piece));
        }
    }

    /// Returns the destinations that a Rook or Bishop shares with the Mann of the same compound.
    /// They count as the Mann's.
    #[inline]
    fn steps_of_mann(&self, component: Component, from: Square) -> Bitboard {
        if FAMILY && self.manns.has(from) && component != Component::Mann {
            attacks::king(from)
        } else {
            Bitboard::EMPTY
        }
    }

    /// Returns the destinations, out of these, of a component that leaves a compound that may
    /// split.
    #[inline]
    fn ways_out(&self, component: Component, to: Bitboard) -> Bitboard {
        match self.rules.fission {
            Fission::Quiet | Fission::QuietNoCheck if FORCING => Bitboard::EMPTY,
            Fission::None => Bitboard::EMPTY,
            _ if !FAMILY => to & !self.occupied,
            Fission::Quiet => to & !self.occupied,
            Fission::QuietNoCheck => {
                let enemy = self.position.royal(!self.us);
                to & !self.occupied & !self.attacks_of(component, enemy)
            }
            Fission::Capture => to & self.targets(),
        }
    }

    fn royal_moves(&mut self) {
        // The royal is lifted off the board, because it cannot shield its destination from a
        // checker.
        let lifted = self.occupied ^ self.royal.bit();
        let steps = attacks::king(self.royal);
        let partners = self.partners_of_royal();
        let targets = self.targets() & !partners;
        if self.compounds.has(self.royal) {
            let attacked = self.attacked_by_enemy(lifted);
            self.whole_moves(Component::King, self.royal, steps & targets & !attacked, true);
            self.royal_compound_moves(attacked, targets, partners);
            return;
        }
        let to = steps & (targets | partners);
        // A few squares are tested one by one, and more of them all at once.
        let safe = if 2 * to.len() < self.enemy.len() {
            to.filter(|to| !self.attacked(*to, lifted)).collect()
        } else {
            to & !self.attacked_by_enemy(lifted)
        };
        self.emit(self.royal, safe & targets, MoveKind::Plain);
        self.emit(self.royal, safe & partners, MoveKind::Fusion);
    }

    /// Visits a royal compound's moves beyond a King's steps: its far moves, fission and fusion.
    fn royal_compound_moves(&mut self, attacked: Bitboard, targets: Bitboard, partners: Bitboard) {
        let royal = self.royal;
        let splits = match self.rules.fission {
            Fission::None => false,
            Fission::Quiet | Fission::QuietNoCheck => !FORCING,
            Fission::Capture => true,
        };
        let may_split = splits && self.position.may_split(self.rules, royal);
        let mut onto = attacks::king(royal);
        for component in ROYAL {
            if !self.position.component(component).has(royal) {
                continue;
            }
            let attacks = self.attacks_of(component, royal);
            let far = attacks & (targets | partners) & !attacks::king(royal) & !attacked;
            let to = far.filter(|to| self.may_travel(component, *to, attacked));
            let to: Bitboard = to.collect();
            self.whole_moves(component, royal, to & targets, true);
            if may_split {
                let away = self.ways_out(component, attacks & self.check_mask);
                self.emit(royal, away, MoveKind::Fission(component));
            }
            onto |= to;
        }
        if may_split {
            // The other components stay behind and may shield the King.
            let attacked =
                if self.in_check { self.attacked_by_enemy(self.occupied) } else { attacked };
            let away = self.ways_out(Component::King, attacks::king(royal) & !attacked);
            self.emit(royal, away, MoveKind::Fission(Component::King));
        }
        self.emit(royal, onto & partners & !attacked, MoveKind::Fusion);
    }

    /// Applies the through-check limits to a royal compound's far moves.
    fn may_travel(&self, component: Component, to: Square, attacked: Bitboard) -> bool {
        if component == Component::Knight {
            self.rules.leapers_cross_check || (attacks::gateways(self.royal, to) & !attacked).any()
        } else {
            self.rules.sliders_cross_check
                || (attacks::between(self.royal, to) & attacked).is_empty()
        }
    }

    /// Returns all squares that the enemy attacks on a board with these squares occupied.
    fn attacked_by_enemy(&self, occupied: Bitboard) -> Bitboard {
        let enemy = |component| self.position.component(component) & self.enemy;
        let mut attacked = Bitboard::EMPTY;
        for from in enemy(Component::Rook) {
            attacked |= attacks::rook(from, occupied);
        }
        for from in enemy(Component::Bishop) {
            attacked |= attacks::bishop(from, occupied);
        }
        for from in enemy(Component::Knight) {
            attacked |= attacks::knight(from);
        }
        for from in enemy(Component::Pawn) {
            attacked |= attacks::pawn(!self.us, from);
        }
        for from in enemy(Component::Mann) {
            attacked |= attacks::king(from);
        }
        attacked | attacks::king(self.position.royal(!self.us))
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
