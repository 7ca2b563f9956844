//! Estimates that are normally distributed in large samples.

use super::{Confidence, Interval};
use statrs::distribution::{ContinuousCDF, Normal};

/// An estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    /// Returns the normal interval.
    #[must_use]
    pub fn interval(self, confidence: Confidence) -> Interval {
        let half = confidence.z() * self.error;
        Interval { low: self.value - half, high: self.value + half }
    }

    /// Returns the two-sided p-value of the hypothesis that the true value is 0. The p-value is 1
    /// if both the estimate and its error are 0.
    #[must_use]
    pub fn p_value(self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * Normal::standard().sf((self.value / self.error).abs())
    }
}
