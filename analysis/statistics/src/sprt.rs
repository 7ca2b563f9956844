//! The generalised sequential probability ratio test over pairs of games.
//!
//! The likelihood ratio compares two composite hypotheses, "the expected score is that of `elo0`"
//! and "... of `elo1`". Each is represented by the multinomial distribution over the five pair
//! outcomes that fits the counts best under it (Michel Van den Bergh, *The Generalized Maximum
//! Likelihood Ratio for the Expectation Value of a Distribution*).

use serde::{Deserialize, Serialize};

use crate::elo::{Pentanomial, expected_score};

/// Count that replaces zero for outcomes that have not occurred, so that likelihoods are finite.
const UNSEEN: f64 = 1e-3;
/// Number of bisections of the bracket of the multiplier, enough to reach rounding error.
const BISECTIONS: usize = 100;

/// Hypotheses and error rates of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SprtConfig {
    /// Elo difference under H0.
    pub elo0: f64,
    /// Elo difference under H1, above `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 holds.
    pub beta: f64,
}

impl Default for SprtConfig {
    fn default() -> Self {
        Self { elo0: 0.0, elo1: 35.0, alpha: 0.05, beta: 0.05 }
    }
}

/// Decision of a sequential test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decision {
    /// The first player is not stronger by more than `elo0`.
    H0,
    /// The first player is stronger by about `elo1` or more.
    H1,
    /// Neither bound has been reached.
    #[serde(rename = "undecided")]
    Undecided,
}

/// State of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The test's hypotheses and error rates.
    #[serde(flatten)]
    pub config: SprtConfig,
    /// Logarithm of the likelihood ratio of H1 to H0: `Σ nᵢ ln(p₁ᵢ / p₀ᵢ)`. `nᵢ` pairs have i half
    /// points, and `p₀ᵢ` and `p₁ᵢ` are the chances of that under the best fit of H0 and H1.
    pub llr: f64,
    /// Lower bound of `llr`, `ln(β / (1 − α))`: H0 is accepted at or below it.
    pub lower: f64,
    /// Upper bound of `llr`, `ln((1 − β) / α)`: H1 is accepted at or above it.
    pub upper: f64,
    /// The decision.
    pub decision: Decision,
}

impl SprtConfig {
    /// Checks the values.
    ///
    /// # Errors
    /// Returns the first rule that the values break.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::sprt::SprtConfig;
    ///
    /// assert_eq!(SprtConfig::default().check(), Ok(()));
    /// let reversed = SprtConfig { elo0: 10.0, elo1: 0.0, ..SprtConfig::default() };
    /// assert!(reversed.check().unwrap_err().contains("below"));
    /// ```
    pub fn check(&self) -> Result<(), &'static str> {
        let bound = |elo: f64| elo.abs() <= 1000.0;
        if !(bound(self.elo0) && bound(self.elo1) && self.elo0 < self.elo1) {
            return Err("elo0 must be below elo1, both between -1000 and 1000");
        }
        let rate = |value: f64| value > 0.0 && value < 0.5;
        if !(rate(self.alpha) && rate(self.beta)) {
            return Err("alpha and beta must lie between 0 and 0.5");
        }
        Ok(())
    }

    /// Returns the state of the test after these pairs.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::elo::Pentanomial;
    /// use fusion_statistics::sprt::{Decision, SprtConfig};
    ///
    /// let config = SprtConfig { elo0: 0.0, elo1: 35.0, alpha: 0.05, beta: 0.05 };
    /// let sprt = config.test(&Pentanomial([0, 2, 10, 30, 20]));
    /// // Wald's bounds are ± ln 19. SciPy's SLSQP finds a ratio of 5.931 418.
    /// assert!((sprt.upper - 19f64.ln()).abs() < 1e-12);
    /// assert!((sprt.llr - 5.931_418).abs() < 1e-5);
    /// assert_eq!(sprt.decision, Decision::H1);
    /// ```
    #[must_use]
    pub fn test(&self, counts: &Pentanomial) -> Sprt {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let llr =
            log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1));
        Sprt {
            config: *self,
            llr,
            lower,
            upper,
            decision: match llr {
                llr if llr >= upper => Decision::H1,
                llr if llr <= lower => Decision::H0,
                _ => Decision::Undecided,
            },
        }
    }
}

/// Returns the logarithm of the likelihood ratio of mean score `s1` to mean score `s0`.
fn log_likelihood_ratio(counts: &Pentanomial, s0: f64, s1: f64) -> f64 {
    if counts.pairs() == 0 {
        return 0.0;
    }
    let counts = counts.0.map(|count| (count as f64).max(UNSEEN));
    let total: f64 = counts.iter().sum();
    let shares = counts.map(|count| count / total);
    let (x0, x1) = (multiplier(&shares, s0), multiplier(&shares, s1));
    let terms = shares.iter().enumerate().map(|(i, share)| {
        let score = i as f64 / 4.0;
        share * ((1.0 + x0 * (score - s0)) / (1.0 + x1 * (score - s1))).ln()
    });
    total * terms.sum::<f64>()
}

/// Returns `x` of the best fit to `shares` with mean `s`, which is `share / (1 + x (score - s))`.
///
/// It is the root of a function that falls from +∞ to -∞. The root lies between the two values at
/// which the denominator of the best or worst score vanishes.
fn multiplier(shares: &[f64; 5], s: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - s), 1.0 / s);
    for _ in 0..BISECTIONS {
        let x = (low + high) / 2.0;
        let terms = shares.iter().enumerate().map(|(i, share)| {
            let distance = i as f64 / 4.0 - s;
            share * distance / (1.0 + x * distance)
        });
        if terms.sum::<f64>() > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn llr(counts: [u64; 5], elo0: f64, elo1: f64) -> f64 {
        let config = SprtConfig { elo0, elo1, ..SprtConfig::default() };
        config.test(&Pentanomial(counts)).llr
    }

    /// Wald's bounds by hand: ln(0.05/0.95) and ln(0.95/0.05) = ±2.944439.
    #[test]
    fn bounds_are_walds() {
        let test = SprtConfig::default().test(&Pentanomial::default());
        assert!((test.upper - 2.944_439).abs() < 1e-6);
        assert!((test.lower + 2.944_439).abs() < 1e-6);
        assert_eq!((test.llr, test.decision), (0.0, Decision::Undecided));
    }

    /// Expected value: direct maximisation of the multinomial likelihood under each mean by SciPy's
    /// SLSQP.
    #[test]
    fn the_ratio_agrees_with_direct_optimisation() {
        let known = [
            ([3, 20, 50, 31, 6], 0.0, 10.0, 1.009_263_6),
            ([10, 60, 200, 80, 15], 0.0, 5.0, 1.083_408_8),
            ([0, 2, 10, 30, 20], 0.0, 35.0, 5.931_418_0),
            ([5, 9, 12, 8, 3], -20.0, 20.0, -0.869_123_8),
        ];
        for (counts, elo0, elo1, wanted) in known {
            let found = llr(counts, elo0, elo1);
            assert!((found - wanted).abs() < 1e-5, "{counts:?}: {found} is not {wanted}");
        }
    }

    #[test]
    fn the_ratio_is_antisymmetric() {
        let forward = llr([3, 20, 50, 31, 6], -10.0, 10.0);
        let backward = llr([6, 31, 50, 20, 3], -10.0, 10.0);
        assert!((forward + backward).abs() < 1e-9 && forward > 0.0);
    }

    #[test]
    fn clear_matches_are_decided() {
        let config = SprtConfig::default();
        let decide = |counts| config.test(&Pentanomial(counts)).decision;
        assert_eq!(decide([0, 2, 10, 30, 20]), Decision::H1);
        assert_eq!(decide([20, 30, 10, 2, 0]), Decision::H0);
        assert_eq!(decide([1, 2, 3, 2, 1]), Decision::Undecided);
        assert_eq!(decide([0, 0, 0, 0, 40]), Decision::H1);
    }
}
