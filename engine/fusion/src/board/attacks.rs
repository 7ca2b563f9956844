//! Attacked squares of components, and the lines between squares.
//!
//! All tables are made at compile time by walking the board step by step.

use super::bitboard::{Bitboard, Square};
use super::piece::Color;
use super::sliders;

/// The change of file and rank in one step.
pub(super) type Step = (i8, i8);
type Steps<const N: usize> = [Step; N];

const KING_STEPS: Steps<8> = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT_STEPS: Steps<8> =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Returns the square one step away, or 64 beyond the edge.
pub(super) const fn step(square: usize, (file, rank): (i8, i8)) -> usize {
    let (file, rank) = ((square % 8) as i8 + file, (square / 8) as i8 + rank);
    if file < 0 || file > 7 || rank < 0 || rank > 7 { 64 } else { (rank * 8 + file) as usize }
}

const fn leaper_table<const N: usize>(steps: Steps<N>) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < N {
            let to = step(square, steps[i]);
            if to < 64 {
                table[square] |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const KNIGHT: [u64; 64] = leaper_table(KNIGHT_STEPS);
const KING: [u64; 64] = leaper_table(KING_STEPS);
const PAWN: [[u64; 64]; 2] = [leaper_table([(1, 1), (-1, 1)]), leaper_table([(1, -1), (-1, -1)])];

/// Squares strictly between, and the whole line through, each pair of squares.
struct Lines {
    between: [[u64; 64]; 64],
    through: [[u64; 64]; 64],
}

static LINES: Lines = make_lines();

const fn make_lines() -> Lines {
    let mut lines = Lines { between: [[0; 64]; 64], through: [[0; 64]; 64] };
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < 8 {
            let (forward, back) = (KING_STEPS[i], (-KING_STEPS[i].0, -KING_STEPS[i].1));
            let mut whole = 1 << from;
            let mut to = step(from, back);
            while to < 64 {
                whole |= 1 << to;
                to = step(to, back);
            }
            to = step(from, forward);
            while to < 64 {
                whole |= 1 << to;
                to = step(to, forward);
            }
            let mut passed = 0;
            to = step(from, forward);
            while to < 64 {
                lines.between[from][to] = passed;
                lines.through[from][to] = whole;
                passed |= 1 << to;
                to = step(to, forward);
            }
            i += 1;
        }
        from += 1;
    }
    lines
}

/// Returns the squares attacked by a Knight component.
#[inline]
#[must_use]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

/// Returns the squares attacked by a King component.
#[inline]
#[must_use]
pub fn king(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// Returns the squares attacked by a Pawn of that colour.
#[inline]
#[must_use]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][square.index()])
}

/// Returns the squares attacked by a Rook component, up to and including the first blockers.
#[inline]
#[must_use]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(sliders::rook(square.index(), occupied.0))
}

/// Returns the squares attacked by a Bishop component, up to and including the first blockers.
#[inline]
#[must_use]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(sliders::bishop(square.index(), occupied.0))
}

/// Returns the squares strictly between two squares of one rank, file or diagonal; else none.
#[inline]
#[must_use]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(LINES.between[a.index()][b.index()])
}

/// Returns the whole rank, file or diagonal through two squares; none if they share no line.
#[inline]
#[must_use]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(LINES.through[a.index()][b.index()])
}

/// Returns the gateways of a Knight's leap: the two squares adjacent to both its ends.
#[inline]
#[must_use]
pub fn gateways(from: Square, to: Square) -> Bitboard {
    king(from) & king(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Walks to all squares up to and including the first occupied one of each direction.
    fn walk(square: usize, directions: Steps<4>, occupied: u64) -> u64 {
        let mut attacks = 0;
        for direction in directions {
            let mut to = step(square, direction);
            while to < 64 {
                attacks |= 1 << to;
                if occupied >> to & 1 != 0 {
                    break;
                }
                to = step(to, direction);
            }
        }
        attacks
    }

    const ORTHOGONAL: Steps<4> = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    const DIAGONAL: Steps<4> = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

    proptest! {
        #[test]
        fn sliders_agree_with_walking(square in 0usize..64, a: u64, b: u64) {
            // Sparse boards test long rays. Dense boards test short rays.
            for occupied in [a, a & b, a | b, 0, !0] {
                let (orthogonal, diagonal) =
                    (walk(square, ORTHOGONAL, occupied), walk(square, DIAGONAL, occupied));
                let s = Square::new(square);
                prop_assert_eq!(rook(s, Bitboard(occupied)).0, orthogonal);
                prop_assert_eq!(bishop(s, Bitboard(occupied)).0, diagonal);
            }
        }
    }

    #[test]
    fn lines_and_gateways() {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let set = |text: &str| text.split(' ').map(square).collect::<Bitboard>();
        assert_eq!(between(square("a1"), square("d4")), set("b2 c3"));
        assert_eq!(between(square("a1"), square("b3")), Bitboard::EMPTY);
        assert_eq!(between(square("e4"), square("e5")), Bitboard::EMPTY);
        assert_eq!(line(square("c3"), square("c5")).len(), 8);
        assert_eq!(gateways(square("b1"), square("c3")), set("b2 c2"));
        for from in Square::all() {
            for to in knight(from) {
                assert_eq!(gateways(from, to).len(), 2);
            }
        }
    }
}
