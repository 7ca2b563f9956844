//! Intervals of effects: of rules, of strength and of both together.

use super::{Opening, assert_coverage, logistic};
use fusion_statistics::logistic::{self, Logistic};
use fusion_statistics::pooled::{self, Player};
use fusion_statistics::reliability::{Forecast, Reliability};
use fusion_statistics::{Confidence, Interval};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

/// The chance of a draw without toggles, with either and with both: the first adds 15 points, 25
/// together with the second.
const CHANCES: [f64; 4] = [0.3, 0.45, 0.2, 0.45];

/// 120 openings under all mixes of two toggles.
#[test]
fn effects_of_toggles() {
    let names = ["effect of a toggle", "interaction of toggles", "coefficient of a toggle"];
    let coefficient = logit(CHANCES[1]) - logit(CHANCES[0]);
    assert_coverage(names, [0.2, 0.1, coefficient], 11, |rng| {
        let mut games = Vec::new();
        for cluster in 0..120 {
            let opening = Opening::new(rng);
            for (toggles, chance) in (0..).zip(CHANCES) {
                let drawn = opening.luck(rng) < chance;
                games.push(logistic::Observation { drawn, toggles, cluster });
            }
        }
        let fit = Logistic::fit(&games, 2, true).unwrap();
        [fit.effect(0), fit.interaction(0, 1), fit.coefficient(1).unwrap()]
            .map(|estimate| estimate.interval(Confidence::P95))
    });
}

fn logit(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln()
}

/// A number of the standard normal distribution.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    Normal::standard().inverse_cdf(rng.random_range(1e-12..1.0))
}

/// Six players of two families over 80 shared openings. The deviations between families and players are of the
/// prior, so that the posterior intervals cover as they claim on average.
#[test]
fn effects_of_several_players() {
    const SCALE: f64 = 0.15;
    assert_coverage(["pooled effect", "effect of one more player"], [-0.3, 0.0], 14, |rng| {
        let [family, player] = [normal(rng), normal(rng)].map(|x: f64| SCALE * x.abs());
        let families = [family * normal(rng), family * normal(rng)];
        let openings: Vec<f64> = (0..80).map(|_| 0.3 * normal(rng)).collect();
        let players: Vec<Player> = (0..6)
            .map(|at| {
                let mean = -0.3 + families[at / 3] + player * normal(rng);
                let effects = (0..).zip(&openings);
                let effects = effects.map(|(o, shared)| (o, mean + shared + 0.5 * normal(rng)));
                Player { effects: effects.collect(), groups: vec![at / 3, at] }
            })
            .collect();
        let next = -0.3 + family * normal(rng) + player * normal(rng);
        let pooled = pooled::pool(&players, &[SCALE; 2], Confidence::P95).unwrap();
        // Of the distance to the next player, whose truth is 0.
        [pooled.interval, pooled.next.map(1.0, -next)]
    });
}

/// 400 games whose predicted chances are too extreme by a known line.
#[test]
fn recalibration() {
    let study = |rng: &mut ChaCha8Rng| -> [Interval; 2] {
        let forecast = |_| {
            let predicted = rng.random_range(0.05..0.95);
            let happened = rng.random_bool(logistic(0.2 + 0.7 * logit(predicted)));
            Forecast { predicted, happened }
        };
        let forecasts: Vec<Forecast> = (0..400).map(forecast).collect();
        let found = Reliability::of(&forecasts, Confidence::P95).unwrap();
        let line = found.recalibration.unwrap();
        [line.intercept, line.slope].map(|estimate| estimate.interval(Confidence::P95))
    };
    assert_coverage(["recalibration's intercept", "its slope"], [0.2, 0.7], 13, study);
}
