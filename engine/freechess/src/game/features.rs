//! Inputs of the tree search's network, seen from the side to move: those of [`inputs`], and then
//!
//! | block | words | meaning |
//! | --- | --- | --- |
//! | struck | 2 x 3 | own, then enemy pieces that the other side strikes |
//! | strikes | 2 x 3 | squares that own, then enemy pieces strike |
//! | valid | 3 | squares valid for placements |
//! | state | 1 | in check; the position occurred before; own, enemy royal on the board |

use super::{FreeChess, inputs};
use fusion_game::{FeatureSet, Game};

/// The first board after those of `inputs`, in words of a set.
const STRIKES: usize = inputs::WORDS;
const EXTRA_BOARDS: usize = 5;
const STATE: usize = STRIKES + inputs::BOARD * EXTRA_BOARDS;

/// Number of features.
pub(super) const COUNT: usize = 64 * (STATE + 1);

pub(super) fn collect(game: &FreeChess, features: &mut FeatureSet) {
    let position = &game.position;
    let (us, them) = (game.side_to_move(), game.side_to_move().other());
    let words = features.words_mut();
    inputs::write(game, position, us, words);
    let [own, enemy] = [us, them].map(|side| position.strike_map(side, position.empty()));
    let boards = [
        position.of(us) & enemy,
        position.of(them) & own,
        own,
        enemy,
        position.valid_squares(&game.rules),
    ];
    for (place, board) in boards.into_iter().enumerate() {
        inputs::set_board(&mut words[STRIKES..], place, board);
    }
    let struck = position.royal(us).is_some_and(|royal| enemy.has(royal));
    let flags = [
        struck && position.in_check(&game.rules, us),
        game.repetitions() > 0,
        position.royal(us).is_some(),
        position.royal(them).is_some(),
    ];
    let flags = flags.into_iter().enumerate();
    words[STATE] = flags.fold(0, |bits, (place, flag)| bits | u64::from(flag) << place);
}

/// Returns the feature that corresponds to this one when the board is mirrored left to right.
pub(super) fn reflect(feature: usize) -> usize {
    const FIRST_BOARDS: usize = 64 * inputs::BOARD * inputs::BOARDS;
    const LAST_BOARDS: usize = 64 * STRIKES;
    const END: usize = 64 * STATE;
    match feature {
        0..FIRST_BOARDS => inputs::reflect(feature),
        LAST_BOARDS..END => LAST_BOARDS + inputs::reflect(feature - LAST_BOARDS),
        _ => feature,
    }
}
