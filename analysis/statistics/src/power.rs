//! The number of games that a comparison needs, and the smallest difference that it can detect.

use super::evalue::Looks;
use super::{Confidence, Result, StatisticsError};
use statrs::distribution::{ContinuousCDF, Normal};

/// Requirements for a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Confidence level of its intervals.
    pub confidence: Confidence,
    /// Chance of detecting a true difference of the wanted size.
    pub power: f64,
    /// When the results may be looked at. Intervals that are valid at any time are wider.
    pub looks: Looks,
}

/// Largest number of openings that is searched for.
const MOST: f64 = 1e15;

impl Default for Power {
    /// Returns 95% intervals, 80% power and one look.
    fn default() -> Self {
        Self { confidence: Confidence::P95, power: 0.8, looks: Looks::Once }
    }
}

impl Power {
    /// Returns the normal quantile of the power.
    fn quantile(self) -> Result<f64> {
        check("power", self.power)?;
        Ok(Normal::standard().inverse_cdf(self.power))
    }

    /// Returns the number of openings needed to detect a difference of the chances of a draw, with
    /// each opening played once in both arms. `discordance` is the chance that the two games of an
    /// opening end differently (drawn in only one arm). The number is `(z √ψ + y √(ψ − δ²))² / δ²`
    /// for the discordance ψ, the difference δ, half the interval's width z in standard errors and the
    /// normal quantile y of the power.
    ///
    /// Source: R. J. Connor, *Sample size for testing differences in proportions for the
    /// paired-sample design*, Biometrics 43 (1987).
    ///
    /// # Errors
    /// Fails if the discordance or the power is outside 0 to 1, or if the difference is 0 or larger
    /// than the discordance.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::power::Power;
    ///
    /// // Pairs that rarely end differently need fewer openings for the same difference.
    /// let power = Power::default();
    /// assert_eq!(power.openings(0.1, 0.4)?, 312);
    /// assert!(power.openings(0.1, 0.2)? < 160);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn openings(self, difference: f64, discordance: f64) -> Result<u64> {
        check("discordance", discordance)?;
        if difference == 0.0 {
            return Err(NO_DIFFERENCE);
        }
        if difference.is_nan() || difference.abs() > discordance {
            return Err(StatisticsError::Undefined("a difference larger than the discordance"));
        }
        let beta = self.quantile()?;
        let spread = beta * (discordance - difference * difference).sqrt();
        Ok(least(|openings| {
            let width = self.looks.errors(self.confidence, openings) * discordance.sqrt();
            ((width + spread) / difference).powi(2) <= openings
        }))
    }

    /// Returns the number of openings after which the interval of a true difference of 0 lies within
    /// ±`margin`, where `variance` is that of one opening's difference. Both limits must lie within: each
    /// may be outside with half of the remaining chance.
    ///
    /// Source: D. J. Schuirmann, *A comparison of the two one-sided tests procedure and the power
    /// approach*, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), in the normal
    /// approximation.
    ///
    /// # Errors
    /// Fails if the variance is negative, or the margin or the power is outside 0 to 1.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, evalue::Looks, power::Power};
    ///
    /// // Arms that are drawn in half of their games, and 90% intervals, which are two tests at 5%.
    /// let once = Power { confidence: Confidence::P90, ..Power::default() };
    /// assert_eq!(once.alike(0.03, 0.5)?, 4_758);
    /// let any = Power { looks: Looks::Any, ..once };
    /// assert!((10_000..12_000).contains(&any.alike(0.03, 0.5)?));
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn alike(self, margin: f64, variance: f64) -> Result<u64> {
        check("margin", margin)?;
        check("variance", variance)?;
        let beta = Confidence::new(self.power)?.z();
        Ok(least(|openings| {
            let errors = self.looks.errors(self.confidence, openings) + beta;
            (errors / margin).powi(2) * variance <= openings
        }))
    }

    /// Returns the smallest difference that `openings` openings can detect, each played once in
    /// both arms. Returns `None` if they cannot detect any.
    ///
    /// # Errors
    /// Fails if the discordance or the power is outside 0 to 1.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::power::Power;
    ///
    /// let power = Power::default();
    /// let least = power.detectable(312, 0.4)?.unwrap();
    /// assert!((least - 0.1).abs() < 1e-3);
    /// assert_eq!(power.detectable(3, 0.01)?, None);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn detectable(self, openings: u64, discordance: f64) -> Result<Option<f64>> {
        check("discordance", discordance)?;
        check("power", self.power)?;
        let shows = |difference: f64| {
            self.openings(difference, discordance).is_ok_and(|needed| needed <= openings)
        };
        let (mut hidden, mut shown) = (0.0, discordance);
        if !shows(shown) {
            return Ok(None);
        }
        while shown - hidden > 1e-6 {
            let middle = f64::midpoint(hidden, shown);
            *if shows(middle) { &mut shown } else { &mut hidden } = middle;
        }
        Ok(Some(shown))
    }
}

/// Returns the smallest number of openings that is enough, found by bisection.
fn least(is_enough: impl Fn(f64) -> bool) -> u64 {
    let (mut few, mut enough) = (0.0, 1.0);
    while !is_enough(enough) && enough < MOST {
        (few, enough) = (enough, 2.0 * enough);
    }
    while enough - few > 1.0 {
        let middle = f64::midpoint(few, enough).floor();
        *if is_enough(middle) { &mut enough } else { &mut few } = middle;
    }
    enough as u64
}

const NO_DIFFERENCE: StatisticsError =
    StatisticsError::Undefined("no number of games shows a difference of nothing");

fn check(name: &'static str, share: f64) -> Result<()> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(StatisticsError::OutOfRange { name, value: share, range: "[0, 1]" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcnemar;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Compares Connor's formula with McNemar's exact test, which is slightly more conservative.
    #[test]
    fn openings_give_the_power_that_was_asked_for() {
        let (difference, discordance) = (0.1, 0.4);
        let openings = Power::default().openings(difference, discordance).unwrap();
        assert_eq!(openings, 312);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let studies = 3_000;
        let seen = (0..studies).filter(|_| {
            let (mut b, mut c) = (0, 0);
            for _ in 0..openings {
                if rng.random_bool(discordance) {
                    let first = rng.random_bool((1.0 + difference / discordance) / 2.0);
                    *if first { &mut b } else { &mut c } += 1;
                }
            }
            mcnemar::mcnemar_exact(b, c).is_ok_and(|p| p < 0.05)
        });
        let power = seen.count() as f64 / f64::from(studies);
        assert!((0.75..0.82).contains(&power), "{power}");
    }

    #[test]
    fn what_is_detectable_is_what_so_many_openings_show() {
        let power = Power::default();
        for openings in [50, 400, 4_000] {
            let least = power.detectable(openings, 0.3).unwrap().unwrap();
            assert!(power.openings(least, 0.3).unwrap() <= openings);
            assert!(power.openings(least - 1e-4, 0.3).unwrap() > openings);
        }
        assert_eq!(power.detectable(3, 0.01), Ok(None));
    }

    /// The same for intervals that are valid at any time, at the last look.
    #[test]
    fn looks_at_any_time_have_the_power_that_was_asked_for() {
        let (difference, discordance) = (0.1, 0.4);
        let power = Power { looks: Looks::Any, ..Power::default() };
        let openings = power.openings(difference, discordance).unwrap();
        assert!((600..700).contains(&openings), "{openings}");
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let studies = 1_000;
        let seen = (0..studies).filter(|_| {
            let (mut b, mut c) = (0, 0);
            for _ in 0..openings {
                if rng.random_bool(discordance) {
                    let first = rng.random_bool((1.0 + difference / discordance) / 2.0);
                    *if first { &mut b } else { &mut c } += 1;
                }
            }
            crate::evalue::e_value(b, c, crate::evalue::PRIOR).unwrap() >= 20.0
        });
        let power = seen.count() as f64 / f64::from(studies);
        assert!((0.76..0.85).contains(&power), "{power}");
    }

    #[test]
    fn impossible_input() {
        let power = Power::default();
        assert!(power.openings(0.0, 0.3).is_err());
        assert!(power.openings(0.4, 0.3).is_err());
        assert!(power.openings(f64::NAN, 0.3).is_err());
        assert!(power.detectable(100, 1.5).is_err());
        assert!(power.alike(0.03, -0.1).is_err());
        let impossible = Power { power: 1.5, ..power };
        assert!(impossible.openings(0.1, 0.3).is_err());
        assert!(impossible.detectable(100, 0.3).is_err());
    }
}
