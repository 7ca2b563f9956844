//! Counts of actions, positions and turns: the standard checks of rules code. Draws are not looked
//! at.

use crate::board::{Action, Position};
use crate::rules::RuleSet;
use std::collections::HashSet;
use std::hint::black_box;

/// Returns the number of sequences of exactly `depth` legal actions. The last ones are counted, not
/// made.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::counts::actions;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal")?;
/// assert_eq!([0, 1, 2, 3].map(|depth| actions(&start(&rules), &rules, depth)), [1, 6, 128, 3_848]);
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[must_use]
pub fn actions(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_actions(rules) as u64,
        _ => legal(position, rules)
            .into_iter()
            .map(|action| actions(&after(position, rules, action), rules, depth - 1))
            .sum(),
    }
}

/// Returns the same count as [`actions`], but makes every action, including the last ones.
/// Benchmarks use it to time generating and making actions together.
#[must_use]
pub fn actions_made(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    if depth == 0 {
        black_box(position);
        return 1;
    }
    let next = |action| actions_made(&after(position, rules, action), rules, depth - 1);
    legal(position, rules).into_iter().map(next).sum()
}

/// Returns the number of different positions after exactly `depth` actions.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::counts::positions;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal")?;
/// assert_eq!(positions(&start(&rules), &rules, 3), 2_610);
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[must_use]
pub fn positions(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    let mut layer = vec![*position];
    for _ in 0..depth {
        let mut seen = HashSet::new();
        let mut next_layer = Vec::new();
        for position in &layer {
            for action in legal(position, rules) {
                let next = after(position, rules, action);
                if seen.insert(next.hash()) {
                    next_layer.push(next);
                }
            }
        }
        layer = next_layer;
    }
    layer.len() as u64
}

/// Returns the number of different positions after the turn in progress, won ones included.
///
/// ```
/// use fusion_chesimal::board::start;
/// use fusion_chesimal::counts::turns;
/// use fusion_chesimal::rules::RuleSet;
///
/// let rules = RuleSet::preset("chesimal-small")?;
/// assert_eq!(turns(&start(&rules), &rules), 24_386);
/// # Ok::<(), fusion_chesimal::rules::RulesError>(())
/// ```
#[must_use]
pub fn turns(position: &Position, rules: &RuleSet) -> u64 {
    let (mut open, mut seen) = (vec![*position], HashSet::from([position.hash()]));
    let mut ends = 0;
    while let Some(position) = open.pop() {
        for action in legal(&position, rules) {
            let next = after(&position, rules, action);
            if seen.insert(next.hash()) {
                if next.side() == position.side() { open.push(next) } else { ends += 1 }
            }
        }
    }
    ends
}

fn legal(position: &Position, rules: &RuleSet) -> Vec<Action> {
    let mut actions = Vec::with_capacity(64);
    position.actions(rules, &mut actions);
    actions
}

fn after(position: &Position, rules: &RuleSet, action: Action) -> Position {
    let mut next = *position;
    next.play(rules, action);
    next
}
