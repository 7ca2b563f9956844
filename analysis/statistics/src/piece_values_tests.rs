use super::*;
use crate::Confidence;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Makes 120 games of four positions each, from a small generator that any language can reproduce.
fn samples() -> Vec<Sample> {
    let mut state = 12_345u64;
    let mut uniform = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        state as f64 / f64::from(1u32 << 31)
    };
    let mut samples = Vec::new();
    for cluster in 0..120 {
        for position in 0..4 {
            let counts =
                [5.0, 3.0, 3.0].map(|kinds| (uniform() * kinds) as i8 - (kinds / 2.0) as i8);
            let [a, b, c] = counts.map(f64::from);
            let expected = (0.1 + 0.2 * a + 0.55 * b + c).tanh();
            let (win, loss) = ((1.0 + expected) * 0.35, (1.0 - expected) * 0.35);
            let chance = uniform();
            let lost = if chance < win + loss { -1.0 } else { 0.0 };
            let result = if chance < win { 1.0 } else { lost };
            let weight = 0.5 + 0.25 * f64::from(position);
            samples.push(Sample { result, counts: counts.to_vec(), weight, cluster });
        }
    }
    samples
}

/// Expected values: SciPy's `optimize.least_squares(method="lm")` of the residuals, each times the
/// square root of its weight.
#[test]
fn agrees_with_scipy() {
    let samples = samples();
    assert_eq!(samples.iter().map(|sample| sample.result).sum::<f64>(), 45.0);
    let fit = PieceValues::fit(&samples).unwrap();
    assert!((fit.intercept().unwrap() - 0.115_355_17).abs() < 1e-7);
    let values = fit.coefficients();
    for (found, expected) in values.iter().zip([0.130_663_44, 0.210_154_69, 0.612_154_84]) {
        assert!((found.unwrap() - expected).abs() < 1e-7, "{values:?}");
    }
    let rook = fit.combination(&[(2, 1.0)], Some(0)).unwrap();
    assert!((rook - 0.612_154_84 / 0.130_663_44).abs() < 1e-5, "{rook}");
    let sum = fit.combination(&[(2, 1.0), (1, -1.0), (0, -1.0)], None).unwrap();
    assert!((sum - (0.612_154_84 - 0.210_154_69 - 0.130_663_44)).abs() < 1e-6, "{sum}");
    assert_eq!(fit.combination(&[(3, 1.0)], None), None);
    assert_eq!(fit.combination(&[(1, 1.0)], Some(9)), None);
}

/// Simulates games of twelve positions with pawns, rooks, bishops and a compound of the last two
/// that is worth more than the sum of both. Each position has its own expectation, so that the
/// values are known. All positions of a game share the noise of its result.
fn simulated(games: u64, seed: u64) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut samples = Vec::new();
    for cluster in 0..games {
        let luck = rng.random_range(-0.4..0.4);
        for _ in 0..12 {
            let mut count = |most: i8| rng.random_range(-most..=most);
            let counts = vec![count(3), count(1), count(1), count(1)];
            let value = [0.1, 0.5, 0.3, 0.95].iter().zip(&counts);
            let sum: f64 = value.map(|(value, count)| value * f64::from(*count)).sum();
            let expected = (0.05 + sum).tanh();
            let result = expected + luck * (1.0 - expected.abs());
            samples.push(Sample { result, counts, weight: 1.0, cluster });
        }
    }
    samples
}

#[test]
fn values_and_synergy_are_recovered() {
    let mut exact = simulated(50, 1);
    for sample in &mut exact {
        let value = [0.1, 0.5, 0.3, 0.95].iter().zip(&sample.counts);
        let sum: f64 = value.map(|(value, count)| value * f64::from(*count)).sum();
        sample.result = (0.05 + sum).tanh();
    }
    let fit = PieceValues::fit(&exact).unwrap();
    let synergy = [(3, 1.0), (1, -1.0), (2, -1.0)];
    assert!((fit.combination(&synergy, Some(0)).unwrap() - 1.5).abs() < 1e-9);
    // With noise, the interval contains the true value.
    let fit = PieceValues::fit(&simulated(400, 2)).unwrap();
    let resampled = fit.bootstrap(400, 1).unwrap();
    let contains = |weights: &[(usize, f64)], unit, truth| {
        let distribution = resampled.combination(weights, unit).unwrap();
        let interval = distribution.interval(Confidence::P95).unwrap();
        assert!(interval.contains(fit.combination(weights, unit).unwrap()), "{interval:?}");
        assert!(interval.contains(truth), "{weights:?}: {interval:?}, truth {truth}");
    };
    contains(&[(1, 1.0)], Some(0), 5.0);
    contains(&[(2, 1.0)], Some(0), 3.0);
    assert_eq!(resampled.intercept().unwrap().undefined(), 0.0);
}

#[test]
fn pieces_that_never_occur_or_decide_everything_have_no_value() {
    let mut samples = samples();
    for sample in &mut samples {
        // One piece never occurs, one always occurs, and one wins all of its four games.
        let decides = i8::from(sample.cluster < 4);
        sample.counts.extend([0, 1, decides]);
        if decides == 1 {
            sample.result = 1.0;
        }
    }
    let fit = PieceValues::fit(&samples).unwrap();
    let values = fit.coefficients();
    assert!(values[..3].iter().all(Option::is_some), "{values:?}");
    assert_eq!(values[3..], [None, None, None]);
    let without: Vec<Sample> = samples
        .iter()
        .filter(|sample| sample.cluster >= 4)
        .map(|sample| Sample { counts: sample.counts[..3].to_vec(), ..sample.clone() })
        .collect();
    let without = PieceValues::fit(&without).unwrap();
    // A decided game adds no information on the other pieces, within the remaining precision.
    assert!((values[0].unwrap() - without.coefficients()[0].unwrap()).abs() < 1e-6);
    let resampled = fit.bootstrap(200, 1).unwrap();
    assert!(resampled.combination(&[(0, 1.0)], None).is_ok());
    assert!(resampled.combination(&[(3, 1.0)], None).is_err());
    assert!(resampled.combination(&[(5, 1.0)], None).is_err());
}

/// Tests two pieces that always occur together, and a third that occurs with the sum of two others.
#[test]
fn pieces_that_are_not_told_apart_have_no_value_and_others_keep_theirs() {
    let plain = PieceValues::fit(&samples()).unwrap();
    let changed = |change: &dyn Fn(&[i8]) -> i8| {
        let mut samples = samples();
        samples.iter_mut().for_each(|sample| sample.counts.push(change(&sample.counts)));
        PieceValues::fit(&samples).unwrap().coefficients
    };
    let known = |fit: &[Option<f64>]| fit.iter().map(Option::is_some).collect::<Vec<_>>();
    let twins = changed(&|counts| -2 * counts[0]);
    assert_eq!(known(&twins), [true, false, true, true, false]);
    let sum = changed(&|counts| counts[0] + counts[1]);
    assert_eq!(known(&sum), [true, false, false, true, false]);
    // The difference is indistinguishable from White's advantage.
    let edge = changed(&|counts| 1 + counts[1]);
    assert_eq!(known(&edge), [false, true, false, true, false]);
    for fit in [twins, sum, edge] {
        assert!((fit[3].unwrap() - plain.coefficients[3].unwrap()).abs() < 1e-7);
    }
}

#[test]
fn what_no_fit_can_say_is_an_error() {
    assert_eq!(PieceValues::fit(&[]).unwrap_err(), StatisticsError::Empty);
    let error = |change: &dyn Fn(usize, &mut Sample)| {
        let mut samples = samples();
        samples.iter_mut().enumerate().for_each(|(i, sample)| change(i, sample));
        PieceValues::fit(&samples).unwrap_err().to_string()
    };
    assert!(error(&|_, sample| sample.result = 1.5).contains("result"));
    assert!(error(&|_, sample| sample.weight = f64::NAN).contains("weight"));
    assert!(error(&|_, sample| sample.weight = 0.0).contains("no observations"));
    assert!(error(&|i, sample| sample.counts.truncate(3 - i % 2)).contains("different kinds"));
    assert!(error(&|_, sample| sample.result = 1.0).contains("extreme"));
    assert!(PieceValues::fit(&samples()).unwrap().bootstrap(0, 1).is_err());
}

#[test]
fn independent_of_threads_but_not_of_the_seed() {
    let fit = PieceValues::fit(&samples()).unwrap();
    let with_threads = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit.bootstrap(50, seed).unwrap().fits)
    };
    assert_eq!(with_threads(1, 7), with_threads(3, 7));
    assert_ne!(with_threads(1, 7), with_threads(1, 8));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn colours_order_and_splitting_do_not_matter(seed: u64, rotation in 1usize..100) {
        let samples = simulated(30, seed);
        let Ok(fit) = PieceValues::fit(&samples) else { return Ok(()) };
        let mut other = Vec::new();
        for sample in &samples {
            // Each position occurs twice with half its weight, the second time with the sides
            // exchanged.
            let counts: Vec<i8> = sample.counts.iter().map(|count| -count).collect();
            let half = Sample { result: -sample.result, counts, weight: 0.5, ..*sample };
            other.extend([half.clone(), half]);
        }
        other.rotate_left(rotation);
        let other = PieceValues::fit(&other).unwrap();
        prop_assert!((fit.intercept().unwrap() + other.intercept().unwrap()).abs() < 1e-7);
        for (a, b) in fit.coefficients().iter().zip(other.coefficients()) {
            prop_assert!((a.unwrap() - b.unwrap()).abs() < 1e-7);
        }
    }

    /// Tests few games, with results of whole points and with pieces that rarely occur.
    #[test]
    fn rare_pieces_spoil_nothing(seed: u64, games in 15u64..60) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut samples = Vec::new();
        for cluster in 0..games {
            let result = f64::from(rng.random_range(-1..=1));
            for _ in 0..4 {
                let mut count = |chance| if rng.random_bool(chance) { rng.random_range(-1..=1) } else { 0 };
                let counts = [1.0, 0.9, 0.2, 0.05, 0.02, 0.02, 0.02, 0.02].map(&mut count).to_vec();
                samples.push(Sample { result, counts, weight: 1.0, cluster });
            }
        }
        let fit = PieceValues::fit(&samples).unwrap();
        prop_assert!(fit.coefficients()[0].is_some() && fit.intercept().is_some());
        let resampled = fit.bootstrap(100, seed).unwrap();
        // With still fewer games, all results of a resample may be equal.
        prop_assert!(games < 30 || resampled.combination(&[(0, 1.0)], None).is_ok());
    }
}
