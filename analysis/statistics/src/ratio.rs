//! Interval for the ratio of two independent shares, first over second.

use super::bisection::limit;
use super::{Confidence, Interval, Proportion, Result, StatisticsError};

/// Returns the score interval: all ratios θ with `(p₁ − θp₂)² / V(θ) <= z²`. `V` is the
/// variance of `p₁ − θp₂` with both shares estimated under `p₁ = θp₂`, times N/(N−1).
///
/// The upper limit is infinite if nothing was drawn in the second arm.
///
/// Source: O. Miettinen, M. Nurminen, *Comparative analysis of two rates*, Statistics
/// in Medicine 4 (1985), equations 10 to 12; without the factor N/(N−1) it is
/// P. A. R. Koopman, Biometrics 40 (1984).
///
/// # Errors
/// Fails if neither arm has a success: any ratio then fits.
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, Proportion, ratio::score_ratio};
///
/// // 36/40 over 16/80. Koopman's example has the limits 2.94 and 7.15 without the factor N/(N−1),
/// // which makes the interval slightly wider.
/// let interval =
///     score_ratio(Proportion::new(36, 40)?, Proportion::new(16, 80)?, Confidence::P95)?;
/// assert!((interval.low - 2.93).abs() < 0.01);
/// assert!((interval.high - 7.17).abs() < 0.01);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn score_ratio(
    first: Proportion,
    second: Proportion,
    confidence: Confidence,
) -> Result<Interval> {
    let (p1, p2) = (first.share(), second.share());
    if p1 == 0.0 && p2 == 0.0 {
        return Err(StatisticsError::Undefined("a ratio of shares that are both zero"));
    }
    let z2 = confidence.z().powi(2);
    // θ = r / (1 − r) maps the half-line to [0, 1], so that bisection is bounded.
    let accepts = |r: f64| {
        let (p1_hat, p2_hat) = constrained(first, second, r);
        let (n1, n2) = (first.trials() as f64, second.trials() as f64);
        let n = n1 + n2;
        let variance = ((1.0 - r).powi(2) * p1_hat * (1.0 - p1_hat) / n1
            + r * r * p2_hat * (1.0 - p2_hat) / n2)
            * n
            / (n - 1.0);
        ((1.0 - r) * p1 - r * p2).powi(2) <= z2 * variance
    };
    let estimate = p1 / (p1 + p2);
    let ratio = |r: f64| {
        if r >= 1.0 { f64::INFINITY } else { r / (1.0 - r) }
    };
    Ok(Interval {
        low: if p1 == 0.0 { 0.0 } else { ratio(limit(estimate, 0.0, accepts)) },
        high: if p2 == 0.0 { f64::INFINITY } else { ratio(limit(estimate, 1.0, accepts)) },
    })
}

/// Returns the maximum-likelihood shares with `(1 − r) p₁ = r p₂`.
fn constrained(first: Proportion, second: Proportion, r: f64) -> (f64, f64) {
    let ((x1, n1), (x2, n2)) = (first.counts(), second.counts());
    let (n, x) = (n1 + n2, x1 + x2);
    let s = 1.0 - r;
    // A θ p₂² + B p₂ + C = 0 of the paper, multiplied by (1 − r).
    let a = n * r;
    let b = -(n1 * r + x1 * s + n2 * s + x2 * r);
    let c = x * s;
    let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
    // The smaller root, in the form without cancellation.
    let p2 = (2.0 * c / (-b + root)).clamp(0.0, 1.0);
    let p1 = if s == 0.0 { x1.min(n1) / n1 } else { (p2 * r / s).clamp(0.0, 1.0) };
    (p1, p2)
}

#[cfg(test)]
mod tests {
    use super::super::share;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        let interval = score_ratio(share(450, 1000), share(500, 1000), Confidence::P95).unwrap();
        assert!((interval.low - 0.820_36).abs() < 5.1e-6, "{interval:?}");
        assert!((interval.high - 0.987_00).abs() < 5.1e-6, "{interval:?}");
    }

    #[test]
    fn zero_counts() {
        assert!(score_ratio(share(0, 9), share(0, 9), Confidence::P95).is_err());
        let none_first = score_ratio(share(0, 40), share(9, 40), Confidence::P95).unwrap();
        assert!(none_first.low == 0.0 && none_first.high < 1.0);
        let none_second = score_ratio(share(9, 40), share(0, 40), Confidence::P95).unwrap();
        assert!(none_second.low > 1.0 && none_second.high == f64::INFINITY);
    }

    prop_compose! {
        fn shares()(n in 1u64..3000, m in 1u64..3000)(k in 1..=n, l in 1..=m, n in Just(n), m in Just(m)) -> (Proportion, Proportion) {
            (share(k, n), share(l, m))
        }
    }

    proptest! {
        #[test]
        fn swapped_arms_give_the_reciprocal((a, b) in shares()) {
            let ab = score_ratio(a, b, Confidence::P95).unwrap();
            let ba = score_ratio(b, a, Confidence::P95).unwrap();
            let estimate = a.share() / b.share();
            prop_assert!(ab.low <= estimate * (1.0 + 1e-9) && estimate <= ab.high * (1.0 + 1e-9), "{:?}", ab);
            prop_assert!(ab.low > 0.0 && ab.high.is_finite(), "{:?}", ab);
            prop_assert!((ab.low * ba.high - 1.0).abs() < 1e-6, "{:?} {:?}", ab, ba);
            prop_assert!((ab.high * ba.low - 1.0).abs() < 1e-6, "{:?} {:?}", ab, ba);
        }
    }
}
