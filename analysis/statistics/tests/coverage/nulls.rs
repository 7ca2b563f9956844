//! Methods that decide: how often they are wrong.

use super::{Opening, RESAMPLES, STUDIES, simulate};
use fusion_statistics::Confidence;
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::evalue::{Looks, PRIOR, e_value};
use fusion_statistics::null_checks::{relabelled, split_halves};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The protocol's smallest material difference.
const MATERIAL: f64 = 0.03;
/// As many of 2,000 studies err with a chance of at most 0.1% if each errs in 5%
/// (SciPy's `binom.ppf(0.999, 2000, 0.05)`).
const MOST_ERRORS: usize = 131;

fn errors(name: &str, studies: &[bool]) -> usize {
    let errors = studies.iter().filter(|error| **error).count();
    println!("{name}: wrong in {:.1}%", 100.0 * errors as f64 / STUDIES as f64);
    errors
}

/// The e-value is looked at after every one of 3,000 discordant openings.
#[test]
fn continuous_looking_rejects_a_true_null_rarely() {
    let studies = simulate(31, |rng| {
        let (mut first, mut second) = (0, 0);
        (0..3_000).any(|_| {
            *if rng.random_bool(0.5) { &mut first } else { &mut second } += 1;
            e_value(first, second, PRIOR).unwrap() >= 20.0
        })
    });
    assert!(errors("e-value, at any of 3,000 looks", &studies) as u64 * 20 <= STUDIES);
}

/// Effects of one rule in all mixes of three, from four pairs of games an opening: their mean is looked at after every
/// one of 600 openings, from the 30th on, which is the first that a report judges.
#[test]
fn effects_are_covered_at_all_looks_together() {
    for effect in [0.0, 0.2] {
        let studies = simulate(35, |rng| {
            let (mut sum, mut squares) = (0.0, 0.0);
            (1..=600_u64).any(|openings| {
                let opening = Opening::new(rng);
                let pair = |_| {
                    let with = opening.luck(rng) < 0.1 + effect;
                    f64::from(i8::from(with) - i8::from(opening.luck(rng) < 0.1))
                };
                let difference = (0..4).map(pair).sum::<f64>() / 4.0;
                sum += difference;
                squares += difference * difference;
                let n = openings as f64;
                let value = sum / n;
                let error = ((squares / n - value * value) / (n - 1.0).max(1.0)).sqrt();
                let interval =
                    Looks::Any.interval(Estimate { value, error }, openings, Confidence::P95);
                openings >= 30 && !interval.contains(effect)
            })
        });
        let missed = errors("anytime-valid intervals of an effect, at any of 571 looks", &studies);
        assert!(missed as u64 * 20 <= STUDIES);
    }
}

/// Per-opening differences of two arms, the first of which is drawn more often by `more`.
fn differences(rng: &mut ChaCha8Rng, openings: u32, more: f64) -> Vec<i8> {
    let difference = |_| {
        let opening = Opening::new(rng);
        let second = opening.luck(rng) < 0.4;
        i8::from(opening.luck(rng) < 0.4 + more) - i8::from(second)
    };
    (0..openings).map(difference).collect()
}

/// The protocol's decision: whether there is a material difference, and whether there is none.
fn decide(differences: &[i8], seed: u64) -> (bool, bool) {
    let values: Vec<f64> = differences.iter().copied().map(f64::from).collect();
    let estimate = values.iter().sum::<f64>() / values.len() as f64;
    let means = BootstrapMeans::draw(&values, RESAMPLES, seed).unwrap();
    let (i95, i90) =
        (means.interval(Confidence::P95).unwrap(), means.interval(Confidence::P90).unwrap());
    let differs = !i95.contains(0.0) && estimate.abs() >= MATERIAL;
    (differs, !differs && i90.low > -MATERIAL && i90.high < MATERIAL)
}

/// Two identical arms in 400 openings.
#[test]
fn identical_arms_rarely_differ() {
    let studies = simulate(32, |rng| {
        let differences = differences(rng, 400, 0.0);
        decide(&differences, rng.random()).0
    });
    assert!(errors("a difference of identical arms", &studies) <= MOST_ERRORS);
}

/// A difference of exactly 3 points in 1,500 openings is at the limit of what may be called none.
#[test]
fn material_differences_are_rarely_called_none() {
    let studies = simulate(33, |rng| {
        let differences = differences(rng, 1_500, MATERIAL);
        decide(&differences, rng.random()).1
    });
    assert!(errors("no material change at 3 points", &studies) <= MOST_ERRORS);
}

/// The null checks of a report pass in studies of every kind, whether the arms differ or not:
/// relabelling takes the difference away.
#[test]
fn null_checks_pass() {
    let studies = simulate(34, |rng| {
        let more = rng.random_range(0.0..0.3);
        let openings = rng.random_range(30..300);
        let differences = differences(rng, openings, more);
        let drawn: Vec<bool> = differences.iter().map(|difference| *difference > 0).collect();
        let relabelled = relabelled(&differences, 200, rng.random()).unwrap();
        let halves = split_halves(&drawn, 200, rng.random()).unwrap();
        let checks = [relabelled.mcnemar, relabelled.interval, halves.fisher, halves.newcombe];
        checks.into_iter().any(|check| !check.passed())
    });
    // Four checks, each of which fails with a chance of 0.1% at most: 8 of 2,000, hardly ever 20.
    assert!(errors("null checks", &studies) <= 20);
}
