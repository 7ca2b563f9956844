//! Squares and sets of squares of boards up to 13x13.
//!
//! All boards lie in the middle of one grid of 13 rows of 14 squares, so that squares have the same
//! neighbours and mirror images on each. The fourteenth column is empty: a step off one edge does
//! not arrive at the other.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// Files, and ranks, of the grid.
pub const SIDE: usize = 13;
/// Squares of a row of the grid, with the empty column.
const STRIDE: usize = 14;
/// Number of indices of squares, with the empty column.
pub const SQUARES: usize = SIDE * STRIDE;

/// A square of the grid.
///
/// ```
/// use fusion_freechess::board::Square;
///
/// // The corner a1 of a 9x9 board lies two squares from the grid's.
/// assert_eq!(Square::parse("a1", 9), Some(Square::at(2, 2)));
/// assert_eq!(Square::at(2, 2).name(9), "a1");
/// assert_eq!(Square::parse("j1", 9), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// Returns the square on a file and a rank of the grid, both from 0 to 12.
    #[inline]
    #[must_use]
    pub const fn at(file: usize, rank: usize) -> Self {
        debug_assert!(file < SIDE && rank < SIDE);
        Self((rank * STRIDE + file) as u8)
    }

    /// Returns the square on a file and a rank that may lie off the grid.
    const fn near(file: isize, rank: isize) -> Option<Self> {
        if file < 0 || rank < 0 || file >= SIDE as isize || rank >= SIDE as isize {
            return None;
        }
        Some(Self::at(file as usize, rank as usize))
    }

    /// Returns the square that lies this many files and ranks away, if it is on the grid.
    #[must_use]
    pub const fn offset(self, files: isize, ranks: isize) -> Option<Self> {
        Self::near(self.file() as isize + files, self.rank() as isize + ranks)
    }

    /// Returns the square with this [`Square::index`]. `None` if it is not on the grid.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < SQUARES && index % STRIDE < SIDE { Some(Self(index as u8)) } else { None }
    }

    /// Returns the index, below [`SQUARES`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index among the 169 squares without the empty column, rank by rank.
    #[inline]
    #[must_use]
    pub const fn compact(self) -> usize {
        self.rank() * SIDE + self.file()
    }

    /// Returns the file on the grid, from 0 to 12.
    #[inline]
    #[must_use]
    pub const fn file(self) -> usize {
        self.index() % STRIDE
    }

    /// Returns the rank on the grid, from 0 to 12.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> usize {
        self.index() / STRIDE
    }

    /// Returns the set with this square only.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> Bitboard {
        let mut words = [0; 3];
        words[self.index() / 64] = 1 << (self.index() % 64);
        Bitboard(words)
    }

    /// Returns the name on a board of this many squares a side: `e4`.
    #[must_use]
    pub fn name(self, size: usize) -> String {
        let margin = (SIDE - size) / 2;
        let file = char::from(b'a' + (self.file() - margin) as u8);
        format!("{file}{}", self.rank() + 1 - margin)
    }

    /// Parses a name on a board of this many squares a side.
    #[must_use]
    pub fn parse(text: &str, size: usize) -> Option<Self> {
        let file = text.bytes().next()?.checked_sub(b'a')?;
        let digits = text.get(1..)?;
        // Only the canonical form, without signs and leading zeros.
        let rank = (1..=size).find(|rank| rank.to_string() == digits)? - 1;
        let margin = (SIDE - size) / 2;
        (usize::from(file) < size).then(|| Self::at(usize::from(file) + margin, rank + margin))
    }
}

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bitboard(pub [u64; 3]);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 3]);

    /// Returns all squares of a board of this many squares a side, at most 13.
    #[must_use]
    pub const fn board(size: usize) -> Self {
        let margin = (SIDE - size) / 2;
        let mut set = Self::EMPTY;
        let mut square = 0;
        while square < size * size {
            let at = Square::at(margin + square % size, margin + square / size);
            set = set.with(at);
            square += 1;
        }
        set
    }

    /// Returns the set with a square added.
    #[inline]
    #[must_use]
    pub const fn with(mut self, square: Square) -> Self {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
        self
    }

    /// Returns the set without a square.
    #[inline]
    #[must_use]
    pub const fn without(mut self, square: Square) -> Self {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
        self
    }

    /// Returns whether a square is in the set.
    #[inline]
    #[must_use]
    pub const fn has(self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 == 1
    }

    /// Returns whether there is any square.
    #[inline]
    #[must_use]
    pub const fn any(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] != 0
    }

    /// Returns whether there is no square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        !self.any()
    }

    /// Returns the number of squares.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()) as usize
    }

    /// Returns the square with the lowest index.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        let mut word = 0;
        while word < 3 {
            if self.0[word] != 0 {
                return Some(Square((64 * word) as u8 + self.0[word].trailing_zeros() as u8));
            }
            word += 1;
        }
        None
    }

    /// Returns the square with the highest index.
    #[inline]
    #[must_use]
    const fn last(self) -> Option<Square> {
        let mut word = 3;
        while word > 0 {
            word -= 1;
            if self.0[word] != 0 {
                return Some(Square((64 * word) as u8 + 63 - self.0[word].leading_zeros() as u8));
            }
        }
        None
    }

    /// Moves every square up by this many indices, 1 to 63.
    #[inline]
    const fn up(self, by: u32) -> Self {
        let [a, b, c] = self.0;
        Self([a << by, b << by | a >> (64 - by), c << by | b >> (64 - by)])
    }

    /// Moves every square down by this many indices, 1 to 63.
    #[inline]
    const fn down(self, by: u32) -> Self {
        let [a, b, c] = self.0;
        Self([a >> by | b << (64 - by), b >> by | c << (64 - by), c >> by])
    }

    /// Moves every square one step in a direction. Squares may leave the grid.
    #[inline]
    #[must_use]
    pub const fn step(self, direction: Direction) -> Self {
        match direction {
            Direction::East => self.up(1),
            Direction::North => self.up(STRIDE as u32),
            Direction::NorthEast => self.up(STRIDE as u32 + 1),
            Direction::NorthWest => self.up(STRIDE as u32 - 1),
            Direction::West => self.down(1),
            Direction::South => self.down(STRIDE as u32),
            Direction::SouthWest => self.down(STRIDE as u32 + 1),
            Direction::SouthEast => self.down(STRIDE as u32 - 1),
        }
    }

    /// Returns the squares one King step away from a square of the set. Some may lie off the grid.
    #[inline]
    #[must_use]
    pub const fn king_steps(self) -> Self {
        let sides = self.up(1).or(self.down(1));
        let row = sides.or(self);
        sides.or(row.up(STRIDE as u32)).or(row.down(STRIDE as u32))
    }

    /// Returns the squares one diagonal step away from a square of the set. Some may lie off the
    /// grid.
    #[inline]
    #[must_use]
    pub const fn diagonal_steps(self) -> Self {
        let sides = self.up(1).or(self.down(1));
        sides.up(STRIDE as u32).or(sides.down(STRIDE as u32))
    }

    /// Returns the squares one Knight's leap away from a square of the set. Some may lie off the
    /// grid.
    #[inline]
    #[must_use]
    pub const fn leaps(self) -> Self {
        const STRIDE: u32 = self::STRIDE as u32;
        let near = self.up(1).or(self.down(1));
        // Two files to the side a leap can jump over the empty column.
        let far = self.and(FILES_BELOW_12).up(2).or(self.and(FILES_ABOVE_0).down(2));
        let narrow = near.up(2 * STRIDE).or(near.down(2 * STRIDE));
        narrow.or(far.up(STRIDE)).or(far.down(STRIDE))
    }

    const fn or(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a | x, b | y, c | z])
    }

    const fn and(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a & x, b & y, c & z])
    }

    const fn not(self) -> Self {
        let [a, b, c] = self.0;
        Self([!a, !b, !c])
    }
}

/// The grid without its last file, and without its first one.
const FILES_BELOW_12: Bitboard = files(0, SIDE - 1);
const FILES_ABOVE_0: Bitboard = files(1, SIDE);

const fn files(from: usize, to: usize) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut rank = 0;
    while rank < SIDE {
        let mut file = from;
        while file < to {
            set = set.with(Square::at(file, rank));
            file += 1;
        }
        rank += 1;
    }
    set
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.and(other)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a ^ x, b ^ y, c ^ z])
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self::not(self)
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = self.or(other);
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = self.and(other);
    }
}

/// Yields the squares in the order of their indices.
impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a set in the order of their indices.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let first = self.0.first()?;
        let word = &mut self.0.0[first.index() / 64];
        *word &= *word - 1;
        Some(first)
    }
}

/// A direction of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Towards the last rank.
    North,
    /// Towards the last file.
    East,
    /// Towards the first rank.
    South,
    /// Towards the first file.
    West,
    /// Diagonally.
    NorthEast,
    /// Diagonally.
    SouthEast,
    /// Diagonally.
    SouthWest,
    /// Diagonally.
    NorthWest,
}

impl Direction {
    /// All directions, the orthogonal ones first.
    pub const ALL: [Self; 8] = {
        use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
        [North, East, South, West, NorthEast, SouthEast, SouthWest, NorthWest]
    };

    /// The directions of a Rook.
    pub const STRAIGHT: [Self; 4] =
        [Direction::North, Direction::East, Direction::South, Direction::West];

    /// The directions of a Bishop.
    pub const DIAGONAL: [Self; 4] =
        [Direction::NorthEast, Direction::SouthEast, Direction::SouthWest, Direction::NorthWest];

    /// Returns the files and ranks of a step.
    const fn offset(self) -> (isize, isize) {
        match self {
            Direction::North => (0, 1),
            Direction::East => (1, 0),
            Direction::South => (0, -1),
            Direction::West => (-1, 0),
            Direction::NorthEast => (1, 1),
            Direction::SouthEast => (1, -1),
            Direction::SouthWest => (-1, -1),
            Direction::NorthWest => (-1, 1),
        }
    }

    /// Returns whether steps increase the index.
    const fn rises(self) -> bool {
        matches!(
            self,
            Direction::North | Direction::East | Direction::NorthEast | Direction::NorthWest
        )
    }
}

/// By direction and square: the squares on the way to the edge of the grid.
static RAYS: [[Bitboard; SQUARES]; 8] = {
    let mut rays = [[Bitboard::EMPTY; SQUARES]; 8];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = Direction::ALL[direction].offset();
        let mut index = 0;
        while index < SQUARES {
            if let Some(square) = Square::from_index(index) {
                let mut at = square.offset(files, ranks);
                while let Some(next) = at {
                    rays[direction][index] = rays[direction][index].with(next);
                    at = next.offset(files, ranks);
                }
            }
            index += 1;
        }
        direction += 1;
    }
    rays
};

/// Returns the squares that a slider can see from a square: up to the first occupied one, with it.
#[inline]
fn ray(from: Square, direction: Direction, occupied: Bitboard) -> Bitboard {
    let rays = &RAYS[direction as usize];
    let all = rays[from.index()];
    let blockers = all & occupied;
    let first = if direction.rises() { blockers.first() } else { blockers.last() };
    first.map_or(all, |first| all & !rays[first.index()])
}

/// Returns the squares that a Rook can see. Without a blocker they go on to the edge of the grid,
/// which may lie beyond the board's.
#[inline]
#[must_use]
pub fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    Direction::STRAIGHT
        .into_iter()
        .fold(Bitboard::EMPTY, |seen, direction| seen | ray(from, direction, occupied))
}

/// Returns the squares that a Bishop can see. Without a blocker they go on to the edge of the grid,
/// which may lie beyond the board's.
#[inline]
#[must_use]
pub fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    Direction::DIAGONAL
        .into_iter()
        .fold(Bitboard::EMPTY, |seen, direction| seen | ray(from, direction, occupied))
}

/// Returns the squares that sliders on any square of a set can see in these directions: empty ones,
/// and the first one that is not.
#[inline]
#[must_use]
pub fn slides(from: Bitboard, directions: [Direction; 4], empty: Bitboard) -> Bitboard {
    let mut seen = Bitboard::EMPTY;
    for direction in directions {
        let mut front = from.step(direction);
        while front.any() {
            seen |= front;
            front = (front & empty).step(direction);
        }
    }
    seen
}

/// The leaps of a Knight: files and ranks.
pub const LEAPS: [(isize, isize); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Square> {
        (0..SIDE * SIDE).map(|index| Square::at(index % SIDE, index / SIDE))
    }

    fn near(square: Square, offsets: &[(isize, isize)]) -> Bitboard {
        let squares = offsets.iter().filter_map(|&(files, ranks)| square.offset(files, ranks));
        squares.fold(Bitboard::EMPTY, Bitboard::with)
    }

    #[test]
    fn steps_do_not_cross_the_edges() {
        let grid = Bitboard::board(SIDE);
        let diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let straight = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        for square in all() {
            let set = square.bit();
            assert_eq!(set.leaps() & grid, near(square, &LEAPS), "{square:?}");
            assert_eq!(set.diagonal_steps() & grid, near(square, &diagonal), "{square:?}");
            let king = near(square, &diagonal) | near(square, &straight);
            assert_eq!(set.king_steps() & grid, king, "{square:?}");
        }
    }

    #[test]
    fn slides_of_a_set_are_the_rays_of_its_squares() {
        let occupied =
            all().filter(|square| square.compact() % 7 == 3).fold(Bitboard::EMPTY, Bitboard::with);
        let grid = Bitboard::board(SIDE);
        for square in all() {
            let (set, empty) = (square.bit(), grid & !occupied);
            let straight = slides(set, Direction::STRAIGHT, empty) & grid;
            assert_eq!(straight, rook(square, occupied), "{square:?}");
            let diagonal = slides(set, Direction::DIAGONAL, empty) & grid;
            assert_eq!(diagonal, bishop(square, occupied), "{square:?}");
        }
    }

    #[test]
    fn names_are_those_of_the_board() {
        for size in [7, 9, 11, 13] {
            let board = Bitboard::board(size);
            assert_eq!(board.len(), size * size);
            for square in board {
                assert_eq!(Square::parse(&square.name(size), size), Some(square));
            }
        }
        assert_eq!(Square::parse("m13", 13), Some(Square::at(12, 12)));
        for text in ["", "a", "a0", "a01", "a+1", "n1", "A1", "a14", "é1", "1a"] {
            assert_eq!(Square::parse(text, 13), None, "{text}");
        }
    }
}
