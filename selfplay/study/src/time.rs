//! The time of a training loop whose length is given in minutes.

use std::path::Path;

use fusion_jobs::plain;
use serde_json::Value;

use super::{OUTCOME, generation_folder};

/// Share of the time for which no further generation begins.
const REST: f64 = 0.08;

/// Returns the seconds by the clock that the finished generations of a loop in a folder took.
#[must_use]
pub fn seconds_trained(training: &Path) -> f64 {
    let seconds = |number| {
        let path = generation_folder(training, number).join(OUTCOME);
        let outcome: Value =
            serde_json::from_slice(&plain::read(&path, plain::TABLE).ok()?).ok()?;
        let stages = outcome["clock"].as_object()?;
        Some(stages.values().filter_map(Value::as_f64).sum::<f64>())
    };
    (0..).map_while(seconds).sum()
}

/// Returns whether so little of a loop's time is left that no further generation begins.
///
/// ```
/// use fusion_study::is_time_over;
///
/// assert!(is_time_over(10.0, 590.0) && !is_time_over(10.0, 500.0));
/// ```
#[must_use]
pub fn is_time_over(minutes: f64, seconds: f64) -> bool {
    seconds >= 60.0 * minutes * (1.0 - REST)
}
