//! Attacked squares of either side, and pieces that may be won.
//!
//! The network's inputs and the policy's description of moves share this module. Attacks are
//! geometric, as in the rules. Pins are left to the network.

use crate::board::{Bitboard, Color, Component, Piece, Position, Square, attacks};

/// Conventional worth in steps. A piece can always be traded for an attacker of a lower step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    Pawn,
    Minor,
    Rook,
    Compound,
    Royal,
}

impl Worth {
    pub(super) const ALL: [Self; Self::COUNT] =
        [Self::Pawn, Self::Minor, Self::Rook, Self::Compound, Self::Royal];
    pub(super) const COUNT: usize = 5;

    pub(super) const fn of(piece: Piece) -> Self {
        if piece.is_royal() {
            Self::Royal
        } else if piece.len() > 1 {
            Self::Compound
        } else if piece.has(Component::Rook) {
            Self::Rook
        } else if piece.has(Component::Pawn) {
            Self::Pawn
        } else {
            Self::Minor
        }
    }
}

/// Attacks of one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attacks {
    /// Squares attacked by pieces below each worth. The last entry also includes the attacks of all
    /// pieces.
    below: [Bitboard; Worth::COUNT],
    /// Squares attacked by any piece.
    pub(super) all: Bitboard,
    /// Squares attacked by two components or more. Both may belong to one compound.
    pub(super) twice: Bitboard,
}

impl Attacks {
    fn of(position: &Position, color: Color) -> Self {
        Self::collect(position, color, |_, _, _| {})
    }

    /// Returns the attacks of a side, and calls `each` with every attacking component except Pawns, its square and the
    /// squares that it attacks.
    #[inline(always)]
    pub(super) fn collect(
        position: &Position,
        color: Color,
        mut each: impl FnMut(Component, Square, Bitboard),
    ) -> Self {
        let occupied = position.occupied();
        let own = position.color(color);
        let compounds = position.compounds();
        let set = |component| position.component(component) & own;
        // Attacks by the attacker's worth: Pawn, minor piece, Rook, the others.
        let mut by = [Bitboard::EMPTY; 4];
        let (mut all, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let mut add = |worth: usize, attacked: Bitboard| {
            twice |= all & attacked;
            all |= attacked;
            by[worth] |= attacked;
        };
        let (left, right) = pawn_attacks(set(Component::Pawn), color);
        add(0, left);
        add(0, right);
        let mut add_piece = |component, square: Square, simple: usize, attacked| {
            add(if compounds.has(square) { 3 } else { simple }, attacked);
            each(component, square, attacked);
        };
        for square in set(Component::Knight) {
            add_piece(Component::Knight, square, 1, attacks::knight(square));
        }
        for square in set(Component::Bishop) {
            add_piece(Component::Bishop, square, 1, attacks::bishop(square, occupied));
        }
        for square in set(Component::Mann) {
            add_piece(Component::Mann, square, 1, attacks::king(square));
        }
        for square in set(Component::Rook) {
            add_piece(Component::Rook, square, 2, attacks::rook(square, occupied));
        }
        for square in set(Component::King) {
            add_piece(Component::King, square, 3, attacks::king(square));
        }
        let [pawn, minor, rook, _] = by;
        let below = [Bitboard::EMPTY, pawn, pawn | minor, pawn | minor | rook, pawn | minor | rook];
        Self { below, all, twice }
    }

    /// Returns the squares attacked by a piece of less than this worth.
    pub(super) fn below(&self, worth: Worth) -> Bitboard {
        self.below[worth as usize]
    }
}

/// Returns the squares that these Pawns attack towards either side of the board.
pub(super) fn pawn_attacks(pawns: Bitboard, color: Color) -> (Bitboard, Bitboard) {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    match color {
        Color::White => (Bitboard((pawns.0 & NOT_A) << 7), Bitboard((pawns.0 & NOT_H) << 9)),
        Color::Black => (Bitboard((pawns.0 & NOT_A) >> 9), Bitboard((pawns.0 & NOT_H) >> 7)),
    }
}

/// Returns the attacks of both sides, the side to move first.
pub(super) fn both(position: &Position) -> [Attacks; 2] {
    let us = position.side_to_move();
    [Attacks::of(position, us), Attacks::of(position, !us)]
}

/// Returns the pieces of `color` that the enemy may win: attacked by a piece of less worth, or
/// attacked and not defended. Royal pieces are excluded, because an attack on them is check.
pub(super) fn en_prise(
    position: &Position,
    color: Color,
    own: &Attacks,
    enemy: &Attacks,
) -> Bitboard {
    let compounds = position.compounds();
    let set = |component| position.component(component);
    let minors = set(Component::Bishop) | set(Component::Knight) | set(Component::Mann);
    let minors = minors & !compounds;
    let rooks = set(Component::Rook) & !compounds;
    let hanging = enemy.all & !own.all;
    let lesser = enemy.below(Worth::Minor) & minors
        | enemy.below(Worth::Rook) & rooks
        | enemy.below(Worth::Compound) & compounds;
    (hanging | lesser) & position.color(color) & !set(Component::King)
}
