//! Endgame tables: the exact value of every position with few components and no Pawns.
//!
//! A table covers a [`Material`], such as `KRBvKR`. It has every arrangement of the components,
//! with either side to move. Components of one side that share a square are fused. Fusion and
//! fission stay inside one table, and captures lead to smaller ones. Values ignore the fifty-move
//! rule and repetition. They count the plies to mate with best play. The analysis crate has the
//! solver. This module reads and probes its tables.

mod block;
mod file;
mod index;
mod material;
mod rules;
mod tables;

pub use block::compress;
pub use file::{EXTENSION, Table, TableError, write};
pub use index::{KING_PAIRS, Layout, Line, Neighbours, Squares};
pub use material::{MAX_COMPONENTS, Material, MaterialError};
pub use rules::{Uncovered, covers, equivalent_rules};
pub use tables::{Tables, path};

/// The value of a position for the side to move, with best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Neither side can force mate.
    Draw,
    /// The side to move mates in this number of plies, which is odd.
    Win(u16),
    /// The side to move is mated in this number of plies, which is even; 0 is checkmate.
    Loss(u16),
}

impl Value {
    /// Code of a draw.
    pub const DRAW: u16 = 0;
    /// Code of an impossible arrangement, or of one that is stored as its mirror image.
    pub const NO_POSITION: u16 = 1;
    /// Code of checkmate. Every further ply adds one.
    pub const MATED: u16 = 2;
    /// Upper bound of codes, exclusive.
    pub const CODES: u16 = 1 << 15;

    /// Returns the value with this code, or `None` for [`Value::NO_POSITION`].
    #[inline]
    #[must_use]
    pub fn of_code(code: u16) -> Option<Self> {
        Some(match code {
            Self::DRAW => Value::Draw,
            Self::NO_POSITION => return None,
            code if code % 2 == 0 => Value::Loss(code - Self::MATED),
            code => Value::Win(code - Self::MATED),
        })
    }

    /// Returns the code that tables store.
    #[inline]
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Value::Draw => Self::DRAW,
            Value::Win(plies) | Value::Loss(plies) => plies + Self::MATED,
        }
    }

    /// Returns the number of plies to mate, or `None` for a draw.
    #[must_use]
    pub fn plies(self) -> Option<u16> {
        match self {
            Value::Draw => None,
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
        }
    }
}
