//! The policy head's rows for each move, seen from the side to move.
//!
//! A move's logit is the sum of four rows' outputs, so that what is learnt of a piece's
//! arrival on a square, say, serves all moves that bring it there:
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | arrival | 11 x 64 | the piece that stands on the destination afterwards, and where |
//! | departure | 11 x 64 | the piece that stood on the origin before, and where |
//! | action | 11 x 6 x 8 | that piece, the kind of move, and what it captures |
//! | exchange | 5 x 3 x 4 x 2 x 5 | worth of what arrives; threat to it where it was, and where it goes; check; worth of what is captured |

use super::checks;
use super::threats::{self, Worth};
use crate::board::{Bitboard, Color, Component, Move, MoveKind, Piece, Position, Square};

/// Rows of a move.
pub(super) const TERMS: usize = 4;

const DEPARTURES: usize = KINDS * 64;
const ACTIONS: usize = 2 * DEPARTURES;
const EXCHANGES: usize = ACTIONS + KINDS * 6 * CAPTURES;
/// Number of policy rows.
pub(super) const COUNT: usize = EXCHANGES + Worth::COUNT * 3 * 4 * 2 * 5;

const KINDS: usize = Piece::LETTERS.len();
/// Nothing, or a piece that is not royal.
const CAPTURES: usize = 8;

/// What the rows need to know of each piece, by its set of components.
struct Pieces {
    /// Number of the kind.
    kind: [u8; 32],
    /// Number of what is captured; 0 for nothing.
    captured: [u8; 32],
    worth: [Worth; 32],
}

static PIECES: Pieces = {
    let mut pieces = Pieces { kind: [0; 32], captured: [0; 32], worth: [Worth::Pawn; 32] };
    let (mut i, mut captures) = (0, 1);
    while i < KINDS {
        let (piece, _) = Piece::LETTERS[i];
        pieces.kind[piece.index()] = i as u8;
        pieces.worth[piece.index()] = Worth::of(piece);
        if !piece.is_royal() {
            pieces.captured[piece.index()] = captures;
            captures += 1;
        }
        i += 1;
    }
    assert!(captures as usize == CAPTURES);
    pieces
};

/// What a row becomes when the board is turned from left to right.
pub(super) fn reflect(row: usize) -> usize {
    if row < ACTIONS { row ^ 7 } else { row }
}

/// Appends the rows of each move.
pub(super) fn rows(position: &Position, moves: &[Move], rows: &mut Vec<u16>) {
    let describer = Describer::new(position);
    let start = rows.len();
    rows.resize(start + TERMS * moves.len(), 0);
    let (places, _) = rows[start..].as_chunks_mut();
    for (place, &mv) in places.iter_mut().zip(moves) {
        *place = describer.rows(mv);
    }
}

/// What all moves of a position have in common.
struct Describer<'a> {
    position: &'a Position,
    /// Turns a square's index so that the side to move plays up.
    turn: usize,
    /// Threats to the squares that pieces leave: attacked, and may be won there.
    attacked: Bitboard,
    en_prise: Bitboard,
    /// Squares where a piece of each worth, once there, stands attacked by a lesser one.
    lesser: [Bitboard; Worth::COUNT],
    /// Squares defended even if one of the pieces that do so moves there.
    defended: Bitboard,
    /// Squares defended: a Pawn that advances does not give up a defender.
    defended_once: Bitboard,
    /// Squares from which each component attacks the enemy's royal piece.
    checks: [Bitboard; Component::COUNT],
}

impl<'a> Describer<'a> {
    fn new(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let [own, enemy] = threats::both(position);
        Self {
            position,
            turn: if us == Color::White { 0 } else { 56 },
            attacked: enemy.all,
            en_prise: threats::en_prise(position, us, &own, &enemy),
            lesser: Worth::ALL.map(|worth| enemy.below(worth)),
            defended: own.twice,
            defended_once: own.all,
            checks: checks::squares(position),
        }
    }

    /// Every move of every leaf comes through here, so it looks things up without branches
    /// where it can: they would be hard to foresee.
    #[inline]
    fn rows(&self, mv: Move) -> [u16; TERMS] {
        let (from, to) = (mv.from(), mv.to());
        let before = self.position.piece_on(from);
        let target = self.position.piece_on(to);
        let (after, action, captured) = match mv.kind() {
            MoveKind::Plain => (before, 0, target),
            MoveKind::Fusion => (before.union(target), 1, Piece::NONE),
            MoveKind::Fission(component) => (Piece::of(component), 2, target),
            MoveKind::Castling => (before, 3, target),
            MoveKind::Promotion(piece) => (piece, 4, target),
            MoveKind::EnPassant => (before, 5, Piece::of(Component::Pawn)),
        };
        let kind = |piece: Piece| usize::from(PIECES.kind[piece.index()]);
        let capture = usize::from(PIECES.captured[captured.index()]);
        [
            (kind(after) * 64 + (to.index() ^ self.turn)) as u16,
            (DEPARTURES + kind(before) * 64 + (from.index() ^ self.turn)) as u16,
            (ACTIONS + (kind(before) * 6 + action) * CAPTURES + capture) as u16,
            (EXCHANGES + self.exchange(mv, before, after, captured)) as u16,
        ]
    }

    /// Number of what a move risks and wins.
    #[inline]
    fn exchange(&self, mv: Move, before: Piece, after: Piece, captured: Piece) -> usize {
        /// By whether the destination is attacked, by a lesser piece, and defended.
        const DESTINATION: [u8; 8] = [0, 3, 0, 1, 0, 2, 0, 1];
        let (from, to) = (mv.from(), mv.to());
        let bit = |set: Bitboard, square: Square| (set.0 >> square.index() & 1) as usize;
        let worth = PIECES.worth[after.index()];
        // What may be won is attacked.
        let origin = bit(self.attacked, from) + bit(self.en_prise, from);
        // The mover's own attack on its destination defends nothing once it is there.
        let advances = before == Piece::of(Component::Pawn) && from.file() == to.file();
        let defended = if advances { self.defended_once } else { self.defended };
        let threats = bit(self.attacked, to)
            | bit(self.lesser[worth as usize], to) << 1
            | bit(defended, to) << 2;
        let destination = usize::from(DESTINATION[threats]);
        let checks = Component::ALL.into_iter().fold(0, |checks, component| {
            checks | bit(self.checks[component.index()], to) << component.index()
        });
        let check = usize::from(checks & after.index() != 0);
        let won = if captured.is_empty() { 0 } else { 1 + PIECES.worth[captured.index()] as usize };
        (((worth as usize * 3 + origin) * 4 + destination) * 2 + check) * 5 + won
    }
}
