//! Counts of sequences of actions.

use super::{Action, Position};
use crate::rules::RuleSet;

/// Returns the number of sequences of `depth` legal actions. Draws do not count: play goes on after
/// them. The actions of the last ply are counted, not played.
///
/// ```
/// use fusion_freechess::board::{Position, perft::perft};
/// use fusion_freechess::rules::RuleSet;
///
/// let rules: RuleSet = "freechess-7".parse().unwrap();
/// let start = Position::start(&rules);
/// assert_eq!([1, 2].map(|depth| perft(&start, &rules, depth)), [294, 84_360]);
/// ```
#[must_use]
pub fn perft(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_actions(rules),
        _ => {
            let mut actions = Vec::new();
            position.legal_actions(rules, &mut actions);
            let count = |&action: &Action| perft(&position.after(rules, action), rules, depth - 1);
            actions.iter().map(count).sum()
        }
    }
}

/// Returns the same count as [`perft`], but plays the actions of the last ply, too.
#[must_use]
pub fn perft_making_every_move(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    if depth == 0 {
        std::hint::black_box(position);
        return 1;
    }
    let mut actions = Vec::new();
    position.legal_actions(rules, &mut actions);
    let after = |&action: &Action| position.after(rules, action);
    actions.iter().map(|action| perft_making_every_move(&after(action), rules, depth - 1)).sum()
}
