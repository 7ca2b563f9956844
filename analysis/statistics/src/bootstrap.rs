//! Bootstrap over openings.

use super::quantile::quantile;
use super::{Confidence, Interval, Result, StatisticsError, interrupt};
use ndarray::Array2;
use ndarray::parallel::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of samples that share one set of resamples, which bounds the memory for their sums.
const SHARING: usize = 128;
/// Largest accepted share of undefined resamples. Above it, the defined resamples are not
/// representative.
const MOST_UNDEFINED: f64 = 0.05;

/// A bootstrap distribution: the statistic in each resample, sorted.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    sorted: Vec<f64>,
    undefined: f64,
}

impl Bootstrap {
    /// Draws `resamples` samples of whole clusters with replacement, adds up the sums of each
    /// and applies `statistic` to the total. A cluster is an opening or a game. All observations
    /// of a cluster stay together.
    ///
    /// `statistic` returns `None` where it is not defined, such as for a ratio with denominator 0.
    /// A value that is not finite counts as `None` too.
    ///
    /// Resample i uses stream i of ChaCha8 keyed by `seed`, so the result does not depend
    /// on the number of threads.
    ///
    /// Source: B. Efron, *Bootstrap methods: another look at the jackknife*, Annals of
    /// Statistics 7 (1979); of clusters, A. C. Davison and D. V. Hinkley, *Bootstrap methods and
    /// their application* (1997), section 3.8.
    ///
    /// # Errors
    /// Fails if there are no clusters or no resamples, if a sum is not finite, if the statistic is
    /// undefined in more than 5% of the resamples, or if an [`interrupt`] was requested.
    ///
    /// # Examples
    /// Points per game where openings have different numbers of games:
    /// ```
    /// use fusion_statistics::{Confidence, bootstrap::Bootstrap};
    /// let points_and_games = [[1.5, 2.0], [0.5, 1.0], [1.0, 3.0], [0.0, 1.0]];
    /// let score = |[points, games]: &[f64; 2]| Some(points / games);
    /// let distribution = Bootstrap::draw(&points_and_games, score, 2_000, 1)?;
    /// assert!(distribution.interval(Confidence::P95)?.contains(3.0 / 7.0));
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn draw<const K: usize>(
        clusters: &[[f64; K]],
        statistic: impl Fn(&[f64; K]) -> Option<f64> + Sync,
        resamples: u32,
        seed: u64,
    ) -> Result<Self> {
        // Every row has K numbers, and so has their total.
        let of_array = |total: &[f64]| total.as_array().and_then(&statistic);
        Self::draw_rows(clusters, of_array, resamples, seed)
    }

    /// The same for clusters whose number of sums is known only when the program runs.
    ///
    /// # Errors
    /// Fails as [`Bootstrap::draw`] does, and if the clusters have different numbers of sums.
    pub fn draw_rows(
        clusters: &[impl AsRef<[f64]> + Sync],
        statistic: impl Fn(&[f64]) -> Option<f64> + Sync,
        resamples: u32,
        seed: u64,
    ) -> Result<Self> {
        let mut values = clusters.iter().flat_map(AsRef::as_ref);
        if let Some(&value) = values.find(|value| !value.is_finite()) {
            return Err(StatisticsError::NotFinite(value));
        }
        let Some(sums) = clusters.first().map(|first| first.as_ref().len()) else {
            return Err(StatisticsError::Empty);
        };
        if clusters.iter().any(|cluster| cluster.as_ref().len() != sums) {
            return Err(StatisticsError::Undefined("clusters have different numbers of sums"));
        }
        let values = (0..resamples).into_par_iter().map(|resample| {
            interrupt::check()?;
            let mut total = vec![0.0; sums];
            for index in resampled(clusters.len(), seed, resample) {
                let cluster = clusters[index].as_ref();
                total.iter_mut().zip(cluster).for_each(|(sum, part)| *sum += part);
            }
            Ok(statistic(&total))
        });
        Self::of(values.collect::<Result<_>>()?)
    }

    /// Builds the distribution from values that were computed elsewhere, one per resample.
    ///
    /// # Errors
    /// Fails if there are no values, or if more than 5% are `None` or not finite.
    pub(crate) fn of(values: Vec<Option<f64>>) -> Result<Self> {
        if values.is_empty() {
            return Err(StatisticsError::Empty);
        }
        let resamples = values.len() as f64;
        let finite = values.into_iter().flatten().filter(|value| value.is_finite());
        let mut sorted: Vec<f64> = finite.collect();
        let undefined = 1.0 - sorted.len() as f64 / resamples;
        if undefined > MOST_UNDEFINED {
            return Err(StatisticsError::Undefined(
                "the statistic does not exist in more than 5% of the resamples",
            ));
        }
        sorted.sort_by(f64::total_cmp);
        Ok(Self { sorted, undefined })
    }

    /// Returns the percentile interval: quantiles of the resamples where the statistic is defined.
    ///
    /// # Errors
    /// Returns the errors of [`quantile`]. None occurs, because a distribution has at least one
    /// number and only finite ones.
    pub fn interval(&self, confidence: Confidence) -> Result<Interval> {
        Ok(Interval {
            low: quantile(&self.sorted, confidence.tail())?,
            high: quantile(&self.sorted, 1.0 - confidence.tail())?,
        })
    }

    /// Returns the share of resamples in which the statistic is undefined, at most 5%. The interval
    /// excludes them.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::bootstrap::Bootstrap;
    ///
    /// // White won in only 4 of 100 openings. The share of resamples without any of them is
    /// // (1 − 4/100)¹⁰⁰ = 1.7%. A ratio to White's wins is not defined there.
    /// let mut draws_and_wins = vec![[1.0, 0.0]; 96];
    /// draws_and_wins.extend([[0.0, 1.0]; 4]);
    /// let ratio = |&[draws, wins]: &[f64; 2]| (wins > 0.0).then(|| draws / wins);
    /// let distribution = Bootstrap::draw(&draws_and_wins, ratio, 2_000, 1)?;
    /// assert!((distribution.undefined() - 0.017).abs() < 0.01);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    #[must_use]
    pub fn undefined(&self) -> f64 {
        self.undefined
    }
}

/// Resamples of the intervals of differences between rule sets, unless a report is asked for others.
pub const RESAMPLES: u32 = 10_000;
/// Seed of these resamples.
pub const SEED: u64 = 2020;

/// Returns the indices of the clusters that form one resample of `clusters` clusters.
pub(crate) fn resampled(clusters: usize, seed: u64, resample: u32) -> impl Iterator<Item = usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(resample));
    (0..clusters).map(move |_| rng.random_range(0..clusters))
}

/// The bootstrap distribution of a mean: the means of the resamples.
#[derive(Clone, Debug)]
pub struct BootstrapMeans(Bootstrap);

impl BootstrapMeans {
    /// Runs [`Bootstrap::draw`] for the mean of per-opening values.
    ///
    /// # Errors
    /// Fails if there are no values or no resamples, or if a value is not finite.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, bootstrap::BootstrapMeans};
    ///
    /// // 100 of 400 openings were drawn. The normal interval is 0.25 ± 1.96 √(0.25 · 0.75 / 400).
    /// let mut drawn = vec![1.0; 100];
    /// drawn.extend([0.0; 300]);
    /// let interval = BootstrapMeans::draw(&drawn, 2_000, 1)?.interval(Confidence::P95)?;
    /// assert!((interval.low - 0.2076).abs() < 0.005);
    /// assert!((interval.high - 0.2924).abs() < 0.005);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn draw(values: &[f64], resamples: u32, seed: u64) -> Result<Self> {
        let (clusters, _) = values.as_chunks::<1>();
        let mean = |[sum]: &[f64; 1]| Some(sum / values.len() as f64);
        Ok(Self(Bootstrap::draw(clusters, mean, resamples, seed)?))
    }

    /// Runs [`BootstrapMeans::draw`] on several samples of whole numbers over the same openings.
    /// Each result equals that of a separate call. The samples share their resamples, because
    /// drawing these takes most of the time. `done` receives the number of samples finished since
    /// its last call.
    ///
    /// Source: that of [`Bootstrap::draw`]. A cluster is one value.
    ///
    /// # Errors
    /// Fails if samples have different lengths, or if there are no values or no resamples.
    ///
    /// # Examples
    /// ```
    /// use fusion_statistics::{Confidence, bootstrap::BootstrapMeans};
    /// let samples = [vec![1, 0, -1, 1, 0], vec![0, 0, 1, 1, 1]];
    /// let means = BootstrapMeans::draw_many(&samples, 1_000, 7, |_| ())?;
    /// let alone = BootstrapMeans::draw(&[0.0, 0.0, 1.0, 1.0, 1.0], 1_000, 7)?;
    /// assert_eq!(means[1].interval(Confidence::P95)?, alone.interval(Confidence::P95)?);
    /// # Ok::<(), fusion_statistics::StatisticsError>(())
    /// ```
    pub fn draw_many(
        samples: &[Vec<i8>],
        resamples: u32,
        seed: u64,
        done: impl Fn(usize),
    ) -> Result<Vec<Self>> {
        let n = samples.first().map_or(0, Vec::len);
        if samples.is_empty() {
            return Ok(Vec::new());
        }
        if n == 0 || resamples == 0 {
            return Err(StatisticsError::Empty);
        }
        if samples.iter().any(|sample| sample.len() != n) {
            return Err(StatisticsError::Undefined("samples of one size"));
        }
        let mut means = Vec::with_capacity(samples.len());
        for block in samples.chunks(SHARING) {
            // Each row is a resample, and each column is a sample.
            let mut totals = Array2::zeros((resamples as usize, block.len()));
            let rows = totals.outer_iter_mut().into_par_iter().zip(0..resamples);
            rows.try_for_each(|(mut row, resample)| {
                interrupt::check()?;
                let sums = sums(block, n, seed, resample);
                row.iter_mut().zip(sums).for_each(|(total, sum)| *total = sum);
                Ok(())
            })?;
            let of_sample = |k: usize| {
                let mut sorted = totals.column(k).to_vec();
                sorted.sort_unstable();
                let sorted = sorted.into_iter().map(|sum| sum as f64 / n as f64).collect();
                Self(Bootstrap { sorted, undefined: 0.0 })
            };
            means.extend((0..block.len()).into_par_iter().map(of_sample).collect::<Vec<_>>());
            done(block.len());
        }
        Ok(means)
    }

    /// Returns the percentile interval: quantiles of the bootstrap distribution.
    ///
    /// # Errors
    /// Fails as [`Bootstrap::interval`] does.
    pub fn interval(&self, confidence: Confidence) -> Result<Interval> {
        self.0.interval(confidence)
    }
}

/// Returns the sum of each sample in one resample.
fn sums(samples: &[Vec<i8>], n: usize, seed: u64, resample: u32) -> Vec<i64> {
    let mut counts = vec![0i32; n];
    resampled(n, seed, resample).for_each(|index| counts[index] += 1);
    let sum = |sample: &Vec<i8>| -> i64 {
        // Chunks short enough that a 32-bit sum cannot overflow.
        let parts = counts.chunks(1 << 16).zip(sample.chunks(1 << 16));
        let part = |(counts, values): (&[i32], &[i8])| -> i64 {
            counts
                .iter()
                .zip(values)
                .map(|(count, value)| i64::from(count * i32::from(*value)))
                .sum()
        };
        parts.map(part).sum()
    };
    samples.iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn differences() -> Vec<f64> {
        // 400 openings: 60 with a draw only in the first arm, 40 only in the second.
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
                .install(|| BootstrapMeans::draw(&differences(), 500, seed).unwrap().0.sorted)
        };
        assert_eq!(with_threads(1, 7), with_threads(3, 7));
        assert_ne!(with_threads(1, 7), with_threads(1, 8));
    }

    /// Published reports must stay reproducible. The expected values are the resamples of the first
    /// version of this module.
    #[test]
    fn resamples_never_change() {
        let means = BootstrapMeans::draw(&differences(), 5, 3).unwrap();
        assert_eq!(means.0.sorted, [0.035, 0.0425, 0.05, 0.05, 0.0775]);
    }

    #[test]
    fn samples_that_share_resamples_come_out_as_alone() {
        // More samples than share one set of resamples.
        let sample = |k: i64| -> Vec<i8> {
            (0..37).map(|i: i64| ((i * i * (k + 3) + 7 * k) % 3 - 1) as i8).collect()
        };
        let samples: Vec<Vec<i8>> = (0..300).map(sample).collect();
        let means = BootstrapMeans::draw_many(&samples, 200, 5, |_| ()).unwrap();
        for (sample, means) in samples.iter().zip(&means) {
            let values: Vec<f64> = sample.iter().map(|&value| f64::from(value)).collect();
            assert_eq!(means.0.sorted, BootstrapMeans::draw(&values, 200, 5).unwrap().0.sorted);
        }
        assert_eq!(means.len(), 300);
        let many = |samples: &[Vec<i8>], resamples| {
            BootstrapMeans::draw_many(samples, resamples, 0, |_| ()).is_err()
        };
        assert!(many(&[vec![]], 9) && many(&[vec![1]], 0) && many(&[vec![1], vec![1, 0]], 9));
        assert!(!many(&[], 9));
    }

    #[test]
    fn impossible_input() {
        assert!(BootstrapMeans::draw(&[], 100, 0).is_err());
        assert!(BootstrapMeans::draw(&[1.0], 0, 0).is_err());
        assert!(BootstrapMeans::draw(&[f64::NAN], 9, 0).is_err());
        let ratio = |&[a, b]: &[f64; 2]| Some(a / b);
        assert!(Bootstrap::draw(&[], ratio, 9, 0).is_err());
        assert!(Bootstrap::draw(&[[1.0, f64::INFINITY]], ratio, 9, 0).is_err());
    }

    /// The share of resamples without any of the `n` clusters that have a denominator is `(1 -
    /// 1/n)^n`.
    #[test]
    fn resamples_without_the_statistic_are_counted_and_then_rejected() {
        let ratio = |&[a, b]: &[f64; 2]| (b > 0.0).then(|| a / b);
        let clusters = |with: usize| {
            let mut clusters = vec![[1.0, 0.0]; 100];
            clusters[..with].fill([1.0, 1.0]);
            clusters
        };
        let four = Bootstrap::draw(&clusters(4), ratio, 4_000, 1).unwrap();
        assert!((four.undefined() - 0.96f64.powi(100)).abs() < 0.006, "{}", four.undefined());
        assert!(four.interval(Confidence::P95).is_ok());
        let error = Bootstrap::draw(&clusters(2), ratio, 4_000, 1).unwrap_err();
        assert!(error.to_string().contains("more than 5%"));
        let not_finite = |&[a, b]: &[f64; 2]| Some(a / b);
        assert!(Bootstrap::draw(&clusters(2), not_finite, 4_000, 1).is_err());
    }

    /// A ratio of sums over clusters of unequal size has the variance
    /// `Σ (a − r b)² / (Σ b)²`: W. G. Cochran, *Sampling techniques* (1977), equation 2.39.
    #[test]
    fn ratios_agree_with_the_delta_method() {
        let clusters: Vec<[f64; 2]> =
            (0..500).map(|i| [f64::from(i * 7 % 11), f64::from(10 + i * 5 % 13)]).collect();
        let (a, b) = clusters.iter().fold((0.0, 0.0), |(a, b), [x, y]| (a + x, b + y));
        let squares: f64 = clusters.iter().map(|[x, y]| (x - a / b * y).powi(2)).sum();
        let half = Confidence::P95.z() * squares.sqrt() / b;
        let ratio = |&[a, b]: &[f64; 2]| Some(a / b);
        let distribution = Bootstrap::draw(&clusters, ratio, 20_000, 1).unwrap();
        let interval = distribution.interval(Confidence::P95).unwrap();
        assert!((interval.low - (a / b - half)).abs() < 0.03 * half, "{interval:?} {half}");
        assert!((interval.high - (a / b + half)).abs() < 0.03 * half, "{interval:?} {half}");
        assert_eq!(distribution.undefined(), 0.0);
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
