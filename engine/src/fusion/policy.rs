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

use super::threats::{self, Attacks, Worth};
use crate::board::{Bitboard, Color, Component, Move, MoveKind, Piece, Position, Square, attacks};

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

/// The number of each kind of piece by its set of components, and of what can be captured.
struct Numbers {
    kind: [u8; 32],
    captured: [u8; 32],
}

static NUMBERS: Numbers = {
    let mut numbers = Numbers { kind: [0; 32], captured: [0; 32] };
    let (mut i, mut captures) = (0, 1);
    while i < KINDS {
        let (piece, _) = Piece::LETTERS[i];
        numbers.kind[piece.index()] = i as u8;
        if !piece.is_royal() {
            numbers.captured[piece.index()] = captures;
            captures += 1;
        }
        i += 1;
    }
    assert!(captures as usize == CAPTURES);
    numbers
};

/// What a row becomes when the board is turned from left to right.
pub(super) fn reflect(row: usize) -> usize {
    if row < ACTIONS { row ^ 7 } else { row }
}

/// Appends the rows of each move.
pub(super) fn rows(position: &Position, moves: &[Move], rows: &mut Vec<u16>) {
    let describer = Describer::new(position);
    rows.extend(moves.iter().flat_map(|&mv| describer.rows(mv)));
}

/// What all moves of a position have in common.
struct Describer<'a> {
    position: &'a Position,
    us: Color,
    own: Attacks,
    enemy: Attacks,
    /// Own pieces that may be won where they stand.
    en_prise: Bitboard,
    /// Squares from which each component attacks the enemy's royal piece.
    checks: [Bitboard; Component::COUNT],
}

impl<'a> Describer<'a> {
    fn new(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let [own, enemy] = threats::both(position);
        let royal = position.royal(!us);
        let occupied = position.occupied();
        let checks = Component::ALL.map(|component| match component {
            Component::King => Bitboard::EMPTY,
            Component::Rook => attacks::rook(royal, occupied),
            Component::Bishop => attacks::bishop(royal, occupied),
            Component::Knight => attacks::knight(royal),
            Component::Pawn => attacks::pawn(!us, royal),
        });
        let en_prise = threats::en_prise(position, us, &own, &enemy);
        Self { position, us, own, enemy, en_prise, checks }
    }

    #[inline]
    fn rows(&self, mv: Move) -> [u16; TERMS] {
        let (from, to) = (mv.from(), mv.to());
        let before = self.position.piece_on(from);
        let target = self.position.piece_on(to);
        let (after, action) = match mv.kind() {
            MoveKind::Plain => (before, 0),
            MoveKind::Fusion => (before.union(target), 1),
            MoveKind::Fission(component) => (Piece::of(component), 2),
            MoveKind::Castling => (before, 3),
            MoveKind::Promotion(piece) => (piece, 4),
            MoveKind::EnPassant => (before, 5),
        };
        let captured = match mv.kind() {
            MoveKind::EnPassant => Piece::of(Component::Pawn),
            MoveKind::Fusion => Piece::NONE,
            _ => target,
        };
        let turn =
            |square: Square| if self.us == Color::White { square } else { square.flip_rank() };
        let kind = |piece: Piece| usize::from(NUMBERS.kind[piece.index()]);
        let capture = usize::from(NUMBERS.captured[captured.index()]);
        [
            (kind(after) * 64 + turn(to).index()) as u16,
            (DEPARTURES + kind(before) * 64 + turn(from).index()) as u16,
            (ACTIONS + (kind(before) * 6 + action) * CAPTURES + capture) as u16,
            (EXCHANGES + self.exchange(mv, before, after, captured)) as u16,
        ]
    }

    /// Number of what a move risks and wins.
    #[inline]
    fn exchange(&self, mv: Move, before: Piece, after: Piece, captured: Piece) -> usize {
        let (from, to) = (mv.from(), mv.to());
        let worth = Worth::of(after);
        let origin =
            if self.en_prise.has(from) { 2 } else { usize::from(self.enemy.all.has(from)) };
        // The mover's own attack on its destination defends nothing once it is there.
        let covers = before.len() > 1 || !before.has(Component::Pawn) || from.file() != to.file();
        let defended = if covers { self.own.twice } else { self.own.all };
        let destination = if !self.enemy.all.has(to) {
            0
        } else if self.enemy.below(worth).has(to) {
            1
        } else if defended.has(to) {
            2
        } else {
            3
        };
        let check = after.components().any(|component| self.checks[component.index()].has(to));
        let won = if captured.is_empty() { 0 } else { 1 + Worth::of(captured) as usize };
        (((worth as usize * 3 + origin) * 4 + destination) * 2 + usize::from(check)) * 5 + won
    }
}
