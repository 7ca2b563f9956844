//! Fisher's exact test for two independent shares.

use super::{Proportion, Result, StatisticsError};
use statrs::distribution::{Discrete, Hypergeometric};

/// Returns the two-sided p-value: the hypergeometric probability, with both margins fixed, of
/// all tables that are no more likely than the observed one.
///
/// Source: R. A. Fisher, *The logic of inductive inference*, JRSS 98 (1935); the
/// two-sided rule is the usual one (R's `fisher.test`), with ties to one part in 10⁷.
///
/// # Errors
/// Fails if the sum of the trials overflows.
///
/// # Examples
/// ```
/// use fusion_statistics::{Proportion, fisher::fisher_exact};
///
/// // The lady tasting tea (R. A. Fisher, The design of experiments, 1935): three cups of four
/// // right have a two-sided p-value of 34/70, four of four one of 2/70.
/// let three = fisher_exact(Proportion::new(3, 4)?, Proportion::new(1, 4)?)?;
/// let four = fisher_exact(Proportion::new(4, 4)?, Proportion::new(0, 4)?)?;
/// assert!((three - 34.0 / 70.0).abs() < 1e-9);
/// assert!((four - 2.0 / 70.0).abs() < 1e-9);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn fisher_exact(first: Proportion, second: Proportion) -> Result<f64> {
    let total = first.trials().checked_add(second.trials());
    let total = total.ok_or(StatisticsError::Undefined("the sum of the trials overflows"))?;
    let successes = first.successes() + second.successes();
    let tables = Hypergeometric::new(total, successes, first.trials())
        .map_err(|_| StatisticsError::Undefined("hypergeometric distribution of these counts"))?;
    let lowest = successes.saturating_sub(second.trials());
    let highest = successes.min(first.trials());
    let threshold = tables.ln_pmf(first.successes()) + 1e-7;
    let p: f64 = (lowest..=highest)
        .map(|k| tables.ln_pmf(k))
        .filter(|&ln| ln <= threshold)
        .map(f64::exp)
        .sum();
    Ok(p.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::share;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        let p = fisher_exact(share(450, 1000), share(500, 1000)).unwrap();
        assert!((p - 0.028_204).abs() < 5.1e-7, "{p}");
        // The lady tasting tea: three of four right is no evidence.
        let p = fisher_exact(share(3, 4), share(1, 4)).unwrap();
        assert!((p - 34.0 / 70.0).abs() < 1e-9, "{p}");
    }

    #[test]
    fn too_many_games() {
        let error = fisher_exact(share(1, u64::MAX), share(1, 1)).unwrap_err().to_string();
        assert!(error.contains("overflows"), "{error}");
    }

    proptest! {
        #[test]
        fn symmetric_and_a_probability(n in 1u64..400, m in 1u64..400, k in 0u64..400, l in 0u64..400) {
            let (a, b) = (share(k.min(n), n), share(l.min(m), m));
            let (p, swapped) = (fisher_exact(a, b).unwrap(), fisher_exact(b, a).unwrap());
            prop_assert!(p > 0.0 && p <= 1.0, "{}", p);
            prop_assert!((p - swapped).abs() < 1e-9);
        }
    }
}
