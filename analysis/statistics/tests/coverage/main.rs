//! Simulated studies whose truth is known: an interval that claims 95% must hold the truth in
//! about 95% of them, and no method may see differences that are not there.
//!
//! Each check simulates 2,000 studies, of which 95% is 1,900 with a standard deviation of 10, so
//! that the bounds of 93% and 97% are four standard deviations away. The settings have a moderate
//! number of games: near chances of 0 and 1 or with few games, score intervals are wider than they
//! claim to be and bootstrap intervals narrower.

mod games;
mod models;
mod nulls;
mod shares;
mod strength;

use fusion_statistics::Interval;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Studies of each check.
const STUDIES: u64 = 2_000;
/// Resamples of a bootstrap. Fewer than a report's, whose interval is a little wider for it.
const RESAMPLES: u32 = 500;

/// The results of so many studies; each has random numbers of its own, so that the number of
/// threads does not matter.
fn simulate<T: Send>(seed: u64, study: impl Fn(&mut ChaCha8Rng) -> T + Sync) -> Vec<T> {
    let run = |stream| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        study(&mut rng)
    };
    (0..STUDIES).into_par_iter().map(run).collect()
}

/// The share of the studies in which each of several intervals holds its truth is 93% to 97%.
fn assert_coverage<const K: usize>(
    names: [&str; K],
    truths: [f64; K],
    seed: u64,
    study: impl Fn(&mut ChaCha8Rng) -> [Interval; K] + Sync,
) {
    let intervals = simulate(seed, study);
    let mut bad = Vec::new();
    for (i, (name, truth)) in names.into_iter().zip(truths).enumerate() {
        let covered = intervals.iter().filter(|intervals| intervals[i].contains(truth)).count();
        let coverage = covered as f64 / intervals.len() as f64;
        println!("{name}: {:.1}%", 100.0 * coverage);
        if !(0.93..=0.97).contains(&coverage) {
            bad.push(format!("{name} covers {truth} in {:.1}%", 100.0 * coverage));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("; "));
}

/// What the games of one opening have in common.
struct Opening(f64);

impl Opening {
    fn new(rng: &mut ChaCha8Rng) -> Self {
        Self(rng.random())
    }

    /// A number from 0 to 1 for each game, which decides its end. It is the opening's own in half
    /// of the games, so that games of one opening are correlated although the chances of each are
    /// exactly the ones given.
    fn luck(&self, rng: &mut ChaCha8Rng) -> f64 {
        if rng.random_bool(0.5) { self.0 } else { rng.random() }
    }
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}
