//! Intervals for the difference of two independent shares, first minus second.

use super::bisection::limit;
use super::proportion::wilson;
use super::{Confidence, Interval, Proportion};

/// Returns Newcombe's hybrid score interval from the Wilson limits (l, u) of each share:
/// `d − √((p₁−l₁)² + (u₂−p₂)²)` to `d + √((u₁−p₁)² + (p₂−l₂)²)`.
///
/// Source: R. G. Newcombe, *Interval estimation for the difference between independent
/// proportions*, Statistics in Medicine 17 (1998), method 10.
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, Proportion, difference::newcombe};
///
/// // 56/70 − 48/80: table II of the source.
/// let (first, second) = (Proportion::new(56, 70)?, Proportion::new(48, 80)?);
/// let interval = newcombe(first, second, Confidence::P95);
/// assert!((interval.low - 0.0524).abs() < 5e-5);
/// assert!((interval.high - 0.3339).abs() < 5e-5);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
#[must_use]
pub fn newcombe(first: Proportion, second: Proportion, confidence: Confidence) -> Interval {
    let (p1, p2) = (first.share(), second.share());
    let (w1, w2) = (wilson(first, confidence), wilson(second, confidence));
    Interval {
        low: p1 - p2 - (p1 - w1.low).hypot(w2.high - p2),
        high: p1 - p2 + (w1.high - p1).hypot(p2 - w2.low),
    }
}

/// Returns Miettinen and Nurminen's score interval: all differences δ whose score statistic
/// `(p₁ − p₂ − δ)² / V(δ)` is at most z². `V` is the variance with both shares
/// estimated under the constraint `p₁ − p₂ = δ`, times N/(N−1).
///
/// Source: O. Miettinen, M. Nurminen, *Comparative analysis of two rates*, Statistics
/// in Medicine 4 (1985), equations 8, 9 and appendix I.
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, Proportion, difference::miettinen_nurminen};
///
/// // 56/70 − 48/80: method 6 in table II of R. G. Newcombe, Statistics in Medicine 17 (1998).
/// let (first, second) = (Proportion::new(56, 70)?, Proportion::new(48, 80)?);
/// let interval = miettinen_nurminen(first, second, Confidence::P95);
/// assert!((interval.low - 0.0528).abs() < 5e-5);
/// assert!((interval.high - 0.3382).abs() < 5e-5);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
#[must_use]
pub fn miettinen_nurminen(
    first: Proportion,
    second: Proportion,
    confidence: Confidence,
) -> Interval {
    let estimate = first.share() - second.share();
    let z2 = confidence.z().powi(2);
    let accepts = |delta: f64| {
        let variance = constrained_variance(first, second, delta);
        (estimate - delta).powi(2) <= z2 * variance
    };
    Interval { low: limit(estimate, -1.0, accepts), high: limit(estimate, 1.0, accepts) }
}

/// Returns the variance of the difference at the maximum-likelihood shares given `delta`.
fn constrained_variance(first: Proportion, second: Proportion, delta: f64) -> f64 {
    let ((x1, n1), (x2, n2)) = (first.counts(), second.counts());
    let n = n1 + n2;
    let p2 = constrained_second(x1, n1, x2, n2, delta);
    let p1 = (p2 + delta).clamp(0.0, 1.0);
    (p1 * (1.0 - p1) / n1 + p2 * (1.0 - p2) / n2) * n / (n - 1.0)
}

/// Returns the root of the likelihood equation that lies in the unit interval. The equation is
/// a cubic in p₂ with three real roots (trigonometric form of appendix I).
fn constrained_second(x1: f64, n1: f64, x2: f64, n2: f64, delta: f64) -> f64 {
    let (n, x) = (n1 + n2, x1 + x2);
    let l3 = n;
    let l2 = (n1 + 2.0 * n2) * delta - n - x;
    let l1 = (n2 * delta - n - 2.0 * x2) * delta + x;
    let l0 = x2 * delta * (1.0 - delta);
    let shift = l2 / (3.0 * l3);
    let q = shift.powi(3) - l1 * l2 / (6.0 * l3 * l3) + l0 / (2.0 * l3);
    // Rounding may leave a tiny negative number where the exact value is 0.
    let p = (shift * shift - l1 / (3.0 * l3)).max(0.0).sqrt().copysign(q);
    let cosine = if p == 0.0 { 0.0 } else { (q / p.powi(3)).clamp(-1.0, 1.0) };
    let angle = (std::f64::consts::PI + cosine.acos()) / 3.0;
    (2.0 * p * angle.cos() - shift).clamp((-delta).max(0.0), (1.0 - delta).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::share;
    use super::*;
    use proptest::prelude::*;

    fn close(interval: Interval, low: f64, high: f64, digits: i32) {
        let tolerance = 0.51 * 10f64.powi(-digits);
        assert!((interval.low - low).abs() < tolerance, "{interval:?} {low}");
        assert!((interval.high - high).abs() < tolerance, "{interval:?} {high}");
    }

    #[test]
    fn golden_values() {
        let (a, b) = (share(450, 1000), share(500, 1000));
        close(newcombe(a, b, Confidence::P95), -0.093_498, -0.006_232, 6);
        close(miettinen_nurminen(a, b, Confidence::P95), -0.093_591, -0.006_219, 6);
        let (a, b) = (share(3, 40), share(9, 40));
        close(newcombe(a, b, Confidence::P95), -0.307_88, 0.010_18, 5);
        close(miettinen_nurminen(a, b, Confidence::P95), -0.314_01, 0.008_22, 5);
    }

    #[test]
    fn constrained_shares_maximise_the_likelihood() {
        for (x1, n1, x2, n2, delta) in
            [(3.0, 40.0, 9.0, 40.0, 0.1), (30.0, 70.0, 9.0, 20.0, -0.3), (5.0, 9.0, 0.0, 12.0, 0.2)]
        {
            let found = constrained_second(x1, n1, x2, n2, delta);
            let likelihood = |p2: f64| {
                let p1 = p2 + delta;
                let term = |x: f64, p: f64| if x == 0.0 { 0.0 } else { x * p.ln() };
                term(x1, p1) + term(n1 - x1, 1.0 - p1) + term(x2, p2) + term(n2 - x2, 1.0 - p2)
            };
            let best = likelihood(found);
            for step in 1..1000 {
                let p2 = f64::from(step) / 1000.0;
                if p2 + delta > 0.0 && p2 + delta < 1.0 {
                    assert!(likelihood(p2) <= best + 1e-9, "{p2} beats {found}");
                }
            }
        }
    }

    prop_compose! {
        fn shares()(n in 1u64..3000, m in 1u64..3000)(k in 0..=n, l in 0..=m, n in Just(n), m in Just(m)) -> (Proportion, Proportion) {
            (share(k, n), share(l, m))
        }
    }

    proptest! {
        #[test]
        fn intervals_hold_the_estimate_and_mirror((a, b) in shares()) {
            for interval in [newcombe, miettinen_nurminen] {
                let (ab, ba) = (interval(a, b, Confidence::P95), interval(b, a, Confidence::P95));
                prop_assert!(ab.contains(a.share() - b.share()), "{:?}", ab);
                prop_assert!(ab.low >= -1.0 - 1e-12 && ab.high <= 1.0 + 1e-12, "{:?}", ab);
                let mirrored = ba.map(-1.0, 0.0);
                prop_assert!((ab.low - mirrored.low).abs() < 1e-7, "{:?} {:?}", ab, mirrored);
                prop_assert!((ab.high - mirrored.high).abs() < 1e-7, "{:?} {:?}", ab, mirrored);
            }
        }
    }
}
