//! Statistics of draw rates: intervals, tests and resampling.
//!
//! Every function checks its input and returns [`StatisticsError`] instead of panicking. Counts
//! enter as [`Proportion`] and confidence levels as [`Confidence`]. Neither type can hold an
//! impossible value.

mod bisection;
pub mod bootstrap;
pub mod difference;
pub mod duplicates;
mod eigen;
pub mod elo;
pub mod estimate;
pub mod evalue;
pub mod fisher;
mod glm;
pub mod incidence;
pub mod interrupt;
mod linear;
pub mod logistic;
pub mod mcnemar;
pub mod multiple;
pub mod null_checks;
pub mod piece_values;
pub mod pooled;
pub mod power;
pub mod proportion;
pub mod quantile;
pub mod rank;
pub mod rating;
pub mod reliability;
pub mod rounding;
pub mod sprt;
pub mod tango;
mod tanh_fit;

use statrs::distribution::{ContinuousCDF, Normal};

/// Input for which a statistic is not defined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// More successes than trials.
    #[error("{successes} successes in {trials} trials: there cannot be more successes than trials")]
    TooManySuccesses {
        /// The number of successes given.
        successes: u64,
        /// The number of trials given.
        trials: u64,
    },
    /// There are no observations.
    #[error("no observations: at least one is needed")]
    Empty,
    /// An infinite number or NaN among the input.
    #[error("value {0} is not a finite number")]
    NotFinite(f64),
    /// A number outside its range.
    #[error("{name} = {value} is outside {range}")]
    OutOfRange {
        /// Name of the number.
        name: &'static str,
        /// Value of the number.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// The statistic does not exist for these counts.
    #[error("not defined: {0}")]
    Undefined(&'static str),
    /// A pairing has a player that does not exist.
    #[error("a pairing names a player who is not among the {players}")]
    UnknownPlayer {
        /// The number of players.
        players: usize,
    },
    /// A player has no rating because no chain of matches connects it with player 0.
    #[error("no chain of matches connects player {player} with player 0")]
    Unconnected {
        /// The player.
        player: usize,
    },
    /// The computation was interrupted: see [`interrupt`].
    #[error("interrupted")]
    Interrupted,
}

/// Result of a statistic.
pub type Result<T> = std::result::Result<T, StatisticsError>;

/// A closed interval; `low <= high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit; infinite for a ratio with an empty denominator.
    pub high: f64,
}

impl Interval {
    /// Returns whether the value lies in the interval, limits included.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::Interval;
    ///
    /// // A difference of −5 to +2 points: no difference was seen.
    /// let difference = Interval { low: -0.05, high: 0.02 };
    /// assert!(difference.contains(0.0));
    /// assert!(!difference.contains(0.021));
    /// ```
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns the interval of `scale * x + shift`. The limits swap if `scale` is negative.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::Interval;
    ///
    /// let drawn = Interval { low: 0.0, high: 0.75 };
    /// // In percent.
    /// assert_eq!(drawn.map(100.0, 0.0), Interval { low: 0.0, high: 75.0 });
    /// // The share of games that were not drawn, 1 − x.
    /// assert_eq!(drawn.map(-1.0, 1.0), Interval { low: 0.25, high: 1.0 });
    /// ```
    #[must_use]
    pub fn map(self, scale: f64, shift: f64) -> Self {
        let (a, b) = (scale * self.low + shift, scale * self.high + shift);
        Self { low: a.min(b), high: a.max(b) }
    }
}

/// A number of successes among at least one trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportion {
    successes: u64,
    trials: u64,
}

impl Proportion {
    /// Checks the counts.
    ///
    /// # Errors
    /// Fails if there are no trials, or more successes than trials.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Proportion, StatisticsError};
    ///
    /// let drawn = Proportion::new(45, 60)?;
    /// assert_eq!(drawn.share(), 0.75);
    /// assert_eq!(Proportion::new(0, 0), Err(StatisticsError::Empty));
    /// let error = Proportion::new(61, 60).unwrap_err().to_string();
    /// assert_eq!(error, "61 successes in 60 trials: there cannot be more successes than trials");
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn new(successes: u64, trials: u64) -> Result<Self> {
        if trials == 0 {
            return Err(StatisticsError::Empty);
        }
        if successes > trials {
            return Err(StatisticsError::TooManySuccesses { successes, trials });
        }
        Ok(Self { successes, trials })
    }

    /// Returns the number of successes.
    #[must_use]
    pub fn successes(self) -> u64 {
        self.successes
    }

    /// Returns the number of trials.
    #[must_use]
    pub fn trials(self) -> u64 {
        self.trials
    }

    /// Returns successes divided by trials.
    #[must_use]
    pub fn share(self) -> f64 {
        self.successes as f64 / self.trials as f64
    }

    /// Returns both counts as floating-point numbers.
    fn counts(self) -> (f64, f64) {
        (self.successes as f64, self.trials as f64)
    }
}

/// A two-sided confidence level strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// 95%, the level of reported intervals.
    pub const P95: Self = Self(0.95);
    /// 90%. Its interval equals the two one-sided tests of equivalence at 5%.
    pub const P90: Self = Self(0.90);

    /// Checks the level.
    ///
    /// # Errors
    /// Fails if the level is outside (0, 1) or NaN.
    pub fn new(level: f64) -> Result<Self> {
        if level > 0.0 && level < 1.0 {
            Ok(Self(level))
        } else {
            Err(StatisticsError::OutOfRange {
                name: "confidence level",
                value: level,
                range: "(0, 1)",
            })
        }
    }

    /// Returns the level.
    #[must_use]
    pub fn level(self) -> f64 {
        self.0
    }

    /// Returns the probability outside the interval on each side: `(1 − level) / 2`.
    #[must_use]
    pub fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }

    /// Returns the normal quantile: 1.95996 for 95%.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::Confidence;
    ///
    /// assert!((Confidence::P95.z() - 1.959_964).abs() < 1e-6);
    /// assert!((Confidence::new(0.99)?.z() - 2.575_829).abs() < 1e-6);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    #[must_use]
    pub fn z(self) -> f64 {
        Normal::standard().inverse_cdf(1.0 - self.tail())
    }
}

/// Builds a proportion from valid counts.
#[cfg(test)]
fn share(successes: u64, trials: u64) -> Proportion {
    Proportion::new(successes, trials).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_input_is_rejected() {
        assert_eq!(Proportion::new(0, 0), Err(StatisticsError::Empty));
        assert!(Proportion::new(3, 2).is_err());
        for level in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(Confidence::new(level).is_err(), "{level}");
        }
        assert!(Confidence::new(0.5).is_ok());
    }

    #[test]
    fn normal_quantiles() {
        assert!((Confidence::P95.z() - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((Confidence::P90.z() - 1.644_853_626_951_473).abs() < 1e-9);
    }
}
