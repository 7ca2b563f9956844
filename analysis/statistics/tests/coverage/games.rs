//! Intervals of what games are like: endings, piece values.

use super::{Opening, assert_coverage};
use fusion_statistics::bootstrap::Bootstrap;
use fusion_statistics::incidence::{Observed, aalen_johansen};
use fusion_statistics::piece_values::{PieceValues, Sample};
use fusion_statistics::{Confidence, Interval};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn p95(distribution: fusion_statistics::Result<Bootstrap>) -> Interval {
    distribution.unwrap().interval(Confidence::P95).unwrap()
}

/// 300 games that end in one of two ways, or are stopped, with constant chances at every ply.
#[test]
fn incidence_of_an_ending() {
    const ENDINGS: [f64; 2] = [0.01, 0.006];
    let any = ENDINGS[0] + ENDINGS[1];
    let truth = |time: i32| ENDINGS[0] / any * (1.0 - (1.0 - any).powi(time));
    let names = ["incidence at 30 plies", "incidence at 80 plies"];
    assert_coverage(names, [30, 80].map(truth), 21, |rng| {
        let games: Vec<Observed> = (0..300).map(|_| game_of_chances(rng, ENDINGS)).collect();
        let curve = &aalen_johansen(&games, 2).unwrap()[0];
        let at = |time| curve.iter().rfind(|step| step.time <= time).unwrap();
        [30, 80].map(|time| at(time).interval(Confidence::P95))
    });
}

fn game_of_chances(rng: &mut ChaCha8Rng, [first, second]: [f64; 2]) -> Observed {
    for time in 1.. {
        let luck: f64 = rng.random();
        if luck < first + second {
            return Observed { time, ending: Some(usize::from(luck >= first)) };
        }
        if rng.random_bool(0.004) {
            return Observed { time, ending: None };
        }
    }
    unreachable!("a game goes on for ever")
}

/// 250 games with six positions each; half of a game's positions share its luck.
#[test]
fn piece_values() {
    const VALUES: [f64; 4] = [0.15, 0.5, 0.35, 1.1];
    let synergy = [(3, 1.0), (1, -1.0), (2, -1.0)];
    let names = ["White's edge", "a piece in tanh", "a piece in pawns", "synergy in pawns"];
    let truths = [0.05, 0.5, 0.5 / 0.15, (1.1 - 0.5 - 0.35) / 0.15];
    assert_coverage(names, truths, 23, |rng| {
        let mut samples = Vec::new();
        for cluster in 0..250 {
            let game = Opening::new(rng);
            for _ in 0..6 {
                let counts = [2, 1, 1, 1].map(|most: i8| rng.random_range(-most..=most));
                let values = VALUES.iter().zip(counts);
                let sum: f64 = values.map(|(value, count)| value * f64::from(count)).sum();
                let result = result(game.luck(rng), (0.05 + sum).tanh());
                samples.push(Sample { result, counts: counts.to_vec(), weight: 1.0, cluster });
            }
        }
        let fit = PieceValues::fit(&samples).unwrap();
        let resampled = fit.bootstrap(300, rng.random()).unwrap();
        [
            p95(resampled.intercept()),
            p95(resampled.combination(&[(1, 1.0)], None)),
            p95(resampled.combination(&[(1, 1.0)], Some(0))),
            p95(resampled.combination(&synergy, Some(0))),
        ]
    });
}

/// A game's result, of which the mean is `expected` and half of what can be is a draw.
fn result(luck: f64, expected: f64) -> f64 {
    let draws = 0.5 * (1.0 - expected.abs());
    let wins = (1.0 - draws + expected) / 2.0;
    if luck < wins {
        1.0
    } else if luck < wins + draws {
        0.0
    } else {
        -1.0
    }
}
