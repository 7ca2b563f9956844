//! Width of the draw margin, separate from the first-move advantage.

use super::Result;
use super::bootstrap::Bootstrap;

/// Returns the width of the draw in the logistic model of game results, in Elo:
/// `200 log₁₀[((1−L)/L) ((1−W)/W)]` with shares W and L of wins and losses.
///
/// Returns `None` if a side never won: the margin then has no finite estimate.
///
/// Source: R. Coulom, *Bayeselo* (2005), after P. V. Rao and L. L. Kupper, JASA 62 (1967).
///
/// # Examples
/// ```
/// use fusion_statistics::margin::draw_elo;
///
/// // A quarter of the games won by each side: 200 log₁₀ (3 · 3).
/// assert!((draw_elo(25, 50, 25).unwrap() - 190.848_5).abs() < 1e-4);
/// assert_eq!(draw_elo(25, 75, 0), None);
/// ```
#[must_use]
pub fn draw_elo(wins: u64, draws: u64, losses: u64) -> Option<f64> {
    elo(&[wins, draws, losses].map(|count| count as f64))
}

/// Returns Davidson's tie parameter `ν = D / √(W L)`.
///
/// Returns `None` if a side never won.
///
/// Source: R. R. Davidson, *On extending the Bradley-Terry model to accommodate ties*,
/// JASA 65 (1970).
///
/// # Examples
/// ```
/// use fusion_statistics::margin::davidson_nu;
///
/// // 50 / √(25 · 16).
/// assert_eq!(davidson_nu(25, 50, 16), Some(2.5));
/// ```
#[must_use]
pub fn davidson_nu(wins: u64, draws: u64, losses: u64) -> Option<f64> {
    nu(&[wins, draws, losses].map(|count| count as f64))
}

/// Returns the bootstrap distribution of [`draw_elo`] from each opening's wins, draws and losses.
///
/// # Errors
/// Returns the errors of [`Bootstrap::draw`], for example if a side never won in more than 5% of
/// the resamples.
///
/// # Examples
/// ```
/// use fusion_statistics::{Confidence, margin};
/// // 60 openings of one game each: White won 20, Black 10.
/// let mut openings = vec![[1.0, 0.0, 0.0]; 20];
/// openings.extend([[0.0, 1.0, 0.0]; 30]);
/// openings.extend([[0.0, 0.0, 1.0]; 10]);
/// let elo = margin::draw_elo(20, 30, 10).unwrap();
/// let distribution = margin::draw_elo_bootstrap(&openings, 2_000, 1)?;
/// assert!(distribution.interval(Confidence::P95)?.contains(elo));
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn draw_elo_bootstrap(openings: &[[f64; 3]], resamples: u32, seed: u64) -> Result<Bootstrap> {
    Bootstrap::draw(openings, elo, resamples, seed)
}

/// Returns the bootstrap distribution of [`davidson_nu`] from each opening's wins, draws and
/// losses.
///
/// # Errors
/// Returns the errors of [`Bootstrap::draw`], for example if a side never won in more than 5% of
/// the resamples.
pub fn davidson_nu_bootstrap(
    openings: &[[f64; 3]],
    resamples: u32,
    seed: u64,
) -> Result<Bootstrap> {
    Bootstrap::draw(openings, nu, resamples, seed)
}

fn elo(&[wins, draws, losses]: &[f64; 3]) -> Option<f64> {
    let n = wins + draws + losses;
    let odds = |count: f64| (n - count) / count;
    (wins > 0.0 && losses > 0.0).then(|| 200.0 * (odds(losses) * odds(wins)).log10())
}

fn nu(&[wins, draws, losses]: &[f64; 3]) -> Option<f64> {
    (wins > 0.0 && losses > 0.0).then(|| draws / (wins * losses).sqrt())
}

#[cfg(test)]
mod tests {
    use super::super::{Confidence, Interval};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn golden_values() {
        let elo = draw_elo(772, 8820, 409).unwrap();
        assert!((elo - 489.54).abs() < 0.0051, "{elo}");
        let nu = davidson_nu(772, 8820, 409).unwrap();
        assert!((nu - 15.696).abs() < 0.00051, "{nu}");
    }

    #[test]
    fn no_finite_margin_without_wins_of_both() {
        assert_eq!(draw_elo(0, 5, 3), None);
        assert_eq!(davidson_nu(3, 5, 0), None);
        assert_eq!(draw_elo(0, 0, 0), None);
    }

    /// Delta method for one game per opening: the variances of `ln ν` and of the Elo follow from
    /// the variances of multinomial counts.
    #[test]
    fn intervals_agree_with_the_delta_method() {
        let (w, d, l) = (240.0f64, 600.0, 160.0);
        let mut openings = vec![[1.0, 0.0, 0.0]; 240];
        openings.extend([[0.0, 1.0, 0.0]; 600]);
        openings.extend([[0.0, 0.0, 1.0]; 160]);
        let n = w + d + l;
        // Gradients with respect to wins, draws and losses as shares of n.
        let nu_gradient = [-0.5 / (w / n), 1.0 / (d / n), -0.5 / (l / n)];
        let per_elo = -200.0 / std::f64::consts::LN_10;
        let slope = |x: f64| per_elo / (x / n * (1.0 - x / n));
        let elo_gradient = [slope(w), 0.0, slope(l)];
        let error = |gradient: [f64; 3]| {
            let shares = [w / n, d / n, l / n];
            let mean: f64 = gradient.iter().zip(shares).map(|(g, p)| g * p).sum();
            let square: f64 = gradient.iter().zip(shares).map(|(g, p)| g * g * p).sum();
            ((square - mean * mean) / n).sqrt()
        };
        let close = |interval: Interval, estimate: f64, error: f64| {
            let half = 1.96 * error;
            assert!((interval.low - estimate + half).abs() < 0.1 * half, "{interval:?} {half}");
            assert!((interval.high - estimate - half).abs() < 0.1 * half, "{interval:?} {half}");
        };
        let nus = davidson_nu_bootstrap(&openings, 20_000, 1).unwrap();
        let interval = nus.interval(Confidence::P95).unwrap();
        let logs = Interval { low: interval.low.ln(), high: interval.high.ln() };
        close(logs, (d / (w * l).sqrt()).ln(), error(nu_gradient));
        let elos = draw_elo_bootstrap(&openings, 20_000, 1).unwrap();
        let interval = elos.interval(Confidence::P95).unwrap();
        close(interval, draw_elo(240, 600, 160).unwrap(), error(elo_gradient));
        let lost_once = [[3.0, 5.0, 0.0], [2.0, 4.0, 1.0], [1.0, 1.0, 0.0]];
        assert!(draw_elo_bootstrap(&lost_once, 1_000, 1).is_err());
    }

    proptest! {
        #[test]
        fn symmetric_and_growing_with_draws(w in 1u64..5000, d in 0u64..5000, l in 1u64..5000) {
            let (elo, nu) = (draw_elo(w, d, l).unwrap(), davidson_nu(w, d, l).unwrap());
            prop_assert!((elo - draw_elo(l, d, w).unwrap()).abs() < 1e-9);
            prop_assert!((nu - davidson_nu(l, d, w).unwrap()).abs() < 1e-9);
            prop_assert!(elo >= -1e-9 && nu >= 0.0);
            prop_assert!(draw_elo(w, d + 1, l).unwrap() > elo && davidson_nu(w, d + 1, l).unwrap() > nu);
        }
    }
}
