//! How draws grow with strength under each rule set: logistic regression of a draw on the
//! doublings of the search budget, with a line for each arm.

use super::estimate::Estimate;
use super::glm::{Fit, Outcome, logistic};
use super::{Confidence, Interval, Result, StatisticsError};
use nalgebra::DVector;
use std::collections::BTreeMap;

/// One game of a ladder of budgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Whether it was drawn.
    pub drawn: bool,
    /// Its rule set, from 0.
    pub arm: usize,
    /// Its budget: log₂ of the nodes per move.
    pub doublings: f64,
    /// Its opening: games of one opening, under any rules and budget, are not independent.
    pub cluster: u64,
}

/// A fitted model: in each arm the logit of a draw is a straight line in the doublings.
#[derive(Clone, Debug)]
pub struct Trend {
    arms: usize,
    /// Doublings that the lines count from, so that intercepts are chances within the data.
    origin: f64,
    range: Interval,
    fit: Fit,
}

impl Trend {
    /// Fits all arms at once by maximum likelihood, so that games of one opening may depend on
    /// each other across arms too. The covariance is the one of [`super::logistic`]: the sandwich
    /// over openings with its small-sample factor.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// No games or no arms, an arm that is not below `arms`, doublings that are not finite, an arm
    /// with fewer than two budgets, arms without a range of budgets in common, fewer than two
    /// openings, or draws that the budget decides completely.
    pub fn fit(games: &[Observation], arms: usize) -> Result<Self> {
        let ranges = ranges(games, arms)?;
        let range = Interval {
            low: ranges.iter().map(|range| range.low).fold(f64::NEG_INFINITY, f64::max),
            high: ranges.iter().map(|range| range.high).fold(f64::INFINITY, f64::min),
        };
        if range.low >= range.high {
            return Err(StatisticsError::Undefined("the arms have no range of budgets in common"));
        }
        let origin = f64::midpoint(range.low, range.high);
        // Equal numbers have equal bits but for the two zeros; the sum is always the positive one.
        let key = |game: &Observation| (game.arm, (game.doublings + 0.0).to_bits());
        let mut index: BTreeMap<(usize, u64), usize> =
            games.iter().map(|game| (key(game), 0)).collect();
        index.values_mut().zip(0..).for_each(|(at, next)| *at = next);
        let rows: Vec<_> = index
            .keys()
            .map(|&(arm, bits)| row(arms, &[(arm, f64::from_bits(bits) - origin, 1.0)]))
            .collect();
        let outcome = |game: &Observation| Outcome {
            happened: game.drawn,
            row: index[&key(game)],
            cluster: game.cluster,
        };
        let outcomes: Vec<_> = games.iter().map(outcome).collect();
        let fit = Fit::new(&rows, &outcomes)?;
        Ok(Self { arms, origin, range, fit })
    }

    /// The doublings that all arms have in common, over which changes of the chance are averaged.
    #[must_use]
    pub fn range(&self) -> Interval {
        self.range
    }

    /// By how many logits a doubling of the nodes raises the chance of a draw; `None` if there is
    /// no such arm.
    #[must_use]
    pub fn slope(&self, arm: usize) -> Option<Estimate> {
        self.has(arm).then(|| self.fit.logit(&self.slopes(&[(arm, 1.0)])))
    }

    /// By how much a doubling of the nodes raises the chance of a draw, as a share, on average over
    /// [`Self::range`]: the rise from its one end to the other over its length. The error is by the
    /// delta method. `None` if there is no such arm.
    #[must_use]
    pub fn change(&self, arm: usize) -> Option<Estimate> {
        self.has(arm).then(|| self.changes(&[(arm, 1.0)]))
    }

    /// The rules' part in the trend: slope of the first arm minus slope of the second, in logits
    /// per doubling. `None` if there is no such arm.
    #[must_use]
    pub fn slope_difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let slopes = || self.slopes(&[(first, 1.0), (second, -1.0)]);
        (self.has(first) && self.has(second)).then(|| self.fit.logit(&slopes()))
    }

    /// [`Self::change`] of the first arm minus that of the second: how much faster draws grow
    /// under its rules, as a share per doubling. Slopes alone do not say it, since a logit is worth
    /// less near 0 and 1. `None` if there is no such arm.
    ///
    /// Source: C. Ai and E. C. Norton, *Interaction terms in logit and probit models*, Economics
    /// Letters 80 (2003).
    #[must_use]
    pub fn change_difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let both = self.has(first) && self.has(second);
        both.then(|| self.changes(&[(first, 1.0), (second, -1.0)]))
    }

    /// The chance of a draw at so many doublings, with an interval that is normal in logits and
    /// therefore within 0 and 1. `None` if there is no such arm. Outside of the budgets that were
    /// played it is only an extrapolation.
    #[must_use]
    pub fn chance(
        &self,
        arm: usize,
        doublings: f64,
        confidence: Confidence,
    ) -> Option<(f64, Interval)> {
        let row = || row(self.arms, &[(arm, doublings - self.origin, 1.0)]);
        let logit = self.has(arm).then(|| self.fit.logit(&row()))?;
        let Interval { low, high } = logit.interval(confidence);
        Some((logistic(logit.value), Interval { low: logistic(low), high: logistic(high) }))
    }

    fn has(&self, arm: usize) -> bool {
        arm < self.arms
    }

    /// The row that picks slopes with the weights given.
    fn slopes(&self, weights: &[(usize, f64)]) -> DVector<f64> {
        let rises: Vec<_> = weights.iter().map(|&(arm, weight)| (arm, weight, 0.0)).collect();
        row(self.arms, &rises)
    }

    /// Weighted changes of the chance.
    fn changes(&self, weights: &[(usize, f64)]) -> Estimate {
        let Interval { low, high } = self.range;
        self.fit.chances(weights.iter().flat_map(|&(arm, weight)| {
            let weight = weight / (high - low);
            let at = |doublings: f64| row(self.arms, &[(arm, doublings - self.origin, 1.0)]);
            [(weight, at(high)), (-weight, at(low))]
        }))
    }
}

/// A row of the design: the constant and the doublings of each arm named, as
/// (arm, doublings, constant).
fn row(arms: usize, parts: &[(usize, f64, f64)]) -> DVector<f64> {
    let mut row = DVector::zeros(2 * arms);
    for &(arm, doublings, constant) in parts {
        row[2 * arm] += constant;
        row[2 * arm + 1] += doublings;
    }
    row
}

/// The doublings of each arm's games, from least to most.
fn ranges(games: &[Observation], arms: usize) -> Result<Vec<Interval>> {
    if games.is_empty() || arms == 0 {
        return Err(StatisticsError::Empty);
    }
    let mut ranges = vec![Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }; arms];
    for game in games {
        if !game.doublings.is_finite() {
            return Err(StatisticsError::NotFinite(game.doublings));
        }
        let range = ranges
            .get_mut(game.arm)
            .ok_or(StatisticsError::Undefined("an arm that is not among those counted"))?;
        range.low = range.low.min(game.doublings);
        range.high = range.high.max(game.doublings);
    }
    if ranges.iter().any(|range| range.low >= range.high) {
        return Err(StatisticsError::Undefined("an arm with fewer than two budgets"));
    }
    Ok(ranges)
}

#[cfg(test)]
#[path = "trend_tests.rs"]
mod tests;
