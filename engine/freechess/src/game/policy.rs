//! The policy head's rows for each action.
//!
//! An action's logit is the sum of four rows' outputs:
//!
//! | block | rows | meaning |
//! | --- | --- | --- |
//! | arrival | 13 x 169 + 8 | what comes to a square: a placed kind, a moving piece by its class, a hand; or a lifted kind, a return, the end |
//! | departure | 7 x 169 + 78 + 1 | the kind of a part and its origin, or the origin of a split; a placed kind and the piece that stands there; the end |
//! | meeting | 6 x 13 x 2 + 4 | the class of a moving piece, what it meets, whether the turn goes on; other actions |
//! | safety | 3 x 6 x 8 + 1 | a placement, part or set-down; the class that arrives; whether the enemy strikes the square, whether an own piece does, whether it eyes the enemy royal |
//!
//! The class of a piece is its first kind in the order k c r b n p.

use crate::board::{Action, Bitboard, Kind, Piece, Position, SIDE, Square, Turn};

/// Number of rows of an action.
pub(super) const TERMS: usize = 4;

const CELLS: usize = SIDE * SIDE;
/// Classes of pieces.
const CLASSES: usize = Kind::COUNT;
/// What can stand on a square: nothing, a friendly piece or an enemy of each class.
const TARGETS: usize = 1 + 2 * CLASSES;

// Arrivals.
const PLACED: usize = 0;
const MOVED: usize = PLACED + Kind::COUNT * CELLS;
const SET_DOWN: usize = MOVED + CLASSES * CELLS;
const LIFTED: usize = SET_DOWN + CELLS;
const RETURNED: usize = LIFTED + Kind::COUNT;
const ENDED: usize = RETURNED + 1;
// Departures.
const PARTS: usize = ENDED + 1;
const SPLITS: usize = PARTS + Kind::COUNT * CELLS;
const ONTO: usize = SPLITS + CELLS;
const NOWHERE: usize = ONTO + Kind::COUNT * TARGETS;
// Meetings.
const MEETINGS: usize = NOWHERE + 1;
const OTHERS: usize = MEETINGS + 2 * CLASSES * TARGETS;
// Safety.
const SAFETY: usize = OTHERS + 4;
const NO_SAFETY: usize = SAFETY + 3 * CLASSES * 8;
/// Number of policy rows.
pub(super) const COUNT: usize = NO_SAFETY + 1;

/// Returns the class of a piece that is not empty.
fn class(piece: Piece) -> usize {
    const ORDER: [Kind; CLASSES] =
        [Kind::Royal, Kind::Combinator, Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Opawn];
    ORDER.into_iter().position(|kind| piece.has(kind)).unwrap_or(0)
}

/// Appends the rows of each of these legal actions.
pub(super) fn rows(position: &Position, actions: &[Action], rows: &mut Vec<u16>) {
    let describer = Describer::new(position);
    for &action in actions {
        rows.extend(describer.rows(action).map(|row| row as u16));
    }
}

/// Computes rows of the actions of a position.
struct Describer<'a> {
    position: &'a Position,
    /// Squares that own, then enemy pieces strike.
    strikes: [Bitboard; 2],
    /// By kind: squares from which it sees the enemy royal.
    eyes: [Bitboard; Kind::COUNT],
    hand: Piece,
}

impl<'a> Describer<'a> {
    fn new(position: &'a Position) -> Self {
        let us = position.side_to_move();
        let map = |side| position.strike_map(side, position.empty());
        let royal = position.royal(us.other());
        let hand = match position.turn() {
            Turn::Split { hand, .. } => hand,
            _ => Piece::NONE,
        };
        Self {
            position,
            strikes: [us, us.other()].map(map),
            eyes: royal.map(|royal| position.lines_to(royal)).unwrap_or_default(),
            hand,
        }
    }

    fn rows(&self, action: Action) -> [usize; TERMS] {
        match action {
            Action::Place { kind, to } => [
                PLACED + kind as usize * CELLS + to.compact(),
                ONTO + kind as usize * TARGETS + self.target(to),
                OTHERS,
                self.safety(0, Piece::of(kind), to),
            ],
            Action::Part { from, to, goes_on } => {
                let piece = self.position.piece_on(from);
                // A combinator makes no part: its place is for parts after which the turn is over.
                let kind = goes_on.unwrap_or(Kind::Combinator) as usize;
                let meeting = class(piece) * TARGETS + if to == from { 0 } else { self.target(to) };
                [
                    MOVED + class(piece) * CELLS + to.compact(),
                    PARTS + kind * CELLS + from.compact(),
                    MEETINGS + 2 * meeting + usize::from(goes_on.is_some()),
                    self.safety(1, piece, to),
                ]
            }
            Action::End => [ENDED, NOWHERE, OTHERS + 1, NO_SAFETY],
            Action::Lift { from, kind } => {
                let split = SPLITS + from.compact();
                [LIFTED + kind as usize, split, OTHERS + 2, NO_SAFETY]
            }
            Action::SetDown { from, to } => [
                SET_DOWN + to.compact(),
                SPLITS + from.compact(),
                OTHERS + 3,
                self.safety(2, self.hand, to),
            ],
            Action::Return { from } => [RETURNED, SPLITS + from.compact(), OTHERS + 3, NO_SAFETY],
        }
    }

    /// Returns what stands on a square.
    fn target(&self, square: Square) -> usize {
        let piece = self.position.piece_on(square);
        let own = self.position.of(self.position.side_to_move()).has(square);
        match () {
            () if piece.is_empty() => 0,
            () if own => 1 + class(piece),
            () => 1 + CLASSES + class(piece),
        }
    }

    fn safety(&self, form: usize, piece: Piece, to: Square) -> usize {
        let [own, enemy] = self.strikes.map(|set| usize::from(set.has(to)));
        let eyes = piece.kinds().any(|kind| self.eyes[kind as usize].has(to));
        SAFETY + (form * CLASSES + class(piece)) * 8 + 4 * enemy + 2 * own + usize::from(eyes)
    }
}

/// Returns the row that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(row: usize) -> usize {
    let mirror = |first: usize| {
        let (block, cell) = ((row - first) / CELLS, (row - first) % CELLS);
        first + block * CELLS + cell / SIDE * SIDE + (SIDE - 1 - cell % SIDE)
    };
    match row {
        PLACED..LIFTED => mirror(PLACED),
        PARTS..ONTO => mirror(PARTS),
        _ => row,
    }
}
