//! A position: component bitboards, state, attack queries and making moves.

use super::attacks;
use super::bitboard::{Bitboard, Square};
use super::moves::{Move, MoveKind};
use super::piece::{Color, Component, Piece};
use super::zobrist;

/// A right to castle, one bit each, as in FEN's `KQkq`.
pub(crate) struct Castle {
    pub(crate) bit: u8,
    pub(crate) letter: char,
    pub(crate) king_from: Square,
    pub(crate) king_to: Square,
    pub(crate) rook_from: Square,
    pub(crate) rook_to: Square,
}

/// Each right with its squares: White's, then Black's; King's side, then Queen's.
pub(crate) const CASTLES: [Castle; 4] = {
    const fn castle(index: usize, letter: char, rank: usize, files: [usize; 3]) -> Castle {
        Castle {
            bit: 1 << index,
            letter,
            king_from: Square::at(4, rank),
            king_to: Square::at(files[0], rank),
            rook_from: Square::at(files[1], rank),
            rook_to: Square::at(files[2], rank),
        }
    }
    [
        castle(0, 'K', 0, [6, 7, 5]),
        castle(1, 'Q', 0, [2, 0, 3]),
        castle(2, 'k', 7, [6, 7, 5]),
        castle(3, 'q', 7, [2, 0, 3]),
    ]
};

impl Castle {
    /// The two rights of a colour.
    pub(crate) fn of(color: Color) -> &'static [Castle] {
        static ALL: [Castle; 4] = CASTLES;
        &ALL[color.index() * 2..color.index() * 2 + 2]
    }
}

/// The largest clock and move number that FEN is read with; both stop there.
pub(super) const FEN_LIMIT: u16 = 9999;

/// The rights that remain after something moved from or to a square.
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

/// A position without its rule set and history.
///
/// Every value of this type came from a valid FEN or from a legal move: each side has
/// exactly one royal piece and the side not to move is not in check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub(super) components: [Bitboard; Component::COUNT],
    pub(super) colors: [Bitboard; 2],
    pub(super) hash: u64,
    pub(super) side: Color,
    pub(super) castling: u8,
    /// Set only if an en-passant capture is legal: that is what repetition compares.
    pub(super) en_passant: Option<Square>,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove: u16,
}

impl Position {
    /// The side to move.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// The squares of all pieces of a colour.
    #[inline]
    #[must_use]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of all pieces with this component.
    #[inline]
    #[must_use]
    pub fn component(&self, component: Component) -> Bitboard {
        self.components[component.index()]
    }

    /// All squares that are not empty.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares of pieces of two components.
    #[inline]
    #[must_use]
    pub fn compounds(&self) -> Bitboard {
        let [king, rook, bishop, knight, _] = self.components;
        let (one, other) = (king | rook, bishop | knight);
        one & other | king & rook | bishop & knight
    }

    /// What stands on a square; [`Piece::NONE`] if nothing.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Piece {
        Component::ALL
            .into_iter()
            .filter(|component| self.component(*component).has(square))
            .fold(Piece::NONE, Piece::with)
    }

    /// The colour of the piece on a square.
    #[inline]
    #[must_use]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.color(*color).has(square))
    }

    /// The square of a colour's royal piece.
    #[inline]
    #[must_use]
    pub fn royal(&self, color: Color) -> Square {
        let royal = self.component(Component::King) & self.color(color);
        royal.first().unwrap_or(Square::new(0))
    }

    /// The square passed by a Pawn that can legally be captured en passant.
    #[inline]
    #[must_use]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Castling rights: bits 0 to 3 for FEN's K, Q, k, q.
    #[inline]
    #[must_use]
    pub fn castling_rights(&self) -> u8 {
        self.castling
    }

    /// Plies since the last capture or Pawn move.
    #[inline]
    #[must_use]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the current move, counted from 1.
    #[inline]
    #[must_use]
    pub fn fullmove(&self) -> u16 {
        self.fullmove
    }

    /// Hash of what repetition compares: placement, side to move, castling rights and
    /// the en-passant square.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The hash computed afresh; always equal to [`Position::hash`].
    #[must_use]
    pub fn fresh_hash(&self) -> u64 {
        let mut hash = zobrist::castling(self.castling) ^ zobrist::en_passant(self.en_passant);
        if self.side == Color::Black {
            hash ^= zobrist::side();
        }
        for color in Color::ALL {
            for component in Component::ALL {
                for square in self.component(component) & self.color(color) {
                    hash ^= zobrist::component(color, component, square);
                }
            }
        }
        hash
    }

    /// The pieces of a colour that attack a square, given what blocks lines.
    ///
    /// Attack is geometric: pins and through-check limits do not weaken it.
    #[inline]
    #[must_use]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let [king, rook, bishop, knight, pawn] = self.components;
        (attacks::rook(square, occupied) & rook
            | attacks::bishop(square, occupied) & bishop
            | attacks::knight(square) & knight
            | attacks::king(square) & king
            | attacks::pawn(!by, square) & pawn)
            & self.color(by)
    }

    /// The enemy pieces that give check.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.attackers(self.royal(self.side), !self.side, self.occupied())
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// Whether neither side can ever mate: King against King, or King and one Bishop or
    /// Knight (fused or not) against King.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        let [_, rook, bishop, knight, pawn] = self.components;
        (rook | pawn).is_empty() && bishop.len() + knight.len() <= 1
    }

    #[inline]
    pub(super) fn toggle(&mut self, color: Color, component: Component, square: Square) {
        self.components[component.index()] ^= square.bit();
        self.hash ^= zobrist::component(color, component, square);
    }

    /// Moves a whole piece and removes what it captures. A fusion is the same: the
    /// target is friendly and stays.
    fn move_piece(&mut self, from: Square, to: Square) -> bool {
        let (us, them) = (self.side, !self.side);
        let capture = self.color(them).has(to);
        for component in Component::ALL {
            let squares = self.component(component);
            if capture && squares.has(to) {
                self.toggle(them, component, to);
            }
            if squares.has(from) {
                self.toggle(us, component, from);
                self.toggle(us, component, to);
            }
        }
        self.colors[them.index()] &= !to.bit();
        self.colors[us.index()] &= !from.bit();
        self.colors[us.index()] |= to.bit();
        capture
    }

    /// Makes a legal move. The position after an illegal move is unspecified.
    pub fn play(&mut self, mv: Move) {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        let pawn_move = self.component(Component::Pawn).has(from);
        self.hash ^= zobrist::castling(self.castling) ^ zobrist::en_passant(self.en_passant);
        self.en_passant = None;
        self.castling &= RIGHTS_KEPT[from.index()] & RIGHTS_KEPT[to.index()];

        let mut capture = false;
        match mv.kind() {
            MoveKind::Plain | MoveKind::Fusion => capture = self.move_piece(from, to),
            MoveKind::Fission(component) => {
                self.toggle(us, component, from);
                self.toggle(us, component, to);
                self.colors[us.index()] |= to.bit();
            }
            MoveKind::Promotion(piece) => {
                self.move_piece(from, to);
                self.toggle(us, Component::Pawn, to);
                piece.components().for_each(|component| self.toggle(us, component, to));
            }
            MoveKind::EnPassant => {
                self.move_piece(from, to);
                let passed = Square::at(to.file(), from.rank());
                self.toggle(!us, Component::Pawn, passed);
                self.colors[(!us).index()] &= !passed.bit();
            }
            MoveKind::Castling => {
                self.move_piece(from, to);
                if let Some(castle) = Castle::of(us).iter().find(|castle| castle.king_to == to) {
                    self.move_piece(castle.rook_from, castle.rook_to);
                }
            }
        }

        self.halfmove_clock =
            if pawn_move || capture { 0 } else { (self.halfmove_clock + 1).min(FEN_LIMIT) };
        if us == Color::Black {
            self.fullmove = (self.fullmove + 1).min(FEN_LIMIT);
        }
        self.side = !us;
        self.hash ^= zobrist::side();
        if pawn_move && from.index().abs_diff(to.index()) == 16 {
            self.set_en_passant(Square::new(from.index().midpoint(to.index())));
        }
        self.hash ^= zobrist::castling(self.castling) ^ zobrist::en_passant(self.en_passant);
    }

    /// Records the passed square if the side to move can capture there.
    pub(super) fn set_en_passant(&mut self, square: Square) {
        let capturers = self.en_passant_capturers(square);
        self.en_passant = capturers.any().then_some(square);
    }

    /// The Pawns of the side to move that may legally capture on the passed square.
    pub(super) fn en_passant_capturers(&self, square: Square) -> Bitboard {
        let (us, them) = (self.side, !self.side);
        let royal = self.royal(us);
        let passed = Square::at(square.file(), us.rank(4));
        let pawns = attacks::pawn(them, square) & self.component(Component::Pawn) & self.color(us);
        pawns
            .filter(|pawn| {
                let occupied = self.occupied() ^ pawn.bit() ^ square.bit() ^ passed.bit();
                (self.attackers(royal, them, occupied) & !passed.bit()).is_empty()
            })
            .collect()
    }

    /// The same position with the colours exchanged and the board turned over.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let flip = |set: Bitboard| Bitboard(set.0.swap_bytes());
        let mut flipped = Self {
            components: self.components.map(flip),
            colors: [flip(self.colors[1]), flip(self.colors[0])],
            side: !self.side,
            castling: self.castling >> 2 | (self.castling & 3) << 2,
            en_passant: self.en_passant.map(Square::flip_rank),
            ..*self
        };
        flipped.hash = flipped.fresh_hash();
        flipped
    }
}
