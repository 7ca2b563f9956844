//! Change of draws with strength, and its dependence on the rules.

use crate::games::GameRow;
use crate::pairs::ALL_PAIRS;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::trend::{Observation, Trend};
use std::collections::{BTreeMap, BTreeSet};

/// The draw share as a function of the nodes per move.
#[derive(Clone, Debug)]
pub struct Trends {
    /// Increase of the chance of a draw per doubling of the nodes, averaged over the budgets, for
    /// each rule set with at least two budgets.
    pub arms: Vec<(String, Estimate)>,
    /// Increase under the primary comparison's first rule set minus that under the second. This is
    /// the interaction of rules and strength.
    pub interaction: Option<Estimate>,
    /// The smallest and the largest node budget that the lines are fitted to.
    pub range: (u64, u64),
}

/// Fits a logistic line in log₂(nodes) for each rule set.
///
/// Only budgets in the range that all these rule sets share are used, so that their lines can be
/// compared. Standard errors are robust to games that share an opening. A rule set that is never or always
/// drawn has no line and is left out. With more than [`ALL_PAIRS`] rule sets, only those of the
/// primary comparison are fitted.
///
/// Returns `None` if there are fewer than two budgets, or if the games do not identify the lines.
#[must_use]
pub fn trends(rows: &[GameRow], primary: Option<(&str, &str)>) -> Option<Trends> {
    // Budgets, and whether any game was drawn and any was not.
    let mut budgets: BTreeMap<&str, (BTreeSet<u64>, [bool; 2])> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.failed()) {
        let (nodes, seen) = budgets.entry(row.rules.as_str()).or_default();
        nodes.insert(row.nodes);
        seen[usize::from(row.drawn())] = true;
    }
    budgets.retain(|_, (nodes, seen)| nodes.len() > 1 && *seen == [true; 2]);
    // The cost of a model is cubic in the number of rule sets.
    let names: Vec<&str> = match budgets.len() {
        0..=ALL_PAIRS => budgets.keys().copied().collect(),
        _ => {
            let compared = |name: &&str| primary.is_some_and(|(a, b)| [a, b].contains(name));
            budgets.keys().copied().filter(compared).collect()
        }
    };
    let arm = |rules: &str| names.binary_search(&rules).ok();
    let games: Vec<Observation> = rows
        .iter()
        .filter(|row| !row.failed())
        .filter_map(|row| {
            Some(Observation {
                drawn: row.drawn(),
                arm: arm(&row.rules)?,
                doublings: (row.nodes as f64).log2(),
                cluster: row.opening,
            })
        })
        .collect();
    let trend = Trend::fit(&games, names.len()).ok()?;
    let changes = names
        .iter()
        .enumerate()
        .filter_map(|(index, name)| Some(((*name).to_owned(), trend.change(index)?)));
    let compared = primary.and_then(|(first, second)| arm(first).zip(arm(second)));
    let interaction = compared.and_then(|(a, b)| trend.change_difference(a, b));
    let range = trend.range();
    Some(Trends {
        arms: changes.collect(),
        interaction,
        range: (range.low.exp2().round() as u64, range.high.exp2().round() as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
    use fusion_statistics::Confidence;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_rise_of_five_points_a_doubling_is_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut rows = Vec::new();
        for opening in 0..1500 {
            for (rules, rise) in [("a", 0.05), ("b", 0.0)] {
                for doublings in [4.0, 5.0, 6.0] {
                    let drawn = rng.random_bool(0.3 + rise * (doublings - 4.0));
                    rows.push(test_row(rules, f64::exp2(doublings) as u64, opening, drawn));
                }
            }
        }
        let trends = trends(&rows, Some(("a", "b"))).unwrap();
        let [(_, a), (_, b)] = &trends.arms[..] else { panic!() };
        assert!(a.interval(Confidence::P95).contains(0.05), "{a:?}");
        assert!(b.interval(Confidence::P95).contains(0.0), "{b:?}");
        let interaction = trends.interaction.unwrap();
        assert!(
            interaction.interval(Confidence::P95).contains(0.05) && interaction.p_value() < 0.01
        );
        assert_eq!(trends.range, (16, 64));
    }

    #[test]
    fn a_rule_set_that_is_never_drawn_does_not_hide_the_others() {
        let row = |i: u64| test_row("a", [4, 8][i as usize % 2], i / 2, i.is_multiple_of(3));
        let mut rows: Vec<GameRow> = (0..200).map(row).collect();
        rows.extend((0..200).map(|i| test_row("b", [4, 8][i as usize % 2], i / 2, false)));
        let trends = trends(&rows, Some(("a", "b"))).unwrap();
        assert_eq!((trends.arms.len(), trends.interaction.is_none()), (1, true));
    }

    #[test]
    fn of_many_rule_sets_only_the_primary_ones_have_a_trend() {
        let row = |rules: u64, i: u64| {
            test_row(
                &format!("r{rules:02}"),
                [4, 8][i as usize % 2],
                i / 2,
                (i + rules).is_multiple_of(3),
            )
        };
        let rows: Vec<GameRow> =
            (0..33).flat_map(|rules| (0..80).map(move |i| row(rules, i))).collect();
        let trends = trends(&rows, Some(("r07", "r30"))).unwrap();
        let names: Vec<&str> = trends.arms.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["r07", "r30"]);
        assert!(trends.interaction.is_some());
    }

    #[test]
    fn one_budget_has_no_trend() {
        let rows: Vec<GameRow> = (0..40).map(|i| test_row("a", 8, i, i % 3 == 0)).collect();
        assert!(trends(&rows, Some(("a", "b"))).is_none());
    }
}
