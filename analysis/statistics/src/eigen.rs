//! Eigenvalues and eigenvectors of small symmetric matrices.
//!
//! Source: G. H. Golub and C. F. Van Loan, *Matrix computations* (2013), algorithms 8.3.1
//! (tridiagonal form), 8.3.2 (step with an implicit shift) and 8.3.3.

use ndarray::{Array1, Array2, ArrayViewMut1, ArrayViewMut2, azip, s};

/// Iteration limit per eigenvalue. Two or three steps are usual.
const MAX_STEPS: usize = 50;

/// The eigenvalues, in no order, and the eigenvectors of a symmetric matrix.
#[derive(Debug)]
pub(crate) struct Eigen {
    pub values: Array1<f64>,
    /// One eigenvector per row, of length 1.
    pub vectors: Array2<f64>,
}

/// A tridiagonal matrix T = Q A Qᵀ with an orthogonal Q.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// The entries beside the diagonal.
    beside: Vec<f64>,
    q: Array2<f64>,
}

impl Eigen {
    /// Decomposes a symmetric matrix. Only its upper triangle is read.
    pub fn of(matrix: Array2<f64>) -> Self {
        let mut tridiagonal = Tridiagonal::of(matrix);
        tridiagonal.diagonalise();
        Self { values: tridiagonal.diagonal.into(), vectors: tridiagonal.q }
    }
}

impl Tridiagonal {
    /// Reduces a symmetric matrix by Householder's reflections.
    fn of(mut matrix: Array2<f64>) -> Self {
        let size = matrix.nrows();
        for i in 0..size {
            for j in 0..i {
                matrix[(i, j)] = matrix[(j, i)];
            }
        }
        let mut q = Array2::eye(size);
        let mut beside = vec![0.0; size.saturating_sub(1)];
        for (k, beside) in beside.iter_mut().enumerate() {
            let mut v = matrix.slice(s![k, k + 1..]).to_owned();
            // The reflection maps v to a multiple of the first unit vector.
            *beside = -v.dot(&v).sqrt().copysign(v[0]);
            v[0] -= *beside;
            let length = v.dot(&v).sqrt();
            if length > 0.0 {
                v /= length;
                reflect_both(matrix.slice_mut(s![k + 1.., k + 1..]), &v);
                reflect(q.slice_mut(s![k + 1.., ..]), &v);
            }
        }
        Self { diagonal: matrix.diag().to_vec(), beside, q }
    }

    /// Reduces the entries beside the diagonal to rounding errors.
    fn diagonalise(&mut self) {
        let sizes = self.diagonal.iter().chain(&self.beside).map(|x| x.abs());
        let rounding = f64::EPSILON * sizes.fold(0.0, f64::max);
        let mut last = self.diagonal.len().saturating_sub(1);
        for _ in 0..MAX_STEPS * self.diagonal.len() {
            while last > 0 && self.beside[last - 1].abs() <= rounding {
                last -= 1;
            }
            if last == 0 {
                return;
            }
            let split = (0..last).rev().find(|&k| self.beside[k].abs() <= rounding);
            self.step(split.map_or(0, |k| k + 1), last);
        }
    }

    /// Makes one step with Wilkinson's shift on the block from `first` to `last`, whose entries
    /// beside the diagonal are not 0.
    fn step(&mut self, first: usize, last: usize) {
        let Self { diagonal, beside, q } = self;
        let half = (diagonal[last - 1] - diagonal[last]) / 2.0;
        let next = beside[last - 1];
        let shift = diagonal[last] - next * next / (half + half.hypot(next).copysign(half));
        let (mut x, mut z) = (diagonal[first] - shift, beside[first]);
        for k in first..last {
            let length = (x * x + z * z).sqrt();
            let (cos, sin) = if length > 0.0 { (x / length, z / length) } else { (1.0, 0.0) };
            if k > first {
                beside[k - 1] = length;
            }
            let (a, b, c) = (diagonal[k], diagonal[k + 1], beside[k]);
            let mixed = 2.0 * cos * sin * c;
            diagonal[k] = cos * cos * a + mixed + sin * sin * b;
            diagonal[k + 1] = sin * sin * a - mixed + cos * cos * b;
            beside[k] = cos * sin * (b - a) + (cos * cos - sin * sin) * c;
            if k + 1 < last {
                x = beside[k];
                z = sin * beside[k + 1];
                beside[k + 1] *= cos;
            }
            let mut rows = q.rows_mut().into_iter().skip(k);
            if let (Some(above), Some(below)) = (rows.next(), rows.next()) {
                rotate(above, below, cos, sin);
            }
        }
    }
}

/// Multiplies by the reflection 1 − 2 v vᵀ from both sides; `v` has length 1.
fn reflect_both(mut matrix: ArrayViewMut2<f64>, v: &Array1<f64>) {
    let mut w = matrix.dot(v);
    let along = v.dot(&w);
    w.scaled_add(-along, v);
    for (i, mut row) in matrix.rows_mut().into_iter().enumerate() {
        let (from_v, from_w) = (2.0 * v[i], 2.0 * w[i]);
        azip!((cell in &mut row, v in v, w in &w) *cell -= from_v * w + from_w * v);
    }
}

/// Multiplies by the reflection 1 − 2 v vᵀ from the left; `v` has length 1.
fn reflect(mut matrix: ArrayViewMut2<f64>, v: &Array1<f64>) {
    let mut along = Array1::zeros(matrix.ncols());
    for (row, &from_v) in matrix.rows().into_iter().zip(v) {
        along.scaled_add(2.0 * from_v, &row);
    }
    for (mut row, &from_v) in matrix.rows_mut().into_iter().zip(v) {
        row.scaled_add(-from_v, &along);
    }
}

fn rotate(above: ArrayViewMut1<f64>, below: ArrayViewMut1<f64>, cos: f64, sin: f64) {
    azip!((a in above, b in below) (*a, *b) = (cos * *a + sin * *b, cos * *b - sin * *a));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the eigenvalues in ascending order after a check of the eigenvectors.
    fn checked(matrix: &Array2<f64>) -> Vec<f64> {
        let Eigen { values, vectors } = Eigen::of(matrix.clone());
        let size = matrix.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let exact = |found: &Array2<f64>, wanted: &Array2<f64>, tolerance: f64| {
            (found - wanted).iter().all(|error| error.abs() < tolerance)
        };
        let unit = vectors.dot(&vectors.t());
        assert!(exact(&unit, &Array2::eye(matrix.nrows()), 1e-13), "{unit}");
        let found = vectors.t().dot(&Array2::from_diag(&values)).dot(&vectors);
        assert!(exact(&found, matrix, 1e-13 * size), "{matrix} {found}");
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The matrix with 2 on the diagonal and −1 beside it has the eigenvalues
    /// 2 − 2 cos(kπ/(n+1)): Golub and Van Loan, section 4.8.
    #[test]
    fn second_differences() {
        for size in 1..12 {
            let entry = |(i, j): (usize, usize)| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            };
            let values = checked(&Array2::from_shape_fn((size, size), entry));
            for (k, value) in (1..).zip(values) {
                let angle = f64::from(k) * std::f64::consts::PI / (size as f64 + 1.0);
                assert!((value - 2.0 + 2.0 * angle.cos()).abs() < 1e-13, "{size} {k} {value}");
            }
        }
    }

    #[test]
    fn repeated_eigenvalues_and_none() {
        assert_eq!(checked(&Array2::eye(4)), [1.0; 4]);
        assert_eq!(checked(&Array2::zeros((3, 3))), [0.0; 3]);
        assert!(checked(&Array2::zeros((0, 0))).is_empty());
        let values = checked(&Array2::ones((5, 5)));
        assert!(values[..4].iter().all(|x| x.abs() < 1e-14) && (values[4] - 5.0).abs() < 1e-14);
        // Nothing converges, but the loop ends.
        assert!(Eigen::of(Array2::from_elem((3, 3), f64::NAN)).values[0].is_nan());
    }

    proptest! {
        #[test]
        fn decompositions_reproduce_the_matrix(
            size in 1usize..25,
            cells in prop::collection::vec(-9.0f64..9.0, 625),
            rank in 1usize..25,
        ) {
            // A sum of `rank` squares has size − rank eigenvalues of 0.
            let factor = Array2::from_shape_fn((size, rank), |(i, j)| cells[25 * i + j]);
            let values = checked(&factor.dot(&factor.t()));
            let zeros = values.iter().filter(|value| value.abs() < 1e-9).count();
            prop_assert!(zeros >= size.saturating_sub(rank), "{:?}", values);
            prop_assert!(values[0] > -1e-9);
        }
    }
}
