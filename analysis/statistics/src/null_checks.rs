//! Comparisons of an arm with itself, which measure the rate of false alarms of each method.

use super::difference::newcombe;
use super::fisher::fisher_exact;
use super::mcnemar::mcnemar_exact;
use super::{Confidence, Proportion, Result, StatisticsError, interrupt};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use statrs::distribution::{Binomial, Discrete, DiscreteCDF, Hypergeometric};
use std::collections::BTreeMap;

/// Nominal upper bound on the rate of false alarms of every method here.
const ALPHA: f64 = 0.05;
/// Chance that a method within its bound passes.
const CERTAINTY: f64 = 0.999;

/// Number of studies in which a method reported a difference although none existed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FalseAlarms {
    /// Number of studies with a false alarm, among all studies.
    pub seen: Proportion,
    /// The allowed chance of a false alarm. It is 5% for an exact test. For an interval, which is
    /// only approximate, it is the first level at or above 5% that whole numbers of games can have.
    pub allowed: f64,
    /// Largest accepted number: the 99.9% quantile of Binomial(studies, `allowed`). If each study
    /// has the chance `allowed`, at most this many false alarms occur with a chance of 99.9%.
    pub most: u64,
}

impl FalseAlarms {
    fn new(seen: u64, studies: u32, allowed: f64) -> Result<Self> {
        let expected = Binomial::new(allowed, u64::from(studies))
            .map_err(|_| StatisticsError::Undefined("binomial distribution of these studies"))?;
        let seen = Proportion::new(seen, u64::from(studies))?;
        Ok(Self { seen, allowed, most: expected.inverse_cdf(CERTAINTY) })
    }

    /// Returns whether chance explains the number of false alarms.
    #[must_use]
    pub fn passed(self) -> bool {
        self.seen.successes() <= self.most
    }
}

/// False alarms of the paired methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relabelled {
    /// McNemar's exact p is below 5%.
    pub mcnemar: FalseAlarms,
    /// The normal 95% interval of the mean difference excludes 0.
    pub interval: FalseAlarms,
}

/// False alarms of the methods for two independent shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitHalves {
    /// Fisher's exact p is below 5%.
    pub fisher: FalseAlarms,
    /// Newcombe's 95% interval excludes 0.
    pub newcombe: FalseAlarms,
}

/// Compares two arms in `studies` studies, with their labels swapped at random in each opening.
/// This keeps the pairing and the number of draws, and removes any difference.
///
/// `differences` has one value per opening: 1 if drawn only in the first arm, −1 if drawn only
/// in the second, else 0. Study i uses stream i of ChaCha8 keyed by `seed`.
///
/// Source: the randomisation test, R. A. Fisher, *The design of experiments* (1935), section 21.
///
/// # Errors
/// Fails if there are fewer than two openings or no studies, if a difference is not −1, 0 or 1, or
/// if an [`interrupt`] was requested.
///
/// # Examples
/// ```
/// use fusion_statistics::null_checks::relabelled;
///
/// // 60 openings drawn only in the first arm, 40 only in the second, 300 alike.
/// let mut differences = vec![1; 60];
/// differences.extend([-1; 40]);
/// differences.extend([0; 300]);
/// let alarms = relabelled(&differences, 1_000, 1)?;
/// // An exact test has at most 5% false alarms, except by chance.
/// assert!(alarms.mcnemar.passed() && alarms.mcnemar.allowed == 0.05);
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn relabelled(differences: &[i8], studies: u32, seed: u64) -> Result<Relabelled> {
    if let Some(&value) = differences.iter().find(|difference| !(-1..=1).contains(*difference)) {
        let value = f64::from(value);
        return Err(StatisticsError::OutOfRange { name: "difference", value, range: "[-1, 1]" });
    }
    if differences.len() < 2 {
        return Err(StatisticsError::Undefined("a spread of fewer than two openings"));
    }
    let (n, discordant) = (differences.len() as u64, count(differences, |&value| value != 0));
    let heads =
        |rng: &mut ChaCha8Rng| (0..discordant).map(|_| u64::from(rng.random_bool(0.5))).sum();
    let (mut mcnemar, mut interval) = (0, 0);
    for (first, times) in repeat(studies, seed, heads)? {
        let second = discordant - first;
        mcnemar += times * u64::from(mcnemar_exact(first, second)? < ALPHA);
        interval += times * u64::from(normal_excludes_zero(first, second, n));
    }
    let even = Binomial::new(0.5, discordant)
        .map_err(|_| StatisticsError::Undefined("binomial distribution of these openings"))?;
    let allowed = attainable((0..=discordant).map(|first| even.pmf(first)));
    Ok(Relabelled {
        mcnemar: FalseAlarms::new(mcnemar, studies, ALPHA)?,
        interval: FalseAlarms::new(interval, studies, allowed)?,
    })
}

/// Splits the games of one arm, one per opening, at random into two halves and compares the
/// halves, in `studies` studies. If the number of games is odd, a random game is left out.
///
/// Study i uses stream i of ChaCha8 keyed by `seed`.
///
/// # Errors
/// Fails if there are fewer than two games or no studies, or if an [`interrupt`] was requested.
///
/// # Examples
/// ```
/// use fusion_statistics::null_checks::split_halves;
///
/// let drawn: Vec<bool> = (0..200).map(|game| game % 5 < 2).collect();
/// let alarms = split_halves(&drawn, 1_000, 1)?;
/// assert!(alarms.fisher.passed() && alarms.newcombe.passed());
/// # Ok::<(), fusion_statistics::StatisticsError>(())
/// ```
pub fn split_halves(drawn: &[bool], studies: u32, seed: u64) -> Result<SplitHalves> {
    let half = drawn.len() / 2;
    if half == 0 {
        return Err(StatisticsError::Empty);
    }
    let (mut fisher, mut newcombe_alarms) = (0, 0);
    for ((first, second), times) in repeat(studies, seed, |rng| split(drawn, rng))? {
        let first = Proportion::new(first, half as u64)?;
        let second = Proportion::new(second, half as u64)?;
        fisher += times * u64::from(fisher_exact(first, second)? < ALPHA);
        let interval = newcombe(first, second, Confidence::P95);
        newcombe_alarms += times * u64::from(!interval.contains(0.0));
    }
    // With an odd number of games there may be one draw fewer, which hardly changes the levels.
    let draws = count(drawn, |&drawn| drawn).min(2 * half as u64);
    let halves = Hypergeometric::new(2 * half as u64, draws, half as u64)
        .map_err(|_| StatisticsError::Undefined("hypergeometric distribution of these games"))?;
    let allowed = attainable((0..=draws).map(|first| halves.ln_pmf(first).exp()));
    Ok(SplitHalves {
        fisher: FalseAlarms::new(fisher, studies, ALPHA)?,
        newcombe: FalseAlarms::new(newcombe_alarms, studies, allowed)?,
    })
}

fn count<T>(values: &[T], of: impl Fn(&T) -> bool) -> u64 {
    values.iter().filter(|value| of(value)).count() as u64
}

/// Returns the distinct results of the studies with their counts, so that each is tested once.
fn repeat<T: Ord + Send>(
    studies: u32,
    seed: u64,
    study: impl Fn(&mut ChaCha8Rng) -> T + Sync,
) -> Result<BTreeMap<T, u64>> {
    let results: Result<Vec<T>> = (0..studies)
        .into_par_iter()
        .map(|stream| {
            interrupt::check()?;
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(u64::from(stream));
            Ok(study(&mut rng))
        })
        .collect();
    let mut counts = BTreeMap::new();
    results?.into_iter().for_each(|result| *counts.entry(result).or_default() += 1);
    Ok(counts)
}

/// Returns the numbers of draws in two random halves.
///
/// Source: selection sampling, D. E. Knuth, *The art of computer programming* volume 2, section
/// 3.4.2, algorithm S. The same algorithm selects half of the selected games.
fn split(drawn: &[bool], rng: &mut ChaCha8Rng) -> (u64, u64) {
    let half = drawn.len() / 2;
    let (mut wanted, mut draws) = ([half, half], (0, 0));
    for (left, &drawn) in (1..=drawn.len()).rev().zip(drawn) {
        let at = rng.random_range(0..left);
        if at < wanted[0] {
            wanted[0] -= 1;
            draws.0 += u64::from(drawn);
        } else if at < wanted[0] + wanted[1] {
            wanted[1] -= 1;
            draws.1 += u64::from(drawn);
        }
    }
    draws
}

/// Returns whether the normal 95% interval of the mean excludes 0. The sample has `first` ones,
/// `second` minus ones and zeros otherwise.
fn normal_excludes_zero(first: u64, second: u64, n: u64) -> bool {
    let (sum, discordant, n) = (first as f64 - second as f64, (first + second) as f64, n as f64);
    let variance = (discordant - sum * sum / n) / (n - 1.0);
    sum.abs() / n > Confidence::P95.z() * (variance / n).sqrt()
}

/// Returns the smallest two-sided level at or above 5% of a test whose outcomes have these
/// chances, in order and symmetric. A good approximation rejects at most one outcome too many.
fn attainable(chances: impl Iterator<Item = f64>) -> f64 {
    let mut level = 0.0;
    for chance in chances {
        level += 2.0 * chance;
        if level >= ALPHA {
            break;
        }
    }
    level.clamp(ALPHA, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial coefficients of 4,001 games overflow floating-point numbers.
    #[test]
    fn halves_of_many_games() {
        let drawn: Vec<bool> = (0..4_001).map(|game| game % 2 == 0).collect();
        let halves = split_halves(&drawn, 200, 1).unwrap();
        assert!((0.05..0.06).contains(&halves.newcombe.allowed), "{halves:?}");
        assert!(halves.newcombe.passed() && halves.fisher.passed(), "{halves:?}");
    }

    fn differences(first: usize, second: usize, same: usize) -> Vec<i8> {
        [vec![1; first], vec![-1; second], vec![0; same]].concat()
    }

    #[test]
    fn shares_are_those_of_the_binomial_distribution() {
        // 100 discordant openings: McNemar rejects from 61 to 39 on, with a chance of 3.52%
        // (SciPy's `binomtest`). The interval rejects from 60 to 40 on, with a chance of 5.69%.
        let found = relabelled(&differences(80, 20, 300), 40_000, 1).unwrap();
        assert!((found.mcnemar.seen.share() - 0.035_20).abs() < 0.003, "{found:?}");
        assert!((found.interval.seen.share() - 0.056_89).abs() < 0.004, "{found:?}");
        assert!((found.interval.allowed - 0.056_89).abs() < 1e-5, "{found:?}");
        assert!(found.mcnemar.passed() && found.interval.passed());
    }

    #[test]
    fn shares_are_those_of_the_hypergeometric_distribution() {
        // 200 games, 80 of them drawn: 47 to 33 draws have p = 0.0603, 48 to 32 have 0.0301
        // (SciPy's `fisher_exact`).
        let drawn: Vec<bool> = (0..200).map(|i| i % 5 < 2).collect();
        let found = split_halves(&drawn, 40_000, 1).unwrap();
        assert!((found.fisher.seen.share() - 0.0301).abs() < 0.003, "{found:?}");
        assert!(found.fisher.passed() && found.newcombe.passed(), "{found:?}");
        assert!(found.newcombe.seen.share() >= found.fisher.seen.share());
    }

    #[test]
    fn no_arm_is_different_from_itself() {
        for (seed, openings) in (0..).zip([2, 3, 20, 151, 1_000]) {
            let drawn: Vec<bool> = (0..openings).map(|i| i % 3 == 0).collect();
            let found = split_halves(&drawn, 2_000, seed).unwrap();
            assert!(found.fisher.passed() && found.newcombe.passed(), "{openings}: {found:?}");
            for discordant in [0, 1, openings / 4, openings] {
                let differences = differences(discordant, 0, openings - discordant);
                let found = relabelled(&differences, 2_000, seed).unwrap();
                let passed = found.mcnemar.passed() && found.interval.passed();
                assert!(passed, "{discordant} of {openings}: {found:?}");
            }
        }
    }

    #[test]
    fn a_method_that_sees_too_much_does_not_pass() {
        // At 5% of 2,000 studies 100 are expected; the bound is SciPy's `binom.ppf(0.999, 2000,
        // 0.05)`.
        let alarms = |seen| FalseAlarms::new(seen, 2_000, ALPHA).unwrap();
        assert!(alarms(100).passed() && alarms(131).passed() && !alarms(132).passed());
        assert_eq!(alarms(0).most, 131);
    }

    #[test]
    fn independent_of_threads_but_not_of_the_seed() {
        let with_threads = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let drawn: Vec<bool> = (0..200).map(|i| i % 5 < 2).collect();
            pool.install(|| {
                (relabelled(&differences(30, 30, 9), 900, seed), split_halves(&drawn, 900, seed))
            })
        };
        assert_eq!(with_threads(1, 7), with_threads(3, 7));
        assert_ne!(with_threads(1, 7), with_threads(1, 8));
    }

    #[test]
    fn impossible_input() {
        assert!(relabelled(&[1], 10, 0).is_err());
        assert!(relabelled(&[1, 2], 10, 0).is_err());
        assert!(relabelled(&[1, i8::MIN], 10, 0).is_err());
        assert!(relabelled(&[1, 0], 0, 0).is_err());
        assert!(split_halves(&[true], 10, 0).is_err());
        assert!(split_halves(&[true, false], 0, 0).is_err());
    }
}
