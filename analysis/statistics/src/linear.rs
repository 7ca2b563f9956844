//! Small dense symmetric positive definite matrices.

use ndarray::{Array1, Array2};

/// Cholesky's factor U of a symmetric positive definite matrix A = Uᵀ U. The entries below the
/// diagonal have no meaning.
#[derive(Debug)]
pub(crate) struct Cholesky(Array2<f64>);

impl Cholesky {
    /// Factorises a matrix in place. Only its upper triangle is read. Returns `None` if the matrix
    /// is not positive definite within rounding.
    ///
    /// Source: G. H. Golub and C. F. Van Loan, *Matrix computations* (2013), section 4.2.
    pub fn of(matrix: Array2<f64>) -> Option<Self> {
        let mut matrix = in_rows(matrix);
        let size = matrix.nrows();
        let mut rest = matrix.as_slice_mut()?;
        for i in 0..size {
            let (row, below) = rest.split_at_mut(size);
            let pivot = row[i].sqrt();
            // This also rejects NaN.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            row[i..].iter_mut().for_each(|entry| *entry /= pivot);
            for (j, other) in (i + 1..).zip(below.chunks_exact_mut(size)) {
                subtract(&mut other[j..], row[j], &row[j..]);
            }
            rest = below;
        }
        Some(Self(matrix))
    }

    /// Returns the diagonal of the factor.
    pub fn pivots(&self) -> impl Iterator<Item = f64> {
        self.0.diag().into_iter().copied()
    }

    /// Returns the logarithm of the matrix's determinant.
    pub fn log_determinant(&self) -> f64 {
        self.pivots().map(|pivot| 2.0 * pivot.ln()).sum()
    }

    /// Solves A x = b.
    pub fn solve(&self, b: Array1<f64>) -> Array1<f64> {
        let mut x = b.to_vec();
        self.substitute(&mut x, 0);
        x.into()
    }

    /// Returns the matrix's inverse.
    pub fn inverse(&self) -> Array2<f64> {
        let mut inverse = Array2::eye(self.0.nrows());
        for (i, mut column) in inverse.rows_mut().into_iter().enumerate() {
            let column = column.as_slice_mut().expect("rows lie one after the other");
            self.substitute(column, i);
        }
        inverse
    }

    /// Solves A x = b, first for Uᵀ, then for U. `x` is b before and the solution after. b is 0
    /// before `first`.
    fn substitute(&self, x: &mut [f64], first: usize) {
        let rows = slices(&self.0).enumerate();
        for (i, row) in rows.clone().skip(first) {
            x[i] /= row[i];
            let (before, after) = x.split_at_mut(i + 1);
            subtract(after, before[i], &row[i + 1..]);
        }
        for (i, row) in rows.rev() {
            let known = row[i + 1..].iter().zip(&x[i + 1..]).map(|(a, b)| a * b);
            x[i] = (x[i] - known.sum::<f64>()) / row[i];
        }
    }
}

/// Returns the matrix with its rows one after the other in memory.
fn in_rows(matrix: Array2<f64>) -> Array2<f64> {
    if matrix.is_standard_layout() { matrix } else { matrix.as_standard_layout().into_owned() }
}

/// Returns the rows of a matrix, which lie one after the other in memory.
pub(crate) fn slices(
    matrix: &Array2<f64>,
) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator + Clone {
    let cells = matrix.as_slice().expect("rows lie one after the other");
    cells.chunks_exact(matrix.ncols().max(1))
}

/// Subtracts `factor` times `other`.
fn subtract(from: &mut [f64], factor: f64, other: &[f64]) {
    from.iter_mut().zip(other).for_each(|(entry, other)| *entry -= factor * other);
}

/// Returns the largest absolute value, 0 for an empty vector.
pub(crate) fn largest(vector: &Array1<f64>) -> f64 {
    vector.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// By hand: the determinant of [4 2 0; 2 5 2; 0 2 3] is 4·(15-4) - 2·6 = 32. Its inverse is
    /// the adjugate [11 -6 4; -6 12 -8; 4 -8 16] over 32.
    #[test]
    fn inverse_and_determinant_of_a_small_matrix() {
        let matrix = array![[4.0, 2.0, 0.0], [2.0, 5.0, 2.0], [0.0, 2.0, 3.0]];
        let cholesky = Cholesky::of(matrix.clone()).unwrap();
        assert!((cholesky.log_determinant() - 32f64.ln()).abs() < 1e-12);
        let wanted = array![[11.0, -6.0, 4.0], [-6.0, 12.0, -8.0], [4.0, -8.0, 16.0]] / 32.0;
        let inverse = cholesky.inverse();
        assert!((&inverse - &wanted).iter().all(|error| error.abs() < 1e-12), "{inverse}");
        let in_columns = Cholesky::of(matrix.clone().reversed_axes()).unwrap();
        assert_eq!(in_columns.inverse(), inverse);
        let solution = array![1.0, -2.0, 3.0];
        let solved = cholesky.solve(matrix.dot(&solution));
        assert!(largest(&(&solved - &solution)) < 1e-12, "{solved}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_rejected() {
        assert!(Cholesky::of(array![[1.0, 2.0], [2.0, 1.0]]).is_none());
        assert!(Cholesky::of(array![[f64::NAN]]).is_none());
    }
}
