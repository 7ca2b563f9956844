//! One effect measured by several players: openings within networks within families of players.
//!
//! Player i measures its own effect over openings. The model of the estimates y is
//!
//! y ~ N(μ, V + Σ τ_l² Z_l Z_lᵀ)
//!
//! V is the covariance that comes of the choice of openings, estimated from the openings. Players may
//! share openings, so V has entries beside the diagonal. Each level l, such as families of players,
//! or networks, divides the players into groups: Z_l has a row for each player and a column for each
//! group. A group's deviation from μ has the standard deviation τ_l.
//!
//! With few groups τ_l is hardly known, and an interval that takes one value of it for true is too
//! narrow. So μ has a flat prior, each τ_l a half-normal one, and the interval is the posterior's,
//! integrated over a grid of all τ_l.
//!
//! Sources: A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari and D. B. Rubin, *Bayesian
//! data analysis* (third edition, 2013), section 5.4, for the model and its integration over τ; A. Gelman, *Prior
//! distributions for variance parameters in hierarchical models*, Bayesian Analysis 1 (2006), 515-534,
//! section 3.2, for the prior with few groups.

use crate::bisection::limit;
use crate::linear::Cholesky;
use crate::{Confidence, Interval, Result, StatisticsError};
use ndarray::{Array1, Array2};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;

/// Points of the grid of each τ.
const POINTS: usize = 20;
/// Largest τ of the grid, in standard deviations of the prior: half-normal values beyond have a chance of 1 in
/// 16,000.
const WIDEST: f64 = 4.0;
/// Most levels: the grid has `POINTS` to this power points.
const MOST_LEVELS: usize = 3;

/// What a player measured.
#[derive(Clone, Debug)]
pub struct Player {
    /// The effect by opening: number of the opening and, for a difference of draws, −1, 0 or 1. Equal numbers
    /// are the same opening for all players.
    pub effects: Vec<(u64, f64)>,
    /// The player's group at each level.
    pub groups: Vec<usize>,
}

/// The effect for all players.
#[derive(Clone, Debug)]
pub struct Pooled {
    /// Posterior mean of μ.
    pub mean: f64,
    /// Posterior interval of μ, the mean over all players of these kinds.
    pub interval: Interval,
    /// Posterior interval of the effect for one more player, of groups that were not measured.
    pub next: Interval,
    /// Posterior means of τ, by level.
    pub deviations: Vec<f64>,
    /// Variance of the estimate of μ that comes of the choice of openings, then of each level's groups.
    pub variances: Vec<f64>,
}

/// Pools the players' effects. `scales` has the standard deviation of the half-normal prior of each
/// level's τ: two thirds of the prior lie below it.
///
/// # Errors
/// Fails if there are no players or more than three levels, if a player has no openings, no groups or the same
/// opening twice, if a number is not finite or a scale not positive, or if no player's effect varies among openings.
///
/// # Examples
/// ```
/// use fusion_statistics::Confidence;
/// use fusion_statistics::pooled::{Player, pool};
///
/// // Two networks over the same four openings: −0.5 and 0.
/// let player = |effects: [f64; 4], network| Player {
///     effects: (0..).zip(effects).collect(),
///     groups: vec![network],
/// };
/// let players = [player([-1.0, 0.0, -1.0, 0.0], 0), player([0.0, 1.0, -1.0, 0.0], 1)];
/// let pooled = pool(&players, &[0.1], Confidence::P95)?;
/// assert!(pooled.mean < -0.2 && pooled.interval.contains(0.0));
/// assert!(pooled.next.low < pooled.interval.low && pooled.interval.high < pooled.next.high);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn pool(players: &[Player], scales: &[f64], confidence: Confidence) -> Result<Pooled> {
    check(players, scales)?;
    let (means, openings) = by_openings(players)?;
    let shared: Vec<Array2<f64>> =
        (0..scales.len()).map(|level| same_group(players, level)).collect();
    let points = grid(&means, &openings, &shared, scales)?;
    let total: f64 = points.iter().map(|point| point.weight).sum();
    let average = |of: &dyn Fn(&Point) -> f64| {
        points.iter().map(|point| point.weight * of(point)).sum::<f64>() / total
    };
    let between = |point: &Point| point.deviations.iter().map(|tau| tau * tau).sum::<f64>();
    Ok(Pooled {
        mean: average(&|point| point.mean),
        interval: mixture(&points, |point| point.variance, confidence),
        next: mixture(&points, |point| point.variance + between(point), confidence),
        deviations: (0..scales.len()).map(|level| average(&|p| p.deviations[level])).collect(),
        variances: (0..=scales.len()).map(|part| average(&|p| p.parts[part])).collect(),
    })
}

fn check(players: &[Player], scales: &[f64]) -> Result<()> {
    if players.is_empty() || players.iter().any(|player| player.effects.is_empty()) {
        return Err(StatisticsError::Empty);
    }
    if scales.len() > MOST_LEVELS || players.iter().any(|of| of.groups.len() != scales.len()) {
        return Err(StatisticsError::Undefined(
            "every player needs a group at each of at most 3 levels",
        ));
    }
    if let Some(&value) = scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
        return Err(StatisticsError::OutOfRange { name: "scale", value, range: "(0, ∞)" });
    }
    let mut effects = players.iter().flat_map(|player| &player.effects);
    match effects.find(|(_, effect)| !effect.is_finite()) {
        Some(&(_, effect)) => Err(StatisticsError::NotFinite(effect)),
        None => Ok(()),
    }
}

/// Returns the players' mean effects and their covariance over openings. An opening that several players
/// have played is drawn once for all of them.
///
/// Source: the cluster-robust covariance of means, A. C. Cameron and D. L. Miller, *A practitioner's guide to cluster-robust
/// inference*, Journal of Human Resources 50 (2015), section II.
fn by_openings(players: &[Player]) -> Result<(Array1<f64>, Array2<f64>)> {
    let count = players.len();
    let mut means = Array1::zeros(count);
    let mut residuals: BTreeMap<u64, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, player) in players.iter().enumerate() {
        let openings = player.effects.len() as f64;
        means[at] = player.effects.iter().map(|(_, effect)| effect).sum::<f64>() / openings;
        let correction = (openings / (openings - 1.0).max(1.0)).sqrt();
        for &(opening, effect) in &player.effects {
            let of_opening = residuals.entry(opening).or_default();
            if of_opening.last().is_some_and(|&(last, _)| last == at) {
                return Err(StatisticsError::Undefined("a player has an opening twice"));
            }
            of_opening.push((at, (effect - means[at]) / openings * correction));
        }
    }
    let mut covariance = Array2::zeros((count, count));
    for of_opening in residuals.values() {
        for &(i, x) in of_opening {
            of_opening.iter().for_each(|&(j, y)| covariance[[i, j]] += x * y);
        }
    }
    Ok((means, covariance))
}

/// Returns Z Zᵀ of a level: 1 where two players are of the same group.
fn same_group(players: &[Player], level: usize) -> Array2<f64> {
    let group = |at: usize| players[at].groups[level];
    let same = |(i, j)| f64::from(u8::from(group(i) == group(j)));
    Array2::from_shape_fn((players.len(), players.len()), same)
}

/// The posterior at one value of every τ.
struct Point {
    /// Posterior density, not normalised.
    weight: f64,
    /// τ by level.
    deviations: Vec<f64>,
    /// Mean and variance of μ.
    mean: f64,
    variance: f64,
    /// Variance by openings, then by level. They add up to the variance.
    parts: Vec<f64>,
}

fn grid(
    means: &Array1<f64>,
    openings: &Array2<f64>,
    shared: &[Array2<f64>],
    scales: &[f64],
) -> Result<Vec<Point>> {
    let number = POINTS.pow(scales.len() as u32);
    let mut points = Vec::with_capacity(number);
    for index in 0..number {
        let of_level = |level: usize| index / POINTS.pow(level as u32) % POINTS;
        // The middles of equal parts.
        let tau = |(level, scale): (usize, &f64)| {
            (of_level(level) as f64 + 0.5) / POINTS as f64 * WIDEST * scale
        };
        let deviations: Vec<f64> = scales.iter().enumerate().map(tau).collect();
        let prior = deviations.iter().zip(scales).map(|(tau, scale)| -(tau / scale).powi(2) / 2.0);
        points.extend(point(means, openings, shared, &deviations, prior.sum()));
    }
    let highest = points.iter().map(|point| point.weight).fold(f64::NEG_INFINITY, f64::max);
    if points.is_empty() {
        return Err(StatisticsError::Undefined("no player's effect varies among openings"));
    }
    // The weights are logarithms until here.
    points.iter_mut().for_each(|point| point.weight = (point.weight - highest).exp());
    Ok(points)
}

/// Returns the posterior at one value of every τ, its weight as a logarithm. `None` if the covariance is not
/// positive definite.
fn point(
    means: &Array1<f64>,
    openings: &Array2<f64>,
    shared: &[Array2<f64>],
    deviations: &[f64],
    log_prior: f64,
) -> Option<Point> {
    let levels = || deviations.iter().zip(shared);
    let covariance = levels().fold(openings.clone(), |sum, (tau, same)| sum + same * (tau * tau));
    let cholesky = Cholesky::of(covariance)?;
    let ones = Array1::ones(means.len());
    let precision = cholesky.solve(ones.clone());
    let information = precision.sum();
    if !(information.is_finite() && information > 0.0) {
        return None;
    }
    let weights = precision / information;
    let mean = weights.dot(means);
    let residuals = means - &(ones * mean);
    let misfit = residuals.dot(&cholesky.solve(residuals.clone()));
    let log_likelihood = -(cholesky.log_determinant() + information.ln() + misfit) / 2.0;
    let spread = |matrix: &Array2<f64>| weights.dot(&matrix.dot(&weights));
    let parts = std::iter::once(spread(openings))
        .chain(levels().map(|(tau, same)| tau * tau * spread(same)))
        .collect();
    Some(Point {
        weight: log_prior + log_likelihood,
        deviations: deviations.to_vec(),
        mean,
        variance: 1.0 / information,
        parts,
    })
}

/// Returns the central interval of a mixture of normal distributions around the points' means.
fn mixture(points: &[Point], variance: impl Fn(&Point) -> f64, confidence: Confidence) -> Interval {
    let normal = Normal::standard();
    let total: f64 = points.iter().map(|point| point.weight).sum();
    // Points without weight only take time.
    let parts: Vec<(f64, f64, f64)> = points
        .iter()
        .filter(|point| point.weight > 1e-12)
        .map(|point| (point.weight / total, point.mean, variance(point).sqrt()))
        .collect();
    let below = |x: f64| -> f64 {
        parts.iter().map(|(weight, mean, sd)| weight * normal.cdf((x - mean) / sd)).sum()
    };
    let far = |sign: f64| {
        let ends = parts.iter().map(|(_, mean, sd)| sign * mean + 40.0 * sd);
        sign * ends.fold(f64::NEG_INFINITY, f64::max)
    };
    let (low, high) = (far(-1.0), far(1.0));
    let tail = confidence.tail();
    Interval {
        low: limit(low, high, |x| below(x) <= tail),
        high: limit(high, low, |x| below(x) >= 1.0 - tail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a player with this mean and this standard error, from openings of its own.
    fn player(at: u64, mean: f64, error: f64) -> Player {
        // Two openings: the standard error of their mean is half of their distance.
        let effects = vec![(2 * at, mean - error), (2 * at + 1, mean + error)];
        Player { effects, groups: vec![at as usize] }
    }

    /// The eight schools of Rubin (1981): Gelman and others, table 5.2. The pooled estimate without
    /// differences between schools is 7.7 with a standard error of 4.1 (section 5.5).
    fn schools() -> Vec<Player> {
        let effects = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
        let errors = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
        (0..).zip(effects.into_iter().zip(errors)).map(|(at, (y, s))| player(at, y, s)).collect()
    }

    #[test]
    fn without_differences_between_groups_the_estimate_is_that_of_the_text() {
        let pooled = pool(&schools(), &[1e-6], Confidence::P95).unwrap();
        assert!((pooled.mean - 7.7).abs() < 0.05, "{}", pooled.mean);
        let error = pooled.variances[0].sqrt();
        assert!((error - 4.1).abs() < 0.05, "{error}");
        let half = (pooled.interval.high - pooled.interval.low) / 2.0;
        assert!((half - 1.959_964 * error).abs() < 1e-4);
    }

    /// With the wide prior of section 5.5 the text's posterior of μ has its middle near 8, and τ is below 10
    /// with a chance of about 80%.
    #[test]
    fn with_differences_the_interval_is_wider() {
        let pooled = pool(&schools(), &[15.0], Confidence::P95).unwrap();
        assert!((pooled.mean - 8.0).abs() < 0.7, "{}", pooled.mean);
        assert!((4.0..9.0).contains(&pooled.deviations[0]), "{:?}", pooled.deviations);
        assert!(pooled.interval.low < 7.7 - 1.96 * 4.1 && pooled.interval.high > 7.7 + 1.96 * 4.1);
    }

    #[test]
    fn shared_openings_do_not_average_out() {
        let shared = |network| Player {
            effects: (0..100).map(|at| (at, f64::from(u8::from(at % 2 == 0)))).collect(),
            groups: vec![network],
        };
        let own = |network: usize| Player {
            effects: (0..100)
                .map(|at| (1_000 * network as u64 + at, f64::from(u8::from(at % 2 == 0))))
                .collect(),
            groups: vec![network],
        };
        let error = |players: Vec<Player>| {
            pool(&players, &[1e-3], Confidence::P95).unwrap().variances[0].sqrt()
        };
        let one = error(vec![shared(0)]);
        assert!((error((0..4).map(shared).collect()) - one).abs() < 1e-6);
        assert!((error((1..5).map(own).collect()) - one / 2.0).abs() < 1e-6);
    }

    #[test]
    fn impossible_input_is_rejected() {
        let good = || vec![player(0, 0.1, 0.1), player(1, 0.2, 0.1)];
        assert!(pool(&good(), &[0.1], Confidence::P95).is_ok());
        assert!(pool(&[], &[0.1], Confidence::P95).is_err());
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(pool(&good(), &[scale], Confidence::P95).is_err(), "{scale}");
        }
        assert!(pool(&good(), &[], Confidence::P95).is_err());
        let twice = Player { effects: vec![(1, 0.0), (1, 1.0)], groups: vec![0] };
        assert!(pool(&[twice], &[0.1], Confidence::P95).is_err());
        let infinite = Player { effects: vec![(1, f64::INFINITY)], groups: vec![0] };
        assert!(pool(&[infinite], &[0.1], Confidence::P95).is_err());
    }

    proptest! {
        #[test]
        fn the_parts_of_the_variance_and_the_order_of_players(
            means in prop::collection::vec((-1.0..1.0, 0.01..0.2), 2..6),
            scales in prop::collection::vec(0.01..0.3, 1..3),
        ) {
            let mut players: Vec<Player> =
                (0..).zip(&means).map(|(at, &(mean, error))| player(at, mean, error)).collect();
            for (at, player) in players.iter_mut().enumerate() {
                player.groups = [at, at / 2].into_iter().take(scales.len()).collect();
            }
            let pooled = pool(&players, &scales, Confidence::P95).unwrap();
            prop_assert!(pooled.interval.contains(pooled.mean));
            prop_assert!(pooled.next.low <= pooled.interval.low);
            prop_assert!(pooled.interval.high <= pooled.next.high);
            prop_assert!(pooled.variances.iter().all(|part| *part >= -1e-12));
            players.reverse();
            let reversed = pool(&players, &scales, Confidence::P95).unwrap();
            prop_assert!((reversed.mean - pooled.mean).abs() < 1e-9);
            prop_assert!((reversed.interval.low - pooled.interval.low).abs() < 1e-9);
        }
    }
}
