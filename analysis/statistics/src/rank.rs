//! Rank correlation.

use crate::{Result, StatisticsError};

/// Returns Spearman's rank correlation: Pearson's correlation of the ranks, where equal values share
/// the mean of their ranks. `None` if all values of one side are equal, where it is not defined.
///
/// Source: M. G. Kendall, *Rank Correlation Methods* (4th edition 1970), sections 1.8 and 3.8.
///
/// # Errors
/// Fails if the sides have different lengths, or if a value is not finite.
///
/// # Examples
/// ```
/// use fusion_statistics::rank::spearman;
///
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 90.0])?, Some(1.0));
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0])?, None);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn spearman(first: &[f64], second: &[f64]) -> Result<Option<f64>> {
    if first.len() != second.len() {
        return Err(StatisticsError::Undefined("the two lists have different lengths"));
    }
    if let Some(&value) = first.iter().chain(second).find(|value| !value.is_finite()) {
        return Err(StatisticsError::NotFinite(value));
    }
    let [first, second] = [first, second].map(centred_ranks);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = (product(&first, &first) * product(&second, &second)).sqrt();
    Ok((scale > 0.0).then(|| product(&first, &second) / scale))
}

/// Returns the ranks of the values less their mean. Equal values share the mean of their ranks.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let above = values.iter().filter(|other| *other > value).count();
        (below as f64 - above as f64) / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        // Kendall (1970), section 1.8, ranks of ten students in mathematics and music.
        let mathematics = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let by_formula = |other: &[f64]| {
            let squares: f64 = mathematics.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum();
            1.0 - 6.0 * squares / 990.0
        };
        let music = [4.0, 1.0, 3.0, 2.0, 7.0, 5.0, 6.0, 10.0, 8.0, 9.0];
        let found = spearman(&mathematics, &music).unwrap().unwrap();
        assert!((found - by_formula(&music)).abs() < 1e-12);
        // Two equal values share the rank 1.5: Pearson's correlation of (1.5, 1.5, 3) and (1, 2, 3).
        let tied = spearman(&[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0]).unwrap().unwrap();
        assert!((tied - 0.75f64.sqrt()).abs() < 1e-12);
        assert!(spearman(&[1.0], &[]).is_err());
        assert!(spearman(&[f64::NAN], &[1.0]).is_err());
        assert_eq!(spearman(&[], &[]).unwrap(), None);
    }

    proptest! {
        #[test]
        fn only_the_order_counts(values in prop::collection::vec((-9i32..9, -9i32..9), 2..12)) {
            let (a, b): (Vec<f64>, Vec<f64>) =
                values.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
            let stretched: Vec<f64> = a.iter().map(|value| value.powi(3) + 7.0).collect();
            let turned: Vec<f64> = a.iter().map(|value| -value).collect();
            let of = |a: &[f64]| spearman(a, &b).unwrap();
            prop_assert_eq!(of(&a), of(&stretched));
            prop_assert_eq!(of(&a), spearman(&b, &a).unwrap());
            prop_assert_eq!(of(&a).map(|found| -found), of(&turned));
            prop_assert!(of(&a).is_none_or(|found| found.abs() < 1.0 + 1e-12));
        }
    }
}
