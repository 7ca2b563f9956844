//! Estimates that are normally distributed in large samples.

use super::{Confidence, Interval, Result, StatisticsError};
use statrs::distribution::{ContinuousCDF, Normal};

/// An estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The standard error of the estimate.
    pub error: f64,
}

impl Estimate {
    /// Returns the mean of independent values with its standard error, which is 0 for a single one.
    ///
    /// # Errors
    /// Fails without values.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::estimate::Estimate;
    ///
    /// let mean = Estimate::of_mean(&[1.0, 0.0, 0.0, 1.0])?;
    /// assert_eq!(mean.value, 0.5);
    /// assert!((mean.error - (1.0f64 / 12.0).sqrt()).abs() < 1e-12);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn of_mean(values: &[f64]) -> Result<Self> {
        if values.is_empty() {
            return Err(StatisticsError::Empty);
        }
        let n = values.len() as f64;
        let value = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|of| (of - value).powi(2)).sum();
        Ok(Self { value, error: (squares / (n - 1.0).max(1.0) / n).sqrt() })
    }

    /// Returns the normal interval, `value ± z · error`.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, estimate::Estimate};
    ///
    /// let effect = Estimate { value: 0.10, error: 0.04 };
    /// let interval = effect.interval(Confidence::P95);
    /// assert!((interval.low - 0.0216).abs() < 1e-4 && (interval.high - 0.1784).abs() < 1e-4);
    /// ```
    #[must_use]
    pub fn interval(self, confidence: Confidence) -> Interval {
        let half = confidence.z() * self.error;
        Interval { low: self.value - half, high: self.value + half }
    }

    /// Returns the probability that the true value is above 0: `Φ(value / error)`.
    #[must_use]
    pub fn above_zero(self) -> f64 {
        Normal::standard().cdf(self.value / self.error)
    }

    /// Returns the two-sided p-value of the hypothesis that the true value is 0:
    /// `2 (1 − Φ(|value / error|))`. The p-value is 1 if both the estimate and its error are 0.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::estimate::Estimate;
    ///
    /// // 1.96 standard errors from 0 are a p-value of 5%.
    /// let p = Estimate { value: 1.959_964, error: 1.0 }.p_value();
    /// assert!((p - 0.05).abs() < 1e-7);
    /// ```
    #[must_use]
    pub fn p_value(self) -> f64 {
        if self.value == 0.0 {
            return 1.0;
        }
        2.0 * Normal::standard().sf((self.value / self.error).abs())
    }
}
