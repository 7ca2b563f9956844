//! Strength estimates from paired games.
//!
//! Each opening is played twice with colours changed. The two games of a pair share the bias of
//! their opening, so the pair is the unit of the statistics. It has five outcomes, worth 0, 1/2, 1,
//! 3/2 or 2 points.

use crate::Interval;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// Quantile of the normal distribution for two-sided 95%.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Numbers of pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

/// Variance of a pair's score, the mean of its two games, between equals without draws.
const EVEN_PAIR: f64 = 0.125;
/// Number of such pairs towards which the variance of the pairs is shrunk.
const PRIOR_PAIRS: f64 = 2.0;
/// Error of a one-sided interval.
const ONE_SIDED: f64 = 0.05;

/// Which ends an interval of Elo differences has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sides {
    /// Both ends; 2.5% lie beyond each.
    #[serde(rename = "two-sided 95%")]
    Both,
    /// Only the lower end, below which 5% lie: everything was won.
    #[serde(rename = "one-sided 95%, above elo_low")]
    Above,
    /// Only the upper end, above which 5% lie: everything was lost.
    #[serde(rename = "one-sided 95%, below elo_high")]
    Below,
}

/// Estimated difference in strength, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Mean points per game: `s = Σ nᵢ i / 4n` for `nᵢ` of n pairs with i half points.
    pub score: f64,
    /// Elo difference that corresponds to this score: `400 log₁₀(s / (1 − s))`. Absent if everything was
    /// won or lost.
    pub elo: Option<f64>,
    /// Lower end of the 95% interval; absent if everything was lost.
    pub elo_low: Option<f64>,
    /// Upper end of the 95% interval; absent if everything was won.
    pub elo_high: Option<f64>,
    /// The ends that the interval has.
    pub elo_interval: Sides,
    /// Likelihood of superiority: the probability that the first player is the stronger,
    /// `Φ((s − ½) / σ)`, where σ is the standard error of the score between equals.
    pub los: f64,
}

impl Estimate {
    /// Returns the interval of the Elo difference. A missing end is infinite.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let (low, high) = (self.elo_low, self.elo_high);
        Interval { low: low.unwrap_or(-f64::INFINITY), high: high.unwrap_or(f64::INFINITY) }
    }

    /// Returns the Elo difference, infinite if everything was won or lost.
    #[must_use]
    pub fn elo_or_infinite(&self) -> f64 {
        self.elo.unwrap_or_else(|| f64::INFINITY.copysign(self.score - 0.5))
    }
}

/// Formats an Elo difference with its interval.
///
/// # Examples
/// ```
/// use fusion_statistics::elo::words;
///
/// assert_eq!(words(Some(35.2), Some(-4.0), Some(75.0)), "+35 Elo (-4 to +75)");
/// assert_eq!(words(None, Some(183.0), None), "above +183 Elo (one-sided 95%)");
/// ```
#[must_use]
pub fn words(elo: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    match (elo, low, high) {
        (Some(elo), Some(low), Some(high)) => format!("{elo:+.0} Elo ({low:+.0} to {high:+.0})"),
        (_, Some(low), _) => format!("above {low:+.0} Elo (one-sided 95%)"),
        (_, _, Some(high)) => format!("below {high:+.0} Elo (one-sided 95%)"),
        _ => "no Elo".to_owned(),
    }
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
    /// The interval is Wilson's for the score, with the number N of independent games without draws that
    /// tell as much as the pairs do (N = 2n / k for n pairs). k is the pairs' variance divided by that of
    /// such games, `s (1 − s) / 2`; both are shrunk by two pairs between equals, since few pairs, or pairs
    /// that all ended alike, tell little of their variance. The ends are converted to Elo.
    ///
    /// If everything was won, there is no upper end, and the lower end is one-sided: a first player of score
    /// s wins both games of a pair with a chance of at most s, and all n pairs with at most `sⁿ`, which is 5%
    /// there. It is the same, mirrored, if everything was lost.
    ///
    /// Source of the interval: E. B. Wilson, *Probable Inference, the Law of Succession, and Statistical
    /// Inference*, Journal of the American Statistical Association 22 (1927).
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::elo::{Pentanomial, elo};
    ///
    /// // By hand: 20 · ½ + 50 · 1 + 20 · 1½ + 10 · 2 = 110 points of 200.
    /// let match_of_200_games = Pentanomial([0, 20, 50, 20, 10]);
    /// let estimate = match_of_200_games.estimate().unwrap();
    /// assert!((estimate.score - 0.55).abs() < 1e-12);
    /// assert!((estimate.elo.unwrap() - elo(0.55)).abs() < 1e-9);
    /// assert!(estimate.elo_low.unwrap() > 0.0 && estimate.los > 0.975);
    /// // 20 games of 20: 5% is the chance of ten won pairs at a score of 0.7411.
    /// let sweep = Pentanomial([0, 0, 0, 0, 10]).estimate().unwrap();
    /// assert_eq!((sweep.elo, sweep.elo_high), (None, None));
    /// assert!((sweep.elo_low.unwrap() - elo(0.05f64.powf(0.1))).abs() < 1e-9);
    /// assert_eq!(Pentanomial::default().estimate(), None);
    /// ```
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return None;
        }
        let (score, variance) = moments(self.0.map(|count| count as f64));
        // The mean of the pairs lies closer to them than the true score.
        let expected = score * (1.0 - score) / 2.0 * (pairs - 1.0);
        let prior = PRIOR_PAIRS * EVEN_PAIR;
        let games = 2.0 * pairs * (expected + prior) / (pairs * variance + prior);
        let one_sided = elo(ONE_SIDED.powf(1.0 / pairs));
        let [lost, won] =
            [[1, 2, 3, 4], [0, 1, 2, 3]].map(|other| other.iter().all(|&i| self.0[i] == 0));
        let (low, high, sides) = match () {
            () if won => (Some(one_sided), None, Sides::Above),
            () if lost => (None, Some(-one_sided), Sides::Below),
            () => {
                let [low, high] = wilson(score, games).map(elo);
                (Some(low), Some(high), Sides::Both)
            }
        };
        Some(Estimate {
            score,
            elo: (sides == Sides::Both).then(|| elo(score)),
            elo_low: low,
            elo_high: high,
            elo_interval: sides,
            los: Normal::standard().cdf((score - 0.5) * 2.0 * games.sqrt()),
        })
    }
}

/// Returns the ends of Wilson's 95% interval of a mean score of a number of games.
fn wilson(score: f64, games: f64) -> [f64; 2] {
    let z2 = Z95 * Z95;
    let centre = score + z2 / (2.0 * games);
    let half = Z95 * (score * (1.0 - score) / games + z2 / (4.0 * games * games)).sqrt();
    [centre - half, centre + half].map(|end| end / (1.0 + z2 / games))
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

    /// By hand: mean (20·0.25 + 50·0.5 + 20·0.75 + 10)/100 = 0.55, sum of squares
    /// 20·0.09 + 50·0.0025 + 20·0.04 + 10·0.2025 = 4.75, of independent games 0.55·0.45/2·99 = 12.25125;
    /// N = 200·12.50125/5 = 500.05. With z² = 3.841459 Wilson's ends are 0.506179 and 0.593058, and the LOS is
    /// Φ(0.05·2·√500.05) = Φ(2.236180) = 0.987330.
    #[test]
    fn estimate_from_a_hand_computed_match() {
        let estimate = Pentanomial([0, 20, 50, 20, 10]).estimate().unwrap();
        close(estimate.score, 0.55, 1e-12);
        close(estimate.elo.unwrap(), 34.860, 1e-3);
        close(expected_score(estimate.elo_low.unwrap()), 0.506_179, 1e-6);
        close(expected_score(estimate.elo_high.unwrap()), 0.593_058, 1e-6);
        close(estimate.los, 0.987_330, 1e-5);
        assert_eq!(estimate.elo_interval, Sides::Both);
    }

    #[test]
    fn an_even_match_is_even() {
        let estimate = Pentanomial([5, 10, 40, 10, 5]).estimate().unwrap();
        close(estimate.elo.unwrap(), 0.0, 1e-9);
        close(estimate.los, 0.5, 1e-9);
        close(estimate.elo_low.unwrap(), -estimate.elo_high.unwrap(), 1e-9);
    }

    /// A clean sweep has only the end of its interval that the games settle.
    #[test]
    fn one_sided_results_have_one_sided_intervals() {
        let of = |counts| Pentanomial(counts).estimate().unwrap();
        let (won, lost) = (of([0, 0, 0, 0, 10]), of([10, 0, 0, 0, 0]));
        assert_eq!((won.elo, won.elo_high, won.elo_interval), (None, None, Sides::Above));
        assert_eq!((lost.elo, lost.elo_low, lost.elo_interval), (None, None, Sides::Below));
        // 0.05^(1/10) = 0.741134.
        close(expected_score(won.elo_low.unwrap()), 0.741_134, 1e-6);
        close(won.elo_low.unwrap(), -lost.elo_high.unwrap(), 1e-9);
        assert!(won.los > 0.999 && lost.los < 0.001);
        assert_eq!(won.interval().high, f64::INFINITY);
        // A point less, and there are two ends.
        let nearly = of([0, 0, 1, 0, 9]);
        assert!(nearly.elo_low.unwrap() > 0.0 && nearly.elo_high.unwrap().is_finite());
    }

    /// Pairs that all ended alike have no spread of their own, and yet an interval.
    #[test]
    fn equal_pairs_have_an_interval_that_narrows() {
        let width = |counts| {
            let estimate = Pentanomial(counts).estimate().unwrap();
            let Interval { low, high } = estimate.interval();
            assert!(low < estimate.elo.unwrap() && estimate.elo.unwrap() < high);
            high - low
        };
        for outcome in 1..4 {
            let widths = [1, 4, 20, 1_000].map(|pairs| {
                let mut counts = [0; 5];
                counts[outcome] = pairs;
                width(counts)
            });
            assert!(widths.is_sorted_by(|a, b| a > b) && widths[3] > 1.0, "{widths:?}");
        }
        assert_eq!(Pentanomial::default().estimate(), None);
    }
}
