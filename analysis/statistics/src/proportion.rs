//! Intervals for one share.

use super::{Confidence, Interval, Proportion};

/// Returns Wilson's score interval:
/// `(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)`.
///
/// Source: E. B. Wilson, *Probable inference, the law of succession, and statistical
/// inference*, JASA 22 (1927).
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, Proportion, proportion::wilson};
///
/// // 81/263: table I of R. G. Newcombe, Statistics in Medicine 17 (1998), pages 857-872.
/// let interval = wilson(Proportion::new(81, 263)?, Confidence::P95);
/// assert!((interval.low - 0.2553).abs() < 5e-5);
/// assert!((interval.high - 0.3662).abs() < 5e-5);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
#[must_use]
pub fn wilson(share: Proportion, confidence: Confidence) -> Interval {
    let (k, n) = share.counts();
    let z = confidence.z();
    let z2 = z * z;
    let centre = (k + z2 / 2.0) / (n + z2);
    let half = z / (n + z2) * (k * (n - k) / n + z2 / 4.0).sqrt();
    // At k = 0 and k = n the formula gives exactly 0 and 1, except for rounding.
    Interval {
        low: if k == 0.0 { 0.0 } else { centre - half },
        high: if k == n { 1.0 } else { centre + half },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(interval: Interval, low: f64, high: f64) {
        assert!((interval.low - low).abs() < 5.1e-7, "{interval:?} {low}");
        assert!((interval.high - high).abs() < 5.1e-7, "{interval:?} {high}");
    }

    #[test]
    fn golden_values() {
        for (k, n, low, high) in [
            (450, 1000, 0.419_415, 0.480_967),
            (0, 50, 0.0, 0.071_348),
            (3, 40, 0.025_836, 0.198_642),
        ] {
            close(wilson(Proportion::new(k, n).unwrap(), Confidence::P95), low, high);
        }
    }

    prop_compose! {
        fn share()(trials in 1u64..20_000)(successes in 0..=trials, trials in Just(trials)) -> Proportion {
            Proportion::new(successes, trials).unwrap()
        }
    }

    proptest! {
        #[test]
        fn intervals_hold_the_estimate_within_bounds(share in share()) {
            let interval = wilson(share, Confidence::P95);
            prop_assert!(interval.contains(share.share()), "{:?} {:?}", share, interval);
            prop_assert!(interval.low >= 0.0 && interval.high <= 1.0, "{:?}", interval);
        }

        #[test]
        fn failures_mirror_successes(share in share()) {
            let mirrored = Proportion::new(share.trials() - share.successes(), share.trials()).unwrap();
            let (a, b) = (wilson(share, Confidence::P95), wilson(mirrored, Confidence::P95));
            let b = b.map(-1.0, 1.0);
            prop_assert!((a.low - b.low).abs() < 1e-7 && (a.high - b.high).abs() < 1e-7, "{:?} {:?}", a, b);
        }

        #[test]
        fn more_confidence_is_wider(share in share()) {
            let (narrow, wide) = (wilson(share, Confidence::P90), wilson(share, Confidence::P95));
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }
    }
}
