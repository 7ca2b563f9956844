//! Comparison of the rules' effects in the two runs: a difference of differences.

use super::against::{Estimate, mean};
use crate::arms::Arm;
use crate::games::GameRow;
use crate::pairs::{self, Inference, Pair};
use fusion_statistics::evalue::Looks;
use fusion_statistics::{Confidence, estimate};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of common rule sets whose pairs are all compared. With more, only the primary
/// comparison is made.
const MAX_RULES: usize = 6;

/// Draws under one rule set minus draws under another, in both runs.
#[derive(Debug)]
pub(super) struct Effect {
    pub(super) nodes: u64,
    /// The rule set whose draws count positive.
    pub(super) first: String,
    /// The rule set whose draws count negative.
    pub(super) second: String,
    /// Whether this is the primary comparison.
    pub(super) primary: bool,
    /// The effect in A and in B.
    pub(super) in_runs: [Estimate; 2],
    /// Number of openings of each effect.
    pub(super) openings: [u64; 2],
    /// Whether both effects are from the same openings.
    pub(super) paired: bool,
    /// Effect in A minus effect in B.
    pub(super) difference: Estimate,
}

/// Compares the effects of all pairs of rule sets that both runs have at one budget. If there are
/// many rule sets, it compares only the primary pair.
///
/// Passes on errors of the statistics, which do not occur for games that were read and checked.
pub(super) fn compare(
    common: &[(&Arm, &Arm)],
    games: [&[GameRow]; 2],
    same_pool: bool,
    primary: Option<&(String, String)>,
    inference: Inference,
) -> fusion_statistics::Result<Vec<Effect>> {
    let primary = primary.map(|(first, second)| (first.as_str(), second.as_str()));
    let mut budgets: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (arm, _) in common {
        budgets.entry(arm.nodes).or_default().push(&arm.rules);
    }
    let mut effects = Vec::new();
    // The largest budget comes first, because it counts most.
    for (nodes, rules) in budgets.into_iter().rev() {
        for (first, second) in chosen(&rules, primary) {
            let of_pair = |row: &&GameRow| {
                row.nodes == nodes && !row.failed() && [first, second].contains(&&*row.rules)
            };
            let rows = games.map(|rows| rows.iter().filter(of_pair).collect::<Vec<_>>());
            let primary = primary == Some((first, second));
            let effect = effect(nodes, (first, second), rows, same_pool, inference)?;
            effects.extend(effect.map(|effect| Effect { primary, ..effect }));
        }
    }
    Ok(effects)
}

/// Returns the pairs of rule sets. The primary pair comes first and keeps its order. Each other
/// pair is the later name minus the earlier.
fn chosen<'a>(rules: &[&'a str], primary: Option<(&str, &str)>) -> Vec<(&'a str, &'a str)> {
    let mut pairs = Vec::new();
    for (i, earlier) in rules.iter().enumerate() {
        for later in &rules[i + 1..] {
            let swap = primary == Some((*earlier, *later));
            pairs.push(if swap { (*earlier, *later) } else { (*later, *earlier) });
        }
    }
    pairs.sort_by_key(|pair| Some(*pair) != primary);
    if rules.len() > MAX_RULES {
        pairs.retain(|pair| Some(*pair) == primary);
    }
    pairs
}

/// Compares one effect. Returns `None` if the two rule sets share no opening in one of the runs.
fn effect(
    nodes: u64,
    (first, second): (&str, &str),
    mut rows: [Vec<&GameRow>; 2],
    same_pool: bool,
    inference: Inference,
) -> fusion_statistics::Result<Option<Effect>> {
    let drawn = rows.each_ref().map(|rows| effects_by_opening(rows, first));
    let shared: BTreeSet<u64> =
        drawn[0].keys().filter(|o| drawn[1].contains_key(o)).copied().collect();
    let paired = same_pool && !shared.is_empty();
    if paired {
        // Both effects use the same openings, so that their difference is the printed one.
        for rows in &mut rows {
            rows.retain(|row| shared.contains(&row.opening));
        }
    }
    let [a, b] = rows.map(|rows| {
        let rows: Vec<GameRow> = rows.into_iter().cloned().collect();
        pairs::compare(&rows, Some((first, second)), inference).map(|mut pairs| pairs.pop())
    });
    let (Some(a), Some(b)) = (a?, b?) else { return Ok(None) };
    let difference = if paired {
        let of = |opening: &u64| Some(drawn[0].get(opening)? - drawn[1].get(opening)?);
        mean(&shared.iter().filter_map(of).collect::<Vec<_>>(), inference)?
    } else {
        None
    };
    Ok(Some(Effect {
        nodes,
        first: first.to_owned(),
        second: second.to_owned(),
        primary: false,
        openings: [a.openings, b.openings],
        paired,
        difference: difference.unwrap_or_else(|| independent(&a, &b, inference.looks)),
        in_runs: [a, b].map(|pair| Estimate { value: pair.difference, interval: pair.interval95 }),
    }))
}

/// Returns the first rule set's draw minus the second's for every opening that both played.
fn effects_by_opening(rows: &[&GameRow], first: &str) -> BTreeMap<u64, f64> {
    let mut games: BTreeMap<u64, [Option<bool>; 2]> = BTreeMap::new();
    for row in rows {
        games.entry(row.opening).or_default()[usize::from(row.rules != first)] = Some(row.drawn());
    }
    let effect = |(opening, [first, second]): (u64, [Option<bool>; 2])| {
        Some((opening, f64::from(i8::from(first?) - i8::from(second?))))
    };
    games.into_iter().filter_map(effect).collect()
}

/// Returns the difference of two independent means over openings. Each standard error is the
/// standard deviation over openings divided by the root of their number. The bootstrap's standard
/// errors agree with these.
fn independent(a: &Pair, b: &Pair, looks: Looks) -> Estimate {
    let value = a.difference - b.difference;
    let of = estimate::Estimate { value, error: a.error().hypot(b.error()) };
    let openings = a.openings.min(b.openings);
    Estimate { value, interval: looks.interval(of, openings, Confidence::P95) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_the_primary_order_and_many_rule_sets_leave_it_alone() {
        let primary = Some(("a", "b"));
        assert_eq!(chosen(&["a", "b", "c"], primary), [("a", "b"), ("c", "a"), ("c", "b")]);
        assert_eq!(chosen(&["a", "b"], Some(("x", "y"))), [("b", "a")]);
        let many = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(chosen(&many, primary), [("a", "b")]);
        assert_eq!(chosen(&many, Some(("x", "y"))), []);
        assert_eq!(chosen(&["a"], primary), []);
    }
}
