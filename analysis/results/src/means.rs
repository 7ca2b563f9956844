//! Differences between two kinds of rules in the mean of some number per game, paired by opening.

use crate::games::GameRow;
use crate::pairs::Inference;
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::Looks;
use fusion_statistics::{Confidence, Interval};
use std::collections::BTreeMap;

/// A mean difference over openings with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Number of openings in which both sides have a game with the number.
    pub openings: u64,
    /// Mean of the first side over these openings.
    pub first: f64,
    /// Mean of the second side over these openings.
    pub second: f64,
    /// First minus second.
    pub value: f64,
    /// 95% interval of the difference, from resampled openings or anytime-valid.
    pub interval: Interval,
}

impl Difference {
    /// Returns whether the interval excludes 0.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.interval.contains(0.0)
    }
}

/// Computes the mean of `value` on one side minus that on the other, paired by opening.
///
/// `value` returns the number of a game, and `None` for a game that does not count. `side` returns
/// `true` for rule sets on the first side, `false` for those on the second, and `None` for others.
/// The games of an opening are averaged on each side. The result is `None` if no opening has a game
/// that counts on both sides.
///
/// # Errors
/// Fails if the number of resamples is zero.
pub fn difference<'a>(
    rows: impl Iterator<Item = &'a GameRow>,
    value: impl Fn(&GameRow) -> Option<f64>,
    side: impl Fn(&str) -> Option<bool>,
    inference: Inference,
) -> fusion_statistics::Result<Option<Difference>> {
    // For each opening and side: the sum and the number of games.
    let mut openings: BTreeMap<u64, [[f64; 2]; 2]> = BTreeMap::new();
    for row in rows {
        let (Some(first), Some(value)) = (side(&row.rules), value(row)) else { continue };
        let totals = &mut openings.entry(row.opening).or_default()[usize::from(!first)];
        totals[0] += value;
        totals[1] += 1.0;
    }
    openings.retain(|_, sides| sides.iter().all(|[_, games]| *games > 0.0));
    let means: Vec<[f64; 2]> =
        openings.values().map(|sides| sides.map(|[total, games]| total / games)).collect();
    if means.is_empty() {
        return Ok(None);
    }
    let differences: Vec<f64> = means.iter().map(|[first, second]| first - second).collect();
    let mean = |of: &mut dyn Iterator<Item = f64>| of.sum::<f64>() / means.len() as f64;
    Ok(Some(Difference {
        openings: means.len() as u64,
        first: mean(&mut means.iter().map(|sides| sides[0])),
        second: mean(&mut means.iter().map(|sides| sides[1])),
        value: mean(&mut differences.iter().copied()),
        interval: interval_of_mean(&differences, inference)?,
    }))
}

/// Returns the 95% interval of the mean of values, one for each opening.
///
/// # Errors
/// Fails if there are no values, or the number of resamples is zero.
pub fn interval_of_mean(
    values: &[f64],
    inference: Inference,
) -> fusion_statistics::Result<Interval> {
    match inference.looks {
        Looks::Once => BootstrapMeans::draw(values, inference.resamples, inference.seed)?
            .interval(Confidence::P95),
        Looks::Any => {
            let estimate = Estimate::of_mean(values)?;
            Ok(Looks::Any.interval(estimate, values.len() as u64, Confidence::P95))
        }
    }
}
