//! What both networks see of a position: sets of inputs, from the view of a side.
//!
//! | block | words | meaning |
//! | --- | --- | --- |
//! | kinds | 2 x 6 x 3 | squares of own, then enemy pieces with each kind |
//! | several | 2 x 4 x 3 | those with two or more of r, b, n, p |
//! | shield | 3 | the square that rule 7 protects |
//! | origin | 3 | inside a turn: where the piece began, or where it splits |
//! | mover | 3 | inside a move: where the piece stands |
//! | reserves | 2 x 2 | own, then enemy: a bit for each kind and number, set if there are at least as many |
//! | hand | 2 | the same of the hand |
//! | turn | 1 | whether the side is to move; in a move, in a split; captured; used kinds; shielded kind |
//! | rules | 1 | the toggles |
//!
//! A board has three words, one bit for each index of a square. The board is not turned: nothing in
//! the rules has a direction.

use super::FreeChess;
use crate::board::{Bitboard, Kind, Piece, Position, SQUARES, Square, Turn};
use crate::rules::RuleSet;
use fusion_game::Side;

/// Words of a board.
pub(super) const BOARD: usize = 3;

/// Kinds of which a piece may have several.
const SEVERAL: [Kind; 4] = [Kind::Rook, Kind::Bishop, Kind::Knight, Kind::Opawn];

const SIDE_BOARDS: usize = Kind::COUNT + SEVERAL.len();
const SHIELD: usize = 2 * SIDE_BOARDS;
const ORIGIN: usize = SHIELD + 1;
const MOVER: usize = ORIGIN + 1;
/// Number of boards.
pub(super) const BOARDS: usize = MOVER + 1;

/// Words of a multiset.
const COUNTS: usize = 2;
const RESERVES: usize = BOARD * BOARDS;
const HAND: usize = RESERVES + 2 * COUNTS;
const TURN: usize = HAND + COUNTS;
const RULES: usize = TURN + 1;
/// Number of words.
pub(super) const WORDS: usize = RULES + 1;

/// Writes the inputs of a position in the view of a side.
pub(super) fn write(game: &FreeChess, position: &Position, side: Side, words: &mut [u64]) {
    words[..WORDS].fill(0);
    for (number, owner) in [side, side.other()].into_iter().enumerate() {
        let first = number * SIDE_BOARDS;
        for kind in Kind::ALL {
            set_board(words, first + kind as usize, position.with(owner, kind));
        }
        for square in position.of(owner) {
            let piece = position.piece_on(square);
            for (place, kind) in SEVERAL.into_iter().enumerate() {
                if piece.count(kind) > 1 {
                    add(words, first + Kind::COUNT + place, square);
                }
            }
        }
        set_counts(&mut words[RESERVES + COUNTS * number..], position.reserve(owner));
    }
    let mut turn = u64::from(position.side_to_move() == side);
    if let Some((kind, square)) = position.shield() {
        add(words, SHIELD, square);
        turn |= 1 << (16 + kind as usize);
    }
    match position.turn() {
        Turn::Start => {}
        Turn::Move { origin, at, used, captured } => {
            add(words, ORIGIN, origin);
            add(words, MOVER, at);
            turn |= 1 << 1 | u64::from(captured) << 3;
            turn |= used.kinds().fold(0, |bits, kind| bits | 1 << (8 + kind as usize));
        }
        Turn::Split { origin, hand } => {
            add(words, ORIGIN, origin);
            set_counts(&mut words[HAND..], hand);
            turn |= 1 << 2;
        }
    }
    words[TURN] = turn;
    words[RULES] = of_rules(&game.rules);
}

/// Writes a set of squares as a board.
pub(super) fn set_board(words: &mut [u64], board: usize, set: Bitboard) {
    words[BOARD * board..BOARD * (board + 1)].copy_from_slice(&set.0);
}

fn add(words: &mut [u64], board: usize, square: Square) {
    words[BOARD * board + square.index() / 64] |= 1 << (square.index() % 64);
}

/// Writes a multiset: a bit for each number of each kind up to its count, and one for a royal.
fn set_counts(words: &mut [u64], piece: Piece) {
    let below = |kind: Kind| (1u64 << piece.count(kind)) - 1;
    words[0] = u64::from(piece.is_royal());
    for (place, kind) in [Kind::Rook, Kind::Bishop, Kind::Knight].into_iter().enumerate() {
        words[0] |= below(kind) << (1 + 13 * place);
    }
    words[1] = below(Kind::Opawn) | below(Kind::Combinator) << 13;
}

/// Returns the toggles as bits.
fn of_rules(rules: &RuleSet) -> u64 {
    let flags = [
        rules.combinators,
        rules.valid_squares,
        rules.fusing,
        rules.splitting,
        rules.royal_return,
        rules.recall,
        rules.royal_to_capture,
        rules.royal_cancel,
        rules.pinned_checks,
    ];
    let flags = flags.into_iter().enumerate();
    let bits = flags.fold(0, |bits, (place, flag)| bits | u64::from(flag) << place);
    let start = rules.start_reserve();
    let numbers = Kind::ALL.into_iter().skip(1).enumerate();
    let numbers =
        numbers.fold(0, |bits, (place, kind)| bits | u64::from(start.count(kind)) << (4 * place));
    bits | 1 << (12 + rules.shield as usize) | 1 << (16 + rules.board as usize) | numbers << 20
}

/// Returns the input that corresponds to this one of a board's when the board is mirrored left to
/// right.
pub(super) fn reflect(input: usize) -> usize {
    let (board, index) = (input / (64 * BOARD), input % (64 * BOARD));
    let mirrored =
        Square::from_index(index).filter(|_| index < SQUARES).map_or(index, mirror_index);
    64 * BOARD * board + mirrored
}

fn mirror_index(square: Square) -> usize {
    Square::at(crate::board::SIDE - 1 - square.file(), square.rank()).index()
}
