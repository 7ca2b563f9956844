//! Where units move, as patterns of the 5x5 squares around them.
//!
//! All moves end within two files and two ranks. A pattern has bit 5 (y + 2) + x + 2 for the square
//! that is x files to the right and y ranks up; the unit stands at bit 12.

use super::bitboard::{Bitboard, FILES, RANKS, Square};
use super::unit::{Kind, Mode};

/// A set of squares around a unit.
pub(super) type Pattern = u32;

const SIDE: i32 = 5;
const CENTRE: Pattern = 1 << 12;
const ALL: Pattern = (1 << (SIDE * SIDE)) - 1;

/// Returns the coordinates of a square of a pattern.
const fn offset(bit: i32) -> (i32, i32) {
    (bit % SIDE - 2, bit / SIDE - 2)
}

/// The distances of indices to the squares of a pattern.
const DISTANCES: [i8; 25] = {
    let mut distances = [0; 25];
    let mut bit = 0;
    while bit < 25 {
        let (x, y) = offset(bit);
        distances[bit as usize] = (y * FILES as i32 + x) as i8;
        bit += 1;
    }
    distances
};

/// Returns the squares whose distances in files and ranks, the smaller one first, are listed.
const fn pattern(distances: &[(i32, i32)]) -> Pattern {
    let (mut pattern, mut i) = (0, 0);
    while i < distances.len() {
        let mut bit = 0;
        while bit < SIDE * SIDE {
            let (x, y) = offset(bit);
            let (x, y) = (x.abs(), y.abs());
            let (low, high) = if x < y { (x, y) } else { (y, x) };
            if low == distances[i].0 && high == distances[i].1 {
                pattern |= 1 << bit;
            }
            bit += 1;
        }
        i += 1;
    }
    pattern
}

const ORTHOGONAL: Pattern = pattern(&[(0, 1)]);
const DIAGONAL: Pattern = pattern(&[(1, 1)]);
const NEAR: Pattern = ORTHOGONAL | DIAGONAL;
const KNIGHT: Pattern = pattern(&[(1, 2)]);
const WARMACHINE: Pattern = pattern(&[(0, 1), (0, 2)]);
const ELEPHANT: Pattern = pattern(&[(1, 1), (2, 2)]);

/// The squares that a leader reaches, by which of the 8 squares next to it are empty (rule 1). The
/// first step may end on any of them, and those that are empty allow a second one.
static LEADER: [Pattern; 256] = {
    let mut reach = [0; 256];
    let mut empty = 0;
    while empty < 256 {
        let first = spread(empty as Pattern);
        let rows = first | first << SIDE | first >> SIDE;
        // The files of the inner 3x3 squares are not the outer ones, so nothing wraps.
        reach[empty] = (NEAR | rows | rows << 1 | rows >> 1) & !CENTRE & ALL;
        empty += 1;
    }
    reach
};

/// Returns the 8 squares next to the unit, in the order of their bits, as 8 bits.
#[inline]
const fn gather(pattern: Pattern) -> usize {
    (pattern >> 6 & 7
        | (pattern >> 11 & 1) << 3
        | (pattern >> 13 & 1) << 4
        | (pattern >> 16 & 7) << 5) as usize
}

/// Undoes [`gather`].
const fn spread(near: Pattern) -> Pattern {
    (near & 7) << 6 | (near >> 3 & 1) << 11 | (near >> 4 & 1) << 13 | (near >> 5 & 7) << 16
}

/// A set of squares that is read and written by its patterns around squares.
pub(super) struct Windows {
    /// The ranks, two files to the left, with two empty ranks below and above.
    rows: [u32; RANKS + 4],
}

impl Windows {
    #[inline]
    pub(super) fn new(set: Bitboard) -> Self {
        let mut rows = [0; RANKS + 4];
        for (rank, row) in rows[2..RANKS + 2].iter_mut().enumerate() {
            *row = u32::from(set.row(rank)) << 2;
        }
        Self { rows }
    }

    /// Returns the pattern of the set around a square.
    #[inline]
    pub(super) fn around(&self, square: Square) -> Pattern {
        let rows = &self.rows[square.rank()..][..5];
        let row = |y: usize| (rows[y] >> square.file() & 31) << (5 * y);
        row(0) | row(1) | row(2) | row(3) | row(4)
    }

    /// Adds the squares of a pattern around a square. Those beyond the board are ignored.
    #[inline]
    pub(super) fn add(&mut self, pattern: Pattern, square: Square) {
        for (y, row) in self.rows[square.rank()..][..5].iter_mut().enumerate() {
            *row |= (pattern >> (5 * y) & 31) << square.file();
        }
    }

    /// Returns the set.
    pub(super) fn set(&self) -> Bitboard {
        let mut words = [0; RANKS / 4];
        for (rank, row) in self.rows[2..RANKS + 2].iter().enumerate() {
            words[rank / 4] |= u64::from((row >> 2) as u16) << (FILES * (rank % 4));
        }
        Bitboard(words)
    }
}

/// Returns the squares that a unit reaches if nothing of its own colour stands there, given the empty
/// squares of the board (rules 1 to 3).
#[inline]
pub(super) fn reach(kind: Kind, mode: Mode, square: Square, empty: &Windows) -> Pattern {
    match kind {
        Kind::King | Kind::Prince => LEADER[gather(empty.around(square))],
        Kind::Knight => KNIGHT,
        Kind::Warmachine => WARMACHINE,
        Kind::Elephant => ELEPHANT,
        Kind::Pawn => match mode {
            Mode::King | Mode::Both => NEAR,
            Mode::Ortho => ORTHOGONAL,
            Mode::Dia => DIAGONAL,
        },
    }
}

/// Returns the squares of a pattern around a square, all of which are on the board.
#[inline]
pub(super) fn squares(mut pattern: Pattern, around: Square) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let bit = (pattern != 0).then(|| pattern.trailing_zeros())?;
        pattern &= pattern - 1;
        Some(around.plus(DISTANCES[bit as usize]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squares_of(pattern: Pattern) -> Vec<(i32, i32)> {
        (0..25).filter(|bit| pattern >> bit & 1 != 0).map(offset).collect()
    }

    #[test]
    fn patterns_are_those_of_the_rules() {
        for (pattern, count) in
            [(ORTHOGONAL, 4), (DIAGONAL, 4), (KNIGHT, 8), (WARMACHINE, 8), (ELEPHANT, 8)]
        {
            assert_eq!(pattern.count_ones(), count);
        }
        assert!(squares_of(KNIGHT).iter().all(|(x, y)| x * x + y * y == 5));
        assert!(squares_of(WARMACHINE).iter().all(|(x, y)| x * y == 0));
        assert!(squares_of(ELEPHANT).iter().all(|(x, y)| x.abs() == y.abs()));
    }

    #[test]
    fn leaders_slide_around_what_is_occupied() {
        for empty in 0..256 {
            let first = squares_of(spread(empty));
            for bit in (0..25).filter(|&bit| bit != 12) {
                let (x, y) = offset(bit);
                let touches = |a: i32, b: i32| (a - x).abs().max((b - y).abs()) <= 1;
                let near = touches(0, 0) || first.iter().any(|&(a, b)| touches(a, b));
                assert_eq!(LEADER[empty as usize] >> bit & 1 != 0, near, "{empty:b} {x} {y}");
            }
            assert_eq!(LEADER[empty as usize] & CENTRE, 0);
            assert_eq!(gather(spread(empty)), empty as usize);
        }
    }

    proptest! {
        #[test]
        fn windows_show_what_is_around(
            list in prop::collection::vec(0..192usize, 0..150),
            centre in 0..192usize,
        ) {
            let set: Bitboard = list.into_iter().filter_map(Square::from_index).collect();
            let centre = Square::from_index(centre).unwrap();
            let found: Bitboard = squares(Windows::new(set).around(centre), centre).collect();
            let near = |square: &Square| {
                square.file().abs_diff(centre.file()) <= 2 && square.rank().abs_diff(centre.rank()) <= 2
            };
            prop_assert_eq!(found, set.filter(near).collect::<Bitboard>());
            let mut windows = Windows::new(set);
            prop_assert_eq!(windows.set(), set);
            windows.add(NEAR | KNIGHT, centre);
            let all = Bitboard::board(FILES, RANKS);
            let added = squares(Windows::new(all).around(centre) & (NEAR | KNIGHT), centre);
            prop_assert_eq!(windows.set(), set | added.collect());
        }
    }
}
