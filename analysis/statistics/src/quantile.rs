//! Sample quantiles.

use super::{Result, StatisticsError};

/// Returns the `p`-quantile of a sorted sample by linear interpolation between order statistics
/// at position `p (n − 1)`. 0 and 1 give the extremes and ½ gives the median.
///
/// Source: R. J. Hyndman, Y. Fan, *Sample quantiles in statistical packages*, The
/// American Statistician 50 (1996), definition 7 (R's and NumPy's default).
///
/// # Errors
/// Fails if the sample is empty, if a value is not finite, or if `p` is outside [0, 1].
///
/// # Examples
/// ```
/// use fusion_statistics::quantile::quantile;
///
/// // R: quantile(c(1, 2, 4, 8), c(0.25, 0.5)).
/// let sorted = [1.0, 2.0, 4.0, 8.0];
/// assert_eq!(quantile(&sorted, 0.25)?, 1.75);
/// assert_eq!(quantile(&sorted, 0.5)?, 3.0);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn quantile(sorted: &[f64], p: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&p) {
        return Err(StatisticsError::OutOfRange { name: "p", value: p, range: "[0, 1]" });
    }
    let position = p * sorted.len().saturating_sub(1) as f64;
    let below = position.floor();
    let at = |index: usize| match sorted.get(index) {
        None => Err(StatisticsError::Empty),
        Some(value) if value.is_finite() => Ok(*value),
        Some(value) => Err(StatisticsError::NotFinite(*value)),
    };
    let low = at(below as usize)?;
    let fraction = position - below;
    if fraction == 0.0 {
        return Ok(low);
    }
    Ok(low + fraction * (at(below as usize + 1)? - low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_quantiles() {
        let sample = [1.0, 2.0, 4.0, 8.0];
        for (p, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.75, 5.0), (1.0, 8.0)] {
            assert_eq!(quantile(&sample, p), Ok(expected), "{p}");
        }
        assert_eq!(quantile(&[7.0], 0.3), Ok(7.0));
    }

    #[test]
    fn impossible_input() {
        assert_eq!(quantile(&[], 0.5), Err(StatisticsError::Empty));
        assert!(quantile(&[1.0], 1.1).is_err());
        assert!(quantile(&[1.0], f64::NAN).is_err());
        assert!(quantile(&[1.0, f64::NAN], 0.9).is_err());
    }

    proptest! {
        #[test]
        fn monotone_and_within_the_sample(mut sample in prop::collection::vec(-1e6..1e6f64, 1..50), p in 0.0..=1.0f64, q in 0.0..=1.0f64) {
            sample.sort_by(f64::total_cmp);
            let (low, high) = (quantile(&sample, p.min(q)).unwrap(), quantile(&sample, p.max(q)).unwrap());
            prop_assert!(low <= high + 1e-9);
            prop_assert!(sample[0] <= low && high <= sample[sample.len() - 1] + 1e-9);
        }
    }
}
