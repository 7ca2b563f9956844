//! The number of games that a comparison needs, and the smallest difference that it can detect.

use super::{Confidence, Result, StatisticsError};
use statrs::distribution::{ContinuousCDF, Normal};

/// Requirements for a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Confidence level of its intervals.
    pub confidence: Confidence,
    /// Chance of detecting a true difference of the wanted size.
    pub power: f64,
}

impl Default for Power {
    /// Returns 95% intervals and 80% power.
    fn default() -> Self {
        Self { confidence: Confidence::P95, power: 0.8 }
    }
}

impl Power {
    fn quantiles(self) -> Result<(f64, f64)> {
        check("power", self.power)?;
        Ok((self.confidence.z(), Normal::standard().inverse_cdf(self.power)))
    }

    /// Returns the number of games that each of two arms needs, with openings of its own, to detect
    /// that the chance of a draw is `second` and not `first`:
    /// `(z √(2p(1−p)) + y √(p₁(1−p₁) + p₂(1−p₂)))² / (p₁ − p₂)²`. p is the mean of both chances, z
    /// the normal quantile of the confidence, and y that of the power.
    ///
    /// Source: J. L. Fleiss, B. Levin and M. C. Paik, *Statistical methods for rates and
    /// proportions* (2003), equation 4.14, without the continuity correction.
    ///
    /// # Errors
    /// Fails if the chances or the power are outside 0 to 1, or if the chances are equal.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::power::Power;
    ///
    /// // R: power.prop.test(p1 = 0.3, p2 = 0.25, power = 0.8).
    /// assert_eq!(Power::default().games_unpaired(0.3, 0.25)?, 1_251);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn games_unpaired(self, first: f64, second: f64) -> Result<u64> {
        check("chance of a draw", first)?;
        check("chance of a draw", second)?;
        if first == second {
            return Err(NO_DIFFERENCE);
        }
        let (alpha, beta) = self.quantiles()?;
        let variance = |chance: f64| chance * (1.0 - chance);
        let mean = f64::midpoint(first, second);
        let same = alpha * (2.0 * variance(mean)).sqrt();
        let other = beta * (variance(first) + variance(second)).sqrt();
        Ok(((same + other) / (first - second)).powi(2).ceil() as u64)
    }

    /// Returns the number of openings needed to detect a difference of the chances of a draw, with
    /// each opening played once in both arms. `discordance` is the chance that the two games of an
    /// opening end differently (drawn in only one arm). The number is `(z √ψ + y √(ψ − δ²))² / δ²`
    /// for the discordance ψ, the difference δ, and the normal quantiles z of the confidence and y
    /// of the power.
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
        let (alpha, beta) = self.quantiles()?;
        let spread = (discordance - difference * difference).sqrt();
        let needed = (alpha * discordance.sqrt() + beta * spread) / difference;
        Ok(needed.powi(2).ceil() as u64)
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

    #[test]
    fn games_of_unpaired_arms() {
        for (from, needed) in
            [(0.3, [8_080, 1_251, 294]), (0.5, [9_806, 1_565, 388]), (0.7, [8_394, 1_377, 356])]
        {
            let found = [0.02, 0.05, 0.1]
                .map(|drop| Power::default().games_unpaired(from, from - drop).unwrap());
            assert_eq!(found, needed, "from {from}");
        }
    }

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

    #[test]
    fn impossible_input() {
        let power = Power::default();
        assert!(power.games_unpaired(0.3, 0.3).is_err());
        assert!(power.games_unpaired(-0.1, 0.3).is_err());
        assert!(power.openings(0.0, 0.3).is_err());
        assert!(power.openings(0.4, 0.3).is_err());
        assert!(power.openings(f64::NAN, 0.3).is_err());
        assert!(power.detectable(100, 1.5).is_err());
        let impossible = Power { power: 1.5, ..power };
        assert!(impossible.games_unpaired(0.3, 0.2).is_err());
        assert!(impossible.openings(0.1, 0.3).is_err());
        assert!(impossible.detectable(100, 0.3).is_err());
    }
}
