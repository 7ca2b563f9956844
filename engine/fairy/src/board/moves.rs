//! Moves and their notation.

use super::{Position, Tables};
use crate::definition::Kind;

/// What a move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Action {
    /// A piece moves or captures.
    Go,
    /// A piece captures in passing.
    EnPassant,
    /// A Pawn promotes to the kind.
    Promote,
    /// A piece becomes what it promotes to.
    Upgrade,
    /// A promoted piece becomes what it was.
    Downgrade,
    /// The piece on the first square castles with the one on the second.
    Castle,
    /// A piece of the kind is dropped.
    Drop,
    /// A piece of the kind is dropped as what it promotes to.
    DropUpgraded,
    /// Nothing moves.
    Pass,
    /// A piece becomes the kind where it arrives, without a promotion: it merges with what stands there, or
    /// changes by a capture or because it was attacked.
    Change,
    /// The component of this kind leaves a compound.
    Split,
}

impl Action {
    const ALL: [Self; 11] = [
        Self::Go,
        Self::EnPassant,
        Self::Promote,
        Self::Upgrade,
        Self::Downgrade,
        Self::Castle,
        Self::Drop,
        Self::DropUpgraded,
        Self::Pass,
        Self::Change,
        Self::Split,
    ];
}

/// A move: 7 bits for each square, 4 for the action, 6 for the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u32);

impl Move {
    /// Creates a move without a kind.
    #[inline]
    pub(crate) fn new(action: Action, from: usize, to: usize) -> Self {
        Self::with(action, from, to, 0)
    }

    /// Creates a move.
    #[inline]
    pub(crate) fn with(action: Action, from: usize, to: usize, kind: Kind) -> Self {
        Self(from as u32 | (to as u32) << 7 | (action as u32) << 14 | u32::from(kind) << 18)
    }

    /// Returns the square from which something moves; the destination of a drop.
    #[inline]
    #[must_use]
    pub fn from(self) -> usize {
        (self.0 & 127) as usize
    }

    /// Returns the destination; the square of the Rook if the move castles.
    #[inline]
    #[must_use]
    pub fn to(self) -> usize {
        (self.0 >> 7 & 127) as usize
    }

    /// Returns what the move does.
    #[inline]
    #[must_use]
    pub fn action(self) -> Action {
        Action::ALL[(self.0 >> 14 & 15) as usize % Action::ALL.len()]
    }

    /// Returns the kind of a promotion, of a drop or of what else a piece becomes; the component of a split.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        (self.0 >> 18 & 63) as Kind
    }

    /// Returns a number that identifies the move.
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }

    /// Returns whether a piece comes from the hand.
    #[inline]
    #[must_use]
    pub fn is_drop(self) -> bool {
        matches!(self.action(), Action::Drop | Action::DropUpgraded)
    }
}

impl Position {
    /// Writes a legal move as engines do: `e2e4`, `e7e8q`, `P@e4`, `e1g1`, `b7b8+`, `b8b7-`. A pass moves
    /// nothing: `e1e1`. A component that leaves a compound is named, `d1d3r`, and what an attacked piece becomes,
    /// `a4d4m`; other changes follow from the squares. If the King could also simply go where castling brings it, castling names the Rook.
    #[must_use]
    pub fn move_text(&self, tables: &Tables, mv: Move) -> String {
        let square = |square| tables.square_name(square);
        let (from, to) = (square(mv.from()), square(mv.to()));
        let letter = || tables.rules.pieces[usize::from(mv.kind())].letter;
        match mv.action() {
            Action::Go | Action::EnPassant | Action::Pass => from + &to,
            Action::Change if self.occupied() >> mv.to() & 1 == 1 => from + &to,
            Action::Promote | Action::Change | Action::Split => {
                format!("{from}{to}{}", letter().to_ascii_lowercase())
            }
            Action::Upgrade => from + &to + "+",
            Action::Downgrade => from + &to + "-",
            Action::Castle => from + &square(self.castling_end(tables, mv)),
            Action::Drop => format!("{}@{to}", letter()),
            Action::DropUpgraded => format!("+{}@{to}", letter()),
        }
    }

    /// Returns the square that a castling move names: where the King arrives, or the Rook's square if the King
    /// does not move or could also simply go there.
    pub(crate) fn castling_end(&self, tables: &Tables, mv: Move) -> usize {
        let king_to = tables.castled(mv.from(), mv.to()).0;
        let names_rook = king_to == mv.from() || self.goes(tables, mv.from(), king_to);
        if names_rook { mv.to() } else { king_to }
    }

    /// Returns whether a piece can go to an empty square by its moves, whatever they leave attacked.
    fn goes(&self, tables: &Tables, from: usize, to: usize) -> bool {
        let Some((side, kind)) = self.piece(from) else { return false };
        let movement = &tables.movements.of[side][usize::from(kind)];
        let lines = &tables.movements.lines;
        let (quiet, _) = movement.usual.moves(lines, from, self.occupied(), self.cannons(tables));
        (quiet & movement.region) >> to & 1 == 1
    }
}
