//! Positions: what stands where, and all that the next moves depend on.

use super::Tables;
use super::movement::for_each;
use crate::definition::{Kind, MOST_KINDS, MOST_SQUARES, Squares};

/// The bit of a cell that says that the piece is the second side's.
const SECOND: u8 = 64;

/// The origin of a piece that a Pawn has promoted to. Other origins are the kind before, plus 1.
pub(crate) const FROM_PAWN: u8 = u8::MAX;

/// The castling rights: bit `2 * side` for the kingside, the next one for the queenside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    pub bits: u8,
    /// By side: the square of the King.
    pub king: [u8; 2],
    /// By bit: the square of the Rook.
    pub rook: [u8; 4],
}

impl Rights {
    /// Returns whether a side may castle on the kingside, and on the queenside.
    pub fn of(self, side: usize) -> [bool; 2] {
        [0, 1].map(|wing| self.bits >> (2 * side + wing) & 1 == 1)
    }
}

/// Parts of a position that a move replaces and that are copied to take it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub rights: Rights,
    /// Squares where a capture in passing may go.
    pub passing: Squares,
    /// By side: checks left to win.
    pub checks: [u8; 2],
    /// Plies without progress.
    pub clock: u16,
    /// Limit and number of the plies that a counting rule counts; a limit of 0 if none is in force.
    pub counting: [u16; 2],
    /// Number of passes in a row until now.
    pub passes: u16,
    /// Whether the last move dropped a Pawn of Shogi.
    pub dropped_pawn: bool,
    pub hash: u64,
}

/// A position of a game that a definition defines. It does not know its definition: functions take its
/// [`Tables`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// By square: 0, or the kind plus 1, with the bit of the second side.
    cells: [u8; MOST_SQUARES],
    /// By square: what a promoted piece was before; 0 if it is not promoted.
    origins: [u8; MOST_SQUARES],
    pub(crate) sides: [Squares; 2],
    pub(crate) kinds: [Squares; MOST_KINDS],
    /// Missing squares.
    pub(crate) walls: Squares,
    pub(crate) hands: [[u8; MOST_KINDS]; 2],
    pub(crate) side: usize,
    /// Plies since the first one of move 1.
    pub(crate) ply: u32,
    pub(crate) state: State,
}

impl Position {
    /// Returns an empty board with the first side to move.
    pub(crate) fn empty() -> Self {
        Self {
            cells: [0; MOST_SQUARES],
            origins: [0; MOST_SQUARES],
            sides: [0; 2],
            kinds: [0; MOST_KINDS],
            walls: 0,
            hands: [[0; MOST_KINDS]; 2],
            side: 0,
            ply: 0,
            state: State {
                rights: Rights::default(),
                passing: 0,
                checks: [0; 2],
                clock: 0,
                counting: [0; 2],
                passes: 0,
                dropped_pawn: false,
                hash: 0,
            },
        }
    }

    /// Returns the side to move: 0 or 1.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> usize {
        self.side
    }

    /// Returns the side and the kind of the piece on a square.
    #[inline]
    #[must_use]
    pub fn piece(&self, square: usize) -> Option<(usize, Kind)> {
        let cell = self.cells[square];
        (cell != 0).then(|| (usize::from(cell & SECOND != 0), (cell & (SECOND - 1)) - 1))
    }

    /// Returns what the piece on a square was before it was promoted: [`FROM_PAWN`], or a kind plus 1.
    #[inline]
    pub(crate) fn origin(&self, square: usize) -> u8 {
        self.origins[square]
    }

    /// Returns the occupied squares, missing ones included.
    #[inline]
    pub(crate) fn occupied(&self) -> Squares {
        self.sides[0] | self.sides[1] | self.walls
    }

    /// Returns the squares of a side's pieces of a kind.
    #[inline]
    pub(crate) fn of(&self, side: usize, kind: Kind) -> Squares {
        self.sides[side] & self.kinds[usize::from(kind)]
    }

    /// Returns the number of pieces of a kind that a side has on the board and in the hand.
    pub(crate) fn owned(&self, side: usize, kind: Kind) -> u32 {
        self.of(side, kind).count_ones() + u32::from(self.hands[side][usize::from(kind)])
    }

    /// Returns the number of pieces that a side has on the board and in the hand.
    pub(crate) fn owned_in_all(&self, side: usize) -> u32 {
        let hand: u32 = self.hands[side].iter().map(|&count| u32::from(count)).sum();
        self.sides[side].count_ones() + hand
    }

    /// Returns how many pieces of a kind a side has in the hand.
    #[must_use]
    pub fn in_hand(&self, side: usize, kind: Kind) -> u8 {
        self.hands[side][usize::from(kind)]
    }

    /// Returns the square of a side's royal piece: its King, or a compound with it.
    #[inline]
    pub(crate) fn king(&self, tables: &Tables, side: usize) -> Option<usize> {
        let mut king = self.of(side, tables.king?);
        if king == 0 {
            king = self.royals(tables, side);
        }
        (king != 0).then(|| king.trailing_zeros() as usize)
    }

    /// Returns the squares of a side's royal pieces.
    pub(crate) fn royals(&self, tables: &Tables, side: usize) -> Squares {
        Tables::kinds(tables.royals).fold(0, |set, kind| set | self.of(side, kind))
    }

    /// Returns the squares of Janggi Cannons.
    #[inline]
    pub(crate) fn cannons(&self, tables: &Tables) -> Squares {
        tables.cannon.map_or(0, |kind| self.kinds[usize::from(kind)])
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(crate) fn put(
        &mut self,
        tables: &Tables,
        square: usize,
        (side, kind): (usize, Kind),
        origin: u8,
    ) {
        self.cells[square] = kind + 1 + if side == 0 { 0 } else { SECOND };
        self.origins[square] = origin;
        self.toggle(tables, square, (side, kind), origin);
    }

    /// Takes the piece off a square, and returns it and its origin.
    #[inline]
    pub(crate) fn lift(&mut self, tables: &Tables, square: usize) -> ((usize, Kind), u8) {
        let piece = self.piece(square).unwrap_or_default();
        let origin = self.origins[square];
        self.cells[square] = 0;
        self.origins[square] = 0;
        self.toggle(tables, square, piece, origin);
        (piece, origin)
    }

    #[inline]
    fn toggle(&mut self, tables: &Tables, square: usize, (side, kind): (usize, Kind), origin: u8) {
        self.sides[side] ^= 1 << square;
        self.kinds[usize::from(kind)] ^= 1 << square;
        self.state.hash ^= tables.keys.pieces[place(side, kind, square)];
        if origin != 0 {
            self.state.hash ^= tables.keys.promoted[square];
        }
    }

    /// Sets the number of pieces of a kind in a hand.
    pub(crate) fn set_hand(&mut self, tables: &Tables, side: usize, kind: Kind, count: u8) {
        let held = &mut self.hands[side][usize::from(kind)];
        let key =
            |count: u8| tables.keys.hands[place(side, kind, usize::from(count) % MOST_SQUARES)];
        self.state.hash ^= key(*held) ^ key(count);
        *held = count;
    }

    /// Sets the castling rights.
    pub(crate) fn set_rights(&mut self, tables: &Tables, rights: Rights) {
        for bit in 0..4 {
            if (self.state.rights.bits ^ rights.bits) >> bit & 1 == 1 {
                self.state.hash ^= tables.keys.castling[bit];
            }
        }
        self.state.rights = rights;
    }

    /// Sets the squares of captures in passing.
    pub(crate) fn set_passing(&mut self, tables: &Tables, squares: Squares) {
        for_each(self.state.passing ^ squares, |square| {
            self.state.hash ^= tables.keys.passing[square];
        });
        self.state.passing = squares;
    }

    /// Sets the number of checks that a side has left.
    pub(crate) fn set_checks(&mut self, tables: &Tables, side: usize, left: u8) {
        let keys = &tables.keys.checks[side];
        let before = usize::from(self.state.checks[side]);
        self.state.hash ^= keys[before % 16] ^ keys[usize::from(left) % 16];
        self.state.checks[side] = left;
    }

    /// Sets the number of passes in a row.
    pub(crate) fn set_passes(&mut self, tables: &Tables, passes: u16) {
        let key = |passes: u16| {
            if passes == 0 { 0 } else { tables.keys.passes[usize::from(passes.min(2)) - 1] }
        };
        self.state.hash ^= key(self.state.passes) ^ key(passes);
        self.state.passes = passes;
    }

    /// Passes the turn to the other side.
    #[inline]
    pub(crate) fn switch(&mut self, tables: &Tables) {
        self.side ^= 1;
        self.state.hash ^= tables.keys.side;
    }

    /// Returns a hash of all that the next moves depend on.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.state.hash
    }
}

/// Returns the place of a key.
#[inline]
fn place(side: usize, kind: Kind, number: usize) -> usize {
    (side * MOST_KINDS + usize::from(kind)) * MOST_SQUARES + number
}
