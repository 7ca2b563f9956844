//! Endgame tables: the exact value of every position with few components and no Pawns.
//!
//! A table covers a [`Material`], such as `KRBvKR`: every arrangement of its components, those
//! of one side that share a square being fused, with either side to move. Fusion and fission
//! stay inside one table; captures lead to smaller ones. Values ignore the fifty-move rule and
//! repetition and count the plies to mate with best play. The solver is in the analysis crate;
//! here is what it takes to read and use its tables.

mod file;
mod index;
mod material;
mod rules;
mod tables;

pub use file::{EXTENSION, Table, TableError, compress, write};
pub use index::{KING_PAIRS, Layout, Line, Neighbours, Squares};
pub use material::{MAX_COMPONENTS, Material, MaterialError};
pub use rules::{Uncovered, covers, equivalent_rules};
pub use tables::{Tables, path};

/// The value of a position for the side to move, with best play by both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Neither side can force mate.
    Draw,
    /// The side to move mates in so many plies, an odd number.
    Win(u16),
    /// The side to move is mated in so many plies, an even number; 0 is checkmate.
    Loss(u16),
}

impl Value {
    /// Code of a draw.
    pub const DRAW: u16 = 0;
    /// Code of an arrangement that is no position, or that is stored as its mirror image.
    pub const NO_POSITION: u16 = 1;
    /// Code of checkmate; every ply more adds one.
    pub const MATED: u16 = 2;
    /// Codes lie below this.
    pub const CODES: u16 = 1 << 15;

    /// The value with this code; `None` for what is no position.
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

    /// The code, as tables hold it.
    #[inline]
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Value::Draw => Self::DRAW,
            Value::Win(plies) | Value::Loss(plies) => plies + Self::MATED,
        }
    }

    /// Plies to mate; `None` for a draw.
    #[must_use]
    pub fn plies(self) -> Option<u16> {
        match self {
            Value::Draw => None,
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
        }
    }
}
