//! Rays of steps over the board.

use crate::definition::{MOST_SQUARES, Squares};

/// The squares that repeated steps in one direction reach, from every square.
#[derive(Debug)]
pub(crate) struct Line {
    /// Files and ranks of a step.
    pub step: (i8, i8),
    /// Most steps; 0 is no limit.
    pub limit: u8,
    /// Whether the numbers of the squares rise along the line.
    rising: bool,
    /// By square: all squares that can be reached on an empty board.
    reach: Vec<Squares>,
    /// By square: all squares of the direction, whatever the limit.
    whole: Vec<Squares>,
    /// By square: the next one, or none.
    next: Vec<Squares>,
}

/// A board without its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Number of files.
    pub files: u8,
    /// Number of ranks.
    pub ranks: u8,
}

impl Grid {
    /// Returns the number of squares.
    pub fn squares(self) -> usize {
        usize::from(self.files) * usize::from(self.ranks)
    }

    /// Returns the square this many files and ranks away; `None` beyond the board.
    pub fn step(self, square: usize, (dx, dy): (i8, i8)) -> Option<usize> {
        let files = usize::from(self.files);
        let x = (square % files) as i32 + i32::from(dx);
        let y = (square / files) as i32 + i32::from(dy);
        let inside =
            (0..i32::from(self.files)).contains(&x) && (0..i32::from(self.ranks)).contains(&y);
        inside.then(|| y as usize * files + x as usize)
    }

    /// Returns the squares of a file.
    pub fn file(self, file: usize) -> Squares {
        (0..usize::from(self.ranks))
            .fold(0, |set, rank| set | 1 << (rank * usize::from(self.files) + file))
    }

    /// Returns the squares of a rank.
    pub fn rank(self, rank: usize) -> Squares {
        let files = usize::from(self.files);
        (0..files).fold(0, |set, file| set | 1 << (rank * files + file))
    }

    /// Returns all squares.
    #[inline]
    pub fn all(self) -> Squares {
        Squares::MAX >> (MOST_SQUARES - self.squares())
    }
}

impl Line {
    /// Computes a line.
    pub fn new(grid: Grid, step: (i8, i8), limit: u8) -> Self {
        let steps_from = |from: usize, most: usize| {
            let mut set = 0;
            let mut at = from;
            for _ in 0..most {
                match grid.step(at, step) {
                    Some(next) => at = next,
                    None => break,
                }
                set |= 1 << at;
            }
            set
        };
        let most = if limit == 0 { MOST_SQUARES } else { usize::from(limit) };
        let table = |most| (0..grid.squares()).map(|from| steps_from(from, most)).collect();
        let rising = i32::from(step.1) * i32::from(grid.files) + i32::from(step.0) > 0;
        Self { step, limit, rising, reach: table(most), whole: table(MOST_SQUARES), next: table(1) }
    }

    /// Returns the squares that can be reached on an empty board.
    #[inline]
    pub fn reach(&self, from: usize) -> Squares {
        self.reach[from]
    }

    /// Returns the squares of the whole direction.
    #[inline]
    pub fn whole(&self, from: usize) -> Squares {
        self.whole[from]
    }

    /// Returns the next square, or none.
    #[inline]
    pub fn next(&self, from: usize) -> Squares {
        self.next[from]
    }

    /// Returns the nearest of these squares of the line. There is at least one.
    #[inline]
    pub fn nearest(&self, squares: Squares) -> usize {
        if self.rising {
            squares.trailing_zeros() as usize
        } else {
            127 - squares.leading_zeros() as usize
        }
    }

    /// Returns the squares up to the first occupied one, with it.
    #[inline]
    pub fn ride(&self, from: usize, occupied: Squares) -> Squares {
        let reach = self.reach[from];
        let stops = reach & occupied;
        if self.rising {
            reach & (stops ^ stops.wrapping_sub(1))
        } else {
            reach & Squares::MAX << (127 - (stops | 1).leading_zeros())
        }
    }

    /// Returns the squares beyond the first occupied one, up to the second, with it.
    #[inline]
    pub fn hop(&self, from: usize, occupied: Squares) -> Squares {
        let hurdles = self.whole[from] & occupied;
        if hurdles == 0 {
            return 0;
        }
        let rest = self.whole[self.nearest(hurdles)];
        let stops = rest & occupied;
        let until = if stops == 0 { rest } else { rest & !self.whole[self.nearest(stops)] };
        until & self.reach[from]
    }

    /// Returns the square behind the first occupied one.
    #[inline]
    pub fn grasshop(&self, from: usize, occupied: Squares) -> Squares {
        let hurdles = self.whole[from] & occupied;
        if hurdles == 0 { 0 } else { self.next[self.nearest(hurdles)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Walks along a line: rides, or hops over the first piece.
    fn walk(grid: Grid, line: &Line, from: usize, occupied: Squares, hops: bool) -> Squares {
        let (mut set, mut at, mut over, mut steps) = (0, from, !hops, 0);
        while let Some(next) = grid.step(at, line.step) {
            (at, steps) = (next, steps + 1);
            if line.limit != 0 && steps > line.limit {
                break;
            }
            let taken = occupied >> at & 1 == 1;
            if over {
                set |= 1 << at;
                if taken {
                    break;
                }
            }
            over |= taken;
        }
        set
    }

    proptest! {
        #[test]
        fn lines_are_walks(
            files in 1u8..=16, ranks in 1u8..=8, dx in -3i8..=3, dy in -3i8..=3, limit in 0u8..5,
            seed in any::<u128>(), from in any::<prop::sample::Index>(),
        ) {
            prop_assume!((dx, dy) != (0, 0));
            let grid = Grid { files, ranks };
            let from = from.index(grid.squares());
            let line = Line::new(grid, (dx, dy), limit);
            let occupied = seed & grid.all() & !(1 << from);
            prop_assert_eq!(line.ride(from, occupied), walk(grid, &line, from, occupied, false));
            prop_assert_eq!(line.hop(from, occupied), walk(grid, &line, from, occupied, true));
        }
    }
}
