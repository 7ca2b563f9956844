//! Intervals of shares and of their differences.

use super::{Opening, RESAMPLES, assert_coverage};
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::difference::newcombe;
use fusion_statistics::proportion::wilson;
use fusion_statistics::tango::tango;
use fusion_statistics::{Confidence, Interval, Proportion};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn share(rng: &mut ChaCha8Rng, chance: f64, games: u64) -> Proportion {
    let drawn = (0..games).filter(|_| rng.random_bool(chance)).count();
    Proportion::new(drawn as u64, games).unwrap()
}

#[test]
fn one_share() {
    for (seed, chance, games) in [(1, 0.3, 400), (2, 0.12, 250), (3, 0.6, 1_000)] {
        assert_coverage(["Wilson"], [chance], seed, |rng| {
            [wilson(share(rng, chance, games), Confidence::P95)]
        });
    }
}

#[test]
fn two_independent_shares() {
    for (seed, p, q, games) in [(4, 0.35, 0.5, 200), (5, 0.15, 0.1, 300), (6, 0.4, 0.4, 500)] {
        assert_coverage(["Newcombe"], [p - q], seed, |rng| {
            let (a, b) = (share(rng, p, games), share(rng, q, games));
            [newcombe(a, b, Confidence::P95)]
        });
    }
}

/// 300 openings, of which some are drawish; 45% against 35% of the games are drawn on average.
#[test]
fn shares_paired_by_opening() {
    let names = ["opening bootstrap", "Tango"];
    assert_coverage(names, [0.1; 2], 7, |rng| {
        let (mut first_only, mut second_only, mut differences) = (0, 0, Vec::new());
        for _ in 0..300 {
            let (p, q) = if rng.random_bool(0.25) { (0.75, 0.65) } else { (0.35, 0.25) };
            let opening = Opening::new(rng);
            let (a, b) = (opening.luck(rng) < p, opening.luck(rng) < q);
            first_only += u64::from(a && !b);
            second_only += u64::from(b && !a);
            differences.push(f64::from(i8::from(a) - i8::from(b)));
        }
        let means = BootstrapMeans::draw(&differences, RESAMPLES, rng.random()).unwrap();
        [
            means.interval(Confidence::P95).unwrap(),
            tango(first_only, second_only, 300, Confidence::P95).unwrap(),
        ]
    });
}

/// The score of White, as Tango's interval of wins against losses.
#[test]
fn score() {
    assert_coverage(["White's score"], [0.54], 8, |rng| {
        let results = (0..400).map(|_| rng.random::<f64>());
        let results: Vec<f64> = results.collect();
        let wins = results.iter().filter(|result| **result < 0.28).count() as u64;
        let losses = results.iter().filter(|result| **result >= 0.8).count() as u64;
        let interval: Interval = tango(wins, losses, 400, Confidence::P95).unwrap();
        [interval.map(0.5, 0.5)]
    });
}
