//! Effective sample size with repeated games.

use super::{Result, StatisticsError};

/// Returns the effective number of independent games if copies of a game add no information:
/// `n_eff = (Σ m)² / Σ m²` over the multiplicities m of the distinct games. It is n if all games
/// are distinct, and 1 if all are the same. The design effect is `n / n_eff`.
///
/// Source: L. Kish, *Survey Sampling* (1965), section 11.7, with full correlation inside
/// a cluster.
///
/// # Errors
/// Fails if there are no games, or if a multiplicity is zero.
///
/// # Examples
/// ```
/// use fusion_statistics::duplicates::effective_sample_size;
///
/// assert_eq!(effective_sample_size([1, 1, 1, 1])?, 4.0);
/// // Four games, two of which are the same: (2 + 1 + 1)² / (2² + 1² + 1²).
/// assert_eq!(effective_sample_size([2, 1, 1])?, 16.0 / 6.0);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn effective_sample_size(multiplicities: impl IntoIterator<Item = u64>) -> Result<f64> {
    let (mut sum, mut squares) = (0.0, 0.0);
    for m in multiplicities {
        if m == 0 {
            return Err(StatisticsError::Undefined("a game that occurs zero times"));
        }
        sum += m as f64;
        squares += (m as f64).powi(2);
    }
    if sum == 0.0 {
        return Err(StatisticsError::Empty);
    }
    Ok(sum * sum / squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(effective_sample_size([1, 1, 1, 1]), Ok(4.0));
        assert_eq!(effective_sample_size([9]), Ok(1.0));
        assert_eq!(effective_sample_size([2, 1, 1]), Ok(16.0 / 6.0));
        assert!(effective_sample_size([]).is_err());
        assert!(effective_sample_size([1, 0]).is_err());
    }

    proptest! {
        #[test]
        fn between_one_and_the_distinct_games(counts in prop::collection::vec(1u64..50, 1..40)) {
            let distinct = counts.len() as f64;
            let n_eff = effective_sample_size(counts).unwrap();
            prop_assert!((1.0 - 1e-12..=distinct + 1e-9).contains(&n_eff));
        }
    }
}
