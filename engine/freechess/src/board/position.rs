//! Positions: pieces, reserves, side to move, shield, and the turn that is under way.

use super::{Bitboard, Kind, Piece, SQUARES, Square};
use crate::rules::RuleSet;
use fusion_game::Side;

/// What the side to move has done in its turn so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Nothing.
    Start,
    /// A piece has moved and can go on (rule 11).
    Move {
        /// Where it began the turn.
        origin: Square,
        /// Where it stands.
        at: Square,
        /// The used attributes that it still has.
        used: Piece,
        /// Whether it has captured anything, friend or enemy.
        captured: bool,
    },
    /// A piece is splitting (rules 23 to 26).
    Split {
        /// Where it stood.
        origin: Square,
        /// Attributes that have been lifted from there and are off the board.
        hand: Piece,
    },
}

/// A position, without its rules and its history.
///
/// ```
/// use fusion_freechess::board::Position;
/// use fusion_freechess::rules::RuleSet;
///
/// let rules: RuleSet = "freechess-7".parse().unwrap();
/// let start = Position::start(&rules);
/// assert_eq!(start.to_text(), "7/7/7/7/7/7/7 w KRB2N3P5C/krb2n3p5c - -");
/// assert_eq!(Position::from_text(&rules, &start.to_text()).unwrap(), start);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pieces: [Piece; SQUARES],
    /// By side: its squares.
    sides: [Bitboard; 2],
    /// By side and kind: the squares of pieces that have it.
    kinds: [[Bitboard; Kind::COUNT]; 2],
    /// By side: the attributes on the board.
    placed: [Piece; 2],
    pub(super) reserves: [Piece; 2],
    /// Hash of the pieces.
    hash: u64,
    board: Bitboard,
    pub(super) side: Side,
    pub(super) shield: Option<(Kind, Square)>,
    pub(super) turn: Turn,
    size: u8,
}

/// Returns the place of a side's data.
#[inline]
pub(super) const fn place(side: Side) -> usize {
    match side {
        Side::First => 0,
        Side::Second => 1,
    }
}

/// Mixes the bits of a number: the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
#[inline]
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the key of a multiset. `what` tells apart pieces, reserves and the parts of a turn; it is
/// below 2^32.
#[inline]
const fn key(what: usize, piece: Piece) -> u64 {
    mix((what as u64) << 32 | piece.bits() as u64)
}

// What keys are for, after the squares of both sides.
const RESERVES: usize = 2 * SQUARES;
const SHIELD: usize = RESERVES + 2;
const MOVE: usize = SHIELD + SQUARES;
const SPLIT: usize = MOVE + 2 * SQUARES * SQUARES;
const SECOND: u64 = mix(u64::MAX);

impl Position {
    /// Returns the initial position: an empty board.
    #[must_use]
    pub fn start(rules: &RuleSet) -> Self {
        Self {
            pieces: [Piece::NONE; SQUARES],
            sides: [Bitboard::EMPTY; 2],
            kinds: [[Bitboard::EMPTY; Kind::COUNT]; 2],
            placed: [Piece::NONE; 2],
            reserves: [rules.start_reserve(); 2],
            hash: 0,
            board: Bitboard::board(rules.size()),
            side: Side::First,
            shield: None,
            turn: Turn::Start,
            size: rules.size() as u8,
        }
    }

    /// Returns the number of squares on a side of the board.
    #[inline]
    #[must_use]
    pub fn size(&self) -> usize {
        self.size.into()
    }

    /// Returns all squares of the board.
    #[inline]
    #[must_use]
    pub fn board(&self) -> Bitboard {
        self.board
    }

    /// Returns the piece on a square, of either side; [`Piece::NONE`] if there is none.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Piece {
        self.pieces[square.index()]
    }

    /// Returns whose piece stands on a square.
    #[inline]
    #[must_use]
    pub fn side_on(&self, square: Square) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|&side| self.of(side).has(square))
    }

    /// Returns the squares of a side's pieces.
    #[inline]
    #[must_use]
    pub fn of(&self, side: Side) -> Bitboard {
        self.sides[place(side)]
    }

    /// Returns the squares of a side's pieces that have a kind.
    #[inline]
    #[must_use]
    pub fn with(&self, side: Side, kind: Kind) -> Bitboard {
        self.kinds[place(side)][kind as usize]
    }

    /// Returns the squares of a side's pieces that have a combinator and nothing else.
    #[inline]
    pub(super) fn lone_combinators(&self, side: Side) -> Bitboard {
        let others =
            Kind::MOVING.into_iter().fold(Bitboard::EMPTY, |all, kind| all | self.with(side, kind));
        self.with(side, Kind::Combinator) & !others
    }

    /// Returns all occupied squares.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// Returns the squares of the board without a piece.
    #[inline]
    #[must_use]
    pub fn empty(&self) -> Bitboard {
        self.board & !self.occupied()
    }

    /// Returns the square of a side's royal piece, if it is on the board.
    #[inline]
    #[must_use]
    pub fn royal(&self, side: Side) -> Option<Square> {
        self.with(side, Kind::Royal).first()
    }

    /// Returns whether a side may capture (rule 15).
    #[inline]
    #[must_use]
    pub fn may_capture(&self, rules: &RuleSet, side: Side) -> bool {
        !rules.royal_to_capture || self.royal(side).is_some()
    }

    /// Returns a side's reserve.
    #[inline]
    #[must_use]
    pub fn reserve(&self, side: Side) -> Piece {
        self.reserves[place(side)]
    }

    /// Returns a side's attributes on the board.
    #[inline]
    #[must_use]
    pub fn placed(&self, side: Side) -> Piece {
        self.placed[place(side)]
    }

    /// Returns all attributes of a side: on the board, in the reserve and in the hand.
    #[must_use]
    pub fn owned(&self, side: Side) -> Piece {
        let hand = match self.turn {
            Turn::Split { hand, .. } if side == self.side => hand,
            _ => Piece::NONE,
        };
        self.placed(side).plus(self.reserve(side)).plus(hand)
    }

    /// Returns the side to move.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Side {
        self.side
    }

    /// Returns the kind and the square that rule 7 protects.
    #[inline]
    #[must_use]
    pub fn shield(&self) -> Option<(Kind, Square)> {
        self.shield
    }

    /// Returns what the side to move has done in its turn so far.
    #[inline]
    #[must_use]
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// Returns a hash of everything that the position's text tells.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = self.material_hash();
        if self.side == Side::Second {
            hash ^= SECOND;
        }
        if let Some((kind, square)) = self.shield {
            hash ^= key(SHIELD + square.index(), Piece::of(kind));
        }
        hash ^ match self.turn {
            Turn::Start => 0,
            Turn::Move { origin, at, used, captured } => {
                let squares = origin.index() * SQUARES + at.index();
                key(MOVE + 2 * squares + usize::from(captured), used)
            }
            Turn::Split { origin, hand } => key(SPLIT + origin.index(), hand),
        }
    }

    /// Returns a hash of pieces and reserves.
    #[inline]
    pub(super) fn material_hash(&self) -> u64 {
        let [white, black] = self.reserves;
        self.hash ^ key(RESERVES, white) ^ key(RESERVES + 1, black)
    }

    /// Returns a hash of a part of the position: White's pieces, Black's pieces, or what lies beside
    /// the board.
    pub(crate) fn part_hash(&self, part: usize) -> u64 {
        let beside = |side| key(RESERVES + place(side), self.reserve(side));
        match part {
            0 => self.pieces_hash(Side::First),
            1 => self.pieces_hash(Side::Second),
            _ => beside(Side::First) ^ beside(Side::Second),
        }
    }

    fn pieces_hash(&self, side: Side) -> u64 {
        self.of(side).into_iter().fold(0, |hash, square| hash ^ self.piece_key(side, square))
    }

    /// Gives the turn to the other side, at the start of a turn. The rules know no pass.
    pub(crate) fn pass(&mut self) {
        self.end_turn(None);
    }

    #[inline]
    fn piece_key(&self, side: Side, square: Square) -> u64 {
        key(place(side) * SQUARES + square.index(), self.piece_on(square))
    }

    /// Puts a piece, which is not empty, on an empty square.
    #[inline]
    pub(super) fn put(&mut self, side: Side, square: Square, piece: Piece) {
        let side_place = place(side);
        self.pieces[square.index()] = piece;
        self.sides[side_place] = self.sides[side_place].with(square);
        for kind in piece.kinds() {
            let set = &mut self.kinds[side_place][kind as usize];
            *set = set.with(square);
        }
        self.placed[side_place] = self.placed[side_place].plus(piece);
        self.hash ^= self.piece_key(side, square);
    }

    /// Takes a side's piece off its square and returns it.
    #[inline]
    pub(super) fn take(&mut self, side: Side, square: Square) -> Piece {
        let piece = self.piece_on(square);
        let side_place = place(side);
        self.hash ^= self.piece_key(side, square);
        self.pieces[square.index()] = Piece::NONE;
        self.sides[side_place] = self.sides[side_place].without(square);
        for kind in piece.kinds() {
            let set = &mut self.kinds[side_place][kind as usize];
            *set = set.without(square);
        }
        self.placed[side_place] = self.placed[side_place].minus(piece);
        piece
    }

    /// Replaces a side's piece on a square, which stays empty if the new piece is.
    #[inline]
    pub(super) fn replace(&mut self, side: Side, square: Square, piece: Piece) {
        if self.of(side).has(square) {
            self.take(side, square);
        }
        if !piece.is_empty() {
            self.put(side, square, piece);
        }
    }

    /// Ends the turn.
    #[inline]
    pub(super) fn end_turn(&mut self, shield: Option<(Kind, Square)>) {
        self.side = self.side.other();
        self.shield = shield;
        self.turn = Turn::Start;
    }
}
