//! Growth of draws with strength under each rule set: logistic regression of a draw on the
//! doublings of the search budget, with a line for each arm.

use super::estimate::Estimate;
use super::glm::{Fit, Outcome, logistic};
use super::{Confidence, Interval, Result, StatisticsError};
use ndarray::{Array1, Array2};
use std::collections::BTreeMap;

/// One game of a ladder of budgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Whether the game was drawn.
    pub drawn: bool,
    /// Rule set of the game, from 0.
    pub arm: usize,
    /// Budget of the game: log₂ of the nodes per move.
    pub doublings: f64,
    /// Opening of the game. Games of one opening are not independent, also across rules and
    /// budgets.
    pub cluster: u64,
}

/// A fitted model: the logit of a draw, `ln(p / (1 − p))`, is a straight line in the doublings, in
/// each arm.
#[derive(Clone, Debug)]
pub struct Trend {
    arms: usize,
    /// Origin of the lines in doublings, chosen so that intercepts are chances within the data.
    origin: f64,
    range: Interval,
    fit: Fit,
}

impl Trend {
    /// Fits all arms at once by maximum likelihood, so that games of one opening may depend on
    /// each other across arms too. Only games within [`Self::range`] are used: the arms' lines are
    /// compared, and a logit is no straight line over any range. The covariance is that of [`super::logistic`]: the sandwich
    /// over openings with its small-sample factor.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// Fails if there are no games or no arms, if an arm is not below `arms`, if doublings are not
    /// finite, if the arms have no range of budgets in common, if an arm has fewer than two budgets
    /// in that range, if there are fewer than two openings, or if the budget decides the draws completely.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::trend::{Observation, Trend};
    ///
    /// // 20 openings: 6 draws at 2⁸ nodes per move, 10 draws at 2¹⁰.
    /// let game = |cluster, doublings, drawn| Observation { drawn, arm: 0, doublings, cluster };
    /// let games: Vec<Observation> = (0..20)
    ///     .flat_map(|at| [game(at, 8.0, at < 6), game(at, 10.0, at < 10)])
    ///     .collect();
    /// let trend = Trend::fit(&games, 1)?;
    /// // 10 points per doubling.
    /// assert!((trend.change(0).unwrap().value - (0.5 - 0.3) / 2.0).abs() < 1e-9);
    /// // The logit rises from ln(3/7) to 0.
    /// assert!((trend.slope(0).unwrap().value - (7.0f64 / 3.0).ln() / 2.0).abs() < 1e-9);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn fit(games: &[Observation], arms: usize) -> Result<Self> {
        let of_arms = ranges(games, arms)?;
        let range = Interval {
            low: of_arms.iter().map(|range| range.low).fold(f64::NEG_INFINITY, f64::max),
            high: of_arms.iter().map(|range| range.high).fold(f64::INFINITY, f64::min),
        };
        if range.low >= range.high {
            return Err(StatisticsError::Undefined("the arms have no range of budgets in common"));
        }
        let within = games.iter().filter(|game| range.contains(game.doublings));
        let games: Vec<Observation> = within.copied().collect();
        ranges(&games, arms)?;
        let origin = f64::midpoint(range.low, range.high);
        // Equal numbers have equal bits except for the two zeros; the sum always has the positive
        // zero.
        let key = |game: &Observation| (game.arm, (game.doublings + 0.0).to_bits());
        let mut index: BTreeMap<(usize, u64), usize> =
            games.iter().map(|game| (key(game), 0)).collect();
        index.values_mut().zip(0..).for_each(|(at, next)| *at = next);
        let at = |&(arm, bits): &(usize, u64)| (arm, f64::from_bits(bits) - origin);
        let design = design(arms, &index.keys().map(at).collect::<Vec<_>>());
        let outcome = |game: &Observation| Outcome {
            happened: game.drawn,
            row: index[&key(game)],
            cluster: game.cluster,
        };
        let outcomes: Vec<_> = games.iter().map(outcome).collect();
        let fit = Fit::new(&design, &outcomes)?;
        Ok(Self { arms, origin, range, fit })
    }

    /// Returns the range of doublings common to all arms. The lines are fitted in it, and changes of
    /// the chance are averaged over it.
    #[must_use]
    pub fn range(&self) -> Interval {
        self.range
    }

    /// Returns the increase of the logit of a draw per doubling of the nodes. Returns `None` if the
    /// arm does not exist.
    #[must_use]
    pub fn slope(&self, arm: usize) -> Option<Estimate> {
        self.has(arm).then(|| self.slopes(&[(arm, 1.0)]))
    }

    /// Returns the increase of the chance of a draw per doubling of the nodes, as a share, averaged
    /// over [`Self::range`]: the rise from one end to the other divided by the length. The error is
    /// by the delta method. Returns `None` if the arm does not exist.
    #[must_use]
    pub fn change(&self, arm: usize) -> Option<Estimate> {
        self.has(arm).then(|| self.changes(&[(arm, 1.0)]))
    }

    /// Returns the effect of the rules on the trend: slope of the first arm minus slope of the
    /// second, in logits per doubling. Returns `None` if an arm does not exist.
    #[must_use]
    pub fn slope_difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let both = self.has(first) && self.has(second);
        both.then(|| self.slopes(&[(first, 1.0), (second, -1.0)]))
    }

    /// Returns [`Self::change`] of the first arm minus that of the second, as a share per doubling:
    /// how much faster draws grow under the first arm's rules. Slopes do not show this, because a
    /// logit changes the chance less near 0 and 1. Returns `None` if an arm does not exist.
    ///
    /// Source: C. Ai and E. C. Norton, *Interaction terms in logit and probit models*, Economics
    /// Letters 80 (2003).
    #[must_use]
    pub fn change_difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let both = self.has(first) && self.has(second);
        both.then(|| self.changes(&[(first, 1.0), (second, -1.0)]))
    }

    /// Returns the chance of a draw at the given doublings. Its interval is normal in logits and
    /// therefore within 0 and 1. Outside of the budgets that were played, the chance is only an
    /// extrapolation. Returns `None` if the arm does not exist.
    #[must_use]
    pub fn chance(
        &self,
        arm: usize,
        doublings: f64,
        confidence: Confidence,
    ) -> Option<(f64, Interval)> {
        let row = || design(self.arms, &[(arm, doublings - self.origin)]);
        let logit = self.has(arm).then(|| self.fit.logit(row().row(0)))?;
        let Interval { low, high } = logit.interval(confidence);
        Some((logistic(logit.value), Interval { low: logistic(low), high: logistic(high) }))
    }

    fn has(&self, arm: usize) -> bool {
        arm < self.arms
    }

    /// Returns the weighted sum of slopes.
    fn slopes(&self, weights: &[(usize, f64)]) -> Estimate {
        let mut row = Array1::zeros(2 * self.arms);
        weights.iter().for_each(|&(arm, weight)| row[2 * arm + 1] += weight);
        self.fit.logit(row.view())
    }

    /// Returns the weighted sum of changes of the chance.
    fn changes(&self, weights: &[(usize, f64)]) -> Estimate {
        let Interval { low, high } = self.range;
        let (mut at, mut signed) = (Vec::new(), Vec::new());
        for &(arm, weight) in weights {
            let weight = weight / (high - low);
            at.extend([(arm, high - self.origin), (arm, low - self.origin)]);
            signed.extend([weight, -weight]);
        }
        self.fit.chances(&design(self.arms, &at), &signed.into())
    }
}

/// Returns the design matrix with a row for each (arm, doublings). A row has 1 and the doublings in
/// the two columns of its arm.
fn design(arms: usize, at: &[(usize, f64)]) -> Array2<f64> {
    let mut design = Array2::zeros((at.len(), 2 * arms));
    for (mut row, &(arm, doublings)) in design.rows_mut().into_iter().zip(at) {
        row[2 * arm] = 1.0;
        row[2 * arm + 1] = doublings;
    }
    design
}

/// Returns the range of doublings of each arm's games, from lowest to highest.
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
