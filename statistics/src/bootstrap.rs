//! Bootstrap over openings.

use super::quantile::quantile;
use super::{Confidence, Interval, Result, StatisticsError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Means of resamples, sorted: the bootstrap distribution of a mean.
#[derive(Clone, Debug)]
pub struct BootstrapMeans {
    sorted: Vec<f64>,
}

impl BootstrapMeans {
    /// Draws `resamples` samples with replacement from the per-opening values and keeps
    /// their means. An opening is the unit: everything played from it stays together.
    ///
    /// Resample i uses stream i of ChaCha8 keyed by `seed`, so the result does not depend
    /// on the number of threads.
    ///
    /// Source: B. Efron, *Bootstrap methods: another look at the jackknife*, Annals of
    /// Statistics 7 (1979).
    ///
    /// # Errors
    /// No values, no resamples, or a value that is not finite.
    pub fn draw(values: &[f64], resamples: u32, seed: u64) -> Result<Self> {
        if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
            return Err(StatisticsError::NotFinite(value));
        }
        if values.is_empty() || resamples == 0 {
            return Err(StatisticsError::Empty);
        }
        let mut sorted: Vec<f64> = (0..resamples)
            .into_par_iter()
            .map(|resample| resample_mean(values, seed, resample))
            .collect();
        sorted.sort_by(f64::total_cmp);
        Ok(Self { sorted })
    }

    /// Percentile interval: the tails' quantiles of the bootstrap distribution.
    ///
    /// # Errors
    /// Never: the distribution is not empty and finite.
    pub fn interval(&self, confidence: Confidence) -> Result<Interval> {
        Ok(Interval {
            low: quantile(&self.sorted, confidence.tail())?,
            high: quantile(&self.sorted, 1.0 - confidence.tail())?,
        })
    }
}

fn resample_mean(values: &[f64], seed: u64, resample: u32) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(resample));
    let sum: f64 = (0..values.len()).map(|_| values[rng.random_range(0..values.len())]).sum();
    sum / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn differences() -> Vec<f64> {
        // 400 openings: 60 with a draw in the first arm alone, 40 in the second alone.
        let mut values = vec![1.0; 60];
        values.extend([-1.0; 40]);
        values.extend([0.0; 300]);
        values
    }

    #[test]
    fn agrees_with_the_normal_approximation() {
        let means = BootstrapMeans::draw(&differences(), 20_000, 1).unwrap();
        let interval = means.interval(Confidence::P95).unwrap();
        let sd = ((100.0 - 20.0 * 20.0 / 400.0) / 400.0f64).sqrt() / 20.0;
        assert!((interval.low - (0.05 - 1.96 * sd)).abs() < 0.003, "{interval:?}");
        assert!((interval.high - (0.05 + 1.96 * sd)).abs() < 0.003, "{interval:?}");
    }

    #[test]
    fn independent_of_threads_but_not_of_the_seed() {
        let with_threads = |threads, seed| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| BootstrapMeans::draw(&differences(), 500, seed).unwrap().sorted)
        };
        assert_eq!(with_threads(1, 7), with_threads(3, 7));
        assert_ne!(with_threads(1, 7), with_threads(1, 8));
    }

    #[test]
    fn impossible_input() {
        assert!(BootstrapMeans::draw(&[], 100, 0).is_err());
        assert!(BootstrapMeans::draw(&[1.0], 0, 0).is_err());
        assert!(BootstrapMeans::draw(&[f64::NAN], 9, 0).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn nested_mirrored_and_within_the_sample(values in prop::collection::vec(-1i8..=1, 1..80), seed: u64) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let negated: Vec<f64> = values.iter().map(|value| -value).collect();
            let means = BootstrapMeans::draw(&values, 400, seed).unwrap();
            let (wide, narrow) = (means.interval(Confidence::P95).unwrap(), means.interval(Confidence::P90).unwrap());
            prop_assert!(-1.0 <= wide.low && wide.low <= narrow.low);
            prop_assert!(narrow.high <= wide.high && wide.high <= 1.0);
            let mirrored = BootstrapMeans::draw(&negated, 400, seed).unwrap().interval(Confidence::P95).unwrap().map(-1.0, 0.0);
            prop_assert!((wide.low - mirrored.low).abs() < 1e-9 && (wide.high - mirrored.high).abs() < 1e-9);
        }
    }
}
