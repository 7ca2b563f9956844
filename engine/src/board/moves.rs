//! Moves, packed into 16 bits.

use super::bitboard::Square;
use super::piece::{Component, Piece};

/// What kind of move it is, beyond its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A piece moves, and captures what stands on its destination.
    Plain,
    /// A simple piece moves onto a friendly simple piece and merges with it.
    Fusion,
    /// The King moves two squares towards a Rook, which crosses it.
    Castling,
    /// A Pawn captures the Pawn that has just passed it.
    EnPassant,
    /// This component leaves its compound for an empty square.
    Fission(Component),
    /// A Pawn reaches the last rank and becomes this piece.
    Promotion(Piece),
}

/// A move: from, to and kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

const FISSION: u16 = 4;
const PROMOTION: u16 = 9;

/// What a Pawn may become, in the order of the packed codes and of rule expressions.
pub const PROMOTIONS: [Piece; 6] = [
    Piece::QUEEN,
    Piece::MARSHALL,
    Piece::PALADIN,
    Piece::of(Component::Rook),
    Piece::of(Component::Bishop),
    Piece::of(Component::Knight),
];

impl Move {
    /// A move of that kind.
    ///
    /// # Panics
    /// If it is a promotion to a piece that is not in [`PROMOTIONS`].
    #[inline]
    #[must_use]
    pub fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let code = match kind {
            MoveKind::Plain => 0,
            MoveKind::Fusion => 1,
            MoveKind::Castling => 2,
            MoveKind::EnPassant => 3,
            MoveKind::Fission(component) => FISSION + component as u16,
            MoveKind::Promotion(piece) => {
                let index = PROMOTIONS.iter().position(|&known| known == piece);
                PROMOTION + index.expect("a promotion piece") as u16
            }
        };
        Self((from.index() | to.index() << 6) as u16 | code << 12)
    }

    /// The square that the moving piece or component leaves.
    #[inline]
    #[must_use]
    pub fn from(self) -> Square {
        Square::new(usize::from(self.0 & 63))
    }

    /// The square it arrives on; the King's in castling.
    #[inline]
    #[must_use]
    pub fn to(self) -> Square {
        Square::new(usize::from(self.0 >> 6 & 63))
    }

    /// The kind of move.
    #[inline]
    #[must_use]
    pub fn kind(self) -> MoveKind {
        match self.0 >> 12 {
            0 => MoveKind::Plain,
            1 => MoveKind::Fusion,
            2 => MoveKind::Castling,
            3 => MoveKind::EnPassant,
            code @ FISSION..PROMOTION => {
                MoveKind::Fission(Component::ALL[usize::from(code - FISSION)])
            }
            // Code 15 is never made; reading it as the last promotion avoids a panic.
            code => MoveKind::Promotion(PROMOTIONS[usize::from(code - PROMOTION).min(5)]),
        }
    }

    /// The packed form: bits 0-5 from, 6-11 to, 12-15 kind.
    #[inline]
    #[must_use]
    pub fn code(self) -> u16 {
        self.0
    }

    /// A move from its packed form, which need not be legal anywhere.
    #[must_use]
    pub fn from_code(code: u16) -> Self {
        Self(code)
    }
}

impl std::fmt::Display for Move {
    /// Coordinate notation: `e2e4`, `b7b8r`, castling `e1g1`, fission `d1d3r`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.kind() {
            MoveKind::Fission(component) => {
                write!(f, "{}", component.letter().to_ascii_lowercase())
            }
            MoveKind::Promotion(piece) => piece.letter().iter().try_for_each(|l| write!(f, "{l}")),
            MoveKind::Plain | MoveKind::Fusion | MoveKind::Castling | MoveKind::EnPassant => Ok(()),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self} ({:?})", self.kind())
    }
}
