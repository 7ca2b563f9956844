//! Intervals of effects: of rules, of strength and of both together.

use super::{Opening, assert_coverage, logistic};
use fusion_statistics::logistic::{self, Logistic};
use fusion_statistics::pooled::{self, Player};
use fusion_statistics::reliability::{Forecast, Reliability};
use fusion_statistics::trend::{self, Trend};
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

/// The chance of a draw at so many doublings in either of two arms.
fn ladder(arm: usize, doublings: f64) -> f64 {
    let (at_ten, slope) = [(-0.6, 0.4), (-0.9, 0.2)][arm];
    logistic(at_ten + slope * (doublings - 10.0))
}

/// 120 openings in two arms at four budgets.
#[test]
fn trends_with_strength() {
    let budgets = [8.0, 10.0, 12.0, 13.0];
    let change = |arm| (ladder(arm, 13.0) - ladder(arm, 8.0)) / 5.0;
    let truths = [0.4, change(0), 0.2, change(0) - change(1), ladder(1, 12.5)];
    let names = ["slope", "change", "difference of slopes", "difference of changes", "chance"];
    assert_coverage(names, truths, 12, |rng| {
        let mut games = Vec::new();
        for cluster in 0..120 {
            let opening = Opening::new(rng);
            for (arm, doublings) in [0, 1].into_iter().flat_map(|arm| budgets.map(|at| (arm, at))) {
                let drawn = opening.luck(rng) < ladder(arm, doublings);
                games.push(trend::Observation { drawn, arm, doublings, cluster });
            }
        }
        let trend = Trend::fit(&games, 2).unwrap();
        let of = |estimate: Option<logistic::Estimate>| estimate.unwrap().interval(Confidence::P95);
        [
            of(trend.slope(0)),
            of(trend.change(0)),
            of(trend.slope_difference(0, 1)),
            of(trend.change_difference(0, 1)),
            trend.chance(1, 12.5, Confidence::P95).unwrap().1,
        ]
    });
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
