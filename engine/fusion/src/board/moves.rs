//! Moves, packed into 16 bits.

use super::bitboard::Square;
use super::piece::{Component, Piece};

/// The kind of a move, beyond its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A piece moves, and captures any enemy piece on its destination.
    Plain,
    /// A piece moves onto a friendly piece and merges with it.
    Fusion,
    /// The King moves two squares towards a Rook, which crosses it.
    Castling,
    /// A Pawn captures the Pawn that has just passed it.
    EnPassant,
    /// This component leaves its compound, and captures any enemy piece on its destination.
    Fission(Component),
    /// The piece becomes this one as it arrives: a Pawn on the last rank, or, by
    /// metamorphosis, an attacked simple piece anywhere.
    Promotion(Piece),
    /// A compound captures, and only the component that made the capture remains.
    Demotion,
}

/// A move: from, to and kind.
///
/// | code | kind |
/// | --- | --- |
/// | 0 | plain |
/// | 1 | fusion |
/// | 2 | castling |
/// | 3 | en passant; to the first or last rank, where that never ends, promotion to a Mann |
/// | 4 to 7 | fission: King, Rook, Bishop, Knight leaves |
/// | 8 | demotion |
/// | 9 to 14 | promotion to the first six of [`PROMOTIONS`] |
/// | 15 | fission: the Mann leaves |
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

const EN_PASSANT: u16 = 3;
const FISSION: u16 = 4;
const DEMOTION: u16 = 8;
const PROMOTION: u16 = 9;
const MANN_FISSION: u16 = 15;

/// The pieces to which a Pawn may promote, in the order of the packed codes and of rule
/// expressions.
pub const PROMOTIONS: [Piece; 7] = [
    Piece::QUEEN,
    Piece::MARSHALL,
    Piece::PALADIN,
    Piece::of(Component::Rook),
    Piece::of(Component::Bishop),
    Piece::of(Component::Knight),
    MANN,
];

const MANN: Piece = Piece::of(Component::Mann);

/// The component that leaves its compound, by the code of the kind.
static LEAVING: [Piece; 16] = {
    let mut leaving = [Piece::NONE; 16];
    let mut code = FISSION;
    while code < DEMOTION {
        leaving[code as usize] = Piece::of(Component::ALL[(code - FISSION) as usize]);
        code += 1;
    }
    leaving[MANN_FISSION as usize] = MANN;
    leaving
};

impl Move {
    /// Builds a move of that kind.
    ///
    /// # Panics
    /// Panics if the kind is a promotion to a piece that is not in [`PROMOTIONS`].
    #[inline]
    #[must_use]
    pub fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        Self::towards(from, kind)(to)
    }

    /// Returns a function from destinations to moves of a kind from a square.
    #[inline]
    pub(super) fn towards(from: Square, kind: MoveKind) -> impl Fn(Square) -> Self {
        let code = match kind {
            MoveKind::Plain => 0,
            MoveKind::Fusion => 1,
            MoveKind::Castling => 2,
            MoveKind::EnPassant | MoveKind::Promotion(MANN) => EN_PASSANT,
            MoveKind::Fission(Component::Mann) => MANN_FISSION,
            MoveKind::Fission(component) => FISSION + component as u16,
            MoveKind::Demotion => DEMOTION,
            MoveKind::Promotion(piece) => {
                let index = PROMOTIONS.iter().position(|&known| known == piece);
                PROMOTION + index.expect("a promotion piece") as u16
            }
        };
        let packed = from.index() as u16 | code << 12;
        move |to| Self(packed | (to.index() << 6) as u16)
    }

    /// Returns the square that the moving piece or component leaves.
    #[inline]
    #[must_use]
    pub fn from(self) -> Square {
        Square::new(usize::from(self.0 & 63))
    }

    /// Returns the destination square; the King's in castling.
    #[inline]
    #[must_use]
    pub fn to(self) -> Square {
        Square::new(usize::from(self.0 >> 6 & 63))
    }

    /// Returns the kind of move.
    #[inline]
    #[must_use]
    pub fn kind(self) -> MoveKind {
        match self.0 >> 12 {
            0 => MoveKind::Plain,
            1 => MoveKind::Fusion,
            2 => MoveKind::Castling,
            EN_PASSANT if matches!(self.to().rank(), 0 | 7) => MoveKind::Promotion(MANN),
            EN_PASSANT => MoveKind::EnPassant,
            code @ FISSION..DEMOTION => {
                MoveKind::Fission(Component::ALL[usize::from(code - FISSION)])
            }
            DEMOTION => MoveKind::Demotion,
            code @ PROMOTION..MANN_FISSION => {
                MoveKind::Promotion(PROMOTIONS[usize::from(code - PROMOTION)])
            }
            _ => MoveKind::Fission(Component::Mann),
        }
    }

    /// Returns the component that leaves its compound by fission, as a piece, or no piece.
    #[inline]
    #[must_use]
    pub(crate) fn leaving(self) -> Piece {
        LEAVING[usize::from(self.0 >> 12)]
    }

    /// Returns the packed form: bits 0-5 from, 6-11 to, 12-15 kind.
    #[inline]
    #[must_use]
    pub fn code(self) -> u16 {
        self.0
    }

    /// Builds a move from its packed form. The move need not be legal in any position.
    #[must_use]
    pub fn from_code(code: u16) -> Self {
        Self(code)
    }
}

impl std::fmt::Display for Move {
    /// Formats the move in coordinate notation: `e2e4`, `b7b8r`, castling `e1g1`, fission `d1d3r`,
    /// metamorphosis `a4d4m`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.kind() {
            MoveKind::Fission(component) => {
                write!(f, "{}", component.fen_letter())
            }
            MoveKind::Promotion(piece) => piece.letter().iter().try_for_each(|l| write!(f, "{l}")),
            MoveKind::Plain
            | MoveKind::Fusion
            | MoveKind::Castling
            | MoveKind::EnPassant
            | MoveKind::Demotion => Ok(()),
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self} ({:?})", self.kind())
    }
}
