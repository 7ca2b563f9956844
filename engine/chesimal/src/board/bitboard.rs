//! Squares and sets of squares.

use std::fmt::{self, Debug, Display};
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};
use std::str::FromStr;

/// Number of files of the large board, and of squares in a row of a [`Bitboard`].
pub const FILES: usize = 16;
/// Number of ranks of the large board.
pub const RANKS: usize = 12;
/// Number of squares of the large board.
pub const SQUARES: usize = FILES * RANKS;

/// A square of the large board: a1 is 0, b1 is 1, a2 is 16, p12 is 191. The small board is its
/// corner at a1.
///
/// ```
/// use fusion_chesimal::board::Square;
///
/// let square: Square = "p10".parse().unwrap();
/// assert_eq!((square.file(), square.rank()), (15, 9));
/// assert_eq!(square.to_string(), "p10");
/// assert!("q1".parse::<Square>().is_err() && "a01".parse::<Square>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// Returns the square on this file and rank, both counted from 0; `None` if there is none.
    #[must_use]
    pub const fn at(file: usize, rank: usize) -> Option<Self> {
        if file < FILES && rank < RANKS { Some(Self((rank * FILES + file) as u8)) } else { None }
    }

    /// Returns the square with this index; `None` if there is none.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < SQUARES { Some(Self(index as u8)) } else { None }
    }

    /// Returns the index, from 0 (a1) to 191 (p12).
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the file, from 0 (the a-file) to 15.
    #[inline]
    #[must_use]
    pub const fn file(self) -> usize {
        self.0 as usize % FILES
    }

    /// Returns the rank, from 0 (the first rank) to 11.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> usize {
        self.0 as usize / FILES
    }

    /// Returns the set that has only this square.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> Bitboard {
        let mut words = [0; WORDS];
        words[self.0 as usize / 64] = 1 << (self.0 % 64);
        Bitboard(words)
    }

    /// Returns the square with this distance of indices. The caller knows that it is on the board.
    #[inline]
    pub(super) const fn plus(self, distance: i8) -> Self {
        Self(self.0.wrapping_add_signed(distance))
    }
}

/// A text that is no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSquare;

impl FromStr for Square {
    type Err = NoSquare;

    fn from_str(text: &str) -> Result<Self, NoSquare> {
        let (file, rank) = text.split_at_checked(1).ok_or(NoSquare)?;
        let file = usize::from(file.as_bytes()[0].wrapping_sub(b'a'));
        let is_number = rank.bytes().all(|c| c.is_ascii_digit()) && !rank.starts_with('0');
        let rank: usize = rank.parse().ok().filter(|_| is_number).ok_or(NoSquare)?;
        Self::at(file, rank.wrapping_sub(1)).ok_or(NoSquare)
    }
}

impl Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file() as u8), self.rank() + 1)
    }
}

impl Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Number of words of a [`Bitboard`].
const WORDS: usize = SQUARES / 64;

/// A set of squares: bit i % 64 of word i / 64 is the square with index i. A word has four ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub [u64; WORDS]);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Returns the board of this size, at a1.
    #[must_use]
    pub const fn board(files: usize, ranks: usize) -> Self {
        let mut board = Self::EMPTY;
        let mut index = 0;
        while index < SQUARES {
            if index % FILES < files && index / FILES < ranks {
                board.0[index / 64] |= 1 << (index % 64);
            }
            index += 1;
        }
        board
    }

    /// Returns whether the set has the square.
    #[inline]
    #[must_use]
    pub const fn has(self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 != 0
    }

    /// Adds or removes a square.
    #[inline]
    pub(super) fn flip(&mut self, square: Square) {
        self.0[square.index() / 64] ^= 1 << (square.index() % 64);
    }

    /// Returns the number of squares.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()) as usize
    }

    /// Returns whether there is no square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// Returns whether both sets have a square in common.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Returns the squares and all that touch one of them on one of its 8 sides.
    #[inline]
    #[must_use]
    pub const fn grown(self) -> Self {
        const FIRST_FILE: u64 = 0x0001_0001_0001_0001;
        const LAST_FILE: u64 = FIRST_FILE << (FILES - 1);
        const fn sideways(word: u64) -> u64 {
            word | (word & !LAST_FILE) << 1 | (word & !FIRST_FILE) >> 1
        }
        let [low, middle, high] = self.0;
        let (low, middle, high) = (sideways(low), sideways(middle), sideways(high));
        Self([
            low | low << 16 | low >> 16 | middle << 48,
            middle | middle << 16 | middle >> 16 | low >> 48 | high << 48,
            high | high << 16 | high >> 16 | middle >> 48,
        ])
    }

    /// Returns the squares of this set that an unbroken line of its squares, each touching the next,
    /// joins to a square of `from`.
    #[inline]
    #[must_use]
    pub fn joined_to(self, from: Self) -> Self {
        let mut joined = from & self;
        loop {
            let next = joined.grown() & self;
            if next == joined {
                return joined;
            }
            joined = next;
        }
    }

    /// Returns the 16 squares of a rank, the a-file in the lowest bit; none for a rank that is not on
    /// the board.
    #[inline]
    pub(super) const fn row(self, rank: usize) -> u16 {
        if rank < RANKS { (self.0[rank / 4] >> (16 * (rank % 4))) as u16 } else { 0 }
    }

    /// Returns the set turned upside down on a board of this many ranks. Squares above it are lost.
    #[must_use]
    pub fn upside_down(self, ranks: usize) -> Self {
        let mut turned = Self::EMPTY;
        for rank in 0..ranks.min(RANKS) {
            let to = ranks - 1 - rank;
            turned.0[to / 4] |= u64::from(self.row(rank)) << (16 * (to % 4));
        }
        turned
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                let ([a, b, c], [x, y, z]) = (self.0, other.0);
                Self([a $op x, b $op y, c $op z])
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
}

operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^);

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    /// Removes and returns the first square: by rank from 1, then by file from a.
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let word = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[word].trailing_zeros() as usize;
        self.0[word] &= self.0[word] - 1;
        Some(Square((64 * word + bit) as u8))
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<T: IntoIterator<Item = Square>>(squares: T) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bit())
    }
}

impl Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all() -> impl Iterator<Item = Square> {
        (0..SQUARES).filter_map(Square::from_index)
    }

    fn touch(a: Square, b: Square) -> bool {
        a.file().abs_diff(b.file()) <= 1 && a.rank().abs_diff(b.rank()) <= 1
    }

    fn set() -> impl Strategy<Value = Bitboard> {
        prop::collection::vec(0..SQUARES, 0..90)
            .prop_map(|list| list.into_iter().filter_map(Square::from_index).collect())
    }

    #[test]
    fn squares_have_one_text() {
        for square in all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for text in ["", "a", "1", "a0", "a13", "q1", "a+1", "a1 ", "A1", "é1", "a1b"] {
            assert_eq!(text.parse::<Square>(), Err(NoSquare), "{text}");
        }
    }

    proptest! {
        #[test]
        fn sets_are_sets(a in set(), b in set()) {
            for square in all() {
                prop_assert_eq!((a & b).has(square), a.has(square) && b.has(square));
                prop_assert_eq!((a | b).has(square), a.has(square) || b.has(square));
                prop_assert_eq!((a ^ b).has(square), a.has(square) != b.has(square));
                prop_assert_eq!((!a).has(square), !a.has(square));
                prop_assert_eq!(a.grown().has(square), { let mut a = a; a.any(|other| touch(square, other)) });
                let turned = Square::at(square.file(), RANKS - 1 - square.rank()).unwrap();
                prop_assert_eq!(a.upside_down(RANKS).has(square), a.has(turned));
            }
            prop_assert_eq!(a.collect::<Bitboard>(), a);
            prop_assert_eq!(a.len(), a.count());
            prop_assert_eq!(a.is_empty(), a == Bitboard::EMPTY);
            let small = Bitboard::board(8, 8);
            prop_assert_eq!((small & a).upside_down(8), a.upside_down(8) & small);
        }

        #[test]
        fn what_is_joined_is_reached_square_by_square(set in set(), from in 0..SQUARES) {
            let from = Square::from_index(from).unwrap();
            let mut reached: Vec<Square> = [from].into_iter().filter(|&from| set.has(from)).collect();
            let mut next = 0;
            while next < reached.len() {
                let here = reached[next];
                let near = set.filter(|&other| touch(here, other) && !reached.contains(&other));
                reached.extend(near.collect::<Vec<_>>());
                next += 1;
            }
            prop_assert_eq!(set.joined_to(from.bit()), reached.into_iter().collect::<Bitboard>());
        }
    }
}
