//! Move counts to a depth (perft): the standard check of rules code.

use super::moves::Move;
use super::position::Position;
use crate::rules::RuleSet;

/// The number of legal move sequences of this length. The last ply is counted, not made.
#[must_use]
pub fn perft(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(rules) as u64,
        _ => divide(position, rules, depth).map(|(_, nodes)| nodes).sum(),
    }
}

/// For every legal move the count of sequences that begin with it. `depth` is at least 1.
pub fn divide(
    position: &Position,
    rules: &RuleSet,
    depth: u32,
) -> impl Iterator<Item = (Move, u64)> {
    let mut moves = Vec::with_capacity(64);
    position.legal_moves(rules, &mut moves);
    moves.into_iter().map(move |mv| {
        let mut next = *position;
        next.play(mv);
        (mv, perft(&next, rules, depth.saturating_sub(1)))
    })
}
