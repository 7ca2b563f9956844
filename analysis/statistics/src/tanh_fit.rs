//! Least squares of a result in −1 to 1 by `tanh` of a weighted sum of columns.

use super::eigen::Eigen;
use super::linear::{Cholesky, largest, slices};
use super::{Result, StatisticsError};
use ndarray::{Array1, Array2, Axis};

/// Iteration limit.
const MAX_STEPS: usize = 1_000;
/// Largest move of a coefficient in one step. A step assumes that `tanh` is nearly straight.
const LONGEST: f64 = 1.0;
/// Remaining fraction of a column's curvature when `tanh` is 1 to five digits in all of its
/// samples. These samples are decided, and any larger coefficient fits them as well.
const DECIDED: f64 = 1e-10;
/// Smallest fraction of Gauss and Newton's curvature that a row keeps.
const LEAST_BEND: f64 = 0.01;
/// Rounding error of the sum of squares, as a fraction of the weights.
const ROUNDING: f64 = 1e-14;
/// A step is the last if its predicted gain in the sum of squares is below this fraction of the
/// weights. No coefficient then moves by more than 10⁻¹² standard errors of a single sample.
const LEAST_PROMISE: f64 = 1e-24;
/// Fraction of a column's curvature below which the samples do not separate it from other columns.
const INDEPENDENT: f64 = 1e-8;
/// Component of a column in a direction of no curvature above which the column is dropped.
const INVOLVED: f64 = 1e-3;
/// Damping above which no step remains.
const MOST_DAMPING: f64 = 1e9;

/// Samples grouped by their columns, with one row for each distinct combination.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The design matrix. Its first column is the constant 1.
    design: Array2<f64>,
}

/// The total weight of the samples of each row, and the sum of their weighted results.
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

/// Derivatives at given coefficients, for one step.
struct Local {
    /// Sum of squares, except for a part that does not depend on the coefficients.
    loss: f64,
    /// Half the downhill gradient.
    gradient: Array1<f64>,
    /// Half the second derivatives, only the lower triangle. Each row has at least a fraction of
    /// Gauss and Newton's, which are positive.
    curvature: Array2<f64>,
}

impl Rows {
    /// Builds a design from rows of the same number of columns, without the constant.
    pub fn new<'a>(columns: usize, rows: impl ExactSizeIterator<Item = &'a [i8]>) -> Self {
        let mut design = Array2::ones((rows.len(), columns + 1));
        for (mut cells, row) in design.rows_mut().into_iter().zip(rows) {
            let cells = cells.iter_mut().skip(1);
            cells.zip(row).for_each(|(cell, &count)| *cell = f64::from(count));
        }
        Self { design }
    }

    /// Returns the coefficients of least squares: the constant's, then the columns'. A coefficient
    /// is `None` for a column that does not vary, for columns that the samples do not separate, and
    /// for a column whose coefficient grows without limit because its samples are decided.
    ///
    /// Uses Newton's step, damped where it leads uphill: D. W. Marquardt, *An algorithm for
    /// least-squares estimation of nonlinear parameters*, SIAM Journal 11 (1963). Gauss and
    /// Newton's step oscillates where few games decide the value of a piece.
    ///
    /// # Errors
    /// Fails if all results are at one extreme, or if the fit does not converge.
    pub fn fit(&self, totals: &Totals, start: &[f64], tolerance: f64) -> Result<Vec<Option<f64>>> {
        let varies = self.varies(totals);
        let mut free: Vec<usize> = (0..self.columns()).filter(|&column| varies[column]).collect();
        let keep = |column: usize| if varies[column] { start[column] } else { 0.0 };
        let at = Array1::from_shape_fn(self.columns(), keep);
        let local = self.local(totals, &at);
        let lost = lost(&local, &free);
        if !lost.is_empty() {
            free = spanning(&local, &free);
        }
        let at = self.descend(totals, (at, local), &mut free, tolerance)?;
        let known = |column: &usize| free.contains(column) && !lost.contains(column);
        Ok((0..self.columns()).map(|column| known(&column).then(|| at[column])).collect())
    }

    /// Finds the minimum over the free columns. Columns that grow without limit are then removed
    /// from the free ones.
    fn descend(
        &self,
        totals: &Totals,
        (mut at, mut local): (Array1<f64>, Local),
        free: &mut Vec<usize>,
        tolerance: f64,
    ) -> Result<Array1<f64>> {
        // Near the minimum, and where samples are decided, only rounding separates losses.
        let undecided = self.undecided(totals);
        let weights: f64 = totals.weights.iter().sum();
        let (rounding, promise) = (ROUNDING * weights, LEAST_PROMISE * weights);
        let mut damping = 0.0;
        for _ in 0..MAX_STEPS {
            let Some(step) = step(&local, free, damping) else {
                // The other samples of these columns are decided by now.
                let lost = lost(&local, free);
                free.retain(|column| !lost.contains(column));
                continue;
            };
            let next = &at + &step;
            let there = self.local(totals, &next);
            // If a piece is almost decided, rounding leaves its value uncertain.
            let small = largest(&step) < tolerance || local.gradient.dot(&step) < promise;
            if there.loss <= local.loss + rounding || small {
                (at, local) = (next, there);
                damping = if damping < 1e-6 { 0.0 } else { damping / 10.0 };
            } else {
                damping = (damping * 10.0f64).max(1e-4);
            }
            free.retain(|&i| local.curvature[(i, i)] > DECIDED * undecided[i]);
            if free.first() != Some(&0) {
                return Err(StatisticsError::Undefined("all results are at one extreme"));
            }
            if small && damping == 0.0 {
                return Ok(at);
            }
            if damping > MOST_DAMPING {
                break;
            }
        }
        Err(NO_CONVERGENCE)
    }

    /// Returns which columns have more than one value; the constant counts as one of them.
    fn varies(&self, totals: &Totals) -> Vec<bool> {
        let mut seen =
            slices(&self.design).zip(&totals.weights).filter(|(_, weight)| **weight > 0.0);
        let mut varies = vec![false; self.columns()];
        varies[0] = true;
        let Some((first, _)) = seen.next() else { return varies };
        for (row, _) in seen {
            for (varies, (cell, first)) in varies.iter_mut().zip(row.iter().zip(first)) {
                *varies |= cell != first;
            }
        }
        varies
    }

    /// Returns the curvature of each column where `tanh` is a straight line.
    fn undecided(&self, totals: &Totals) -> Vec<f64> {
        let mut squares = vec![0.0; self.columns()];
        for (row, weight) in slices(&self.design).zip(&totals.weights) {
            squares.iter_mut().zip(row).for_each(|(sum, cell)| *sum += weight * cell * cell);
        }
        squares
    }

    fn columns(&self) -> usize {
        self.design.ncols()
    }

    fn local(&self, totals: &Totals, at: &Array1<f64>) -> Local {
        let columns = self.columns();
        let (mut loss, mut gradient) = (0.0, vec![0.0; columns]);
        let mut curvature = vec![0.0; columns * columns];
        let at = at.as_slice().expect("coefficients are contiguous");
        let sums = totals.weights.iter().zip(&totals.results);
        for (row, (&weight, &result)) in
            slices(&self.design).zip(sums).filter(|(_, sums)| *sums.0 > 0.0)
        {
            let sum: f64 = row.iter().zip(at).map(|(cell, coefficient)| cell * coefficient).sum();
            // The library's tanh is slower because of digits near 0 that do not matter here.
            let fitted = 1.0 - 2.0 / ((2.0 * sum).exp() + 1.0);
            let slope = 1.0 - fitted * fitted;
            loss += fitted * (weight * fitted - 2.0 * result);
            let residual = result - weight * fitted;
            let pull = slope * residual;
            let linear = weight * slope * slope;
            let bent = (linear + 2.0 * fitted * slope * residual).max(LEAST_BEND * linear);
            for (i, &cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
                gradient[i] += pull * cell;
                let factor = bent * cell;
                let line = &mut curvature[i * columns..=i * columns + i];
                line.iter_mut().zip(row).for_each(|(entry, other)| *entry += factor * other);
            }
        }
        let curvature = Array2::from_shape_vec((columns, columns), curvature);
        let curvature = curvature.expect("one entry for each pair of columns");
        Local { loss, gradient: gradient.into(), curvature }
    }
}

const NO_CONVERGENCE: StatisticsError =
    StatisticsError::Undefined("the fit of the pieces' values does not converge");

/// Returns the curvature of the free columns, scaled to a diagonal of 1, with the scales. Only its
/// upper triangle is filled. Without the scaling, rare pieces would appear to have no curvature.
fn scaled(local: &Local, free: &[usize]) -> (Array2<f64>, Array1<f64>) {
    let scale: Array1<f64> = free.iter().map(|&i| local.curvature[(i, i)].sqrt()).collect();
    let mut matrix = Array2::zeros((free.len(), free.len()));
    for (i, mut row) in matrix.rows_mut().into_iter().enumerate() {
        for j in i..free.len() {
            row[j] = local.curvature[(free[j], free[i])] / (scale[i] * scale[j]);
        }
    }
    (matrix, scale)
}

/// Returns the step of the free columns; 0 for the others.
fn step(local: &Local, free: &[usize], damping: f64) -> Option<Array1<f64>> {
    let (mut matrix, scale) = scaled(local, free);
    matrix.diag_mut().fill(1.0 + damping);
    let downhill = local.gradient.select(Axis(0), free) / &scale;
    let solved = Cholesky::of(matrix)?.solve(downhill) / scale;
    let mut step = Array1::zeros(local.gradient.len());
    free.iter().zip(solved).for_each(|(&column, solved)| step[column] = solved);
    let shorten = (LONGEST / largest(&step)).min(1.0);
    Some(step * shorten)
}

/// Returns the free columns that take part in a direction of no curvature. Only their sum is
/// determined.
fn lost(local: &Local, free: &[usize]) -> Vec<usize> {
    let (matrix, _) = scaled(local, free);
    // This is the usual case, and much faster than the eigenvectors.
    if independent(matrix.clone()) {
        return Vec::new();
    }
    let Eigen { values, vectors } = Eigen::of(matrix);
    let flat = values.iter().zip(vectors.rows()).filter(|(value, _)| **value < INDEPENDENT);
    let flat: Vec<_> = flat.map(|(_, direction)| direction).collect();
    let involved = |i: &usize| flat.iter().any(|direction| direction[*i].abs() > INVOLVED);
    (0..free.len()).filter(involved).map(|i| free[i]).collect()
}

/// Returns a largest set of independent free columns. They fit as well as all of the columns.
fn spanning(local: &Local, free: &[usize]) -> Vec<usize> {
    let mut spanning = Vec::new();
    for &column in free {
        spanning.push(column);
        if !independent(scaled(local, &spanning).0) {
            spanning.pop();
        }
    }
    spanning
}

fn independent(scaled: Array2<f64>) -> bool {
    let factor = Cholesky::of(scaled);
    factor.is_some_and(|factor| factor.pivots().all(|pivot| pivot.powi(2) > INDEPENDENT))
}
