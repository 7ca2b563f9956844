//! Network inputs: which features of a position are active, seen from the side to move.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | components | 2 x 5 x 64 | own, then enemy component on a square |
//! | compounds | 2 x 6 x 64 | own, then enemy compound on a square, beside its components |
//! | rules | 15 | eight yes-or-no toggles, promotion pieces, royal reach by path |
//! | castling | 4 | own King's side, Queen's side, enemy's |
//! | en passant | 8 | file of the square where a capture is legal |
//! | clock | 8 | halfmove clock at or above each of [`CLOCK_STEPS`] |
//! | state | 2 | in check; the position occurred before |
//!
//! The board is turned so that the side to move plays up. Own comes before enemy.

use super::FusionGame;
use crate::board::moves::PROMOTIONS;
use crate::board::{Bitboard, Color, Component, Square};
use crate::rules::{RoyalReach, RuleSet};

const COMPONENTS: usize = 0;
const COMPOUNDS: usize = COMPONENTS + 2 * Component::COUNT * 64;
const RULES: usize = COMPOUNDS + 2 * PAIRS.len() * 64;
const CASTLING: usize = RULES + FLAGS + PROMOTIONS.len() + 1;
const EN_PASSANT: usize = CASTLING + 4;
const CLOCK: usize = EN_PASSANT + 8;
const STATE: usize = CLOCK + CLOCK_STEPS.len();

/// Number of features.
pub(super) const COUNT: usize = STATE + 2;

const FLAGS: usize = 8;

/// The halfmove clock's thresholds.
const CLOCK_STEPS: [u16; 8] = [8, 16, 32, 48, 64, 76, 86, 94];

/// The two-component compounds.
const PAIRS: [[Component; 2]; 6] = {
    use Component::{Bishop, King, Knight, Rook};
    [[Rook, Bishop], [Rook, Knight], [Bishop, Knight], [King, Rook], [King, Bishop], [King, Knight]]
};

pub(super) fn collect(game: &FusionGame, features: &mut Vec<u16>) {
    let position = &game.position;
    let us = position.side_to_move();
    let flip = if us == Color::White { 0 } else { 56 };
    let mut squares = |block: usize, set: Bitboard| {
        let block = block * 64;
        features.extend(set.map(|square: Square| (block + (square.index() ^ flip)) as u16));
    };
    for (side, color) in [us, !us].into_iter().enumerate() {
        let own = position.color(color);
        for component in Component::ALL {
            let block = COMPONENTS / 64 + side * Component::COUNT + component.index();
            squares(block, position.component(component) & own);
        }
        let compounds = position.compounds() & own;
        if compounds.any() {
            for (i, [a, b]) in PAIRS.into_iter().enumerate() {
                let set = position.component(a) & position.component(b) & compounds;
                squares(COMPOUNDS / 64 + side * PAIRS.len() + i, set);
            }
        }
    }
    rules(&game.rules, features);

    let rights = position.castling_rights();
    let rights = if us == Color::White { rights } else { rights >> 2 | (rights & 3) << 2 };
    features.extend((0..4).filter(|i| rights >> i & 1 != 0).map(|i| (CASTLING + i) as u16));
    features.extend(position.en_passant().map(|square| (EN_PASSANT + square.file()) as u16));
    let clock = position.halfmove_clock();
    let passed = CLOCK_STEPS.iter().take_while(|&&step| clock >= step).count();
    features.extend((0..passed).map(|i| (CLOCK + i) as u16));
    if position.in_check() {
        features.push(STATE as u16);
    }
    if game.repetitions() > 0 {
        features.push(STATE as u16 + 1);
    }
}

fn rules(rules: &RuleSet, features: &mut Vec<u16>) {
    let flags: [bool; FLAGS] = [
        rules.fusion,
        rules.fission,
        rules.king_fuses,
        rules.fuse_onto_king,
        rules.sliders_cross_check,
        rules.leapers_cross_check,
        rules.attacked_split,
        rules.castling,
    ];
    let promotions = PROMOTIONS.map(|piece| rules.promotion.pieces().any(|p| p == piece));
    let active = flags.into_iter().chain(promotions);
    let all = active.chain([rules.royal_reach == RoyalReach::Path]);
    features.extend(all.enumerate().filter(|(_, on)| *on).map(|(i, _)| (RULES + i) as u16));
}
