//! Making moves.
//!
//! The most common moves take a path without branches. No branch depends on the moving piece or on
//! whether it captures, because such branches are hard to predict. All sets of squares change by
//! the same few operations, so that the compiler vectorises them.

use super::attacks;
use super::bitboard::{Bitboard, Square};
use super::moves::{Move, MoveKind};
use super::piece::{Color, Component, Piece};
use super::position::{CASTLES, Castle, FEN_LIMIT, MaybeSquare, PawnSteps, Position, color_set};
use super::zobrist;

/// The rights that remain after a move from or to a square.
static RIGHTS_KEPT: [u8; 64] = {
    let mut kept = [15; 64];
    let mut i = 0;
    while i < 4 {
        kept[CASTLES[i].king_from.index()] &= !CASTLES[i].bit;
        kept[CASTLES[i].rook_from.index()] &= !CASTLES[i].bit;
        i += 1;
    }
    kept
};

impl Position {
    /// Makes a legal move. The position after an illegal move is unspecified.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        let before = *self;
        before.play_into(mv, self);
    }

    /// Passes the turn.
    pub(crate) fn pass(&mut self) {
        self.hash ^= zobrist::side() ^ zobrist::en_passant(self.en_passant);
        self.en_passant = MaybeSquare::NONE;
        self.side = !self.side;
        self.halfmove_clock = (self.halfmove_clock + 1).min(FEN_LIMIT);
    }

    /// Writes the position after a legal move over another position.
    ///
    /// This is faster than a copy followed by a move: data that were just copied cannot be read at
    /// once.
    // Inlining this into loops over moves makes it a fifth slower.
    #[inline(never)]
    pub fn play_into(&self, mv: Move, next: &mut Self) {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        // A self-capture is a plain move onto a friend.
        let onto_friend = self.color(us).has(to);
        match mv.kind() {
            kind @ (MoveKind::Plain | MoveKind::Fusion)
                if onto_friend == (kind == MoveKind::Fusion) =>
            {
                let captures = self.color(!us).has(to);
                let hash = self.relocate(next, from, to, !us, captures);
                self.end_turn(next, hash, from, to, captures);
            }
            _ => self.play_special(mv, next),
        }
    }

    /// Writes everything except the placement, whose hash is given. `progress` says whether the move
    /// is a capture or a promotion, which restart the clock whatever moves.
    #[inline(always)]
    fn end_turn(&self, next: &mut Self, mut hash: u64, from: Square, to: Square, progress: bool) {
        hash ^= zobrist::side() ^ zobrist::en_passant(self.en_passant);
        let castling = self.castling & RIGHTS_KEPT[from.index()] & RIGHTS_KEPT[to.index()];
        if castling != self.castling {
            hash ^= zobrist::castling(self.castling) ^ zobrist::castling(castling);
        }
        let us = self.side;
        let pawn_move = self.component(Component::Pawn).has(from);
        let mut quiet = !(progress | pawn_move);
        if self.pawn_steps != PawnSteps::Forward && pawn_move && !progress {
            let ahead = us.rank(to.rank()) > us.rank(from.rank());
            quiet = !ahead || self.pawn_steps == PawnSteps::Back;
        }
        // A product instead of a branch, which would be mispredicted.
        next.halfmove_clock = (self.halfmove_clock + 1).min(FEN_LIMIT) * u16::from(quiet);
        next.fullmove = (self.fullmove + us.index() as u16).min(FEN_LIMIT);
        next.side = !us;
        next.castling = castling;
        next.pawn_steps = self.pawn_steps;
        next.en_passant = MaybeSquare::NONE;
        next.hash = hash;
        // A Pawn that promotes leaves nothing to capture.
        if pawn_move && from.index().abs_diff(to.index()) == 16 && !matches!(to.rank(), 0 | 7) {
            next.set_en_passant(Square::new(from.index().midpoint(to.index())));
        }
    }

    /// Moves a whole piece, which captures a piece of this owner on its destination or fuses with a
    /// friend. Writes only the placement and returns its hash.
    #[inline(always)]
    fn relocate(
        &self,
        next: &mut Self,
        from: Square,
        to: Square,
        owner: Color,
        captures: bool,
    ) -> u64 {
        let us = self.side;
        let capture = u64::from(captures);
        let (mover, target) = (self.piece_on(from), self.piece_on(to));
        let captured = target.only_if(capture);
        next.board = self.board;
        next.board[from.index()] = Piece::NONE;
        next.board[to.index()] = mover.union(target.only_if(capture ^ 1));
        let vacated = from.bit().0 | capture << to.index();
        for (set, next) in self.sets.iter().zip(&mut next.sets) {
            let moves = set.0 >> from.index() & 1;
            *next = Bitboard(set.0 & !vacated | moves << to.index());
        }
        self.hash
            ^ zobrist::piece(us, mover, from)
            ^ zobrist::piece(us, mover, to)
            ^ zobrist::piece(owner, captured, to)
    }

    /// Makes the moves that do more than move one piece.
    #[inline(never)]
    fn play_special(&self, mv: Move, next: &mut Self) {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        *next = *self;
        if !matches!(mv.kind(), MoveKind::Fission(_)) {
            let owner = self.color_on(to);
            next.hash = self.relocate(next, from, to, owner.unwrap_or(!us), owner.is_some());
        }
        let pawn = self.component(Component::Pawn).has(from);
        let progress = match mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Promotion(_) if pawn => true,
            _ => self.occupied().has(to),
        };
        match mv.kind() {
            MoveKind::Plain | MoveKind::Fusion => {}
            MoveKind::Fission(component) => {
                next.clear(to);
                next.toggle(us, component, from);
                next.put(us, component, to);
            }
            MoveKind::Promotion(piece) => next.replace(us, to, piece),
            MoveKind::Demotion => {
                let remains = self.piece_on(from).capturer(from, to);
                next.replace(us, to, Piece::of(remains));
            }
            MoveKind::EnPassant => {
                let passed = Square::at(to.file(), from.rank());
                next.toggle(!us, Component::Pawn, passed);
                next.sets[color_set(!us)] &= !passed.bit();
            }
            MoveKind::Castling => {
                if let Some(castle) = Castle::of(us).iter().find(|castle| castle.king_to == to) {
                    let halfway = *next;
                    next.hash =
                        halfway.relocate(next, castle.rook_from, castle.rook_to, !us, false);
                }
            }
        }
        self.end_turn(next, next.hash, from, to, progress);
    }

    /// Removes what stands on a square.
    fn clear(&mut self, square: Square) {
        if let Some(color) = self.color_on(square) {
            self.replace(color, square, Piece::NONE);
            self.sets[color_set(color)] ^= square.bit();
        }
    }

    /// Exchanges a piece for another of the same colour.
    fn replace(&mut self, color: Color, square: Square, piece: Piece) {
        let before = self.piece_on(square);
        before.components().for_each(|component| self.toggle(color, component, square));
        piece.components().for_each(|component| self.toggle(color, component, square));
    }

    /// Adds a component to a square or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, color: Color, component: Component, square: Square) {
        self.sets[component.index()] ^= square.bit();
        let piece = &mut self.board[square.index()];
        *piece = piece.toggled(component);
        self.hash ^= zobrist::piece(color, Piece::of(component), square);
    }

    /// Records the passed square if the side to move can capture there.
    pub(super) fn set_en_passant(&mut self, square: Square) {
        let capturers = self.en_passant_capturers(square);
        self.en_passant = capturers.any().then_some(square).into();
        self.hash ^= zobrist::en_passant(self.en_passant);
    }

    /// Returns the Pawns of the side to move that may legally capture on the passed square.
    pub(super) fn en_passant_capturers(&self, square: Square) -> Bitboard {
        let (us, them) = (self.side, !self.side);
        let royal = self.royal(us);
        // The Pawn stands in front of the square, seen from its own side.
        let passed = Square::at(square.file(), us.rank(us.rank(square.rank()) - 1));
        let pawns = attacks::pawn(them, square) & self.component(Component::Pawn) & self.color(us);
        pawns
            .filter(|pawn| {
                let occupied = self.occupied() ^ pawn.bit() ^ square.bit() ^ passed.bit();
                (self.attackers(royal, them, occupied) & !passed.bit()).is_empty()
            })
            .collect()
    }
}
