//! Strength estimates from paired games.
//!
//! Each opening is played twice with colours changed. The two games of a pair share the bias of
//! their opening, so the pair is the unit of the statistics. It has five outcomes, worth 0, 1/2, 1,
//! 3/2 or 2 points.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Quantile of the normal distribution for two-sided 95%.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Numbers of pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// Estimated difference in strength, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean points per game: `s = Σ nᵢ i / 4n` for `nᵢ` of n pairs with i half points.
    pub score: f64,
    /// Elo difference that corresponds to this score: `400 log₁₀(s / (1 − s))`.
    pub elo: f64,
    /// Lower end of the 95% interval: the Elo difference of `s − 1.96 σ`. σ is the standard error
    /// of the mean over pairs.
    pub elo_low: f64,
    /// Upper end of the 95% interval: the Elo difference of `s + 1.96 σ`.
    pub elo_high: f64,
    /// Likelihood of superiority: the probability that the first player is the stronger,
    /// `Φ((s − ½) / σ)`.
    pub los: f64,
}

impl Pentanomial {
    /// Adds a pair in which the first player scored `halves` half points, at most 4.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::elo::Pentanomial;
    ///
    /// let mut counts = Pentanomial::default();
    /// counts.add(4); // Two wins.
    /// counts.add(2); // A win and a loss, or two draws.
    /// assert_eq!(counts, Pentanomial([0, 0, 1, 0, 1]));
    /// assert_eq!(counts.pairs(), 2);
    /// ```
    pub fn add(&mut self, halves: usize) {
        self.0[halves.min(4)] += 1;
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the Elo difference with its interval; `None` without a pair.
    ///
    /// The interval is the normal approximation over pairs. It is computed on the score and then
    /// converted to Elo. If all pairs ended alike, their variance is zero and not informative. Then
    /// half a pair is added to each of the five counts, and the interval extends from the result to
    /// the observed score. Scores closer than half a point to 0 or 100% count as that half point,
    /// because 0 and 100% have no Elo.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::elo::{Pentanomial, elo};
    ///
    /// // By hand: 20 · ½ + 50 · 1 + 20 · 1½ + 10 · 2 = 110 points of 200.
    /// let match_of_200_games = Pentanomial([0, 20, 50, 20, 10]);
    /// let estimate = match_of_200_games.estimate().unwrap();
    /// assert!((estimate.score - 0.55).abs() < 1e-12);
    /// assert!((estimate.elo - elo(0.55)).abs() < 1e-9);
    /// assert!(estimate.elo_low > 0.0 && estimate.los > 0.975);
    /// assert_eq!(Pentanomial::default().estimate(), None);
    /// ```
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        let pairs = self.pairs();
        if pairs == 0 {
            return None;
        }
        let margin = 0.25 / pairs as f64;
        let to_elo = |score: f64| elo(score.clamp(margin, 1.0 - margin));
        let counts = self.0.map(|count| count as f64);
        let (score, variance) = moments(counts);
        let (centre, error) = if variance > 0.0 {
            (score, (variance / pairs as f64).sqrt())
        } else {
            let (mean, variance) = moments(counts.map(|count| count + 0.5));
            (mean, (variance / (pairs as f64 + 2.5)).sqrt())
        };
        Some(Estimate {
            score,
            elo: to_elo(score),
            elo_low: to_elo((centre - Z95 * error).min(score)),
            elo_high: to_elo((centre + Z95 * error).max(score)),
            los: Normal::standard().cdf((centre - 0.5) / error),
        })
    }
}

/// Returns mean and variance of a pair's score (0 to 1) under counts of the five outcomes.
fn moments(counts: [f64; 5]) -> (f64, f64) {
    let total: f64 = counts.iter().sum();
    let over = |f: &dyn Fn(f64) -> f64| {
        let terms = counts.iter().enumerate().map(|(i, n)| n * f(i as f64 / 4.0));
        terms.sum::<f64>() / total
    };
    let mean = over(&|score| score);
    (mean, over(&|score| (score - mean).powi(2)))
}

/// Returns the Elo difference at which this score is expected: `400 log₁₀(s / (1 − s))`.
///
/// # Examples
/// ```
/// use fusion_statistics::elo::elo;
///
/// // Three points of four: 400 log₁₀ 3.
/// assert!((elo(0.75) - 190.848_5).abs() < 1e-4);
/// assert_eq!(elo(0.5), 0.0);
/// ```
#[must_use]
pub fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Returns the score that is expected at an Elo difference x: `1 / (1 + 10^(−x/400))`.
///
/// # Examples
/// ```
/// use fusion_statistics::elo::expected_score;
///
/// assert_eq!(expected_score(0.0), 0.5);
/// // 400 Elo are odds of ten to one.
/// assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, tolerance: f64) {
        assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted}");
    }

    /// Elo's formula by hand: 400·log10(3) = 190.849, 400·log10(0.64/0.36) = 99.95.
    #[test]
    fn elo_and_score_are_each_others_inverse() {
        close(elo(0.75), 190.848_501_9, 1e-6);
        close(elo(0.64), 99.950_9, 1e-3);
        close(elo(0.5), 0.0, 1e-12);
        close(expected_score(elo(0.61)), 0.61, 1e-12);
    }

    /// By hand: mean (20·0.25 + 50·0.5 + 20·0.75 + 10)/100 = 0.55, variance
    /// (20·0.09 + 50·0.0025 + 20·0.04 + 10·0.2025)/100 = 0.0475, error 0.0217945;
    /// score 0.55 ± 0.0427164, LOS Φ(2.294157) = 0.989109.
    #[test]
    fn estimate_from_a_hand_computed_match() {
        let estimate = Pentanomial([0, 20, 50, 20, 10]).estimate().unwrap();
        close(estimate.score, 0.55, 1e-12);
        close(estimate.elo, 34.860, 1e-3);
        close(expected_score(estimate.elo_low), 0.507_283_6, 1e-6);
        close(expected_score(estimate.elo_high), 0.592_716_4, 1e-6);
        close(estimate.los, 0.989_109, 1e-5);
    }

    #[test]
    fn an_even_match_is_even() {
        let estimate = Pentanomial([5, 10, 40, 10, 5]).estimate().unwrap();
        close(estimate.elo, 0.0, 1e-9);
        close(estimate.los, 0.5, 1e-9);
        close(estimate.elo_low, -estimate.elo_high, 1e-9);
    }

    #[test]
    fn a_clean_sweep_has_a_finite_and_honest_interval() {
        let few = Pentanomial([0, 0, 0, 0, 3]).estimate().unwrap();
        let many = Pentanomial([0, 0, 0, 0, 50]).estimate().unwrap();
        assert!(few.elo_high.is_finite() && many.elo_high > few.elo_high);
        assert!(few.elo_low < many.elo_low && few.elo_low < 200.0 && many.elo_low > 200.0);
        assert!(few.los > 0.5 && many.los > 0.999);
        assert!(Pentanomial::default().estimate().is_none());
    }
}
