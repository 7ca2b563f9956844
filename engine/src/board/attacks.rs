//! Where components attack from a square, and the lines between squares.
//!
//! All tables are made at compile time by walking the board step by step. Slider
//! attacks come from tables indexed with the PEXT instruction where the build's
//! processor has it, else from the o^(o-2r) method (chessprogramming.org,
//! "Hyperbola Quintessence"), which needs no large tables.

use super::bitboard::{Bitboard, Square};
use super::piece::Color;

type Steps<const N: usize> = [(i8, i8); N];

const KING_STEPS: Steps<8> = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT_STEPS: Steps<8> =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The square one step away, or 64 beyond the edge.
const fn step(square: usize, (file, rank): (i8, i8)) -> usize {
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

/// Slider attacks square by square: what tables are made of, and tested against.
#[cfg(any(test, all(target_arch = "x86_64", target_feature = "bmi2")))]
mod walking {
    use super::{Steps, step};

    pub const ORTHOGONAL: Steps<4> = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    pub const DIAGONAL: Steps<4> = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

    /// All squares up to and including the first occupied one of each direction.
    pub const fn walk(square: usize, directions: Steps<4>, occupied: u64) -> u64 {
        let mut attacks = 0;
        let mut i = 0;
        while i < 4 {
            let mut to = step(square, directions[i]);
            while to < 64 {
                attacks |= 1 << to;
                if occupied >> to & 1 != 0 {
                    break;
                }
                to = step(to, directions[i]);
            }
            i += 1;
        }
        attacks
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
mod sliders {
    use super::walking::{DIAGONAL, ORTHOGONAL, walk};
    use super::{Steps, step};
    use std::arch::x86_64::_pext_u64;

    /// One attack set for each arrangement of blockers that matters.
    struct Table<const N: usize> {
        mask: [u64; 64],
        start: [u32; 64],
        attacks: [u64; N],
    }

    static ROOK: Table<102_400> = make(ORTHOGONAL);
    static BISHOP: Table<5_248> = make(DIAGONAL);

    /// The squares where a blocker matters: a ray's last square does not.
    const fn blockers(square: usize, directions: Steps<4>) -> u64 {
        let mut mask = 0;
        let mut i = 0;
        while i < 4 {
            let mut to = step(square, directions[i]);
            while to < 64 && step(to, directions[i]) < 64 {
                mask |= 1 << to;
                to = step(to, directions[i]);
            }
            i += 1;
        }
        mask
    }

    #[allow(long_running_const_eval, reason = "the tables are small and made once a build")]
    const fn make<const N: usize>(directions: Steps<4>) -> Table<N> {
        let mut table = Table { mask: [0; 64], start: [0; 64], attacks: [0; N] };
        let mut next = 0;
        let mut square = 0;
        while square < 64 {
            let mask = blockers(square, directions);
            table.mask[square] = mask;
            table.start[square] = next as u32;
            // Subsets of the mask in increasing order: the order of PEXT.
            let mut subset = 0u64;
            loop {
                table.attacks[next] = walk(square, directions, subset);
                next += 1;
                subset = subset.wrapping_sub(mask) & mask;
                if subset == 0 {
                    break;
                }
            }
            square += 1;
        }
        table
    }

    #[inline]
    fn look_up<const N: usize>(table: &Table<N>, square: usize, occupied: u64) -> u64 {
        // SAFETY: this module is compiled only where the build's processor has BMI2.
        let index = unsafe { _pext_u64(occupied, table.mask[square]) } as usize;
        table.attacks[table.start[square] as usize + index]
    }

    #[inline]
    pub fn rook(square: usize, occupied: u64) -> u64 {
        look_up(&ROOK, square, occupied)
    }

    #[inline]
    pub fn bishop(square: usize, occupied: u64) -> u64 {
        look_up(&BISHOP, square, occupied)
    }
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
mod portable {
    use super::step;

    const fn line_table(forward: (i8, i8)) -> [u64; 64] {
        let mut table = [0; 64];
        let mut square = 0;
        while square < 64 {
            let steps = [forward, (-forward.0, -forward.1)];
            let mut i = 0;
            while i < 2 {
                let mut to = step(square, steps[i]);
                while to < 64 {
                    table[square] |= 1 << to;
                    to = step(to, steps[i]);
                }
                i += 1;
            }
            square += 1;
        }
        table
    }

    const FILE: [u64; 64] = line_table((0, 1));
    const RANK: [u64; 64] = line_table((1, 0));
    const RISING: [u64; 64] = line_table((1, 1));
    const FALLING: [u64; 64] = line_table((1, -1));

    fn along(square: usize, occupied: u64, mask: u64) -> u64 {
        let slider = 1u64 << square;
        let blockers = occupied & mask;
        // On the last square of a direction the doubled bit falls off: no ray, no change.
        let up = blockers.wrapping_sub(slider << 1);
        let down = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1).reverse_bits();
        (up ^ down) & mask
    }

    pub fn rook(square: usize, occupied: u64) -> u64 {
        along(square, occupied, FILE[square]) | along(square, occupied, RANK[square])
    }

    pub fn bishop(square: usize, occupied: u64) -> u64 {
        along(square, occupied, RISING[square]) | along(square, occupied, FALLING[square])
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use portable as sliders;

/// Squares attacked by a Knight component.
#[inline]
#[must_use]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

/// Squares attacked by a King component.
#[inline]
#[must_use]
pub fn king(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// Squares attacked by a Pawn of that colour.
#[inline]
#[must_use]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][square.index()])
}

/// Squares attacked by a Rook component, up to and including the first blockers.
#[inline]
#[must_use]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(sliders::rook(square.index(), occupied.0))
}

/// Squares attacked by a Bishop component, up to and including the first blockers.
#[inline]
#[must_use]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(sliders::bishop(square.index(), occupied.0))
}

/// Squares strictly between two squares of one rank, file or diagonal; else none.
#[inline]
#[must_use]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(LINES.between[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two squares; none if they share no line.
#[inline]
#[must_use]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(LINES.through[a.index()][b.index()])
}

/// The gateways of a Knight's leap: the two squares adjacent to both its ends.
#[inline]
#[must_use]
pub fn gateways(from: Square, to: Square) -> Bitboard {
    king(from) & king(to)
}

#[cfg(test)]
mod tests {
    use super::walking::{DIAGONAL, ORTHOGONAL, walk};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sliders_agree_with_walking(square in 0usize..64, a: u64, b: u64) {
            // Sparse boards show long rays, dense ones short rays.
            for occupied in [a, a & b, a | b, 0, !0] {
                let (orthogonal, diagonal) =
                    (walk(square, ORTHOGONAL, occupied), walk(square, DIAGONAL, occupied));
                let s = Square::new(square);
                prop_assert_eq!(rook(s, Bitboard(occupied)).0, orthogonal);
                prop_assert_eq!(bishop(s, Bitboard(occupied)).0, diagonal);
                prop_assert_eq!(portable::rook(square, occupied), orthogonal);
                prop_assert_eq!(portable::bishop(square, occupied), diagonal);
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
