//! Least squares of a result in −1 to 1 by `tanh` of a sum of columns.

use super::{Result, StatisticsError};
use nalgebra::{DMatrix, DVector};

/// Steps after which there is no hope.
const MAX_STEPS: usize = 200;
/// No coefficient moves further than this in a step: `tanh` is linear over less than that.
const LONGEST: f64 = 1.0;
/// Beyond this `tanh` is 1 to eight digits: the column decides its samples, and any larger
/// coefficient fits them as well.
const LARGEST: f64 = 10.0;
/// Least share of a column's variation that the others must leave unexplained.
const INDEPENDENT: f64 = 1e-9;
/// Damping that leaves no step at all.
const MOST_DAMPING: f64 = 1e9;

/// Samples that share their columns: one row of each kind.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Numbers per row, the constant 1 in front included.
    columns: usize,
    /// Row after row.
    cells: Vec<f64>,
}

/// The weight of the samples of each row, and the sum of their weighted results.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    pub weights: Vec<f64>,
    pub results: Vec<f64>,
}

impl Totals {
    pub fn zeros(rows: usize) -> Self {
        Self { weights: vec![0.0; rows], results: vec![0.0; rows] }
    }
}

/// What a step needs at given coefficients.
struct Local {
    /// Sum of squares but for a part that does not depend on the coefficients.
    loss: f64,
    /// Half the downhill gradient.
    gradient: DVector<f64>,
    /// Gauss and Newton's approximation to half the second derivatives; lower triangle alone.
    curvature: DMatrix<f64>,
}

impl Rows {
    /// Rows of equally many columns, without the constant.
    pub fn new(columns: usize, rows: impl IntoIterator<Item = Vec<f64>>) -> Self {
        let with_constant = |row: Vec<f64>| std::iter::once(1.0).chain(row);
        let cells = rows.into_iter().flat_map(with_constant).collect();
        Self { columns: columns + 1, cells }
    }

    /// The coefficients of least squares: the constant's, then the columns'. `None` for a column
    /// that does not vary, and for one that grows without limit because its samples are decided.
    ///
    /// Gauss and Newton's step, damped where it leads uphill: D. W. Marquardt, *An algorithm for
    /// least-squares estimation of nonlinear parameters*, SIAM Journal 11 (1963).
    ///
    /// # Errors
    /// Columns that the samples do not tell apart, results all at one extreme, or no convergence.
    pub fn fit(&self, totals: &Totals, start: &[f64], tolerance: f64) -> Result<Vec<Option<f64>>> {
        let varies = self.varies(totals);
        let mut free: Vec<usize> = (0..self.columns).filter(|&column| varies[column]).collect();
        let keep = |column: usize, x: &f64| if varies[column] { *x } else { 0.0 };
        let mut at = DVector::from_fn(self.columns, |column, _| keep(column, &start[column]));
        let mut local = self.local(totals, &at);
        let mut damping = 0.0;
        for _ in 0..MAX_STEPS {
            let step = step(&local, &free, damping)?;
            let next = &at + &step;
            let there = self.local(totals, &next);
            let small = step.amax() < tolerance;
            // At the minimum itself rounding decides which is lower.
            if there.loss <= local.loss || small {
                (at, local) = (next, there);
                damping = if damping < 1e-6 { 0.0 } else { damping / 10.0 };
            } else {
                damping = (damping * 10.0f64).max(1e-4);
            }
            free.retain(|&column| at[column].abs() < LARGEST);
            if at[0].abs() >= LARGEST {
                return Err(StatisticsError::Undefined("all results are at one extreme"));
            }
            if small && damping == 0.0 {
                let finite = |column: usize| free.contains(&column).then(|| at[column]);
                return Ok((0..self.columns).map(finite).collect());
            }
            if damping > MOST_DAMPING {
                break;
            }
        }
        Err(StatisticsError::Undefined("the fit of the pieces' values does not converge"))
    }

    /// Which columns have more than one value; the constant counts among them.
    fn varies(&self, totals: &Totals) -> Vec<bool> {
        let mut seen = self.iter().zip(&totals.weights).filter(|(_, weight)| **weight > 0.0);
        let mut varies = vec![false; self.columns];
        varies[0] = true;
        let Some((first, _)) = seen.next() else { return varies };
        for (row, _) in seen {
            for (varies, (cell, first)) in varies.iter_mut().zip(row.iter().zip(first)) {
                *varies |= cell != first;
            }
        }
        varies
    }

    fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.cells.chunks_exact(self.columns)
    }

    fn local(&self, totals: &Totals, at: &DVector<f64>) -> Local {
        let columns = self.columns;
        let (mut loss, mut gradient) = (0.0, vec![0.0; columns]);
        let mut curvature = vec![0.0; columns * columns];
        let sums = totals.weights.iter().zip(&totals.results);
        for (row, (&weight, &result)) in self.iter().zip(sums).filter(|(_, sums)| *sums.0 > 0.0) {
            let sum: f64 =
                row.iter().zip(at.iter()).map(|(cell, coefficient)| cell * coefficient).sum();
            // tanh; the library's is slower, for digits near 0 that do not matter here.
            let fitted = 1.0 - 2.0 / ((2.0 * sum).exp() + 1.0);
            let slope = 1.0 - fitted * fitted;
            loss += fitted * (weight * fitted - 2.0 * result);
            let pull = slope * (result - weight * fitted);
            let squared = weight * slope * slope;
            for (i, &cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
                gradient[i] += pull * cell;
                let factor = squared * cell;
                let line = &mut curvature[i * columns..=i * columns + i];
                line.iter_mut().zip(row).for_each(|(entry, other)| *entry += factor * other);
            }
        }
        let curvature = DMatrix::from_row_slice(columns, columns, &curvature);
        Local { loss, gradient: DVector::from_vec(gradient), curvature }
    }
}

/// The step of the free columns; 0 for the others.
fn step(local: &Local, free: &[usize], damping: f64) -> Result<DVector<f64>> {
    let apart = StatisticsError::Undefined("the positions do not tell the pieces' values apart");
    // Every column is scaled to curvature 1, or rare pieces would look like no pieces at all.
    let scale: Vec<f64> = free.iter().map(|&i| local.curvature[(i, i)].sqrt()).collect();
    if scale.contains(&0.0) {
        return Err(apart);
    }
    let scaled = DMatrix::from_fn(free.len(), free.len(), |i, j| {
        let damped = if i == j { 1.0 + damping } else { 1.0 };
        local.curvature[(free[i.max(j)], free[i.min(j)])] / (scale[i] * scale[j]) * damped
    });
    let downhill = DVector::from_fn(free.len(), |i, _| local.gradient[free[i]] / scale[i]);
    let factor = scaled.cholesky().ok_or(apart.clone())?;
    if factor.l_dirty().diagonal().min() < INDEPENDENT.sqrt() {
        return Err(apart);
    }
    let solved = factor.solve(&downhill);
    let mut step = DVector::zeros(local.gradient.len());
    free.iter().zip(scale).enumerate().for_each(|(i, (&at, scale))| step[at] = solved[i] / scale);
    let shorten = (LONGEST / step.amax()).min(1.0);
    Ok(step * shorten)
}
