//! Random keys for incremental position hashes (Zobrist 1970).
//!
//! A compound hashes to the XOR of its components, so that fusion and fission change
//! the hash by the component that moves.

use super::bitboard::Square;
use super::piece::{Color, Component, Piece};
use super::position::MaybeSquare;

struct Keys {
    /// By colour, piece and square: the XOR of the piece's components.
    pieces: [[[u64; 64]; Piece::SETS]; 2],
    castling: [u64; 16],
    /// By square; the last is for none.
    en_passant: [u64; 65],
    side: u64,
}

/// Computes one step of SplitMix64 (Steele, Lea and Flood 2014).
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static KEYS: Keys = make_keys();

const fn make_keys() -> Keys {
    let mut keys = Keys {
        pieces: [[[0; 64]; Piece::SETS]; 2],
        castling: [0; 16],
        en_passant: [0; 65],
        side: 0,
    };
    let mut state = 1999;
    // The Mann's keys come last, so that all other keys are as in versions without the Mann.
    draw_pieces(&mut keys, &mut state, 0, Component::Mann as usize);
    // No rights and no square hash to zero.
    let mut i = 1;
    while i < 16 {
        keys.castling[i] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        keys.en_passant[5 * 8 + i] = next(&mut state);
        i += 1;
    }
    keys.side = next(&mut state);
    draw_pieces(&mut keys, &mut state, Component::Mann as usize, Component::COUNT);
    // The keys of the other ranks came later. All differ: where double steps go from several ranks,
    // a side may pass the third as well as the sixth.
    i = 0;
    while i < 64 {
        if i / 8 != 5 {
            keys.en_passant[i] = next(&mut state);
        }
        i += 1;
    }
    keys
}

/// Draws the keys of the components in a range of indices, for both colours.
const fn draw_pieces(keys: &mut Keys, state: &mut u64, first: usize, end: usize) {
    let kinds = end - first;
    let mut i = 0;
    while i < 2 * kinds * 64 {
        let (color, component, square) = (i / 64 / kinds, first + i / 64 % kinds, i % 64);
        let key = next(state);
        let mut piece = 0;
        while piece < Piece::SETS {
            if piece >> component & 1 != 0 {
                keys.pieces[color][piece][square] ^= key;
            }
            piece += 1;
        }
        i += 1;
    }
}

/// Returns the key of a piece of a colour on a square; zero for no piece.
#[inline]
pub(super) fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    KEYS.pieces[color.index()][piece.index()][square.index()]
}

#[inline]
pub(super) fn castling(rights: u8) -> u64 {
    KEYS.castling[usize::from(rights & 15)]
}

#[inline]
pub(super) fn en_passant(square: MaybeSquare) -> u64 {
    KEYS.en_passant[square.index().min(64)]
}

/// Returns the key for Black to move.
#[inline]
pub(super) fn side() -> u64 {
    KEYS.side
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Under some rules a side may pass any rank from the third to the sixth.
    #[test]
    fn en_passant_squares_have_keys_of_their_own() {
        let keys: HashSet<u64> = KEYS.en_passant.into_iter().collect();
        assert_eq!(keys.len(), 65);
        assert_eq!(en_passant(MaybeSquare::NONE), 0);
    }
}
