//! Logistic regression on rows of real numbers, with cluster-robust errors: outcomes of one
//! cluster may depend on each other. The models of draws are built on it.

use super::estimate::Estimate;
use super::{Result, StatisticsError};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Iteration limit of Newton's method.
const MAX_STEPS: usize = 50;
/// Step length, in logits, at which the fit ends.
const TOLERANCE: f64 = 1e-10;
/// Largest coefficient. Beyond it chances are 0 or 1 to nine digits: separation.
const LARGEST: f64 = 20.0;

/// One outcome: a game that was drawn or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Whether the event happened.
    pub happened: bool,
    /// Index of its row in the design.
    pub row: usize,
    /// Its cluster. Outcomes of one cluster may depend on each other.
    pub cluster: u64,
}

/// Coefficients, in logits, with their covariance.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    coefficients: DVector<f64>,
    covariance: DMatrix<f64>,
}

impl Fit {
    /// Fits by maximum likelihood. All rows have the same length. The covariance is the sandwich
    /// over clusters, times G/(G−1)·(n−1)/(n−k) for G clusters, n outcomes and k coefficients.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// There are no outcomes, at most as many outcomes as coefficients, or fewer than two clusters;
    /// the outcomes do not separate the rows; or chances are 0 or 1, which no finite coefficient
    /// fits.
    pub fn new(rows: &[DVector<f64>], outcomes: &[Outcome]) -> Result<Self> {
        let terms = rows.first().ok_or(StatisticsError::Empty)?.len();
        if outcomes.is_empty() {
            return Err(StatisticsError::Empty);
        }
        if outcomes.len() <= terms {
            return Err(StatisticsError::Undefined("fewer games than effects to estimate"));
        }
        let cells = cells(rows, outcomes);
        let coefficients = maximise(&cells, terms)?;
        let covariance = sandwich(&cells, outcomes, &coefficients)?;
        Ok(Self { coefficients, covariance })
    }

    /// Returns the logit of a row, or a sum of coefficients weighted by the row.
    pub fn logit(&self, row: &DVector<f64>) -> Estimate {
        self.estimate(row.dot(&self.coefficients), row)
    }

    /// Returns a weighted sum of chances, with its error by the delta method.
    pub fn chances(&self, weighted: impl IntoIterator<Item = (f64, DVector<f64>)>) -> Estimate {
        let (mut value, mut gradient) = (0.0, DVector::zeros(self.coefficients.len()));
        for (weight, row) in weighted {
            let chance = logistic(row.dot(&self.coefficients));
            value += weight * chance;
            gradient += row * (weight * chance * (1.0 - chance));
        }
        self.estimate(value, &gradient)
    }

    fn estimate(&self, value: f64, gradient: &DVector<f64>) -> Estimate {
        let variance = gradient.dot(&(&self.covariance * gradient));
        Estimate { value, error: variance.max(0.0).sqrt() }
    }
}

/// Converts logits to a chance.
pub(crate) fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Outcomes that share a row.
struct Cell<'a> {
    row: &'a DVector<f64>,
    outcomes: f64,
    happened: f64,
}

fn cells<'a>(rows: &'a [DVector<f64>], outcomes: &[Outcome]) -> Vec<Cell<'a>> {
    let mut cells: Vec<Cell> =
        rows.iter().map(|row| Cell { row, outcomes: 0.0, happened: 0.0 }).collect();
    for outcome in outcomes {
        let cell = &mut cells[outcome.row];
        cell.outcomes += 1.0;
        cell.happened += f64::from(u8::from(outcome.happened));
    }
    cells
}

/// Returns the maximum-likelihood coefficients, by Newton's method.
fn maximise(cells: &[Cell], terms: usize) -> Result<DVector<f64>> {
    let mut coefficients = DVector::zeros(terms);
    for _ in 0..MAX_STEPS {
        let mut score = DVector::zeros(terms);
        for cell in cells {
            let chance = logistic(cell.row.dot(&coefficients));
            score.axpy(cell.happened - cell.outcomes * chance, cell.row, 1.0);
        }
        let step = inverse(information(cells, &coefficients))? * score;
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
    StatisticsError::Undefined("under some settings all games or none were drawn");

fn information(cells: &[Cell], coefficients: &DVector<f64>) -> DMatrix<f64> {
    let mut information = DMatrix::zeros(coefficients.len(), coefficients.len());
    for cell in cells {
        let chance = logistic(cell.row.dot(coefficients));
        information.ger(cell.outcomes * chance * (1.0 - chance), cell.row, cell.row, 1.0);
    }
    information
}

fn inverse(matrix: DMatrix<f64>) -> Result<DMatrix<f64>> {
    let singular = StatisticsError::Undefined("the games do not tell the effects apart");
    // Cholesky's decomposition succeeds on a matrix that is singular except for rounding.
    let smallest = |factor: &nalgebra::Cholesky<f64, nalgebra::Dyn>| {
        let diagonal = factor.l_dirty().diagonal();
        diagonal.min() > 1e-7 * diagonal.max()
    };
    let factor = matrix.cholesky().filter(smallest).ok_or(singular)?;
    Ok(factor.inverse())
}

/// Returns the cluster-robust covariance of the coefficients.
fn sandwich(
    cells: &[Cell],
    outcomes: &[Outcome],
    coefficients: &DVector<f64>,
) -> Result<DMatrix<f64>> {
    let terms = coefficients.len();
    let chances: Vec<f64> = cells.iter().map(|cell| logistic(cell.row.dot(coefficients))).collect();
    let mut scores = BTreeMap::<u64, DVector<f64>>::new();
    for outcome in outcomes {
        let residual = f64::from(u8::from(outcome.happened)) - chances[outcome.row];
        let score = scores.entry(outcome.cluster).or_insert_with(|| DVector::zeros(terms));
        score.axpy(residual, cells[outcome.row].row, 1.0);
    }
    if scores.len() < 2 {
        return Err(StatisticsError::Undefined("one opening alone says nothing of the error"));
    }
    let (n, k, clusters) = (outcomes.len() as f64, terms as f64, scores.len() as f64);
    let mut meat = DMatrix::zeros(terms, terms);
    scores.values().for_each(|score| meat.ger(1.0, score, score, 1.0));
    let bread = inverse(information(cells, coefficients))?;
    let small = clusters / (clusters - 1.0) * (n - 1.0) / (n - k);
    Ok(&bread * meat * &bread * small)
}
