//! Closed-form intervals for paired outcomes.

use super::bisection::limit;
use super::{Confidence, Interval, Proportion, Result, StatisticsError};

/// Returns Tango's score interval for the difference `(b − c)/n` of two paired shares. `b`
/// counts the pairs with only the first outcome, `c` those with only the second. The interval
/// has all δ with `(b − c − nδ)² <= z² n (2 q(δ) + δ(1 − δ))`, where q is the
/// maximum-likelihood chance of the second kind given δ.
///
/// Unlike the bootstrap and Wald's interval, it does not collapse without discordant pairs. It
/// therefore checks the bootstrap. It is also the interval of White's score, the mean of +1, 0, −1.
///
/// Source: T. Tango, *Equivalence test and confidence interval for the difference in
/// proportions for the paired-sample design*, Statistics in Medicine 17 (1998).
///
/// # Errors
/// Fails if there are no pairs, or more discordant pairs than pairs.
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, tango::tango};
///
/// // 200 openings that ended alike under both rule sets. The source's equation (22) gives the
/// // limits ± z² / (n + z²).
/// let z2 = Confidence::P95.z().powi(2);
/// let interval = tango(0, 0, 200, Confidence::P95)?;
/// assert!((interval.high - z2 / (200.0 + z2)).abs() < 1e-9);
/// assert!((interval.low + interval.high).abs() < 1e-9);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn tango(b: u64, c: u64, n: u64, confidence: Confidence) -> Result<Interval> {
    let discordant =
        b.checked_add(c).ok_or(StatisticsError::Undefined("the sum of the pairs overflows"))?;
    Proportion::new(discordant, n)?;
    let (b, c, n) = (b as f64, c as f64, n as f64);
    let estimate = (b - c) / n;
    let z2 = confidence.z().powi(2);
    let accepts = |delta: f64| {
        let q = constrained_second_only(b, c, n, delta);
        let variance = (n * (2.0 * q + delta * (1.0 - delta))).max(0.0);
        (b - c - n * delta).powi(2) <= z2 * variance
    };
    Ok(Interval { low: limit(estimate, -1.0, accepts), high: limit(estimate, 1.0, accepts) })
}

/// Returns the maximum-likelihood chance of only the second outcome, given the difference.
fn constrained_second_only(b: f64, c: f64, n: f64, delta: f64) -> f64 {
    let linear = -b - c + (2.0 * n - b + c) * delta;
    let constant = -c * delta * (1.0 - delta);
    let root = (linear * linear - 8.0 * n * constant).max(0.0).sqrt();
    ((root - linear) / (4.0 * n)).max(0.0).max(-delta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Without discordant pairs the limits are ±z²/(n + z²): Tango's equation (22) by hand.
    #[test]
    fn no_discordant_pair() {
        for n in [10u64, 200, 5000] {
            let interval = tango(0, 0, n, Confidence::P95).unwrap();
            let z2 = Confidence::P95.z().powi(2);
            let bound = z2 / (n as f64 + z2);
            assert!((interval.high - bound).abs() < 1e-9, "{interval:?} {bound}");
            assert!((interval.low + bound).abs() < 1e-9, "{interval:?} {bound}");
        }
    }

    #[test]
    fn constrained_chance_maximises_the_likelihood() {
        for (b, c, n, delta) in [(12.0, 2.0, 50.0, 0.1), (3.0, 9.0, 30.0, 0.2)] {
            let found = constrained_second_only(b, c, n, delta);
            let likelihood = |q: f64| {
                b * (q + delta).ln() + c * q.ln() + (n - b - c) * (1.0 - 2.0 * q - delta).ln()
            };
            for step in 1..1000 {
                let q = f64::from(step) / 1000.0;
                if 2.0 * q + delta < 1.0 {
                    assert!(likelihood(q) <= likelihood(found) + 1e-9, "{q} {found}");
                }
            }
        }
    }

    #[test]
    fn impossible_counts() {
        assert!(tango(0, 0, 0, Confidence::P95).is_err());
        assert!(tango(3, 3, 5, Confidence::P95).is_err());
        assert!(tango(u64::MAX, 3, 5, Confidence::P95).is_err());
    }

    proptest! {
        #[test]
        fn holds_the_estimate_and_mirrors(n in 1u64..5000, b in 0u64..5000, c in 0u64..5000) {
            let b = b.min(n);
            let c = c.min(n - b);
            let interval = tango(b, c, n, Confidence::P95).unwrap();
            let mirrored = tango(c, b, n, Confidence::P95).unwrap().map(-1.0, 0.0);
            prop_assert!(interval.contains((b as f64 - c as f64) / n as f64));
            prop_assert!(interval.low >= -1.0 && interval.high <= 1.0);
            prop_assert!((interval.low - mirrored.low).abs() < 1e-7, "{:?} {:?}", interval, mirrored);
            prop_assert!((interval.high - mirrored.high).abs() < 1e-7, "{:?} {:?}", interval, mirrored);
        }
    }
}
