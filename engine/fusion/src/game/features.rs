//! Network inputs: the active features of a position, seen from the side to move.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | components | 2 x 5 x 64 | own, then enemy component on a square |
//! | pairs | 2 x 6 x 64 | own, then enemy piece with two components on a square, beside these |
//! | attacked | 2 x 5 x 64 | own, then enemy component that the other side attacks |
//! | en prise | 2 x 5 x 64 | own, then enemy component that may be won: attacked by a piece of less worth, or attacked and not defended |
//! | King's ring | 2 x 64 | squares next to the own, then the enemy royal piece that the other side attacks |
//! | rules | 15 | eight yes-or-no toggles, promotion pieces, royal reach by path |
//! | castling | 4 | own King's side, Queen's side, enemy's |
//! | en passant | 8 | file of the square where a capture is legal |
//! | clock | 8 | halfmove clock at or above each of [`CLOCK_STEPS`], hundredths of the move limit |
//! | state | 2 | in check; the position occurred before |
//! | family rules | 13 | fission without check, by capture; which component does not fuse; fusion without a Queen, without a compound; three components; metamorphosis, demotion, unique promotion, promotion to a Mann |
//! | chess rules | 11 | Pawns' double steps: none, also from the third rank, also from all; steps back, sideways; self-capture; stalemate wins; repetition loses; bare King loses; move limit below, above fifty |
//! | delay | 1 | castling is not allowed yet |
//! | Mann | 2 x (1 + 3 + 1 + 1) x 64 | own, then enemy: component, its pairs with R, B, N; attacked; en prise |
//!
//! Each block of squares is one word of the set. The board is turned so that the side to move plays
//! up. Own features come before enemy features. Features that Fusion Chess does not need come last,
//! so that a network trained without them can still be used.

use super::{FusionGame, threats};
use crate::board::moves::PROMOTIONS;
use crate::board::{Bitboard, Color, Component, Position, attacks};
use crate::rules::{
    BareKing, Fission, FusionNeeds, MaxComponents, MoveLimit, PawnDouble, Repetition, RoyalReach,
    RuleSet, Stalemate,
};
use fusion_game::FeatureSet;
use std::ops::Range;

/// The components of the first blocks: all except the Mann.
const USUAL: [Component; 5] = {
    use Component::{Bishop, King, Knight, Pawn, Rook};
    [King, Rook, Bishop, Knight, Pawn]
};

/// Words of each block of boards.
const COMPONENTS: usize = 2 * USUAL.len();
const COMPOUNDS: usize = 2 * PAIRS.len();
const BOARDS: usize = COMPONENTS + COMPOUNDS + 2 * COMPONENTS + 2;

/// The first feature after the boards.
const STATES: usize = 64 * BOARDS;

/// Bits of the word after the boards.
const CASTLING: usize = FLAGS + USUAL_PROMOTIONS + 1;
const EN_PASSANT: usize = CASTLING + 4;
const CLOCK: usize = EN_PASSANT + 8;
const STATE: usize = CLOCK + CLOCK_STEPS.len();
const FAMILY: usize = STATE + 2;
const CHESS: usize = FAMILY + 13;
const DELAY: usize = CHESS + 11;

/// The first feature of the Mann, after all other features.
const MANN: usize = STATES + 64;
/// Words of the Mann's features for one side.
const MANN_WORDS: usize = 3 + MANN_PAIRS.len();

/// Number of features.
pub(super) const COUNT: usize = MANN + 2 * MANN_WORDS * 64;

/// Number of features before those of the family's other games.
pub(super) const USUAL_COUNT: usize = STATES + FAMILY;

/// The feature of positions that occurred before.
#[cfg(test)]
pub(super) const REPEATED: usize = USUAL_COUNT - 1;

const FLAGS: usize = 8;
/// Number of promotion pieces in the first block of rules.
const USUAL_PROMOTIONS: usize = 6;

/// The features of castling rights. Without them left and right are alike.
pub(super) const CASTLING_RIGHTS: Range<usize> = STATES + CASTLING..STATES + EN_PASSANT;

/// Returns the feature that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(feature: usize) -> usize {
    const FIRST_FILE: usize = STATES + EN_PASSANT;
    const LAST_FILE: usize = STATES + CLOCK - 1;
    match feature {
        0..STATES | MANN.. => feature ^ 7,
        FIRST_FILE..=LAST_FILE => FIRST_FILE + LAST_FILE - feature,
        _ => feature,
    }
}

/// The halfmove clock's thresholds, in hundredths of the plies that the move limit allows.
const CLOCK_STEPS: [u16; 8] = [8, 16, 32, 48, 64, 76, 86, 94];

/// The components that the Mann fuses with.
const MANN_PAIRS: [Component; 3] = [Component::Rook, Component::Bishop, Component::Knight];

/// The pairs without the Mann.
const PAIRS: [[Component; 2]; 6] = {
    use Component::{Bishop, King, Knight, Rook};
    [[Rook, Bishop], [Rook, Knight], [Bishop, Knight], [King, Rook], [King, Bishop], [King, Knight]]
};

pub(super) fn collect(game: &FusionGame, features: &mut FeatureSet) {
    let position = &game.position;
    let us = position.side_to_move();
    let (boards, rest) = features.words_mut().split_at_mut(BOARDS);
    let (last, manns) = rest.split_at_mut(1);
    let any_mann = position.component(Component::Mann).any();
    let (components, rest) = boards.split_at_mut(COMPONENTS);
    let (compounds, rest) = rest.split_at_mut(COMPOUNDS);
    let (attacked, rest) = rest.split_at_mut(COMPONENTS);
    let (en_prise, rings) = rest.split_at_mut(COMPONENTS);
    let turned = |set: Bitboard| if us == Color::White { set.0 } else { set.0.swap_bytes() };
    let threats = threats::both(position);
    for (side, color) in [us, !us].into_iter().enumerate() {
        let own = position.color(color);
        let (defence, attack) = (&threats[side], &threats[1 - side]);
        let lost = threats::en_prise(position, color, defence, attack);
        for component in USUAL {
            let set = position.component(component) & own;
            let at = side * USUAL.len() + component.index();
            components[at] = turned(set);
            attacked[at] = turned(set & attack.all);
            en_prise[at] = turned(set & lost);
        }
        for (i, [a, b]) in PAIRS.into_iter().enumerate() {
            compounds[side * PAIRS.len() + i] =
                turned(position.component(a) & position.component(b) & own);
        }
        rings[side] = turned(attacks::king(position.royal(color)) & attack.all);
        let manns = &mut manns[side * MANN_WORDS..][..MANN_WORDS];
        if any_mann {
            let set = position.component(Component::Mann) & own;
            let pairs = MANN_PAIRS.map(|other| set & position.component(other));
            let sets = [set, set & attack.all, set & lost].into_iter().chain(pairs);
            manns.iter_mut().zip(sets).for_each(|(word, set)| *word = turned(set));
        } else {
            manns.fill(0);
        }
    }
    last[0] = game.rule_features | delay(position, &game.rules) | state(game) << CASTLING;
}

/// Returns castling, en passant, clock and state: the bits from [`CASTLING`] on.
fn state(game: &FusionGame) -> u64 {
    let position = &game.position;
    let rights = u64::from(position.castling_rights());
    let rights = match position.side_to_move() {
        Color::White => rights,
        Color::Black => rights >> 2 | (rights & 3) << 2,
    };
    let en_passant = position.en_passant().map_or(0, |square| 1 << square.file());
    let clock = position.halfmove_clock();
    let clock = match game.rules.move_limit.plies() {
        Some(100) => clock,
        Some(limit) => (100 * u32::from(clock) / u32::from(limit)).min(100) as u16,
        None => 0,
    };
    let passed = CLOCK_STEPS.iter().filter(|&&step| clock >= step).count();
    let check = u64::from(position.in_check());
    let repeated = u64::from(game.repetitions() > 0);
    let at = |first: usize| first - CASTLING;
    rights
        | en_passant << at(EN_PASSANT)
        | ((1 << passed) - 1) << at(CLOCK)
        | (check | repeated << 1) << at(STATE)
}

/// Returns the bit at [`DELAY`].
pub(super) fn delay(position: &Position, rules: &RuleSet) -> u64 {
    u64::from(rules.castling_from.number() > position.fullmove()) << DELAY
}

/// Returns the bits below [`CASTLING`] and from [`FAMILY`] to [`DELAY`]. They are constant in a game.
pub(super) fn of_rules(rules: &RuleSet) -> u64 {
    let flags: [bool; FLAGS] = [
        rules.fusion.any(),
        rules.fission != Fission::None,
        rules.king_fuses,
        rules.fuse_onto_king,
        rules.sliders_cross_check,
        rules.leapers_cross_check,
        rules.attacked_split,
        rules.castling,
    ];
    let promotions = PROMOTIONS.map(|piece| rules.promotion.has(piece));
    let (usual, mann) = promotions.split_at(USUAL_PROMOTIONS);
    let path = [rules.royal_reach == RoyalReach::Path];
    let fusible = rules.fusion.components();
    let left_out = |component| rules.fusion.any() && !fusible.has(component);
    let family = [
        rules.fission == Fission::QuietNoCheck,
        rules.fission == Fission::Capture,
        left_out(Component::Rook),
        left_out(Component::Bishop),
        left_out(Component::Knight),
        left_out(Component::Mann),
        rules.fusion_needs == FusionNeeds::NoQueen,
        rules.fusion_needs == FusionNeeds::NoCompound,
        rules.max_components == MaxComponents::Three,
        rules.metamorph,
        rules.demote_on_capture,
        rules.promotion_unique,
    ];
    let third = [PawnDouble::SecondThird, PawnDouble::Always].contains(&rules.pawn_double);
    let limit = rules.move_limit.plies().unwrap_or(u16::MAX);
    let fifty = MoveLimit::FIFTY.plies().unwrap_or_default();
    let chess = [
        rules.pawn_double == PawnDouble::Never,
        third,
        rules.pawn_double == PawnDouble::Always,
        rules.pawn_back,
        rules.pawn_sideways,
        rules.self_capture,
        rules.stalemate == Stalemate::Win,
        rules.repetition == Repetition::Loses,
        rules.bare_king == BareKing::Loses,
        limit < fifty,
        limit > fifty,
    ];
    let bits = |flags: &[bool]| {
        flags.iter().enumerate().fold(0, |bits, (i, on)| bits | u64::from(*on) << i)
    };
    bits(&[&flags[..], usual, &path].concat())
        | bits(&[&family[..], mann].concat()) << FAMILY
        | bits(&chess) << CHESS
}
