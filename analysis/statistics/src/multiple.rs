//! p-values adjusted for many comparisons.

use super::{Result, StatisticsError};

/// Returns Holm's step-down adjustment, which bounds the chance of any false finding. In order
/// of p, the i-th of m becomes the largest of `(m − j + 1) p_j` over j ≤ i, at most 1.
///
/// Source: S. Holm, *A simple sequentially rejective multiple test procedure*,
/// Scandinavian Journal of Statistics 6 (1979).
///
/// # Errors
/// Fails if a p-value is outside [0, 1] or NaN.
///
/// # Examples
/// ```
/// use fusion_statistics::multiple::holm;
///
/// // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
/// let adjusted = holm(&[0.01, 0.04, 0.03, 0.005])?;
/// for (found, wanted) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
///     assert!((found - wanted).abs() < 1e-12);
/// }
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>> {
    let order = ascending(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        largest = largest.max(factor * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

/// Returns Benjamini and Hochberg's adjustment, which bounds the share of false findings. In
/// order of p, the i-th of m becomes the smallest of `m p_j / j` over j ≥ i, at most 1.
///
/// Source: Y. Benjamini, Y. Hochberg, *Controlling the false discovery rate*, JRSS B 57
/// (1995).
///
/// # Errors
/// Fails if a p-value is outside [0, 1] or NaN.
///
/// # Examples
/// ```
/// use fusion_statistics::multiple::benjamini_hochberg;
///
/// // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH").
/// let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005])?;
/// for (found, wanted) in adjusted.iter().zip([0.02, 0.04, 0.04, 0.02]) {
///     assert!((found - wanted).abs() < 1e-12);
/// }
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>> {
    let order = ascending(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest: f64 = 1.0;
    for (rank, &index) in order.iter().enumerate().rev() {
        let factor = p_values.len() as f64 / (rank + 1) as f64;
        smallest = smallest.min(factor * p_values[index]);
        adjusted[index] = smallest;
    }
    Ok(adjusted)
}

/// Returns the indices in order of p-value.
fn ascending(p_values: &[f64]) -> Result<Vec<usize>> {
    if let Some(&value) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(StatisticsError::OutOfRange { name: "p-value", value, range: "[0, 1]" });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RAW: [f64; 5] = [0.001, 0.012, 0.03, 0.04, 0.2];

    fn close(adjusted: &[f64], expected: &[f64]) {
        assert_eq!(adjusted.len(), expected.len());
        for (a, e) in adjusted.iter().zip(expected) {
            assert!((a - e).abs() < 1e-12, "{adjusted:?} {expected:?}");
        }
    }

    #[test]
    fn golden_values() {
        close(&holm(&RAW).unwrap(), &[0.005, 0.048, 0.09, 0.09, 0.2]);
        close(&benjamini_hochberg(&RAW).unwrap(), &[0.005, 0.03, 0.05, 0.05, 0.2]);
        assert_eq!(holm(&[]), Ok(vec![]));
        assert!(holm(&[0.5, 1.5]).is_err());
        assert!(benjamini_hochberg(&[f64::NAN]).is_err());
    }

    proptest! {
        #[test]
        fn adjusted_values_dominate_and_keep_the_order(raw in prop::collection::vec(0.0..=1.0f64, 1..20)) {
            let (holm, bh) = (holm(&raw).unwrap(), benjamini_hochberg(&raw).unwrap());
            for i in 0..raw.len() {
                prop_assert!(raw[i] <= bh[i] + 1e-15 && bh[i] <= holm[i] + 1e-15 && holm[i] <= 1.0);
                for j in 0..raw.len() {
                    if raw[i] < raw[j] {
                        prop_assert!(holm[i] <= holm[j] && bh[i] <= bh[j]);
                    }
                }
            }
        }
    }
}
