//! Small dense symmetric positive definite matrices.

/// A symmetric matrix by rows.
pub(crate) type Matrix = Vec<Vec<f64>>;

/// Cholesky's factor L of a symmetric positive definite matrix A = L Lᵀ.
pub(crate) struct Cholesky(Matrix);

impl Cholesky {
    /// Factorises; `None` if the matrix is not positive definite within rounding.
    pub(crate) fn of(matrix: &Matrix) -> Option<Self> {
        let size = matrix.len();
        let mut factor = vec![vec![0.0; size]; size];
        for i in 0..size {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let rest = matrix[i][j] - known;
                factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
            }
            // This also rejects NaN.
            let pivot = factor[i][i];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
        }
        Some(Self(factor))
    }

    /// Returns the logarithm of the matrix's determinant.
    pub(crate) fn log_determinant(&self) -> f64 {
        self.0.iter().enumerate().map(|(i, row)| 2.0 * row[i].ln()).sum()
    }

    /// Returns the matrix's inverse.
    pub(crate) fn inverse(&self) -> Matrix {
        let size = self.0.len();
        let column = |j: usize| {
            let unit: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == j))).collect();
            self.solve(unit)
        };
        (0..size).map(column).collect()
    }

    /// Solves A x = b: forwards with L, then backwards with Lᵀ.
    fn solve(&self, mut x: Vec<f64>) -> Vec<f64> {
        let (factor, size) = (&self.0, x.len());
        for i in 0..size {
            let known: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
            x[i] = (x[i] - known) / factor[i][i];
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|k| factor[k][i] * x[k]).sum();
            x[i] = (x[i] - known) / factor[i][i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the determinant of [4 2 0; 2 5 2; 0 2 3] is 4·(15-4) - 2·6 = 32. Its inverse is
    /// the adjugate [11 -6 4; -6 12 -8; 4 -8 16] over 32.
    #[test]
    fn inverse_and_determinant_of_a_small_matrix() {
        let matrix = vec![vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 2.0], vec![0.0, 2.0, 3.0]];
        let cholesky = Cholesky::of(&matrix).unwrap();
        assert!((cholesky.log_determinant() - 32f64.ln()).abs() < 1e-12);
        let wanted = [[11.0, -6.0, 4.0], [-6.0, 12.0, -8.0], [4.0, -8.0, 16.0]];
        for (row, wanted) in cholesky.inverse().iter().zip(wanted) {
            for (found, wanted) in row.iter().zip(wanted) {
                assert!((found - wanted / 32.0).abs() < 1e-12, "{row:?}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        assert!(Cholesky::of(&vec![vec![1.0, 2.0], vec![2.0, 1.0]]).is_none());
        assert!(Cholesky::of(&vec![vec![f64::NAN]]).is_none());
    }
}
