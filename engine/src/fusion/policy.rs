//! The policy head's row for each move, seen from the side to move.
//!
//! | block | size | moves |
//! | --- | --- | --- |
//! | moves | 1,792 | plain moves, fusions, castling and en passant: each pair of squares that a Queen or a Knight connects |
//! | fissions | 1,792 | a Rook, Bishop or Knight leaves: the pair of squares tells which |
//! | royal fissions | 512 | the King leaves: 64 squares by 8 directions |
//! | promotions | 144 | file of origin by direction by piece |

use crate::board::moves::PROMOTIONS;
use crate::board::{Color, Component, Move, MoveKind, Square};

const FISSIONS: usize = PAIRS;
const ROYAL_FISSIONS: usize = FISSIONS + PAIRS;
const PROMOTING: usize = ROYAL_FISSIONS + 64 * 8;

/// Number of policy rows.
pub(super) const COUNT: usize = PROMOTING + 8 * 3 * PROMOTIONS.len();

/// Ordered pairs of squares that a Queen's or a Knight's move connects.
const PAIRS: usize = 1_792;

/// The number of each such pair in order of origin, then destination.
static PAIR: [[u16; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut next = 0;
    let mut i = 0;
    while i < 64 * 64 {
        let (from, to): (usize, usize) = (i / 64, i % 64);
        let files = (from % 8).abs_diff(to % 8);
        let ranks = (from / 8).abs_diff(to / 8);
        if from != to && (files == 0 || ranks == 0 || files == ranks || files * ranks == 2) {
            table[from][to] = next;
            next += 1;
        }
        i += 1;
    }
    assert!(next as usize == PAIRS);
    table
};

/// The row of a move; different for each legal move of a position.
#[inline]
pub(super) fn index(us: Color, mv: Move) -> usize {
    let turn = |square: Square| if us == Color::White { square } else { square.flip_rank() };
    let (from, to) = (turn(mv.from()), turn(mv.to()));
    let pair = usize::from(PAIR[from.index()][to.index()]);
    match mv.kind() {
        MoveKind::Plain | MoveKind::Fusion | MoveKind::Castling | MoveKind::EnPassant => pair,
        MoveKind::Fission(Component::King) => {
            ROYAL_FISSIONS + from.index() * 8 + direction(from, to)
        }
        MoveKind::Fission(_) => FISSIONS + pair,
        MoveKind::Promotion(piece) => {
            let lane = from.file() * 3 + (to.file() + 1).saturating_sub(from.file()).min(2);
            let piece = PROMOTIONS.iter().position(|&known| known == piece).unwrap_or(0);
            PROMOTING + lane * PROMOTIONS.len() + piece
        }
    }
}

/// A King step's direction, 0 to 7.
fn direction(from: Square, to: Square) -> usize {
    let files = (to.file() + 1).saturating_sub(from.file()).min(2);
    let ranks = (to.rank() + 1).saturating_sub(from.rank()).min(2);
    // The nine combinations without the middle one.
    let square = ranks * 3 + files;
    if square > 4 { square - 1 } else { square }
}
