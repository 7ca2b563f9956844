//! The interval of the difference of two independent shares, first minus second.

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
        let (a, b) = (share(3, 40), share(9, 40));
        close(newcombe(a, b, Confidence::P95), -0.307_88, 0.010_18, 5);
    }

    prop_compose! {
        fn shares()(n in 1u64..3000, m in 1u64..3000)(k in 0..=n, l in 0..=m, n in Just(n), m in Just(m)) -> (Proportion, Proportion) {
            (share(k, n), share(l, m))
        }
    }

    proptest! {
        #[test]
        fn intervals_hold_the_estimate_and_mirror((a, b) in shares()) {
            let (ab, ba) = (newcombe(a, b, Confidence::P95), newcombe(b, a, Confidence::P95));
            prop_assert!(ab.contains(a.share() - b.share()), "{:?}", ab);
            prop_assert!(ab.low >= -1.0 - 1e-12 && ab.high <= 1.0 + 1e-12, "{:?}", ab);
            let mirrored = ba.map(-1.0, 0.0);
            prop_assert!((ab.low - mirrored.low).abs() < 1e-7, "{:?} {:?}", ab, mirrored);
            prop_assert!((ab.high - mirrored.high).abs() < 1e-7, "{:?} {:?}", ab, mirrored);
        }
    }
}
