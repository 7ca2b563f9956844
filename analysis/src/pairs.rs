//! Differences in draws between two rule sets, paired by opening.

use crate::games::GameRow;
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::difference::{miettinen_nurminen, newcombe};
use fusion_statistics::evalue::{PRIOR, e_value};
use fusion_statistics::fisher::fisher_exact;
use fusion_statistics::mcnemar::mcnemar_exact;
use fusion_statistics::multiple::{benjamini_hochberg, holm};
use fusion_statistics::paired::tango;
use fusion_statistics::ratio::score_ratio;
use fusion_statistics::{Confidence, Interval, Proportion};
use std::collections::{BTreeMap, BTreeSet};

/// Settings of the resampling.
#[derive(Clone, Copy, Debug)]
pub struct Resampling {
    /// Number of resamples.
    pub resamples: u32,
    /// Seed.
    pub seed: u64,
}

/// First rule set minus second, over the openings that both played at one node budget.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Nodes per move.
    pub nodes: u64,
    /// The rule set whose draws count positive.
    pub first: String,
    /// The rule set whose draws count negative.
    pub second: String,
    /// Openings that both played without error.
    pub openings: u64,
    /// Openings that only one of them played without error.
    pub unmatched: u64,
    /// Openings drawn only in the first.
    pub first_only: u64,
    /// Openings drawn only in the second.
    pub second_only: u64,
    /// Draws of the first over the paired openings.
    pub first_share: Proportion,
    /// Draws of the second over the paired openings.
    pub second_share: Proportion,
    /// Mean per-opening difference in draws.
    pub difference: f64,
    /// Standard deviation of the per-opening difference.
    pub deviation: f64,
    /// Opening bootstrap, 95%.
    pub bootstrap95: Interval,
    /// Opening bootstrap, 90%.
    pub bootstrap90: Interval,
    /// Tango's paired score interval, 95%.
    pub tango95: Interval,
    /// Newcombe's unpaired interval, 95%.
    pub newcombe95: Interval,
    /// Miettinen and Nurminen's unpaired interval, 95%.
    pub miettinen_nurminen95: Interval,
    /// Ratio of draw shares, unpaired score interval; `None` if neither ever drew.
    pub ratio95: Option<Interval>,
    /// The difference if capped games had ended as unfavourably, or favourably, as
    /// possible to it.
    pub cap_bounds: Interval,
    /// McNemar's exact p-value.
    pub mcnemar_p: f64,
    /// McNemar's p-value after Holm's adjustment over the pairs of this budget.
    pub holm_p: f64,
    /// McNemar's p-value after Benjamini and Hochberg's adjustment over all pairs.
    pub bh_p: f64,
    /// E-value on the discordant openings.
    pub e_value: f64,
    /// Fisher's exact p-value, unpaired.
    pub fisher_p: f64,
}

impl Pair {
    /// Standard error of the mean difference over openings.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.deviation / (self.openings as f64).sqrt()
    }
}

/// Compares all pairs of rule sets at each budget. The later name minus the earlier, but
/// for `primary`, which is (first, second) whatever the order.
///
/// # Errors
/// Never for games that were read and checked; passed on from the statistics.
pub fn compare(
    rows: &[GameRow],
    primary: Option<(&str, &str)>,
    resampling: Resampling,
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
        let mut at_budget = Vec::new();
        for (i, (earlier, a)) in arms.iter().enumerate() {
            for (later, b) in arms.iter().skip(i + 1) {
                let swap = primary == Some((*earlier, *later));
                let (first, second) =
                    if swap { ((*earlier, a), (*later, b)) } else { ((*later, b), (*earlier, a)) };
                at_budget.extend(pair(*nodes, first, second, resampling)?);
            }
        }
        let adjusted = holm(&p_values(&at_budget))?;
        for (pair, p) in at_budget.iter_mut().zip(adjusted) {
            pair.holm_p = p;
        }
        pairs.extend(at_budget);
    }
    let adjusted = benjamini_hochberg(&p_values(&pairs))?;
    for (pair, p) in pairs.iter_mut().zip(adjusted) {
        pair.bh_p = p;
    }
    Ok(pairs)
}

/// Drawn and capped, by opening.
type Outcomes = BTreeMap<u64, (bool, bool)>;

fn p_values(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.mcnemar_p).collect()
}

/// `None` if the two share no opening.
fn pair(
    nodes: u64,
    (first, a): (&str, &Outcomes),
    (second, b): (&str, &Outcomes),
    resampling: Resampling,
) -> fusion_statistics::Result<Option<Pair>> {
    let shared: Vec<_> =
        a.iter().filter_map(|(opening, x)| b.get(opening).map(|y| (*x, *y))).collect();
    if shared.is_empty() {
        return Ok(None);
    }
    let n = shared.len() as u64;
    let all: BTreeSet<_> = a.keys().chain(b.keys()).collect();
    let count = |test: &dyn Fn(bool, bool) -> bool| {
        shared.iter().filter(|(x, y)| test(x.0, y.0)).count() as u64
    };
    let (first_only, second_only) = (count(&|x, y| x && !y), count(&|x, y| !x && y));
    let first_share = Proportion::new(count(&|x, _| x), n)?;
    let second_share = Proportion::new(count(&|_, y| y), n)?;
    let differences: Vec<f64> =
        shared.iter().map(|(x, y)| f64::from(i8::from(x.0) - i8::from(y.0))).collect();
    // One division of whole numbers, so that a difference of 3 points is exactly 0.03.
    let difference = (first_only as f64 - second_only as f64) / n as f64;
    let means = BootstrapMeans::draw(&differences, resampling.resamples, resampling.seed)?;
    let capped = |count: usize| count as f64 / n as f64;
    let p = mcnemar_exact(first_only, second_only)?;
    Ok(Some(Pair {
        nodes,
        first: first.to_owned(),
        second: second.to_owned(),
        openings: n,
        unmatched: all.len() as u64 - n,
        first_only,
        second_only,
        first_share,
        second_share,
        difference,
        deviation: deviation(&differences, difference),
        bootstrap95: means.interval(Confidence::P95)?,
        bootstrap90: means.interval(Confidence::P90)?,
        tango95: tango(first_only, second_only, n, Confidence::P95)?,
        newcombe95: newcombe(first_share, second_share, Confidence::P95),
        miettinen_nurminen95: miettinen_nurminen(first_share, second_share, Confidence::P95),
        ratio95: score_ratio(first_share, second_share, Confidence::P95).ok(),
        cap_bounds: Interval {
            low: difference - capped(shared.iter().filter(|(_, y)| y.1).count()),
            high: difference + capped(shared.iter().filter(|(x, _)| x.1).count()),
        },
        mcnemar_p: p,
        holm_p: p,
        bh_p: p,
        e_value: e_value(first_only, second_only, PRIOR)?,
        fisher_p: fisher_exact(first_share, second_share)?,
    }))
}

fn deviation(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}
