//! One Elo scale for many players, from matches between some of them.
//!
//! The model is that of Bradley and Terry (*Rank analysis of incomplete block designs: I*,
//! Biometrika 39, 1952, 324-345): a player rated x above another has an expected score of
//! p = 1 / (1 + 10^(-x/400)) a game. A draw counts half a point for each.
//!
//! The ratings maximise the likelihood times Jeffreys' prior, the square root of the
//! determinant of the information matrix (D. Firth, *Bias reduction of maximum likelihood
//! estimates*, Biometrika 80, 1993, 27-38). That prior removes the leading term of the
//! estimates' bias and keeps them finite where a player won or lost everything (I. Kosmidis
//! and D. Firth, *Jeffreys-prior penalty, finiteness and shrinkage in binomial-response
//! generalized linear models*, Biometrika 108, 2021, 71-82). It is weak: it acts like drawn
//! games spread over the pairings. Their total is one less than the number of players, and
//! most of them go to ratings that depend on few games. For only two players it is one game, so
//! that 40 wins of 40 count as 40½ of 41, which is 763 Elo.
//!
//! The two games of a pair share their opening, so intervals are based on pairs. The variance of
//! the estimates is A J A with the inverse A of the information matrix and the variance J of
//! the score function. Each pairing adds the variance of its pairs' points to J (H. White,
//! *Maximum likelihood estimation of misspecified models*, Econometrica 50, 1982, 1-25).
//! If all pairs of a pairing ended alike, as in a clean sweep, their spread carries no
//! information, and a bootstrap over pairs would not help. A pairing's variance is therefore
//! shrunk towards that of independent games without draws, which is more than that of most
//! matches, with the weight of two pairs between equals.

use crate::elo::{Pentanomial, Z95};
use crate::linear::{Cholesky, largest};
use crate::{Result, StatisticsError};
use ndarray::{Array1, Array2, Zip};

/// Elo of one unit of the logistic scale: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Variance of the points of a pair between equals without draws: 2 games of 1/4.
const EVEN_PAIR: f64 = 0.5;
/// Number of such pairs towards which each pairing's variance is shrunk.
const PRIOR_PAIRS: f64 = 2.0;
/// Step limit on the logistic scale: far from the maximum, Newton's steps are too long.
const LONGEST: f64 = 2.0;
/// Step length that ends the search; about 0.000 01 Elo.
const SHORTEST: f64 = 1e-7;
/// Iteration limit; the search takes about ten steps.
const STEPS: usize = 1000;

/// The match between two players.
#[derive(Clone, Copy, Debug)]
pub struct Pairing {
    /// Numbers of the players, from 0.
    pub players: [usize; 2],
    /// Pairs of games by the first player's points.
    pub pairs: Pentanomial,
}

/// A player's place on the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo above player 0: `400 log₁₀(p / (1 − p))` for an expected score p against player 0.
    pub elo: f64,
    /// Lower end of the 95% interval of that difference.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Rates players from the matches between them. Player 0 is the zero of the scale. The intervals
/// are those of the difference from player 0, so player 0's interval has no width.
///
/// # Errors
/// Fails if no chain of matches connects some player with player 0, or if a pairing has a player
/// that does not exist.
///
/// # Examples
/// ```
/// use fusion_statistics::elo::Pentanomial;
/// use fusion_statistics::rating::{self, Pairing};
///
/// // Player 1 won all 20 pairs against player 0. By hand: 40½ points of 41 are 400 log₁₀ 81.
/// let sweep = Pairing { players: [1, 0], pairs: Pentanomial([0, 0, 0, 0, 20]) };
/// let ratings = rating::fit(2, &[sweep])?;
/// assert_eq!(ratings[0].elo, 0.0);
/// assert!((ratings[1].elo - 400.0 * 81f64.log10()).abs() < 1e-3);
/// assert!(ratings[1].low > 0.0);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn fit(players: usize, pairings: &[Pairing]) -> Result<Vec<Rating>> {
    let duels: Vec<Duel> = pairings.iter().filter_map(Duel::of).collect();
    check(players, &duels)?;
    let state = maximum(&duels, Array1::zeros(players.saturating_sub(1)))?;
    let errors = state.errors(&duels);
    let rate = |(x, error): (&f64, f64)| {
        let (elo, margin) = (x * ELO, Z95 * error * ELO);
        Rating { elo, low: elo - margin, high: elo + margin }
    };
    let zero = Rating { elo: 0.0, low: 0.0, high: 0.0 };
    Ok(std::iter::once(zero).chain(state.ratings.iter().zip(errors).map(rate)).collect())
}

/// A pairing, converted for the fit.
struct Duel {
    players: [usize; 2],
    /// Number of games, and points of the first player.
    games: f64,
    points: f64,
    /// Number of pairs by points, as in [`Pentanomial`].
    pairs: [f64; 5],
}

impl Duel {
    /// Converts a pairing. Returns `None` without games.
    fn of(pairing: &Pairing) -> Option<Self> {
        let pairs = pairing.pairs.0.map(|count| count as f64);
        let points = pairs.iter().enumerate().map(|(halves, n)| n * halves as f64 / 2.0).sum();
        let games = 2.0 * pairing.pairs.pairs() as f64;
        (games > 0.0).then_some(Self { players: pairing.players, games, points, pairs })
    }

    /// Returns the first player's rating minus the second's. Player 0 has no place in `ratings`.
    fn difference(&self, ratings: &Array1<f64>) -> f64 {
        let of = |player: usize| player.checked_sub(1).map_or(0.0, |place| ratings[place]);
        of(self.players[0]) - of(self.players[1])
    }

    /// Returns the places of the two players with their signs in the difference.
    fn places(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<> {
        let [first, second] = self.players;
        let place = |player: usize, sign: f64| player.checked_sub(1).map(|place| (place, sign));
        place(first, 1.0).into_iter().chain(place(second, -1.0))
    }

    /// Adds `weight` times the square of the difference, as a quadratic form in the ratings.
    fn add_square(&self, weight: f64, matrix: &mut Array2<f64>) {
        for (i, one) in self.places() {
            for (j, other) in self.places() {
                matrix[(i, j)] += weight * one * other;
            }
        }
    }

    /// Returns the value of a quadratic form for this difference.
    fn square(&self, matrix: &Array2<f64>) -> f64 {
        let places = self.places();
        places
            .clone()
            .flat_map(|(i, one)| places.clone().map(move |(j, other)| one * other * matrix[(i, j)]))
            .sum()
    }
}

/// Rejects pairings from which no ratings can be computed.
fn check(players: usize, duels: &[Duel]) -> Result<()> {
    let known = |duel: &Duel| duel.players.iter().all(|&player| player < players);
    if !duels.iter().all(known) {
        return Err(StatisticsError::UnknownPlayer { players });
    }
    let mut reached = vec![false; players];
    reached.iter_mut().take(1).for_each(|zero| *zero = true);
    loop {
        let open = |duel: &&Duel| reached[duel.players[0]] != reached[duel.players[1]];
        let Some(duel) = duels.iter().find(open) else { break };
        duel.players.iter().for_each(|&player| reached[player] = true);
    }
    match reached.iter().position(|reached| !reached) {
        Some(player) => Err(StatisticsError::Unconnected { player }),
        None => Ok(()),
    }
}

/// The ratings on the logistic scale, without player 0's, and derived quantities of the fit.
struct State {
    ratings: Array1<f64>,
    /// Logarithm of likelihood times prior.
    objective: f64,
    /// Inverse of the information matrix.
    inverse: Array2<f64>,
}

impl State {
    /// Computes the state. Returns `None` if differences are too large for the arithmetic.
    fn at(duels: &[Duel], ratings: Array1<f64>) -> Option<Self> {
        let size = ratings.len();
        let mut information = Array2::zeros((size, size));
        let mut objective = 0.0;
        for duel in duels {
            let x = duel.difference(&ratings);
            duel.add_square(duel.games * logistic(x) * logistic(-x), &mut information);
            let lost = duel.games - duel.points;
            objective += duel.points * log_logistic(x) + lost * log_logistic(-x);
        }
        let factor = Cholesky::of(information)?;
        objective += factor.log_determinant() / 2.0;
        Some(Self { ratings, objective, inverse: factor.inverse() })
    }

    /// Returns a duel's expected score, its information, and its leverage: the share of a rating's
    /// information that comes only from this duel. Leverages add up to the number of ratings.
    fn weigh(&self, duel: &Duel) -> (f64, f64, f64) {
        let x = duel.difference(&self.ratings);
        let (score, information) = (logistic(x), duel.games * logistic(x) * logistic(-x));
        (score, information, information * duel.square(&self.inverse))
    }

    /// Returns the step to the maximum by Fisher's scoring. The prior adds to each duel a number of
    /// drawn games equal to its leverage.
    fn step(&self, duels: &[Duel]) -> Array1<f64> {
        let mut gradient = Array1::zeros(self.ratings.len());
        for duel in duels {
            let (score, _, leverage) = self.weigh(duel);
            let slope = duel.points - duel.games * score + leverage * (0.5 - score);
            duel.places().for_each(|(place, sign)| gradient[place] += sign * slope);
        }
        self.inverse.dot(&gradient)
    }

    /// Returns the standard errors of the ratings.
    fn errors(&self, duels: &[Duel]) -> Array1<f64> {
        let size = self.ratings.len();
        let mut variance = Array2::zeros((size, size));
        for duel in duels {
            let (score, information, leverage) = self.weigh(duel);
            let distance = |halves: usize| (halves as f64 / 2.0 - 2.0 * score).powi(2);
            let spread: f64 =
                duel.pairs.iter().enumerate().map(|(halves, n)| n * distance(halves)).sum();
            // Fitted ratings lie closer to the pairs than the true ratings.
            let free = information * (1.0 - leverage / (duel.games / 2.0));
            let prior = PRIOR_PAIRS * EVEN_PAIR;
            duel.add_square(information * (spread + prior) / (free + prior), &mut variance);
        }
        let half = self.inverse.dot(&variance);
        let squares = Zip::from(half.rows()).and(self.inverse.rows());
        squares.map_collect(|half, row| half.dot(&row).max(0.0).sqrt())
    }
}

/// Climbs to the maximum, which exists and is finite for connected players.
fn maximum(duels: &[Duel], start: Array1<f64>) -> Result<State> {
    let mut state = State::at(duels, start)
        .ok_or(StatisticsError::Undefined("the matches have no information about ratings"))?;
    for _ in 0..STEPS {
        let step = state.step(duels);
        let length = largest(&step);
        if length < SHORTEST {
            return Ok(state);
        }
        let mut share = (LONGEST / length).min(1.0);
        state = loop {
            match State::at(duels, &state.ratings + share * &step) {
                Some(next) if next.objective >= state.objective => break next,
                // The remaining improvement is below the rounding error.
                _ if share * length < SHORTEST => return Ok(state),
                _ => share /= 2.0,
            }
        };
    }
    Err(StatisticsError::Undefined("the iteration for the ratings does not converge"))
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns ln logistic(x), without loss of precision where x is far from 0.
fn log_logistic(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
#[path = "rating_tests.rs"]
mod tests;
