//! Evidence that may be looked at any time: e-values, and the intervals made of them.
//!
//! An interval for a number of openings that was fixed beforehand covers too rarely if openings are
//! added, or the games end, because of the results so far. An anytime-valid interval covers at all
//! looks together: with a chance of 95% no look ever has one that misses the true value.

use super::estimate::Estimate;
use super::{Confidence, Interval, Result, StatisticsError};
use statrs::function::beta::ln_beta;

/// Parameter of the protocol's prior, which has most of its mass near one half, where small effects
/// are.
pub const PRIOR: f64 = 20.0;
/// Number of openings after which an estimate is as exact as the normal prior on an effect, of which the standard
/// deviation is thus a tenth of that of one opening. [`PRIOR`] is the same where four openings in ten are
/// drawn in one arm only.
const OPENINGS_OF_PRIOR: f64 = 100.0;
/// Number of equally spaced bets that stand for the prior's density. A mixture of any bets is valid;
/// more of them would change no digit of an interval.
const BETS: usize = 400;
/// Number of bisections for a limit of an interval, which is then exact to eight digits.
const HALVINGS: u32 = 28;

/// Returns the e-value of `b` against `c` discordant pairs. It is the Bayes factor of a
/// Beta(a, a) prior on the chance of the first kind against ½,
/// `E = 2^(b+c) B(b+a, c+a) / B(a, a)`.
///
/// It is a test martingale: stopping at the first look with `E >= 1/α` errs with probability
/// at most α, for any number of looks. Beyond the range of `f64` it is infinite.
///
/// Source: J. Ville (1939); G. Shafer, *Testing by betting*, JRSS A 184 (2021).
///
/// # Errors
/// Fails if the prior parameter is not positive and finite.
///
/// # Examples
/// ```
/// use fusion_statistics::evalue::{PRIOR, e_value};
///
/// // Ten of ten pairs, under a uniform prior: 2¹⁰ B(11, 1) / B(1, 1) = 2¹⁰ / 11.
/// assert!((e_value(10, 0, 1.0)? - 1024.0 / 11.0).abs() < 1e-9);
/// // No pairs are no evidence.
/// assert!((e_value(0, 0, PRIOR)? - 1.0).abs() < 1e-12);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn e_value(b: u64, c: u64, a: f64) -> Result<f64> {
    if !(a.is_finite() && a > 0.0) {
        return Err(StatisticsError::OutOfRange {
            name: "prior parameter a",
            value: a,
            range: "(0, ∞)",
        });
    }
    let (b, c) = (b as f64, c as f64);
    let ln = (b + c) * std::f64::consts::LN_2 + ln_beta(b + a, c + a) - ln_beta(a, a);
    Ok(ln.exp())
}

/// Evidence of paired openings about the mean difference of two arms.
///
/// A bet s in (−1, 1) on openings with differences d of −1, 0 or +1 multiplies its stake by
/// `(1 + s d) / (1 + s m)` at each, which is 1 on average if the mean difference is m. The prior
/// of [`PRIOR`] on `(1 + s) / 2` divides the first stake over all bets. What they have then is the
/// e-value against m; against m = 0 it is [`e_value`].
///
/// Source: I. Waudby-Smith and A. Ramdas, *Estimating means of bounded random variables by betting*,
/// JRSS B 86 (2024), section 4, with a mixture of constant bets.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Each bet s, and the logarithm of its stake times its gains `Π (1 + s d)`.
    bets: Vec<(f64, f64)>,
    openings: f64,
    mean: f64,
}

impl Evidence {
    /// Counts `first` openings with a difference of +1 and `second` with −1 of all `openings`.
    ///
    /// # Errors
    /// Fails without openings, or if more than all of them have a difference.
    pub fn new(first: u64, second: u64, openings: u64) -> Result<Self> {
        let discordant = first.saturating_add(second);
        super::Proportion::new(discordant, openings)?;
        let (b, c) = (first as f64, second as f64);
        let bet = |k: usize| 2.0 * (k as f64 + 0.5) / BETS as f64 - 1.0;
        let density = |s: f64| (PRIOR - 1.0) * (1.0 - s * s).ln();
        let total: f64 = (0..BETS).map(|k| density(bet(k)).exp()).sum();
        let with_gain = |k| {
            let s = bet(k);
            (s, density(s) - total.ln() + b * s.ln_1p() + c * (-s).ln_1p())
        };
        let openings = openings as f64;
        Ok(Self { bets: (0..BETS).map(with_gain).collect(), openings, mean: (b - c) / openings })
    }

    /// Returns the natural logarithm of the e-value against a mean difference in [−1, 1].
    #[must_use]
    pub fn ln_against(&self, mean: f64) -> f64 {
        let wealth = |&(s, gain): &(f64, f64)| gain - self.openings * (s * mean).ln_1p();
        let most = self.bets.iter().map(wealth).fold(f64::NEG_INFINITY, f64::max);
        most + self.bets.iter().map(|bet| (wealth(bet) - most).exp()).sum::<f64>().ln()
    }

    /// Returns the mean differences against which the e-value is below 1/α, for a confidence of 1 − α.
    /// They are an interval, since the e-value is a convex function of the mean, and it has the
    /// observed mean, where no bet has gained.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, evalue::Evidence};
    ///
    /// // Of 1,000 openings 250 were drawn in the first arm only and 150 in the second only: +10 points.
    /// let interval = Evidence::new(250, 150, 1_000)?.interval(Confidence::P95);
    /// assert!((interval.low - 0.0398).abs() < 1e-3 && (interval.high - 0.1600).abs() < 1e-3);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    #[must_use]
    pub fn interval(&self, confidence: Confidence) -> Interval {
        let most = -(1.0 - confidence.level()).ln();
        let limit = |bound: f64| {
            if self.ln_against(bound) < most {
                return bound;
            }
            let (mut inside, mut outside) = (self.mean, bound);
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(inside, outside);
                let is_inside = self.ln_against(middle) < most;
                *if is_inside { &mut inside } else { &mut outside } = middle;
            }
            inside
        };
        Interval { low: limit(-1.0), high: limit(1.0) }
    }
}

/// When the results are looked at, and whether they may decide on the number of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Once, after a number of openings that was fixed before the games.
    Once,
    /// At any time: the games may go on or end because of what they show.
    Any,
}

impl Looks {
    /// Returns the interval of an estimate from this many openings that is normally distributed in large samples.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, estimate::Estimate, evalue::Looks};
    ///
    /// let effect = Estimate { value: 0.10, error: 0.03 };
    /// let [once, any] =
    ///     [Looks::Once, Looks::Any].map(|looks| looks.interval(effect, 500, Confidence::P95));
    /// assert!((once.low - 0.0412).abs() < 1e-4);
    /// assert!((any.low - 0.0084).abs() < 1e-4);
    /// ```
    #[must_use]
    pub fn interval(self, estimate: Estimate, openings: u64, confidence: Confidence) -> Interval {
        let half = self.errors(confidence, openings as f64) * estimate.error;
        Interval { low: estimate.value - half, high: estimate.value + half }
    }

    /// Widens an interval of a value from this many openings that was made for one look, such as Newcombe's.
    #[must_use]
    pub fn widened(self, interval: Interval, value: f64, openings: u64) -> Interval {
        let times = self.errors(Confidence::P95, openings as f64) / Confidence::P95.z();
        interval.map(times, value * (1.0 - times))
    }

    /// Returns the p-value of the hypothesis that the true value is 0. At any time it is one over the
    /// e-value of a normal prior, at most 1.
    #[must_use]
    pub fn p_value(self, estimate: Estimate, openings: u64) -> f64 {
        match self {
            Looks::Once => estimate.p_value(),
            Looks::Any if estimate.value == 0.0 => 1.0,
            Looks::Any if estimate.error == 0.0 => 0.0,
            Looks::Any => {
                let t = openings as f64 / OPENINGS_OF_PRIOR;
                let z = estimate.value / estimate.error;
                let ln = z * z / 2.0 * (t / (1.0 + t)) - t.ln_1p() / 2.0;
                (-ln).exp().min(1.0)
            }
        }
    }

    /// Returns half the width of an interval in standard errors. At any time it depends on the prior's variance
    /// divided by the estimate's, `t`, which is a hundredth of the openings: `√((1 + 1/t) (2 ln(1/α) + ln(1 + t)))`.
    ///
    /// Source: H. Robbins, *Statistical methods related to the law of the iterated logarithm* (1970);
    /// I. Waudby-Smith and others, *Time-uniform central limit theory and asymptotic confidence
    /// sequences*, Annals of Statistics 52 (2024), theorem 2.2.
    pub(crate) fn errors(self, confidence: Confidence, openings: f64) -> f64 {
        match self {
            Looks::Once => confidence.z(),
            Looks::Any => {
                let t = openings / OPENINGS_OF_PRIOR;
                let alpha = 1.0 - confidence.level();
                ((1.0 + 1.0 / t) * (t.ln_1p() - 2.0 * alpha.ln())).sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        for (a, expected) in [(1.0, 0.9130), (20.0, 2.2546)] {
            let e = e_value(60, 40, a).unwrap();
            assert!((e - expected).abs() < 5.1e-5, "{e} {expected}");
        }
        assert!((e_value(0, 0, PRIOR).unwrap() - 1.0).abs() < 1e-12);
        assert!(e_value(1, 2, 0.0).is_err());
        assert!(e_value(1, 2, f64::NAN).is_err());
        assert!(Evidence::new(3, 3, 5).is_err() && Evidence::new(0, 0, 0).is_err());
    }

    #[test]
    fn an_interval_leaves_out_zero_if_the_e_value_is_20() {
        for (b, c, n) in [(60, 20, 100), (55, 25, 100), (300, 240, 4_000), (0, 0, 9), (40, 0, 40)] {
            let interval = Evidence::new(b, c, n).unwrap().interval(Confidence::P95);
            let evidence = e_value(b, c, PRIOR).unwrap();
            assert_eq!(interval.contains(0.0), evidence < 20.0, "{b} {c} {n} {evidence}");
        }
    }

    #[test]
    fn no_differences_leave_a_width() {
        let of = |n| Evidence::new(0, 0, n).unwrap().interval(Confidence::P95);
        assert_eq!(of(1), Interval { low: -1.0, high: 1.0 });
        let interval = of(1_000);
        assert!((interval.high - 0.016_140).abs() < 1e-5, "{interval:?}");
        assert!((interval.low + interval.high).abs() < 1e-9);
    }

    #[test]
    fn the_normal_interval_is_near_that_by_betting() {
        for (b, c, n) in [(250, 150, 1_000), (2_000, 2_100, 10_000), (90, 60, 400)] {
            let betting = Evidence::new(b, c, n).unwrap().interval(Confidence::P95);
            let (sum, n) = ((b + c) as f64, n as f64);
            let value = (b as f64 - c as f64) / n;
            let estimate = Estimate { value, error: ((sum / n - value * value) / n).sqrt() };
            let normal = Looks::Any.interval(estimate, n as u64, Confidence::P95);
            let width = betting.high - betting.low;
            for apart in [betting.low - normal.low, betting.high - normal.high] {
                assert!(apart.abs() < 0.06 * width, "{betting:?} {normal:?}");
            }
        }
    }

    #[test]
    fn intervals_widen_about_their_value() {
        let estimate = Estimate { value: 0.1, error: 0.02 };
        let once = estimate.interval(Confidence::P95);
        assert_eq!(Looks::Once.widened(once, 0.1, 500), once);
        let [widened, any] = [
            Looks::Any.widened(once, 0.1, 500),
            Looks::Any.interval(estimate, 500, Confidence::P95),
        ];
        assert!((widened.low - any.low).abs() < 1e-12 && (widened.high - any.high).abs() < 1e-12);
    }

    #[test]
    fn p_values_agree_with_intervals() {
        for value in [0.0, 0.01, 0.06, 0.08, 0.2] {
            for looks in [Looks::Once, Looks::Any] {
                let estimate = Estimate { value, error: 0.025 };
                let interval = looks.interval(estimate, 600, Confidence::P95);
                let p = looks.p_value(estimate, 600);
                assert_eq!(p < 0.05, !interval.contains(0.0), "{value} {looks:?} {p}");
            }
        }
        let exact = Estimate { value: 0.1, error: 0.0 };
        assert_eq!(Looks::Any.p_value(exact, 600), 0.0);
        let interval = Looks::Any.interval(exact, 600, Confidence::P95);
        assert_eq!(interval, Interval { low: 0.1, high: 0.1 });
    }

    proptest! {
        #[test]
        fn positive_symmetric_and_fair(b in 0u64..500, c in 0u64..500) {
            let e = e_value(b, c, PRIOR).unwrap();
            prop_assert!(e > 0.0 && e.is_finite());
            prop_assert!((e / e_value(c, b, PRIOR).unwrap() - 1.0).abs() < 1e-9);
            // A martingale: the mean over the next pair, at even odds, is the current value.
            let next = f64::midpoint(e_value(b + 1, c, PRIOR).unwrap(), e_value(b, c + 1, PRIOR).unwrap());
            prop_assert!((next / e - 1.0).abs() < 1e-8, "{} {}", next, e);
        }

        #[test]
        fn bets_are_fair_against_every_mean(
            [b, c, rest] in [0u64..300, 0..300, 0..300],
            [first, second] in [0.0f64..0.5, 0.0..0.5],
        ) {
            let ln = |b, c, n| Evidence::new(b, c, n).unwrap().ln_against(first - second);
            let n = b + c + rest + 1;
            let now = ln(b, c, n);
            let next = first * ln(b + 1, c, n + 1).exp() + second * ln(b, c + 1, n + 1).exp()
                + (1.0 - first - second) * ln(b, c, n + 1).exp();
            prop_assert!((next.ln() - now).abs() < 1e-8, "{} {}", next.ln(), now);
            let against_zero = Evidence::new(b, c, n).unwrap().ln_against(0.0);
            prop_assert!((against_zero - e_value(b, c, PRIOR).unwrap().ln()).abs() < 1e-6);
            prop_assert!(Evidence::new(b, c, n).unwrap().ln_against((b as f64 - c as f64) / n as f64) <= 0.0);
        }
    }
}
