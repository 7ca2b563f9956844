//! Differences in draws between two rule sets, paired by opening.

use crate::games::GameRow;
use fusion_print::progress::Progress;
use fusion_statistics::bootstrap::{self, BootstrapMeans};
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::{Evidence, Looks, PRIOR, e_value};
use fusion_statistics::mcnemar::mcnemar_exact;
use fusion_statistics::multiple::holm;
use fusion_statistics::tango::tango;
use fusion_statistics::{Confidence, Interval, Proportion};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How intervals and tests are made.
#[derive(Clone, Copy, Debug)]
pub struct Inference {
    /// Number of resamples of a bootstrap.
    pub resamples: u32,
    /// Seed of the resampling.
    pub seed: u64,
    /// Whether the number of openings may depend on the results.
    pub looks: Looks,
}

#[cfg(test)]
impl Inference {
    /// Few resamples and one look.
    pub(crate) const ONCE: Self = Self { resamples: 100, seed: 1, looks: Looks::Once };
}

impl Default for Inference {
    fn default() -> Self {
        Self { resamples: bootstrap::RESAMPLES, seed: bootstrap::SEED, looks: Looks::Any }
    }
}

/// A comparison of two rule sets, first minus second, over the openings that both played at one
/// node budget.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Nodes per move.
    pub nodes: u64,
    /// The first rule set. Its draws count positive.
    pub first: String,
    /// The second rule set. Its draws count negative.
    pub second: String,
    /// Openings that both rule sets played without error.
    pub openings: u64,
    /// Openings that only one of the rule sets played without error.
    pub unmatched: u64,
    /// Openings drawn only under the first rule set.
    pub first_only: u64,
    /// Openings drawn only under the second rule set.
    pub second_only: u64,
    /// Draw share of the first rule set over the paired openings.
    pub first_share: Proportion,
    /// Draw share of the second rule set over the paired openings.
    pub second_share: Proportion,
    /// Mean difference in draws per opening.
    pub difference: f64,
    /// Standard deviation of the difference per opening.
    pub deviation: f64,
    /// The 95% interval that is judged: by the bootstrap if the number of openings was fixed, otherwise
    /// the anytime-valid one.
    pub interval95: Interval,
    /// The 90% interval that is judged.
    pub interval90: Interval,
    /// 95% interval of the opening bootstrap.
    pub bootstrap95: Interval,
    /// Anytime-valid 95% interval.
    pub anytime95: Interval,
    /// Tango's paired score interval, 95%.
    pub tango95: Interval,
    /// Share of games that were not drawn under the first rule set divided by that under the second, with its 95%
    /// interval, if they have one.
    pub decisive_ratio: Option<(f64, Interval)>,
    /// The smallest and the largest difference that the results of the capped games would allow.
    pub cap_bounds: Interval,
    /// McNemar's exact p-value.
    pub mcnemar_p: f64,
    /// E-value on the discordant openings.
    pub e_value: f64,
    /// The p-value that is judged: McNemar's if the number of openings was fixed, otherwise one over the
    /// e-value.
    pub p: f64,
    /// The judged p-value after Holm's adjustment over the pairs of this budget.
    pub holm_p: f64,
}

impl Pair {
    /// Returns the standard error of the mean difference over openings.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.deviation / (self.openings as f64).sqrt()
    }

    /// Returns the interval of the difference at another level: anytime-valid, or normal for one look.
    #[must_use]
    pub fn interval(&self, looks: Looks, confidence: Confidence) -> Interval {
        let evidence = Evidence::new(self.first_only, self.second_only, self.openings);
        match (looks, evidence) {
            (Looks::Any, Ok(evidence)) => evidence.interval(confidence),
            _ => Estimate { value: self.difference, error: self.error() }.interval(confidence),
        }
    }

    /// Returns the share of the games that pairing by opening saves: one less the variance of the paired
    /// difference divided by that with openings of its own for each arm. It is negative if the two games of
    /// an opening tend to end differently. `None` if nothing varies.
    #[must_use]
    pub fn saved_by_pairing(&self) -> Option<f64> {
        let variance = |of: Proportion| of.share() * (1.0 - of.share());
        let unpaired = variance(self.first_share) + variance(self.second_share);
        let share = |count: u64| count as f64 / self.openings as f64;
        let paired = share(self.first_only + self.second_only) - self.difference.powi(2);
        (unpaired > 0.0).then(|| 1.0 - paired / unpaired)
    }
}

/// Largest number of rule sets of one budget at which all pairs are compared: 496 pairs.
pub const ALL_PAIRS: usize = 32;

/// Compares pairs of rule sets at each budget.
///
/// All pairs of up to [`ALL_PAIRS`] rule sets are compared. Otherwise each rule set is compared
/// with those of `primary`, or with the first by name if neither of these was played.
///
/// A difference is the later name minus the earlier. Exceptions are `primary`, which is (first,
/// second) in either order, and comparisons of fewer than all pairs, which are each rule set minus
/// the common one.
///
/// # Errors
/// Games that were read and checked cause no error.
pub fn compare(
    rows: &[GameRow],
    primary: Option<(&str, &str)>,
    inference: Inference,
) -> fusion_statistics::Result<Vec<Pair>> {
    let mut arms: BTreeMap<u64, BTreeMap<&str, Outcomes>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.failed()) {
        arms.entry(row.nodes)
            .or_default()
            .entry(row.rules.as_str())
            .or_default()
            .insert(row.opening, (row.drawn(), row.capped()));
    }
    let mut pairs = Vec::new();
    for (nodes, arms) in &arms {
        let names: Vec<&str> = arms.keys().copied().collect();
        let tasks: Vec<Task> = chosen(&names, primary)
            .into_iter()
            .filter_map(|(first, second)| Task::new((first, &arms[first]), (second, &arms[second])))
            .collect();
        let mut at_budget = differences(*nodes, &tasks, inference)?;
        let adjusted = holm(&p_values(&at_budget))?;
        for (pair, p) in at_budget.iter_mut().zip(adjusted) {
            pair.holm_p = p;
        }
        pairs.extend(at_budget);
    }
    Ok(pairs)
}

/// Returns the rule sets with which all others are compared, if there are too many for all pairs.
///
/// Returns an empty list if all pairs are compared. `names` must be sorted.
#[must_use]
pub fn compared_with<'a>(names: &[&'a str], primary: Option<(&str, &str)>) -> Vec<&'a str> {
    if names.len() <= ALL_PAIRS {
        return Vec::new();
    }
    let of_primary = |name: &&&str| primary.is_some_and(|pair| [pair.0, pair.1].contains(*name));
    let found: Vec<&str> = names.iter().filter(of_primary).copied().collect();
    if found.is_empty() { names[..1].to_vec() } else { found }
}

/// Returns the pairs to compare, first minus second.
fn chosen<'a>(names: &[&'a str], primary: Option<(&str, &str)>) -> Vec<(&'a str, &'a str)> {
    let bases = compared_with(names, primary);
    let ordered = |earlier, later| {
        if primary == Some((earlier, later)) { (earlier, later) } else { (later, earlier) }
    };
    if bases.is_empty() {
        let later = |i: usize| names[i + 1..].iter().map(move |later| ordered(names[i], later));
        return (0..names.len()).flat_map(later).collect();
    }
    let mut pairs = Vec::new();
    for (i, base) in bases.iter().enumerate() {
        for name in names.iter().filter(|name| *name != base) {
            match bases.iter().position(|other| other == name) {
                None => pairs.push((*name, *base)),
                // Both are bases: their pair is added only once.
                Some(other) if other > i => pairs.push(ordered(base, name)),
                Some(_) => {}
            }
        }
    }
    pairs
}

/// Whether a game was drawn, and whether it was capped, by opening.
type Outcomes = BTreeMap<u64, (bool, bool)>;

fn p_values(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.p).collect()
}

/// Two rule sets with the outcomes of their shared openings.
struct Task<'a> {
    first: &'a str,
    second: &'a str,
    /// Whether the game was drawn, and whether it was capped, under each rule set, by opening.
    shared: Vec<[(bool, bool); 2]>,
    /// Number of openings that only one of the rule sets has.
    unmatched: u64,
}

impl<'a> Task<'a> {
    /// Pairs two rule sets. Returns `None` if they share no opening.
    fn new((first, a): (&'a str, &Outcomes), (second, b): (&'a str, &Outcomes)) -> Option<Self> {
        let shared: Vec<_> =
            a.iter().filter_map(|(opening, x)| b.get(opening).map(|y| [*x, *y])).collect();
        let unmatched = (a.len() + b.len() - 2 * shared.len()) as u64;
        (!shared.is_empty()).then_some(Self { first, second, shared, unmatched })
    }

    /// Returns, for each opening, draws of the first minus draws of the second.
    fn differences(&self) -> Vec<i8> {
        self.shared.iter().map(|[x, y]| i8::from(x.0) - i8::from(y.0)).collect()
    }
}

/// Compares the pairs of one budget. Pairs over equally many openings share their resamples.
fn differences(
    nodes: u64,
    tasks: &[Task],
    inference: Inference,
) -> fusion_statistics::Result<Vec<Pair>> {
    let progress = Progress::new("comparing the rule sets", tasks.len());
    let mut by_size: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, task) in tasks.iter().enumerate() {
        by_size.entry(task.shared.len()).or_default().push(i);
    }
    let mut pairs: Vec<Option<Pair>> = vec![None; tasks.len()];
    for of_size in by_size.values() {
        let samples: Vec<Vec<i8>> = of_size.iter().map(|&i| tasks[i].differences()).collect();
        let Inference { resamples, seed, .. } = inference;
        let done = |more| progress.add(more);
        let means = BootstrapMeans::draw_many(&samples, resamples, seed, done)?;
        let made: Vec<Pair> = of_size
            .par_iter()
            .zip(&samples)
            .zip(&means)
            .map(|((&i, sample), means)| pair(nodes, &tasks[i], sample, means, inference.looks))
            .collect::<fusion_statistics::Result<_>>()?;
        for (&i, pair) in of_size.iter().zip(made) {
            pairs[i] = Some(pair);
        }
    }
    Ok(pairs.into_iter().flatten().collect())
}

fn pair(
    nodes: u64,
    task: &Task,
    differences: &[i8],
    means: &BootstrapMeans,
    looks: Looks,
) -> fusion_statistics::Result<Pair> {
    let shared = &task.shared;
    let n = shared.len() as u64;
    let count = |test: &dyn Fn(bool, bool) -> bool| {
        shared.iter().filter(|[x, y]| test(x.0, y.0)).count() as u64
    };
    let (first_only, second_only) = (count(&|x, y| x && !y), count(&|x, y| !x && y));
    let first_share = Proportion::new(count(&|x, _| x), n)?;
    let second_share = Proportion::new(count(&|_, y| y), n)?;
    // A single division of integers makes a difference of 3 points exactly 0.03.
    let difference = (first_only as f64 - second_only as f64) / n as f64;
    let capped = |count: usize| count as f64 / n as f64;
    let (mcnemar_p, e_value) =
        (mcnemar_exact(first_only, second_only)?, e_value(first_only, second_only, PRIOR)?);
    let (bootstrap95, evidence) =
        (means.interval(Confidence::P95)?, Evidence::new(first_only, second_only, n)?);
    let anytime95 = evidence.interval(Confidence::P95);
    let (interval95, interval90, p) = match looks {
        Looks::Once => (bootstrap95, means.interval(Confidence::P90)?, mcnemar_p),
        Looks::Any => (anytime95, evidence.interval(Confidence::P90), (1.0 / e_value).min(1.0)),
    };
    Ok(Pair {
        nodes,
        first: task.first.to_owned(),
        second: task.second.to_owned(),
        openings: n,
        unmatched: task.unmatched,
        first_only,
        second_only,
        first_share,
        second_share,
        difference,
        deviation: deviation(differences, difference),
        interval95,
        interval90,
        bootstrap95,
        anytime95,
        tango95: tango(first_only, second_only, n, Confidence::P95)?,
        decisive_ratio: decisive_ratio(
            [first_share, second_share],
            first_only + second_only,
            looks,
        ),
        cap_bounds: Interval {
            low: difference - capped(shared.iter().filter(|[_, y]| y.1).count()),
            high: difference + capped(shared.iter().filter(|[x, _]| x.1).count()),
        },
        mcnemar_p,
        e_value,
        p,
        holm_p: p,
    })
}

/// Returns the ratio of the shares of games that were not drawn, with a 95% interval that is normal in logarithms. `None`
/// if either has only draws, or if the same openings were drawn in both, which leaves the interval without a width.
///
/// Source: J.-M. Nam and W. C. Blackwelder, *Analysis of the ratio of marginal probabilities in a
/// matched-pair setting*, Statistics in Medicine 21 (2002): Wald's interval.
fn decisive_ratio(
    [first, second]: [Proportion; 2],
    discordant: u64,
    looks: Looks,
) -> Option<(f64, Interval)> {
    let decisive = |of: Proportion| (of.trials() - of.successes()) as f64;
    let (a, b) = (decisive(first), decisive(second));
    if a == 0.0 || b == 0.0 || discordant == 0 {
        return None;
    }
    let log = Estimate { value: (a / b).ln(), error: (discordant as f64 / (a * b)).sqrt() };
    let Interval { low, high } = looks.interval(log, first.trials(), Confidence::P95);
    Some((a / b, Interval { low: low.exp(), high: high.exp() }))
}

fn deviation(values: &[i8], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;
    use std::collections::BTreeSet;

    /// Returns the pairs of this number of rule sets, which are named `r00` and so on.
    fn pairs(rule_sets: u64, primary: Option<(&str, &str)>) -> Vec<(String, String)> {
        let game = |rules: u64| {
            (0..9).map(move |id| {
                test_row(&format!("r{rules:02}"), 8, id, (id + rules).is_multiple_of(3))
            })
        };
        let rows: Vec<GameRow> = (0..rule_sets).flat_map(game).collect();
        let pairs =
            compare(&rows, primary, Inference { resamples: 100, seed: 1, ..Inference::default() })
                .unwrap();
        pairs.into_iter().map(|pair| (pair.first, pair.second)).collect()
    }

    #[test]
    fn few_rule_sets_are_all_compared() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let all = [pair("r01", "r00"), pair("r02", "r00"), pair("r02", "r01")];
        assert_eq!(pairs(3, None), all);
        assert_eq!(pairs(3, Some(("r02", "r00"))), all);
        assert_eq!(pairs(3, Some(("r00", "r02")))[1], pair("r00", "r02"));
        assert_eq!(pairs(32, Some(("r00", "r02"))).len(), 32 * 31 / 2);
    }

    #[test]
    fn many_rule_sets_are_compared_with_the_primary_ones_only() {
        let found = pairs(40, Some(("r05", "r20")));
        // Each of the two with the 38 others, and the two with each other.
        assert_eq!(found.len(), 77);
        assert!(found.contains(&("r05".into(), "r20".into())));
        assert!(!found.contains(&("r20".into(), "r05".into())));
        assert!(
            found.contains(&("r00".into(), "r05".into()))
                && found.contains(&("r39".into(), "r20".into()))
        );
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), 77);
        let with_the_first = pairs(33, Some(("x", "y")));
        assert_eq!(with_the_first.len(), 32);
        assert!(with_the_first.iter().all(|(_, second)| second == "r00"));
        assert_eq!(pairs(33, None), with_the_first);
    }

    #[test]
    fn a_pair_does_not_depend_on_what_else_is_compared() {
        let game = |rules: &'static str, every: u64, openings: u64| {
            (0..openings).map(move |id| test_row(rules, 8, id, id % every == 0))
        };
        let rows: Vec<GameRow> =
            game("a", 2, 50).chain(game("b", 3, 60)).chain(game("c", 5, 50)).collect();
        let two: Vec<GameRow> = rows.iter().filter(|row| row.rules != "c").cloned().collect();
        let inference = Inference { resamples: 300, seed: 4, ..Inference::default() };
        let of_three = compare(&rows, None, inference).unwrap();
        let alone = compare(&two, None, inference).unwrap();
        let same = of_three.iter().find(|pair| pair.first == "b" && pair.second == "a").unwrap();
        assert_eq!(same.bootstrap95, alone[0].bootstrap95);
        assert_eq!((same.openings, same.unmatched), (50, 10));
    }
}
