//! Random keys for incremental position hashes (Zobrist 1970).

use super::bitboard::{Bitboard, SQUARES, Square};
use super::unit::{Kind, Mode};
use fusion_game::Side;

struct Keys {
    /// By side, kind and square.
    units: [[[u64; SQUARES]; Kind::COUNT]; 2],
    /// By mode and square.
    active: [[u64; SQUARES]; Mode::COUNT],
    moved: [u64; SQUARES],
    recruited: [u64; SQUARES],
    /// By side and square of the leader.
    leaders: [[u64; SQUARES]; 2],
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

const fn draw(state: &mut u64) -> [u64; SQUARES] {
    let mut keys = [0; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        keys[i] = next(state);
        i += 1;
    }
    keys
}

static KEYS: Keys = {
    let mut state = 2007;
    let mut units = [[[0; SQUARES]; Kind::COUNT]; 2];
    let mut i = 0;
    while i < 2 * Kind::COUNT {
        units[i / Kind::COUNT][i % Kind::COUNT] = draw(&mut state);
        i += 1;
    }
    let mut active = [[0; SQUARES]; Mode::COUNT];
    i = 0;
    while i < Mode::COUNT {
        active[i] = draw(&mut state);
        i += 1;
    }
    Keys {
        units,
        active,
        moved: draw(&mut state),
        recruited: draw(&mut state),
        leaders: [draw(&mut state), draw(&mut state)],
        side: next(&mut state),
    }
};

#[inline]
pub(super) fn unit(side: Side, kind: Kind, square: Square) -> u64 {
    KEYS.units[side as usize][kind.index()][square.index()]
}

#[inline]
pub(super) fn active(mode: Mode, square: Square) -> u64 {
    KEYS.active[mode.index()][square.index()]
}

#[inline]
pub(super) fn moved(square: Square) -> u64 {
    KEYS.moved[square.index()]
}

#[inline]
pub(super) fn recruited(square: Square) -> u64 {
    KEYS.recruited[square.index()]
}

/// Returns the key of Black to move.
#[inline]
pub(super) fn side() -> u64 {
    KEYS.side
}

/// Returns the key of an AMP: of its leader's square and the squares of its units, whatever number
/// it has.
#[inline]
pub(super) fn amp(side: Side, leader: Square, units: Bitboard) -> u64 {
    units.0.into_iter().fold(KEYS.leaders[side as usize][leader.index()], |key, word| {
        let mut state = key ^ word;
        next(&mut state)
    })
}
