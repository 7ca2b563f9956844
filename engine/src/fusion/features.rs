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
//! Each block of squares is one word of the set. The board is turned so that the side to move plays up. Own comes before enemy.

use super::FusionGame;
use crate::board::moves::PROMOTIONS;
use crate::board::{Bitboard, Color, Component};
use crate::game::FeatureSet;
use crate::rules::{RoyalReach, RuleSet};

/// Words of the components' and compounds' squares.
const BOARDS: usize = 2 * Component::COUNT + 2 * PAIRS.len();

/// Bits of the word after the boards.
const CASTLING: usize = FLAGS + PROMOTIONS.len() + 1;
const EN_PASSANT: usize = CASTLING + 4;
const CLOCK: usize = EN_PASSANT + 8;
const STATE: usize = CLOCK + CLOCK_STEPS.len();

/// Number of features.
pub(super) const COUNT: usize = 64 * BOARDS + STATE + 2;

const FLAGS: usize = 8;

/// The halfmove clock's thresholds.
const CLOCK_STEPS: [u16; 8] = [8, 16, 32, 48, 64, 76, 86, 94];

/// The two-component compounds.
const PAIRS: [[Component; 2]; 6] = {
    use Component::{Bishop, King, Knight, Rook};
    [[Rook, Bishop], [Rook, Knight], [Bishop, Knight], [King, Rook], [King, Bishop], [King, Knight]]
};

pub(super) fn collect(game: &FusionGame, features: &mut FeatureSet) {
    let position = &game.position;
    let us = position.side_to_move();
    let (boards, last) = features.words_mut().split_at_mut(BOARDS);
    let (components, compounds) = boards.split_at_mut(2 * Component::COUNT);
    let turned = |set: Bitboard| if us == Color::White { set.0 } else { set.0.swap_bytes() };
    for (side, color) in [us, !us].into_iter().enumerate() {
        let own = position.color(color);
        for component in Component::ALL {
            components[side * Component::COUNT + component.index()] =
                turned(position.component(component) & own);
        }
        for (i, [a, b]) in PAIRS.into_iter().enumerate() {
            compounds[side * PAIRS.len() + i] =
                turned(position.component(a) & position.component(b) & own);
        }
    }
    last[0] = game.rule_features | state(game) << CASTLING;
}

/// Castling, en passant, clock and state: the bits from [`CASTLING`] on.
fn state(game: &FusionGame) -> u64 {
    let position = &game.position;
    let rights = u64::from(position.castling_rights());
    let rights = match position.side_to_move() {
        Color::White => rights,
        Color::Black => rights >> 2 | (rights & 3) << 2,
    };
    let en_passant = position.en_passant().map_or(0, |square| 1 << square.file());
    let clock = position.halfmove_clock();
    let passed = CLOCK_STEPS.iter().filter(|&&step| clock >= step).count();
    let check = u64::from(position.in_check());
    let repeated = u64::from(game.repetitions() > 0);
    let at = |first: usize| first - CASTLING;
    rights
        | en_passant << at(EN_PASSANT)
        | ((1 << passed) - 1) << at(CLOCK)
        | (check | repeated << 1) << at(STATE)
}

/// The bits below [`CASTLING`]: the same for a whole game.
pub(super) fn of_rules(rules: &RuleSet) -> u64 {
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
    all.enumerate().fold(0, |bits, (i, on)| bits | u64::from(on) << i)
}
