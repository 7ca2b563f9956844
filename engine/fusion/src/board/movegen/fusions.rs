//! What may fuse with what.

use super::{Generator, MoveGroup, OFFICERS};
use crate::board::bitboard::{Bitboard, Square};
use crate::board::piece::{Component, Piece};
use crate::rules::{FusionNeeds, MaxComponents};

impl<V: FnMut(MoveGroup), const FUSION: bool, const FAMILY: bool, const FORCING: bool>
    Generator<'_, V, FUSION, FAMILY, FORCING>
{
    /// Finds the friendly pieces that can take part in a fusion.
    pub(super) fn find_partners(&mut self) {
        let may_fuse = match self.rules.fusion_needs {
            FusionNeeds::Nothing => true,
            FusionNeeds::NoQueen => !self.has_queen(),
            FusionNeeds::NoCompound => self.compounds.is_empty(),
        };
        if !may_fuse {
            return;
        }
        let full = if self.triples_fuse() { self.position.triples() } else { self.compounds };
        self.open = self.own & !full & !self.position.component(Component::Pawn);
        let fusible = self.rules.fusion.components();
        let mut officers = self.open & !self.royal.bit();
        if FAMILY {
            for component in OFFICERS.into_iter().filter(|component| !fusible.has(*component)) {
                officers &= !self.position.component(component);
            }
        } else if !self.rules.fusion.any() {
            officers = Bitboard::EMPTY;
        }
        let royal = if self.rules.fuse_onto_king { self.royal.bit() } else { Bitboard::EMPTY };
        self.partners = [officers, self.open & royal];
    }

    /// Returns whether the side to move has a piece of Rook and Bishop and nothing else.
    fn has_queen(&self) -> bool {
        let [_, rook, bishop, ..] = self.position.sets;
        let mut pieces = (rook & bishop & self.own).map(|square| self.position.piece_on(square));
        pieces.any(|piece| piece == Piece::QUEEN)
    }

    /// Returns whether compounds fuse.
    #[inline]
    fn triples_fuse(&self) -> bool {
        FAMILY && self.rules.max_components == MaxComponents::Three
    }

    /// Returns the fusions, out of these, of a piece that moves by one of its components.
    #[inline]
    pub(super) fn fusions(
        &self,
        component: Component,
        from: Square,
        onto: Bitboard,
        compound: bool,
    ) -> Bitboard {
        if self.triples_fuse() {
            onto & !self.steps_of_mann(component, from) & self.partners_in_triples(from, compound)
        } else if compound {
            Bitboard::EMPTY
        } else {
            onto
        }
    }

    /// Returns the friendly pieces that a piece may not capture, because it may fuse with them. Not
    /// inlined, because few rule sets have self-capture.
    #[inline(never)]
    pub(super) fn spared(
        &self,
        component: Component,
        from: Square,
        onto: Bitboard,
        compound: bool,
    ) -> Bitboard {
        self.fusions(component, from, onto, compound)
    }

    /// Returns the friendly pieces onto which a simple piece may fuse.
    #[inline]
    pub(super) fn partners_of(&self, mover: Component) -> Bitboard {
        let [officers, royal] = self.partners;
        let mut partners = Bitboard::EMPTY;
        if self.rules.fusion.components().has(mover) {
            partners |= officers;
        }
        if mover != Component::Mann {
            partners |= royal;
        }
        partners & !self.position.component(mover)
    }

    /// Returns the friendly pieces onto which a piece may fuse under rules with pieces of three
    /// components.
    fn partners_in_triples(&self, from: Square, compound: bool) -> Bitboard {
        let mover = self.position.piece_on(from);
        if mover.len() > 2 {
            return Bitboard::EMPTY;
        }
        let room = if compound { !self.compounds } else { Bitboard::ALL };
        mover.components().fold(room, |partners, component| partners & self.partners_of(component))
    }

    /// Returns the friendly pieces onto which the royal piece may fuse.
    pub(super) fn partners_of_royal(&self) -> Bitboard {
        if !self.rules.king_fuses {
            return Bitboard::EMPTY;
        }
        if !FAMILY {
            let simple = !self.compounds.has(self.royal);
            return if simple { self.open & !self.royal.bit() } else { Bitboard::EMPTY };
        }
        let mover = self.position.piece_on(self.royal);
        if mover.len() >= self.rules.max_components.number() {
            return Bitboard::EMPTY;
        }
        let room = if mover.len() > 1 { !self.compounds } else { Bitboard::ALL };
        let pieces = self.open & room & !self.royal.bit() & !self.manns;
        mover.components().fold(pieces, |pieces, own| pieces & !self.position.component(own))
    }
}
