//! Logistic regression of draws on rule toggles, with errors that are robust to games sharing
//! an opening.

use super::{Confidence, Interval, Result, StatisticsError};
use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;

/// Steps of Newton's method after which there is no hope.
const MAX_STEPS: usize = 50;
/// A step this small, in logits, ends the fit.
const TOLERANCE: f64 = 1e-10;
/// Where a coefficient grows beyond this, chances are 0 or 1 to nine digits: separation.
const LARGEST: f64 = 20.0;

/// Bits of [`Observation::toggles`].
const MOST_TOGGLES: u32 = u32::BITS;

/// One game of a factorial study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Whether it was drawn.
    pub drawn: bool,
    /// Bit `j` says whether toggle `j` was on.
    pub toggles: u32,
    /// Its opening: games of one opening are not independent.
    pub cluster: u64,
}

/// An estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    /// The normal interval.
    #[must_use]
    pub fn interval(self, confidence: Confidence) -> Interval {
        let half = confidence.z() * self.error;
        Interval { low: self.value - half, high: self.value + half }
    }

    /// Two-sided p-value of the hypothesis that the true value is 0; 1 where there is neither
    /// an effect nor an error.
    #[must_use]
    pub fn p_value(self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * Normal::standard().sf((self.value / self.error).abs())
    }
}

/// A fitted model: the logit of a draw is a sum over the toggles that are on and, if wanted,
/// over pairs of them.
#[derive(Clone, Debug)]
pub struct Logistic {
    /// The toggles of each term: none for the constant, one or two bits for the others.
    terms: Vec<u32>,
    coefficients: DVector<f64>,
    covariance: DMatrix<f64>,
    /// Games of each mix of toggles.
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
    /// No games, more than 32 toggles, fewer than two openings, fewer games than terms, toggles that the games do
    /// not tell apart, or draws that some toggles decide completely: then chances are 0 or 1
    /// and no finite coefficient says so.
    pub fn fit(games: &[Observation], toggles: u32, pairs: bool) -> Result<Self> {
        if games.is_empty() {
            return Err(StatisticsError::Empty);
        }
        if toggles > MOST_TOGGLES {
            return Err(StatisticsError::Undefined("more toggles than the bits of a mix"));
        }
        let terms = terms(toggles, pairs);
        if games.len() <= terms.len() {
            return Err(StatisticsError::Undefined("fewer games than effects to estimate"));
        }
        let cells = Cell::of(games);
        let coefficients = maximise(&cells, &terms)?;
        let covariance = sandwich(games, &cells, &terms, &coefficients)?;
        let mixes = cells.iter().map(|(&mix, cell)| (mix, cell.games)).collect();
        Ok(Self { terms, coefficients, covariance, mixes })
    }

    /// The coefficient of a set of toggles (a bit each) in logits; `None` if the model has no
    /// such term.
    #[must_use]
    pub fn coefficient(&self, toggles: u32) -> Option<Estimate> {
        let at = self.terms.iter().position(|&term| term == toggles)?;
        let error = self.covariance[(at, at)].max(0.0).sqrt();
        Some(Estimate { value: self.coefficients[at], error })
    }

    /// Average marginal effect of a toggle: by how much the chance of a draw changes when it is
    /// turned on and all others stay, averaged over the games. The error is by the delta
    /// method.
    #[must_use]
    pub fn effect(&self, toggle: u32) -> Estimate {
        let on = 1 << toggle;
        self.contrast(|mix| vec![(mix | on, 1.0), (mix & !on, -1.0)])
    }

    /// Interaction of two toggles: by how much the effect of one differs between games with and
    /// without the other, as a difference of chances averaged over the games.
    ///
    /// Source: C. Ai and E. C. Norton, *Interaction terms in logit and probit models*, Economics
    /// Letters 80 (2003): the coefficient alone does not say it.
    #[must_use]
    pub fn interaction(&self, first: u32, second: u32) -> Estimate {
        let (a, b) = (1 << first, 1 << second);
        self.contrast(|mix| {
            let none = mix & !a & !b;
            vec![(none | a | b, 1.0), (none | a, -1.0), (none | b, -1.0), (none, 1.0)]
        })
    }

    /// The chance of a draw under a mix of toggles.
    #[must_use]
    pub fn chance(&self, mix: u32) -> f64 {
        logistic(row(&self.terms, mix).dot(&self.coefficients))
    }

    /// The mean over all games of a sum of weighted chances at mixes that depend on the game's.
    fn contrast(&self, of: impl Fn(u32) -> Vec<(u32, f64)>) -> Estimate {
        let total: u64 = self.mixes.values().sum();
        let (mut value, mut gradient) = (0.0, DVector::zeros(self.terms.len()));
        for (&mix, &games) in &self.mixes {
            let share = games as f64 / total as f64;
            for (mix, weight) in of(mix) {
                let row = row(&self.terms, mix);
                let chance = logistic(row.dot(&self.coefficients));
                value += share * weight * chance;
                gradient += row * (share * weight * chance * (1.0 - chance));
            }
        }
        let variance = gradient.dot(&(&self.covariance * &gradient));
        Estimate { value, error: variance.max(0.0).sqrt() }
    }
}

/// Games with the same toggles.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    games: u64,
    drawn: u64,
}

impl Cell {
    fn of(games: &[Observation]) -> BTreeMap<u32, Cell> {
        let mut cells = BTreeMap::<u32, Cell>::new();
        for game in games {
            let cell = cells.entry(game.toggles).or_default();
            cell.games += 1;
            cell.drawn += u64::from(game.drawn);
        }
        cells
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

/// The row of the design matrix for a mix: 1 for each term whose toggles are all on.
fn row(terms: &[u32], mix: u32) -> DVector<f64> {
    let has = |&term: &u32| if mix & term == term { 1.0 } else { 0.0 };
    DVector::from_iterator(terms.len(), terms.iter().map(has))
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The coefficients of greatest likelihood, by Newton's method.
fn maximise(cells: &BTreeMap<u32, Cell>, terms: &[u32]) -> Result<DVector<f64>> {
    let mut coefficients = DVector::zeros(terms.len());
    for _ in 0..MAX_STEPS {
        let mut score = DVector::zeros(terms.len());
        for (&mix, cell) in cells {
            let row = row(terms, mix);
            let chance = logistic(row.dot(&coefficients));
            score += row * (cell.drawn as f64 - cell.games as f64 * chance);
        }
        let step = inverse(information(cells, terms, &coefficients))? * score;
        coefficients += &step;
        if coefficients.iter().any(|x| x.abs() > LARGEST) {
            return Err(SEPARATED);
        }
        if step.amax() < TOLERANCE {
            return Ok(coefficients);
        }
    }
    Err(SEPARATED)
}

const SEPARATED: StatisticsError =
    StatisticsError::Undefined("under some toggles all games or none were drawn");

fn information(
    cells: &BTreeMap<u32, Cell>,
    terms: &[u32],
    coefficients: &DVector<f64>,
) -> DMatrix<f64> {
    let mut information = DMatrix::zeros(terms.len(), terms.len());
    for (&mix, cell) in cells {
        let row = row(terms, mix);
        let chance = logistic(row.dot(coefficients));
        information.ger(cell.games as f64 * chance * (1.0 - chance), &row, &row, 1.0);
    }
    information
}

fn inverse(matrix: DMatrix<f64>) -> Result<DMatrix<f64>> {
    let singular = StatisticsError::Undefined("the games do not tell the toggles' effects apart");
    // Cholesky's decomposition of a matrix that is singular but for rounding succeeds.
    let smallest = |factor: &nalgebra::Cholesky<f64, nalgebra::Dyn>| {
        let diagonal = factor.l_dirty().diagonal();
        diagonal.min() > 1e-7 * diagonal.max()
    };
    let factor = matrix.cholesky().filter(smallest).ok_or(singular)?;
    Ok(factor.inverse())
}

/// The cluster-robust covariance of the coefficients.
fn sandwich(
    games: &[Observation],
    cells: &BTreeMap<u32, Cell>,
    terms: &[u32],
    coefficients: &DVector<f64>,
) -> Result<DMatrix<f64>> {
    let residuals: BTreeMap<u32, (DVector<f64>, f64)> = cells
        .keys()
        .map(|&mix| {
            let row = row(terms, mix);
            let chance = logistic(row.dot(coefficients));
            (mix, (row, chance))
        })
        .collect();
    let mut scores = BTreeMap::<u64, DVector<f64>>::new();
    for game in games {
        let (row, chance) = &residuals[&game.toggles];
        let residual = f64::from(u8::from(game.drawn)) - chance;
        let score = scores.entry(game.cluster).or_insert_with(|| DVector::zeros(terms.len()));
        score.axpy(residual, row, 1.0);
    }
    if scores.len() < 2 {
        return Err(StatisticsError::Undefined("one opening alone says nothing of the error"));
    }
    let (n, k, clusters) = (games.len() as f64, terms.len() as f64, scores.len() as f64);
    let mut meat = DMatrix::zeros(terms.len(), terms.len());
    scores.values().for_each(|score| meat.ger(1.0, score, score, 1.0));
    let bread = inverse(information(cells, terms, coefficients))?;
    let small = clusters / (clusters - 1.0) * (n - 1.0) / (n - k);
    Ok(&bread * meat * &bread * small)
}

#[cfg(test)]
#[path = "logistic_tests.rs"]
mod tests;
