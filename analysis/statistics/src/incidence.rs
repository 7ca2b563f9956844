//! Cumulative incidence of competing endings.

use super::{Confidence, Interval, Result, StatisticsError};
use ndarray::{Array2, ArrayView1};

/// The last observed time of a game, and its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Time in plies.
    pub time: u32,
    /// Number of the ending, from 0; `None` for a game that was stopped before it ended.
    pub ending: Option<usize>,
}

/// One step of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Time in plies from which the value holds.
    pub time: u32,
    /// Share of the games that have ended in this way by this time t: `Σ S(s) d(s) / n(s)` over
    /// times s ≤ t. `S(s)` is the share that has not ended before s. `d(s)` of the `n(s)` games
    /// that reach s end there in this way.
    pub share: f64,
    /// Standard error of the share.
    pub error: f64,
}

impl Step {
    /// Returns the normal interval, clipped to 0 and 1.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, incidence::Step};
    ///
    /// let early = Step { time: 20, share: 0.02, error: 0.02 };
    /// let interval = early.interval(Confidence::P95);
    /// assert_eq!(interval.low, 0.0);
    /// assert!((interval.high - 0.0592).abs() < 1e-4);
    /// ```
    #[must_use]
    pub fn interval(self, confidence: Confidence) -> Interval {
        let half = confidence.z() * self.error;
        Interval { low: (self.share - half).max(0.0), high: (self.share + half).min(1.0) }
    }
}

/// The games that end at one time.
struct Instant {
    time: u32,
    at_risk: f64,
    /// Number of games that end at this time, over all endings.
    ended: f64,
    /// Share of the games that have not ended before this time.
    surviving: f64,
}

/// Returns the Aalen-Johansen curve of each of `endings` endings. It has a step at each time at
/// which a game ended in any way. Kaplan and Meier's estimator would treat games with another
/// ending as games that might still end this way.
///
/// Source: O. O. Aalen and S. Johansen, *An empirical transition matrix for non-homogeneous Markov
/// chains based on censored observations*, Scandinavian Journal of Statistics 5 (1978); variance by
/// the delta method, E. Marubini and M. G. Valsecchi, *Analysing survival data from clinical trials
/// and observational studies* (1995), section 10.2.
///
/// # Errors
/// Fails if there are no games, or if an ending is not below `endings`.
///
/// # Examples
/// ```
/// use fusion_statistics::incidence::{Observed, aalen_johansen};
///
/// const MATE: usize = 0;
/// const DRAW: usize = 1;
/// let game = |time, ending| Observed { time, ending };
/// let games =
///     [game(10, Some(MATE)), game(20, Some(DRAW)), game(25, None), game(30, Some(MATE))];
/// let curves = aalen_johansen(&games, 2)?;
/// let shares = |ending: usize| curves[ending].iter().map(|step| (step.time, step.share));
/// // By hand: one of the three games that reach ply 20 is drawn there, ¾ · ⅓. The game stopped at
/// // ply 25 counts as if it ended like those that went on.
/// assert_eq!(shares(MATE).collect::<Vec<_>>(), [(10, 0.25), (20, 0.25), (30, 0.75)]);
/// assert_eq!(shares(DRAW).last(), Some((30, 0.25)));
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn aalen_johansen(games: &[Observed], endings: usize) -> Result<Vec<Vec<Step>>> {
    if games.is_empty() {
        return Err(StatisticsError::Empty);
    }
    if games.iter().any(|game| game.ending.is_some_and(|ending| ending >= endings)) {
        return Err(StatisticsError::Undefined("an ending that is not among those counted"));
    }
    let (instants, ended) = instants(games, endings);
    Ok(ended.columns().into_iter().map(|ended| curve(&instants, ended)).collect())
}

/// Returns the times at which games end, and the number of games for each ending. Each row is a
/// time, and each column is an ending.
fn instants(games: &[Observed], endings: usize) -> (Vec<Instant>, Array2<f64>) {
    let mut sorted = games.to_vec();
    sorted.sort_by_key(|game| game.time);
    let (mut at_risk, mut surviving) = (sorted.len(), 1.0);
    let mut instants = Vec::new();
    let times = sorted.chunk_by(|a, b| a.time == b.time);
    let mut by_ending = Array2::zeros((times.clone().count(), endings));
    for games in times {
        let endings = games.iter().filter_map(|game| game.ending);
        let ended = endings.clone().count() as f64;
        if ended > 0.0 {
            endings.for_each(|ending| by_ending[(instants.len(), ending)] += 1.0);
            let (time, risk) = (games[0].time, at_risk as f64);
            instants.push(Instant { time, at_risk: risk, ended, surviving });
            surviving *= 1.0 - ended / risk;
        }
        // Games stopped at a time are still at risk at that time.
        at_risk -= games.len();
    }
    (instants, by_ending)
}

/// Returns the curve of one ending, of which `ended` games end at each instant.
fn curve(instants: &[Instant], ended: ArrayView1<f64>) -> Vec<Step> {
    let mut share = 0.0;
    let mut past = Vec::with_capacity(instants.len());
    for (instant, &these) in instants.iter().zip(ended) {
        share += instant.surviving * these / instant.at_risk;
        past.push((instant, these, share));
    }
    let step = |(i, &(instant, _, share)): (usize, &(&Instant, f64, f64))| {
        let parts = past[..=i].iter();
        let variance: f64 = parts.map(|&(at, these, then)| part(at, these, share - then)).sum();
        Step { time: instant.time, share, error: variance.max(0.0).sqrt() }
    };
    past.iter().enumerate().map(step).collect()
}

/// Returns the contribution of one instant, at which `these` games end in this way, to the variance
/// of a share that has since grown by `growth`.
fn part(instant: &Instant, these: f64, growth: f64) -> f64 {
    let Instant { at_risk: n, ended, surviving, .. } = *instant;
    // The share no longer grows after the last games have ended.
    let left = if growth == 0.0 { 0.0 } else { growth * growth * ended / (n * (n - ended)) };
    left + surviving * surviving * these * (n - these) / (n * n * n)
        - 2.0 * growth * surviving * these / (n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn observed(games: &[(u32, Option<usize>)]) -> Vec<Observed> {
        games.iter().map(|&(time, ending)| Observed { time, ending }).collect()
    }

    /// Expected values: lifelines 0.30, `AalenJohansenFitter(calculate_variance=True)`.
    #[test]
    fn agrees_with_lifelines() {
        let endings = "211122122222120022212222".bytes().map(|end| (end - b'0').checked_sub(1));
        let games: Vec<Observed> = (1..)
            .zip(endings)
            .map(|(time, ending)| Observed { time, ending: ending.map(usize::from) })
            .collect();
        let curves = aalen_johansen(&games, 2).unwrap();
        for (ending, time, share, error) in [
            (0, 2, 0.041_666_667, 0.040_789_375),
            (0, 13, 0.208_333_333, 0.082_898_169),
            (0, 23, 0.260_416_667, 0.092_193_875),
            (1, 12, 0.333_333_333, 0.096_225_045),
            (1, 17, 0.427_083_333, 0.103_294_964),
            (1, 23, 0.6875, 0.098_821_177),
        ] {
            let step = curves[ending].iter().find(|step| step.time == time).unwrap();
            assert!((step.share - share).abs() < 1e-8, "{step:?}");
            assert!((step.error - error).abs() < 1e-8, "{step:?}");
        }
        // The last game leaves no games at risk, where other implementations divide by zero.
        let last = curves[1].last().unwrap();
        assert!(last.time == 24 && last.error.is_finite());
    }

    #[test]
    fn input_that_says_nothing() {
        assert_eq!(aalen_johansen(&[], 2), Err(StatisticsError::Empty));
        assert!(aalen_johansen(&observed(&[(3, Some(2))]), 2).is_err());
        assert_eq!(aalen_johansen(&observed(&[(3, None)]), 1), Ok(vec![vec![]]));
    }

    proptest! {
        #[test]
        fn without_stopped_games_the_shares_are_plain_ones(
            games in prop::collection::vec((1u32..40, 0usize..3), 1..200),
        ) {
            let games: Vec<_> = games.into_iter().map(|(time, end)| (time, Some(end))).collect();
            let curves = aalen_johansen(&observed(&games), 3).unwrap();
            let n = games.len() as f64;
            for (ending, curve) in curves.iter().enumerate() {
                for step in curve {
                    let past = games.iter().filter(|game| game.0 <= step.time);
                    let share = past.filter(|game| game.1 == Some(ending)).count() as f64 / n;
                    prop_assert!((step.share - share).abs() < 1e-9);
                    // The error equals that of a share of n games.
                    let variance = share * (1.0 - share) / n;
                    prop_assert!((step.error.powi(2) - variance).abs() < 1e-12, "{step:?}");
                }
            }
        }

        #[test]
        fn curves_rise_and_sum_to_what_has_ended(
            games in prop::collection::vec((1u32..40, prop::option::of(0usize..3)), 1..200),
        ) {
            let curves = aalen_johansen(&observed(&games), 3).unwrap();
            for curve in &curves {
                prop_assert!(curve.is_sorted_by(|a, b| a.time < b.time && a.share <= b.share));
            }
            let last: f64 = curves.iter().filter_map(|curve| curve.last()).map(|s| s.share).sum();
            prop_assert!(last <= 1.0 + 1e-9);
        }
    }
}
