//! Change of draws with strength, and its dependence on the rules.
//!
//! The change from one budget to another is the mean, over the openings that were played at both, of the
//! difference in draws. No line is fitted: draws follow none over the budgets that studies play.

use crate::games::GameRow;
use crate::pairs::{ALL_PAIRS, Inference};
use fusion_statistics::estimate::Estimate;
use fusion_statistics::{Confidence, Interval};
use std::collections::BTreeMap;

/// The change of draws between two budgets for each doubling of the nodes.
#[derive(Clone, Debug)]
pub struct Change {
    /// The rule set, or `first − second` for the difference of the changes under two of them.
    pub rules: String,
    /// The smaller and the larger number of nodes per move.
    pub nodes: [u64; 2],
    /// Number of openings that were played at both, under all these rules.
    pub openings: u64,
    /// Change of the share of draws for each doubling.
    pub estimate: Estimate,
    /// 95% interval of the change.
    pub interval: Interval,
    /// p-value of no change.
    pub p: f64,
}

/// Changes of draws with the nodes.
#[derive(Clone, Debug)]
pub struct Trends {
    /// From the smallest to the largest budget of each rule set, then under the primary comparison's first rule
    /// set less under the second.
    pub whole: Vec<Change>,
    /// From each budget to the next, in the same order. Empty if no rule set has more than two.
    pub steps: Vec<Change>,
}

/// Whether the games of an opening were drawn, by opening.
type Drawn = BTreeMap<u64, f64>;

/// Finds the changes under every rule set with two budgets; of more than [`ALL_PAIRS`] rule sets only under those of the
/// primary comparison. `None` if no rule set has two budgets with an opening in common.
#[must_use]
pub fn trends(
    rows: &[GameRow],
    primary: Option<(&str, &str)>,
    inference: Inference,
) -> Option<Trends> {
    let mut games: BTreeMap<&str, BTreeMap<u64, Drawn>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.failed()) {
        let drawn = f64::from(u8::from(row.drawn()));
        let budgets = games.entry(row.rules.as_str()).or_default();
        budgets.entry(row.nodes).or_default().insert(row.opening, drawn);
    }
    games.retain(|_, budgets| budgets.len() > 1);
    if games.len() > ALL_PAIRS {
        games.retain(|rules, _| primary.is_some_and(|(a, b)| [a, b].contains(rules)));
    }
    let mut trends = Trends { whole: Vec::new(), steps: Vec::new() };
    for (rules, budgets) in &games {
        let change = |nodes| change((*rules).to_owned(), nodes, &[(1.0, budgets)], inference);
        add(&mut trends, budgets.keys().copied().collect(), &change);
    }
    let compared = primary.and_then(|(a, b)| Some(((a, games.get(a)?), (b, games.get(b)?))));
    if let Some(((first, a), (second, b))) = compared {
        let name = format!("{first} − {second}");
        let change = |nodes| change(name.clone(), nodes, &[(1.0, a), (-1.0, b)], inference);
        let common = a.keys().filter(|nodes| b.contains_key(nodes)).copied().collect();
        add(&mut trends, common, &change);
    }
    (!trends.whole.is_empty()).then_some(trends)
}

/// Adds the change from the first of the budgets to the last, and the steps between if there are any.
fn add(trends: &mut Trends, budgets: Vec<u64>, change: &dyn Fn([u64; 2]) -> Option<Change>) {
    let (Some(&low), Some(&high)) = (budgets.first(), budgets.last()) else { return };
    if low < high {
        trends.whole.extend(change([low, high]));
    }
    if budgets.len() > 2 {
        trends.steps.extend(budgets.windows(2).filter_map(|pair| change([pair[0], pair[1]])));
    }
}

/// Returns the weighted sum of changes under some rule sets. `None` without an opening played by all.
fn change(
    rules: String,
    nodes: [u64; 2],
    of: &[(f64, &BTreeMap<u64, Drawn>)],
    inference: Inference,
) -> Option<Change> {
    let [low, high] = nodes;
    let doublings = (high as f64 / low as f64).log2();
    let games: Vec<(f64, &Drawn, &Drawn)> = of
        .iter()
        .map(|(weight, budgets)| Some((*weight, budgets.get(&low)?, budgets.get(&high)?)))
        .collect::<Option<_>>()?;
    let by_opening = |opening: &u64| {
        let rise = |(weight, low, high): &(f64, &Drawn, &Drawn)| {
            Some(weight * (high.get(opening)? - low.get(opening)?) / doublings)
        };
        games.iter().map(rise).sum::<Option<f64>>()
    };
    let values: Vec<f64> = games.first()?.1.keys().filter_map(by_opening).collect();
    let openings = values.len() as u64;
    let estimate = Estimate::of_mean(&values).ok()?;
    let interval = inference.looks.interval(estimate, openings, Confidence::P95);
    let p = inference.looks.p_value(estimate, openings);
    Some(Change { rules, nodes, openings, estimate, interval, p })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
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
        let trends = trends(&rows, Some(("a", "b")), Inference::ONCE).unwrap();
        let [a, b, both] = &trends.whole[..] else { panic!("{trends:?}") };
        assert!(a.interval.contains(0.05) && !a.interval.contains(0.0), "{a:?}");
        assert!(b.interval.contains(0.0), "{b:?}");
        assert!(both.interval.contains(0.05) && both.p < 0.01, "{both:?}");
        assert_eq!((both.rules.as_str(), both.nodes, both.openings), ("a − b", [16, 64], 1500));
        let steps: Vec<[u64; 2]> = trends.steps.iter().map(|step| step.nodes).collect();
        assert_eq!(steps, [[16, 32], [32, 64]].repeat(3));
        // The steps of a rule set add up to the whole.
        let sum: f64 = trends.steps[..2].iter().map(|step| step.estimate.value).sum();
        assert!((sum / 2.0 - a.estimate.value).abs() < 1e-12);
    }

    #[test]
    fn openings_that_one_budget_lacks_are_left_out() {
        let row = |nodes, opening| test_row("a", nodes, opening, nodes == 8);
        let rows: Vec<GameRow> =
            (0..40).map(|i| row(4, i)).chain((0..10).map(|i| row(8, i))).collect();
        let trends = trends(&rows, Some(("a", "b")), Inference::ONCE).unwrap();
        let [a] = &trends.whole[..] else { panic!("{trends:?}") };
        assert_eq!((a.openings, a.estimate.value, trends.steps.len()), (10, 1.0, 0));
    }

    #[test]
    fn of_many_rule_sets_only_the_primary_ones_have_a_trend() {
        let row = |rules: u64, i: u64| {
            let drawn = (i + rules).is_multiple_of(3);
            test_row(&format!("r{rules:02}"), [4, 8][i as usize % 2], i / 2, drawn)
        };
        let rows: Vec<GameRow> =
            (0..33).flat_map(|rules| (0..80).map(move |i| row(rules, i))).collect();
        let trends = trends(&rows, Some(("r07", "r30")), Inference::ONCE).unwrap();
        let names: Vec<&str> = trends.whole.iter().map(|change| change.rules.as_str()).collect();
        assert_eq!(names, ["r07", "r30", "r07 − r30"]);
    }

    #[test]
    fn one_budget_has_no_trend() {
        let rows: Vec<GameRow> = (0..40).map(|i| test_row("a", 8, i, i % 3 == 0)).collect();
        assert!(trends(&rows, Some(("a", "b")), Inference::ONCE).is_none());
    }
}
