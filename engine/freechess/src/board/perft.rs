//! Counts of sequences of actions, and of positions after turns.

use super::{Action, Position, Turn};
use crate::rules::RuleSet;
use std::collections::{HashMap, HashSet};

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

/// Returns the number of different positions after `depth` whole turns. The turn in progress, if there
/// is one, is the first.
///
/// ```
/// use fusion_freechess::board::{Position, perft::turns};
/// use fusion_freechess::rules::RuleSet;
///
/// let rules: RuleSet = "freechess-7".parse().unwrap();
/// assert_eq!(turns(&Position::start(&rules), &rules, 1), 6 * 49);
/// ```
#[must_use]
pub fn turns(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    let mut positions = HashMap::from([(position.hash(), *position)]);
    for _ in 0..depth {
        let after = positions.values().flat_map(|position| after_turn(position, rules));
        positions = after.collect();
    }
    positions.len() as u64
}

/// Returns the different positions after the current turn, by their hashes.
fn after_turn(position: &Position, rules: &RuleSet) -> HashMap<u64, Position> {
    let (mut inside, mut known) = (vec![*position], HashSet::new());
    let (mut ends, mut actions) = (HashMap::new(), Vec::new());
    while let Some(position) = inside.pop() {
        actions.clear();
        position.legal_actions(rules, &mut actions);
        for &action in &actions {
            let next = position.after(rules, action);
            if next.turn() == Turn::Start {
                ends.insert(next.hash(), next);
            } else if known.insert(next.hash()) {
                inside.push(next);
            }
        }
    }
    ends
}
