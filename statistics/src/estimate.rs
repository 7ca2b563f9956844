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
    /// The normal interval.
    #[must_use]
    pub fn interval(self, confidence: Confidence) -> Interval {
        let half = confidence.z() * self.error;
        Interval { low: self.value - half, high: self.value + half }
    }

    /// Two-sided p-value of the hypothesis that the true value is 0; 1 where there is neither
    /// an effect nor an error.
    #[must_use]
    pub fn p_value(self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * Normal::standard().sf((self.value / self.error).abs())
    }
}
