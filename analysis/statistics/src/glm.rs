//! Logistic regression on rows of real numbers, with cluster-robust errors: outcomes of one cluster
//! may depend on each other. The models of draws use it.

use super::estimate::Estimate;
use super::linear::{Cholesky, largest};
use super::{Result, StatisticsError};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use std::collections::BTreeMap;

/// Iteration limit of Newton's method.
const MAX_STEPS: usize = 50;
/// Step length, in logits, at which the fit ends.
const TOLERANCE: f64 = 1e-10;
/// Largest coefficient. Beyond it, chances are 0 or 1 to nine digits, which is separation.
const LARGEST: f64 = 20.0;

/// One outcome: whether a game was drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Whether the event happened.
    pub happened: bool,
    /// Index of the outcome's row in the design.
    pub row: usize,
    /// Cluster of the outcome. Outcomes of one cluster may depend on each other.
    pub cluster: u64,
}

/// Coefficients, in logits, with their covariance.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    coefficients: Array1<f64>,
    covariance: Array2<f64>,
}

impl Fit {
    /// Fits by maximum likelihood. `design` has a column for each coefficient. Several outcomes may
    /// have the same row. The covariance is the sandwich over clusters, times
    /// G/(G−1)·(n−1)/(n−k) for G clusters, n outcomes and k coefficients.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// Fails if there are no outcomes, at most as many outcomes as coefficients, or fewer than two
    /// clusters. Also fails if the outcomes do not separate the rows, or if chances are 0 or 1,
    /// which no finite coefficient fits.
    pub fn new(design: &Array2<f64>, outcomes: &[Outcome]) -> Result<Self> {
        if outcomes.is_empty() {
            return Err(StatisticsError::Empty);
        }
        if outcomes.len() <= design.ncols() {
            return Err(StatisticsError::Undefined("fewer games than effects to estimate"));
        }
        let cells = Cells::new(design, outcomes);
        let coefficients = cells.maximise()?;
        let covariance = cells.sandwich(outcomes, &coefficients)?;
        Ok(Self { coefficients, covariance })
    }

    /// Returns the logit of a row, or a sum of coefficients weighted by the row.
    pub fn logit(&self, row: ArrayView1<f64>) -> Estimate {
        self.estimate(row.dot(&self.coefficients), row)
    }

    /// Returns a weighted sum of the chances of some rows, with its error by the delta method.
    pub fn chances(&self, rows: &Array2<f64>, weights: &Array1<f64>) -> Estimate {
        let chances = rows.dot(&self.coefficients).mapv_into(logistic);
        let slopes = weights * &chances * (1.0 - &chances);
        self.estimate(weights.dot(&chances), slopes.dot(rows).view())
    }

    fn estimate(&self, value: f64, gradient: ArrayView1<f64>) -> Estimate {
        let variance = gradient.dot(&self.covariance.dot(&gradient));
        Estimate { value, error: variance.max(0.0).sqrt() }
    }
}

/// Converts logits to a chance.
pub(crate) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The outcomes by row of the design.
struct Cells<'a> {
    design: &'a Array2<f64>,
    /// Number of outcomes of each row.
    outcomes: Array1<f64>,
    /// Number of events of each row.
    happened: Array1<f64>,
}

impl<'a> Cells<'a> {
    fn new(design: &'a Array2<f64>, outcomes: &[Outcome]) -> Self {
        let zeros = Array1::zeros(design.nrows());
        let mut cells = Self { design, outcomes: zeros.clone(), happened: zeros };
        for outcome in outcomes {
            cells.outcomes[outcome.row] += 1.0;
            cells.happened[outcome.row] += f64::from(u8::from(outcome.happened));
        }
        cells
    }

    /// Returns the chance of the event in each row.
    fn chances(&self, coefficients: &Array1<f64>) -> Array1<f64> {
        self.design.dot(coefficients).mapv_into(logistic)
    }

    /// Returns the maximum-likelihood coefficients, by Newton's method.
    fn maximise(&self) -> Result<Array1<f64>> {
        let mut coefficients = Array1::zeros(self.design.ncols());
        for _ in 0..MAX_STEPS {
            let chances = self.chances(&coefficients);
            let score = (&self.happened - &self.outcomes * &chances).dot(self.design);
            let step = self.information(&chances)?.solve(score);
            coefficients += &step;
            if largest(&coefficients) > LARGEST {
                return Err(SEPARATED);
            }
            if largest(&step) < TOLERANCE {
                return Ok(coefficients);
            }
        }
        Err(SEPARATED)
    }

    /// Returns the information matrix XᵀWX, factorised. X is the design. W is diagonal and has the
    /// variance n p (1 − p) of each row's events.
    fn information(&self, chances: &Array1<f64>) -> Result<Cholesky> {
        let variances = &self.outcomes * chances * (1.0 - chances);
        let weighted = self.design * &variances.insert_axis(Axis(1));
        let factor = Cholesky::of(self.design.t().dot(&weighted));
        // Cholesky's decomposition succeeds on a matrix that is singular except for rounding.
        let regular = |factor: &Cholesky| {
            let least = factor.pivots().fold(f64::INFINITY, f64::min);
            let most = factor.pivots().fold(0.0, f64::max);
            least > 1e-7 * most
        };
        let singular = StatisticsError::Undefined("the games do not tell the effects apart");
        factor.filter(regular).ok_or(singular)
    }

    /// Returns the cluster-robust covariance of the coefficients.
    fn sandwich(&self, outcomes: &[Outcome], coefficients: &Array1<f64>) -> Result<Array2<f64>> {
        let chances = self.chances(coefficients);
        let mut numbers = BTreeMap::new();
        let number = |outcome: &Outcome| {
            let next = numbers.len();
            *numbers.entry(outcome.cluster).or_insert(next)
        };
        let owners: Vec<usize> = outcomes.iter().map(number).collect();
        if numbers.len() < 2 {
            return Err(StatisticsError::Undefined(
                "a single opening gives no estimate of the error",
            ));
        }
        // One row of scores for each cluster.
        let mut scores = Array2::zeros((numbers.len(), coefficients.len()));
        for (outcome, owner) in outcomes.iter().zip(owners) {
            let residual = f64::from(u8::from(outcome.happened)) - chances[outcome.row];
            scores.row_mut(owner).scaled_add(residual, &self.design.row(outcome.row));
        }
        let (n, k) = (outcomes.len() as f64, coefficients.len() as f64);
        let clusters = numbers.len() as f64;
        let small = clusters / (clusters - 1.0) * (n - 1.0) / (n - k);
        let bread = self.information(&chances)?.inverse();
        Ok(bread.dot(&scores.t().dot(&scores)).dot(&bread) * small)
    }
}

const SEPARATED: StatisticsError =
    StatisticsError::Undefined("under some settings all games or none were drawn");
