//! A position: component bitboards, state and attack queries.

use super::attacks;
use super::bitboard::{Bitboard, Square};
use super::piece::{Color, Component, Piece};
use super::zobrist;
use crate::rules::{RuleSet, Stalemate};

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
    /// Returns the two rights of a colour.
    pub(crate) fn of(color: Color) -> &'static [Castle] {
        static ALL: [Castle; 4] = CASTLES;
        &ALL[color.index() * 2..color.index() * 2 + 2]
    }
}

/// The largest clock and move number in a FEN. Both stop counting there.
pub(super) const FEN_LIMIT: u16 = 9999;

/// Number of sets of squares in a position.
pub(super) const SETS: usize = 8;

/// Returns the index of a colour's set of squares.
#[inline]
pub(super) const fn color_set(color: Color) -> usize {
    Component::COUNT + color.index()
}

/// A square or none, in one byte: an `Option` takes two, which would make positions longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MaybeSquare(u8);

impl MaybeSquare {
    pub(super) const NONE: Self = Self(64);

    #[inline]
    pub(super) fn get(self) -> Option<Square> {
        (self != Self::NONE).then(|| Square::new(self.index()))
    }

    /// Returns the index of the square, or 64.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<Option<Square>> for MaybeSquare {
    #[inline]
    fn from(square: Option<Square>) -> Self {
        square.map_or(Self::NONE, |square| Self(square.index() as u8))
    }
}

/// The steps that Pawns may make. They decide which moves of Pawns are progress: those that no step
/// of a Pawn can undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PawnSteps {
    /// Only ahead: every move of a Pawn is progress.
    Forward,
    /// Also sideways: moves ahead are progress.
    Sideways,
    /// Also back: no move of a Pawn is progress in itself.
    Back,
}

impl PawnSteps {
    pub(crate) fn of(rules: &RuleSet) -> Self {
        match rules {
            RuleSet { pawn_back: true, .. } => Self::Back,
            RuleSet { pawn_sideways: true, .. } => Self::Sideways,
            _ => Self::Forward,
        }
    }
}

/// A position without its rule set and history.
///
/// Every value of this type came from a valid FEN or from a legal move: each side has
/// exactly one royal piece and the side not to move is not in check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The squares of each component, then of each colour.
    pub(super) sets: [Bitboard; SETS],
    /// The piece on each square. This repeats `sets` in a form for fast lookup.
    pub(super) board: [Piece; 64],
    pub(super) hash: u64,
    pub(super) side: Color,
    pub(super) castling: u8,
    /// Set only if an en-passant capture is legal, because repetition compares it.
    pub(super) en_passant: MaybeSquare,
    pub(super) halfmove_clock: u16,
    pub(super) fullmove: u16,
    /// The rules' steps of Pawns, on which the clock depends.
    pub(crate) pawn_steps: PawnSteps,
}

impl Position {
    /// Builds a position from components, without castling rights and with its clocks at their
    /// start. Components that share a square are one piece.
    ///
    /// The position need not be possible. The caller has to ensure that each side has one royal
    /// piece, that components on one square belong to one side, and that the side not to move is
    /// not in check. If a side does not have exactly one royal piece, the results of other methods
    /// are meaningless.
    #[must_use]
    pub fn of_components(
        components: impl IntoIterator<Item = (Color, Component, Square)>,
        side: Color,
    ) -> Self {
        let mut position = Self::empty(side);
        for (color, component, square) in components {
            position.put(color, component, square);
        }
        if side == Color::Black {
            position.hash ^= zobrist::side();
        }
        position
    }

    /// Returns an empty board, which is not a valid position yet. The caller completes the hash.
    pub(super) fn empty(side: Color) -> Self {
        Self {
            sets: [Bitboard::EMPTY; SETS],
            board: [Piece::NONE; 64],
            hash: 0,
            side,
            castling: 0,
            en_passant: MaybeSquare::NONE,
            halfmove_clock: 0,
            fullmove: 1,
            pawn_steps: PawnSteps::Forward,
        }
    }

    /// Adds a component to the piece on a square.
    pub(super) fn put(&mut self, color: Color, component: Component, square: Square) {
        self.toggle(color, component, square);
        self.sets[color_set(color)] |= square.bit();
    }

    /// Returns the squares on which two positions differ.
    #[inline]
    pub(crate) fn difference(&self, other: &Self) -> Bitboard {
        let sets = self.sets.iter().zip(other.sets);
        sets.fold(Bitboard::EMPTY, |differ, (&a, b)| differ | a ^ b)
    }

    /// Returns the side to move.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// Returns the squares of all pieces of a colour.
    #[inline]
    #[must_use]
    pub fn color(&self, color: Color) -> Bitboard {
        self.sets[color_set(color)]
    }

    /// Returns the squares of all pieces with this component.
    #[inline]
    #[must_use]
    pub fn component(&self, component: Component) -> Bitboard {
        self.sets[component.index()]
    }

    /// Returns all squares that are not empty.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.color(Color::White) | self.color(Color::Black)
    }

    /// Returns the squares of pieces of two components or more.
    #[inline]
    #[must_use]
    pub fn compounds(&self) -> Bitboard {
        let [king, rook, bishop, knight, _, mann, ..] = self.sets;
        let (one, other) = (king | rook, bishop | knight);
        one & other | king & rook | bishop & knight | (one | other) & mann
    }

    /// Returns the squares of pieces of three components or more.
    #[inline]
    #[must_use]
    pub fn triples(&self) -> Bitboard {
        let [king, rook, bishop, knight, _, mann, ..] = self.sets;
        let add =
            |[one, two, three]: [Bitboard; 3], set| [one | set, two | one & set, three | two & set];
        [king, rook, bishop, knight, mann].into_iter().fold([Bitboard::EMPTY; 3], add)[2]
    }

    /// Returns the piece on a square, or [`Piece::NONE`].
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Piece {
        self.board[square.index()]
    }

    /// Returns the colour of the piece on a square.
    #[inline]
    #[must_use]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.color(*color).has(square))
    }

    /// Returns whether a colour has only a King that is not fused.
    #[inline]
    #[must_use]
    pub fn is_bare(&self, color: Color) -> bool {
        !self.color(color).many() && self.piece_on(self.royal(color)).len() == 1
    }

    /// Returns the square of a colour's royal piece.
    #[inline]
    #[must_use]
    pub fn royal(&self, color: Color) -> Square {
        let royal = self.component(Component::King) & self.color(color);
        royal.first().unwrap_or(Square::new(0))
    }

    /// Returns the square passed by a Pawn that can legally be captured en passant.
    #[inline]
    #[must_use]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant.get()
    }

    /// Returns the castling rights: bits 0 to 3 for FEN's K, Q, k, q.
    #[inline]
    #[must_use]
    pub fn castling_rights(&self) -> u8 {
        self.castling
    }

    /// Returns the plies since the last progress: a capture, a promotion, or a step of a Pawn that no
    /// step can undo.
    #[inline]
    #[must_use]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Returns the number of the current move, counted from 1.
    #[inline]
    #[must_use]
    pub fn fullmove(&self) -> u16 {
        self.fullmove
    }

    /// Returns the hash of the state that repetition compares: placement, side to move, castling
    /// rights and the en-passant square.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Computes the hash again from the position. It always equals [`Position::hash`].
    #[must_use]
    pub fn fresh_hash(&self) -> u64 {
        let mut hash = zobrist::castling(self.castling) ^ zobrist::en_passant(self.en_passant);
        if self.side == Color::Black {
            hash ^= zobrist::side();
        }
        for color in Color::ALL {
            for component in Component::ALL {
                for square in self.component(component) & self.color(color) {
                    hash ^= zobrist::piece(color, Piece::of(component), square);
                }
            }
        }
        hash
    }

    /// Returns the pieces of a colour that attack a square, given the squares that block lines.
    ///
    /// Attack is geometric: pins and through-check limits do not weaken it.
    #[inline]
    #[must_use]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let [king, rook, bishop, knight, pawn, mann, ..] = self.sets;
        (attacks::rook(square, occupied) & rook
            | attacks::bishop(square, occupied) & bishop
            | attacks::knight(square) & knight
            | attacks::king(square) & (king | mann)
            | attacks::pawn(!by, square) & pawn)
            & self.color(by)
    }

    /// Returns the pieces of both colours that attack a square, given the squares that block lines.
    #[inline]
    #[must_use]
    pub(crate) fn attackers_of_both(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [king, rook, bishop, knight, pawn, mann, white, black] = self.sets;
        attacks::rook(square, occupied) & rook
            | attacks::bishop(square, occupied) & bishop
            | attacks::knight(square) & knight
            | attacks::king(square) & (king | mann)
            | attacks::pawn(Color::Black, square) & pawn & white
            | attacks::pawn(Color::White, square) & pawn & black
    }

    /// Returns the enemy pieces that give check.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.attackers(self.royal(self.side), !self.side, self.occupied())
    }

    /// Returns whether the side to move is in check.
    #[inline]
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// Returns whether neither side can ever win: King against King, or King and one Bishop or
    /// Knight (fused or not) against King, unless the piece may change by metamorphosis or stalemate
    /// wins.
    #[must_use]
    pub fn is_dead(&self, rules: &RuleSet) -> bool {
        let [_, rook, bishop, knight, pawn, mann, ..] = self.sets;
        let most = if rules.metamorph || rules.stalemate == Stalemate::Win { 0 } else { 1 };
        (rook | pawn | mann).is_empty() && bishop.len() + knight.len() <= most
    }

    /// Returns the same position with the colours exchanged and the board turned over.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let flip = |set: Bitboard| Bitboard(set.0.swap_bytes());
        let mut flipped = Self {
            sets: self.sets.map(flip),
            board: std::array::from_fn(|i| self.board[i ^ 56]),
            side: !self.side,
            castling: self.castling >> 2 | (self.castling & 3) << 2,
            en_passant: self.en_passant().map(Square::flip_rank).into(),
            ..*self
        };
        flipped.sets.swap(color_set(Color::White), color_set(Color::Black));
        flipped.hash = flipped.fresh_hash();
        flipped
    }
}
