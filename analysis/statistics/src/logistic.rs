//! Logistic regression of draws on rule toggles, with errors that are robust to several games
//! of one opening.

pub use super::estimate::Estimate;
use super::glm::{Fit, Outcome, logistic};
use super::{Result, StatisticsError};
use ndarray::{Array1, Array2};
use std::collections::BTreeMap;

/// Number of bits of [`Observation::toggles`].
const MOST_TOGGLES: u32 = u32::BITS;

/// One game of a factorial study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Whether the game was drawn.
    pub drawn: bool,
    /// The toggles: bit `j` is set if toggle `j` was on.
    pub toggles: u32,
    /// Opening of the game. Games of one opening are not independent.
    pub cluster: u64,
}

/// A fitted model: the logit of a draw, `ln(p / (1 − p))`, is a sum over the toggles that are on
/// and, optionally, over pairs of them.
#[derive(Clone, Debug)]
pub struct Logistic {
    /// The toggles of each term: no bits for the constant, one or two bits for the others.
    terms: Vec<u32>,
    fit: Fit,
    /// Number of games for each combination of toggles.
    mixes: BTreeMap<u32, u64>,
}

impl Logistic {
    /// Fits by maximum likelihood. The covariance is the sandwich over clusters, times
    /// G/(G−1)·(n−1)/(n−k) for G clusters, n games and k terms.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// Fails if there are no games, more than 32 toggles, fewer than two openings or fewer games
    /// than terms. Also fails if the games do not separate the toggles, or if some toggles decide
    /// all draws: chances are then 0 or 1, and no finite coefficient fits.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::logistic::{Logistic, Observation};
    ///
    /// // 40 openings: 10 draws without the toggle, 20 with it.
    /// let game = |cluster, toggles, drawn| Observation { drawn, toggles, cluster };
    /// let games: Vec<Observation> = (0..40)
    ///     .flat_map(|opening| [game(opening, 0, opening < 10), game(opening, 1, opening < 20)])
    ///     .collect();
    /// let model = Logistic::fit(&games, 1, false)?;
    /// // The coefficient is the logarithm of the odds ratio, (20/20) / (10/30).
    /// let coefficient = model.coefficient(1).unwrap();
    /// assert!((coefficient.value - 3f64.ln()).abs() < 1e-9);
    /// // The effect is a difference of chances.
    /// assert!((model.effect(0).value - 0.25).abs() < 1e-9);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn fit(games: &[Observation], toggles: u32, pairs: bool) -> Result<Self> {
        if games.is_empty() {
            return Err(StatisticsError::Empty);
        }
        if toggles > MOST_TOGGLES {
            return Err(StatisticsError::Undefined("more toggles than the bits of a mix"));
        }
        let terms = terms(toggles, pairs);
        let mut mixes = BTreeMap::new();
        games.iter().for_each(|game| *mixes.entry(game.toggles).or_default() += 1);
        let design = design(&terms, &mixes.keys().copied().collect::<Vec<_>>());
        let index: BTreeMap<u32, usize> = mixes.keys().copied().zip(0..).collect();
        let outcome = |game: &Observation| Outcome {
            happened: game.drawn,
            row: index[&game.toggles],
            cluster: game.cluster,
        };
        let outcomes: Vec<_> = games.iter().map(outcome).collect();
        let fit = Fit::new(&design, &outcomes)?;
        Ok(Self { terms, fit, mixes })
    }

    /// Returns the coefficient of a set of toggles (one bit each) in logits; `None` if the model
    /// does not have this term.
    #[must_use]
    pub fn coefficient(&self, toggles: u32) -> Option<Estimate> {
        let at = self.terms.iter().position(|&term| term == toggles)?;
        let mut only = Array1::zeros(self.terms.len());
        only[at] = 1.0;
        Some(self.fit.logit(only.view()))
    }

    /// Returns the average marginal effect of a toggle: the change of the chance of a draw when the
    /// toggle is turned on and all others stay, averaged over the games. The error is by the delta
    /// method.
    #[must_use]
    pub fn effect(&self, toggle: u32) -> Estimate {
        let on = 1 << toggle;
        self.contrast(|mix| vec![(mix | on, 1.0), (mix & !on, -1.0)])
    }

    /// Returns the interaction of two toggles: the difference of the effect of one between games
    /// with and without the other, as a difference of chances averaged over the games.
    ///
    /// Source: C. Ai and E. C. Norton, *Interaction terms in logit and probit models*, Economics
    /// Letters 80 (2003): the coefficient does not measure this.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::logistic::{Logistic, Observation};
    ///
    /// // Draws in 20 openings without toggles, with the first, the second, and both.
    /// let draws = [6, 9, 4, 9];
    /// let mut games = Vec::new();
    /// for (toggles, drawn) in (0..).zip(draws) {
    ///     let game = |cluster| Observation { drawn: cluster < drawn, toggles, cluster };
    ///     games.extend((0..20).map(game));
    /// }
    /// let model = Logistic::fit(&games, 2, true)?;
    /// // The first toggle adds 3 draws in 20 games without the second, and 5 with it.
    /// assert!((model.interaction(0, 1).value - (5.0 - 3.0) / 20.0).abs() < 1e-9);
    /// assert!((model.chance(0b10) - 4.0 / 20.0).abs() < 1e-9);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    #[must_use]
    pub fn interaction(&self, first: u32, second: u32) -> Estimate {
        let (a, b) = (1 << first, 1 << second);
        self.contrast(|mix| {
            let none = mix & !a & !b;
            vec![(none | a | b, 1.0), (none | a, -1.0), (none | b, -1.0), (none, 1.0)]
        })
    }

    /// Returns the chance of a draw under a combination of toggles.
    #[must_use]
    pub fn chance(&self, mix: u32) -> f64 {
        logistic(self.fit.logit(design(&self.terms, &[mix]).row(0)).value)
    }

    /// Returns the mean over all games of a weighted sum of chances. The combinations of toggles in
    /// that sum depend on each game's combination.
    fn contrast(&self, of: impl Fn(u32) -> Vec<(u32, f64)>) -> Estimate {
        let total: u64 = self.mixes.values().sum();
        let (mut mixes, mut weights) = (Vec::new(), Vec::new());
        for (&mix, &games) in &self.mixes {
            for (mix, weight) in of(mix) {
                mixes.push(mix);
                weights.push(weight * games as f64 / total as f64);
            }
        }
        self.fit.chances(&design(&self.terms, &mixes), &weights.into())
    }
}

fn terms(toggles: u32, pairs: bool) -> Vec<u32> {
    let mut terms = vec![0];
    terms.extend((0..toggles).map(|toggle| 1 << toggle));
    if pairs {
        let pairs = |a: u32| (a + 1..toggles).map(move |b| 1 << a | 1 << b);
        terms.extend((0..toggles).flat_map(pairs));
    }
    terms
}

/// Returns the design matrix with a row for each combination of toggles. A row has 1 for each term
/// whose toggles are all on.
fn design(terms: &[u32], mixes: &[u32]) -> Array2<f64> {
    Array2::from_shape_fn((mixes.len(), terms.len()), |(row, term)| {
        f64::from(u8::from(mixes[row] & terms[term] == terms[term]))
    })
}

#[cfg(test)]
#[path = "logistic_tests.rs"]
mod tests;
