//! Move counts to a depth (perft): the standard check of rules code.

use super::movegen::{GroupKind, MoveGroup};
use super::moves::{Move, MoveKind};
use super::position::Position;
use crate::rules::RuleSet;
use std::hint::black_box;

/// Returns the number of legal move sequences of this length. The last ply is counted, not made.
///
/// ```
/// use fusion_chess::board::{Position, perft::perft};
/// use fusion_chess::rules::RuleSet;
///
/// // 20, 400 and 8,902 are the published counts of orthodox chess.
/// let rules: RuleSet = "orthodox".parse().unwrap();
/// let start = Position::start(&rules);
/// assert_eq!([1, 2, 3].map(|depth| perft(&start, &rules, depth)), [20, 400, 8_902]);
/// ```
#[must_use]
pub fn perft(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(rules) as u64,
        _ => {
            let mut moves = Vec::with_capacity(64);
            position.legal_moves(rules, &mut moves);
            let below = |mv| {
                let mut next = *position;
                next.play(mv);
                perft(&next, rules, depth - 1)
            };
            moves.into_iter().map(below).sum()
        }
    }
}

/// Returns the same count, but makes every move, including those of the last ply. Benchmarks use it
/// to time generating and making moves together.
#[must_use]
pub fn perft_making_every_move(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    let mut next = *position;
    let mut make = |mv: Move| {
        position.play_into(mv, &mut next);
        nodes += if depth == 1 {
            black_box(&next);
            1
        } else {
            perft_making_every_move(&next, rules, depth - 1)
        };
    };
    position.legal_groups(rules, |MoveGroup { from, to, kind }| match kind {
        GroupKind::Single(kind) => to.for_each(|to| make(Move::new(from, to, kind))),
        GroupKind::Promotions(set) => {
            for to in to {
                for piece in set.pieces() {
                    make(Move::new(from, to, MoveKind::Promotion(piece)));
                }
            }
        }
    });
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::{KIWIPETE, middle_game_fens};

    #[test]
    fn making_every_move_gives_the_same_count() {
        let promotions = "8/2P4k/8/8/8/8/K4p2/4R3 w - - 0 1";
        for name in ["orthodox", "fusion-2020", "fusion-2020-gc"] {
            let rules = RuleSet::preset(name).unwrap();
            for fen in [KIWIPETE, promotions].into_iter().chain(middle_game_fens()) {
                let Ok(position) = Position::from_fen(&rules, fen) else {
                    continue;
                };
                for depth in 0..=3 {
                    let made = perft_making_every_move(&position, &rules, depth);
                    assert_eq!(made, perft(&position, &rules, depth), "{name} {fen} {depth}");
                }
            }
        }
    }
}
