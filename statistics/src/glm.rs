//! Logistic regression on rows of real numbers, with errors that are robust to outcomes of one
//! cluster depending on each other: the core of the models of draws.

use super::estimate::Estimate;
use super::{Result, StatisticsError};
use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Steps of Newton's method after which there is no hope.
const MAX_STEPS: usize = 50;
/// A step this small, in logits, ends the fit.
const TOLERANCE: f64 = 1e-10;
/// Where a coefficient grows beyond this, chances are 0 or 1 to nine digits: separation.
const LARGEST: f64 = 20.0;

/// One outcome: a game that was drawn or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Whether it happened.
    pub happened: bool,
    /// Its row of the design, by index.
    pub row: usize,
    /// Outcomes of one cluster may depend on each other.
    pub cluster: u64,
}

/// Coefficients, in logits, with their covariance.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    coefficients: DVector<f64>,
    covariance: DMatrix<f64>,
}

impl Fit {
    /// Fits by maximum likelihood; all rows have one length. The covariance is the sandwich over
    /// clusters, times G/(G−1)·(n−1)/(n−k) for G clusters, n outcomes and k coefficients.
    ///
    /// Source: A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
    /// inference*, Journal of Human Resources 50 (2015), sections II and VI.
    ///
    /// # Errors
    /// No outcomes, no more of them than coefficients, fewer than two clusters, rows that the
    /// outcomes do not tell apart, or chances of 0 or 1, of which no finite coefficient tells.
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

    /// The logit of a row, or a sum of coefficients with the row's weights.
    pub fn logit(&self, row: &DVector<f64>) -> Estimate {
        self.estimate(row.dot(&self.coefficients), row)
    }

    /// A sum of weighted chances; its error is by the delta method.
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

/// The chance of so many logits.
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

/// The coefficients of greatest likelihood, by Newton's method.
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
