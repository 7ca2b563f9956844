//! The policy head's rows for each move, seen from the side to move.
//!
//! A move's logit is the sum of four rows' outputs. So, for example, the weights for a piece's
//! arrival on a square serve all moves that bring it there:
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | arrival | 11 x 64 | the piece that stands on the destination afterwards, and where |
//! | departure | 11 x 64 | the piece that stood on the origin before, and where |
//! | action | 11 x 6 x 8 | that piece, the kind of move, and what it captures |
//! | exchange | 5 x 3 x 4 x 2 x 5 | worth of the arriving piece; threat to it on the origin, and on the destination; check; worth of the captured piece |
//! | family: arrival, departure | 2 x 11 x 64 | as above, for the pieces that only the family's other games have |
//! | family: action | 11 x 6 x 8 | as above, such a piece moves |
//! | family: capture | 22 x 6 x 8 | any piece moves and captures such a piece |
//! | self-capture | 22 x 6 x 4 | any piece, the kind of move, and the worth of its own side's piece that it captures |
//!
//! A self-capture has the last row instead of an action, and wins nothing in its exchange. Rows that
//! Fusion Chess does not need come last, so that a network trained without them can still be used.

use super::checks;
use super::threats::{self, Worth};
use crate::board::{Bitboard, Color, Component, Move, MoveKind, Piece, Position, Square};

/// Number of rows of a move.
pub(super) const TERMS: usize = 4;

const DEPARTURES: usize = KINDS * 64;
const ACTIONS: usize = 2 * DEPARTURES;
const EXCHANGES: usize = ACTIONS + ACTION_ROWS;
/// Number of policy rows before those of the family's other games.
pub(super) const USUAL_COUNT: usize = EXCHANGES + Worth::COUNT * 3 * 4 * 2 * 5;
const FAMILY_ARRIVALS: usize = USUAL_COUNT;
const FAMILY_DEPARTURES: usize = FAMILY_ARRIVALS + KINDS * 64;
const FAMILY_ACTIONS: usize = FAMILY_DEPARTURES + KINDS * 64;
const FAMILY_CAPTURES: usize = FAMILY_ACTIONS + ACTION_ROWS;
const SELF_CAPTURES: usize = FAMILY_CAPTURES + 2 * ACTION_ROWS;
/// Number of policy rows.
pub(super) const COUNT: usize = SELF_CAPTURES + 2 * KINDS * SELF_CAPTURE_ROWS;

/// Kinds of pieces of Fusion Chess. The family's other games have the same number again.
const KINDS: usize = 11;
/// Rows for the moving piece, six kinds of move, and the captured piece.
const ACTION_ROWS: usize = KINDS * KIND_ACTIONS;
const KIND_ACTIONS: usize = 6 * CAPTURES;
/// Values of the captured piece: nothing, or a piece that is not royal. The family's other games
/// have the same number again.
const CAPTURES: usize = 8;
/// Rows for six kinds of move and the worth of the captured piece, which is not royal.
const SELF_CAPTURE_ROWS: usize = 6 * (Worth::COUNT - 1);

/// The pieces that only the family's other games have.
const FAMILY: [Piece; KINDS] = {
    const fn set(components: &[Component]) -> Piece {
        let (mut piece, mut i) = (Piece::NONE, 0);
        while i < components.len() {
            piece = piece.with(components[i]);
            i += 1;
        }
        piece
    }
    use Component::{Bishop, King, Knight, Mann, Rook};
    [
        set(&[Mann]),
        set(&[Rook, Mann]),
        set(&[Bishop, Mann]),
        set(&[Knight, Mann]),
        set(&[Rook, Bishop, Knight]),
        set(&[Rook, Bishop, Mann]),
        set(&[Rook, Knight, Mann]),
        set(&[Bishop, Knight, Mann]),
        set(&[King, Rook, Bishop]),
        set(&[King, Rook, Knight]),
        set(&[King, Bishop, Knight]),
    ]
};

/// Row numbers of each piece, indexed by its set of components.
struct Pieces {
    /// The first row of its arrivals, and of its departures.
    arrival: [u16; Piece::SETS],
    departure: [u16; Piece::SETS],
    /// The first row of its actions: first for captures of a usual piece or none, then for captures
    /// of a piece of the family.
    action: [[u16; Piece::SETS]; 2],
    /// The first row of its self-captures.
    self_capture: [u16; Piece::SETS],
    /// Index as the captured piece: 0 for nothing, those of the family from 8 on.
    captured: [u8; Piece::SETS],
    worth: [Worth; Piece::SETS],
}

static PIECES: Pieces = {
    let mut pieces = Pieces {
        arrival: [0; Piece::SETS],
        departure: [0; Piece::SETS],
        action: [[0; Piece::SETS]; 2],
        self_capture: [0; Piece::SETS],
        captured: [0; Piece::SETS],
        worth: [Worth::Pawn; Piece::SETS],
    };
    let (mut i, mut captures) = (0, 1);
    while i < 2 * KINDS {
        let family = i >= KINDS;
        let kind = i % KINDS;
        let piece = if family { FAMILY[kind] } else { Piece::LETTERS[kind].0 };
        let at = piece.index();
        let (arrivals, departures, actions) = if family {
            (FAMILY_ARRIVALS, FAMILY_DEPARTURES, FAMILY_ACTIONS)
        } else {
            (0, DEPARTURES, ACTIONS)
        };
        pieces.arrival[at] = (arrivals + kind * 64) as u16;
        pieces.departure[at] = (departures + kind * 64) as u16;
        pieces.action[0][at] = (actions + kind * KIND_ACTIONS) as u16;
        pieces.action[1][at] = (FAMILY_CAPTURES + i * KIND_ACTIONS) as u16;
        pieces.self_capture[at] = (SELF_CAPTURES + i * SELF_CAPTURE_ROWS) as u16;
        pieces.worth[at] = Worth::of(piece);
        if !piece.is_royal() {
            pieces.captured[at] = captures;
            captures += 1;
        }
        i += 1;
    }
    assert!(captures as usize == 2 * CAPTURES);
    pieces
};

/// Returns the row that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(row: usize) -> usize {
    match row {
        0..ACTIONS | FAMILY_ARRIVALS..FAMILY_ACTIONS => row ^ 7,
        _ => row,
    }
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

/// The data that all moves of a position share.
struct Describer<'a> {
    position: &'a Position,
    /// The pieces of the side to move.
    own: Bitboard,
    /// Turns a square's index so that the side to move plays up.
    turn: usize,
    /// Threats to the squares that pieces leave: attacked squares, and pieces there that may be
    /// won.
    attacked: Bitboard,
    en_prise: Bitboard,
    /// Squares where a piece of each worth would be attacked by a lesser piece.
    lesser: [Bitboard; Worth::COUNT],
    /// Squares that stay defended even if one of the defenders moves there.
    defended: Bitboard,
    /// Squares with at least one defender. An advancing Pawn does not remove a defender.
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
            own: position.color(us),
            turn: if us == Color::White { 0 } else { 56 },
            attacked: enemy.all,
            en_prise: threats::en_prise(position, us, &own, &enemy),
            lesser: Worth::ALL.map(|worth| enemy.below(worth)),
            defended: own.twice,
            defended_once: own.all,
            checks: checks::squares(position),
        }
    }

    /// Returns the rows of a move. Hot path, called for every move of every leaf: table lookups
    /// instead of branches, which would be mispredicted.
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
            MoveKind::Demotion => (Piece::of(before.capturer(from, to)), 0, target),
        };
        let captures_own = self.own.has(to) & !captured.is_empty();
        let (row, won) = if captures_own {
            let worth = PIECES.worth[captured.index()] as usize;
            let row = action * (Worth::COUNT - 1) + worth;
            (PIECES.self_capture[before.index()] + row as u16, Piece::NONE)
        } else {
            let capture = usize::from(PIECES.captured[captured.index()]);
            let actions = PIECES.action[capture / CAPTURES][before.index()];
            (actions + (action * CAPTURES + capture % CAPTURES) as u16, captured)
        };
        [
            PIECES.arrival[after.index()] + (to.index() ^ self.turn) as u16,
            PIECES.departure[before.index()] + (from.index() ^ self.turn) as u16,
            row,
            (EXCHANGES + self.exchange(mv, before, after, won)) as u16,
        ]
    }

    /// Returns the index of the material that a move risks and wins.
    #[inline]
    fn exchange(&self, mv: Move, before: Piece, after: Piece, captured: Piece) -> usize {
        /// Codes, indexed by whether the destination is attacked, attacked by a lesser piece, and
        /// defended.
        const DESTINATION: [u8; 8] = [0, 3, 0, 1, 0, 2, 0, 1];
        let (from, to) = (mv.from(), mv.to());
        let bit = |set: Bitboard, square: Square| (set.0 >> square.index() & 1) as usize;
        let worth = PIECES.worth[after.index()];
        // A piece that may be won is also attacked.
        let origin = bit(self.attacked, from) + bit(self.en_prise, from);
        // The mover's own attack on its destination does not defend it after the move.
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
