//! McNemar's exact test on discordant pairs.

use super::{Result, StatisticsError};
use statrs::distribution::{Binomial, DiscreteCDF};

/// Returns the two-sided p-value of `b` against `c` discordant pairs. Under the null hypothesis b
/// is Binomial(b + c, ½), and `p = min(1, 2 P(X <= min(b, c)))`. The p-value is 1 without
/// discordant pairs.
///
/// Source: Q. McNemar, Psychometrika 12 (1947), in the exact form of A. M. Mood's sign test.
///
/// # Errors
/// Fails if the sum of the counts overflows.
///
/// # Examples
/// ```
/// use fusion_statistics::mcnemar::mcnemar_exact;
///
/// // Five pairs of five: heads or tails five times in a row, 2 / 2⁵.
/// assert!((mcnemar_exact(5, 0)? - 1.0 / 16.0).abs() < 1e-12);
/// // R: binom.test(60, 100)$p.value.
/// assert!((mcnemar_exact(60, 40)? - 0.056_888).abs() < 1e-6);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn mcnemar_exact(b: u64, c: u64) -> Result<f64> {
    let n = b.checked_add(c).ok_or(StatisticsError::Undefined("the sum of the pairs overflows"))?;
    if n == 0 {
        return Ok(1.0);
    }
    let null = Binomial::new(0.5, n)
        .map_err(|_| StatisticsError::Undefined("binomial distribution of these counts"))?;
    Ok((2.0 * null.cdf(b.min(c))).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        let p = mcnemar_exact(60, 40).unwrap();
        assert!((p - 0.056_89).abs() < 5.1e-6, "{p}");
        assert!((mcnemar_exact(5, 0).unwrap() - 2.0 / 32.0).abs() < 1e-12);
        assert_eq!(mcnemar_exact(0, 0), Ok(1.0));
    }

    proptest! {
        #[test]
        fn symmetric_and_monotone(b in 0u64..3000, c in 0u64..3000) {
            let p = mcnemar_exact(b, c).unwrap();
            prop_assert!(p > 0.0 || b.abs_diff(c) > 500);
            prop_assert!((0.0..=1.0).contains(&p));
            prop_assert_eq!(p, mcnemar_exact(c, b).unwrap());
            // One more pair on the larger side is more evidence.
            let more = mcnemar_exact(b.max(c) + 1, b.min(c)).unwrap();
            prop_assert!(more <= p + 1e-12, "{} {}", more, p);
        }
    }
}
