//! The measurement protocol: its conditions, and the gates that must hold before a draw rate has a
//! meaning.
//!
//! [`conditions`] checks how the games were played. `gates` checks the agent and the methods by
//! results that are known in advance.

pub mod conditions;
pub mod gates;

use fusion_statistics::Interval;
use fusion_statistics::elo::Estimate;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Met.
    Pass,
    /// Not met, but the numbers are usable with care.
    Warn,
    /// Not met.
    Fail,
    /// Not settled by these games: the interval contains the limit.
    Unsettled,
    /// Not decidable: the run lacks the data.
    Unknown,
}

impl Status {
    /// Returns the status as one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "passed",
            Status::Warn => "caution",
            Status::Fail => "failed",
            Status::Unsettled => "unsettled",
            Status::Unknown => "unknown",
        }
    }
}

/// A condition or gate with its result.
#[derive(Clone, Debug)]
pub struct Check {
    /// Result of the check.
    pub status: Status,
    /// Name of the condition or gate.
    pub title: &'static str,
    /// Finding.
    pub detail: String,
}

impl Check {
    /// Makes a check with its result and finding.
    pub fn new(status: Status, title: &'static str, detail: impl Into<String>) -> Self {
        Self { status, title, detail: detail.into() }
    }
}

/// Checks that a value is above 0. It fails if the interval is below 0, and is unsettled if the
/// interval contains 0.
pub fn above_zero(interval: Interval) -> Status {
    match interval {
        Interval { low, .. } if low > 0.0 => Status::Pass,
        Interval { high, .. } if high < 0.0 => Status::Fail,
        _ => Status::Unsettled,
    }
}

/// Returns whether the first player is stronger, by the interval of the Elo difference.
///
/// The interval has only one limit if the score is 0 or 1.
pub fn stronger(estimate: Estimate) -> Status {
    match estimate.score {
        score if score >= 1.0 => Status::Pass,
        score if score <= 0.0 => Status::Fail,
        _ => above_zero(estimate.interval()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strength_is_judged_by_its_interval() {
        let judged = |score, elo_low, elo_high| {
            stronger(Estimate {
                score,
                elo: Some(f64::midpoint(elo_low, elo_high)),
                elo_low: Some(elo_low),
                elo_high: Some(elo_high),
                elo_interval: fusion_statistics::elo::Sides::Both,
                los: 0.5,
            })
        };
        assert_eq!(judged(0.6, 10.0, 130.0), Status::Pass);
        assert_eq!(judged(0.52, -20.0, 50.0), Status::Unsettled);
        assert_eq!(judged(0.4, -130.0, -10.0), Status::Fail);
        assert_eq!(judged(1.0, -400.0, 800.0), Status::Pass);
        assert_eq!(judged(0.0, -800.0, 400.0), Status::Fail);
    }
}
