use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Makes 60 openings in two arms at four budgets, from a small generator that any language can
/// reproduce.
fn games() -> Vec<Observation> {
    let mut state = 12_345u64;
    let mut uniform = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        state as f64 / f64::from(1u32 << 31)
    };
    let mut games = Vec::new();
    for cluster in 0..60 {
        let opening = uniform() * 1.5 - 0.75;
        for arm in 0..2 {
            for doublings in [8.0, 10.0, 11.0, 13.5] {
                let less = 0.25 * arm as f64 * (doublings - 9.0);
                let logit = -0.5 + opening + 0.4 * (doublings - 10.0) - less;
                let drawn = uniform() < logistic(logit);
                games.push(Observation { drawn, arm, doublings, cluster });
            }
        }
    }
    games
}

fn close(found: Option<Estimate>, value: f64, error: f64) {
    let found = found.unwrap();
    assert!((found.value - value).abs() < 1e-7, "{found:?}, expected {value}");
    assert!((found.error - error).abs() < 1e-7, "{found:?}, expected an error of {error}");
}

/// Expected values: statsmodels 0.14, `GLM(y, X, Binomial()).fit(cov_type="cluster")` with a
/// constant and log₂ nodes for each arm; `Logit` gives the same. Slopes are its `params` and
/// `bse`, their difference its `t_test`, the chance its `get_prediction`. The average changes are
/// computed from its `params` and `cov_params()` by the delta method.
#[test]
fn agrees_with_statsmodels() {
    let games = games();
    assert_eq!(games.iter().filter(|game| game.drawn).count(), 205);
    let trend = Trend::fit(&games, 2).unwrap();
    assert_eq!(trend.range(), Interval { low: 8.0, high: 13.5 });
    close(trend.slope(0), 0.373_679_67, 0.076_987_30);
    close(trend.slope(1), 0.093_644_96, 0.065_213_32);
    close(trend.slope_difference(0, 1), 0.280_034_71, 0.102_888_39);
    let p = trend.slope_difference(0, 1).unwrap().p_value();
    assert!((p - 0.006_494_059).abs() < 1e-8, "{p}");
    close(trend.change(0), 0.085_964_536_98, 0.014_934_663_16);
    close(trend.change(1), 0.021_483_034_76, 0.014_854_238_14);
    close(trend.change_difference(0, 1), 0.064_481_502_22, 0.021_494_854_44);
    let (chance, Interval { low, high }) = trend.chance(1, 12.0, Confidence::P95).unwrap();
    assert!((chance - 0.387_309_99).abs() < 1e-7, "{chance}");
    assert!((low - 0.317_334_94).abs() < 1e-7 && (high - 0.462_266_65).abs() < 1e-7);
    assert!(trend.slope(2).is_none() && trend.change_difference(0, 2).is_none());
    assert!(trend.chance(2, 12.0, Confidence::P95).is_none());
}

/// A budget that only one arm has does not bend its line away from the others'.
#[test]
fn budgets_of_one_arm_only_are_left_out() {
    let mut games = games();
    let common = Trend::fit(&games, 2).unwrap();
    let beyond = |cluster| Observation { drawn: true, arm: 1, doublings: 18.0, cluster };
    games.extend((0..40).map(beyond));
    let found = Trend::fit(&games, 2).unwrap();
    assert_eq!(found.range(), common.range());
    assert_eq!([0, 1].map(|arm| found.change(arm)), [0, 1].map(|arm| common.change(arm)));
    // Within the range, the second arm has one budget.
    games.retain(|game| game.arm == 0 || game.doublings > 13.0);
    assert!(Trend::fit(&games, 2).is_err());
}

#[test]
fn what_no_trend_can_say_is_an_error() {
    let game = |drawn, arm, doublings, cluster| Observation { drawn, arm, doublings, cluster };
    let error = |games: &[Observation], arms| Trend::fit(games, arms).unwrap_err().to_string();
    assert_eq!(Trend::fit(&[], 1).unwrap_err(), StatisticsError::Empty);
    assert!(error(&games(), 1).contains("not among"));
    assert!(error(&games(), 3).contains("fewer than two budgets"));
    assert!(error(&[game(true, 0, f64::NAN, 0)], 1).contains("finite"));
    let at_one: Vec<_> = (0..40).map(|i| game(i % 3 == 0, 0, 9.0, i)).collect();
    assert!(error(&at_one, 1).contains("fewer than two budgets"));
    // The arms have no doublings in common: 0 to 2 in one arm, 5 to 7 in the other.
    let apart = (0..40)
        .map(|i| game(i % 3 == 0, i as usize % 2, 5.0 * (i % 2) as f64 + i as f64 / 20.0, i));
    let apart: Vec<_> = apart.collect();
    assert!(error(&apart, 2).contains("in common"));
    let decided: Vec<_> = (0..40).map(|i| game(i % 2 == 0, 0, (i % 2) as f64, i)).collect();
    assert!(error(&decided, 1).contains("all games or none"));
    let one_opening: Vec<_> = (0..40).map(|i| game(i % 3 == 0, 0, (i % 4) as f64, 7)).collect();
    assert!(error(&one_opening, 1).contains("single opening"));
}

/// The origin of the doublings and the sign of 0 do not matter.
#[test]
fn the_zero_of_strength_does_not_matter() {
    let shifted = |by: f64| {
        let moved = games().into_iter().map(|mut game| {
            game.doublings -= by;
            game
        });
        Trend::fit(&moved.collect::<Vec<_>>(), 2).unwrap()
    };
    let (plain, shifted) = (shifted(0.0), shifted(10.0));
    let (a, b) = (plain.change(0).unwrap(), shifted.change(0).unwrap());
    assert!((a.value - b.value).abs() < 1e-12 && (a.error - b.error).abs() < 1e-12);
    let mut zeros = games();
    for game in &mut zeros {
        game.doublings -= 8.0;
        if game.doublings == 0.0 && game.cluster % 2 == 0 {
            game.doublings = -0.0;
        }
    }
    let zeros = Trend::fit(&zeros, 2).unwrap();
    assert!((zeros.change(0).unwrap().value - a.value).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Two budgets are fitted exactly: the change is the difference of the shares.
    #[test]
    fn with_two_budgets_the_change_is_a_plain_difference(seed: u64, length in 0.5f64..6.0) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let games: Vec<Observation> = (0..400u64)
            .map(|i| Observation {
                drawn: rng.random_bool(0.4),
                arm: (i / 2 % 2) as usize,
                doublings: 10.0 + length * (i % 2) as f64,
                cluster: i / 4,
            })
            .collect();
        let trend = Trend::fit(&games, 2).unwrap();
        let share = |arm, high: bool| {
            let of = games.iter().filter(|game| game.arm == arm && (game.doublings > 10.0) == high);
            of.clone().filter(|game| game.drawn).count() as f64 / of.count() as f64
        };
        let change = |arm| (share(arm, true) - share(arm, false)) / length;
        prop_assert!((trend.change(0).unwrap().value - change(0)).abs() < 1e-9);
        let difference = trend.change_difference(0, 1).unwrap();
        prop_assert!((difference.value - (change(0) - change(1))).abs() < 1e-9);
        let mirrored = trend.change_difference(1, 0).unwrap();
        prop_assert!((difference.value + mirrored.value).abs() < 1e-12);
        prop_assert!((difference.error - mirrored.error).abs() < 1e-12);
        let (chance, interval) = trend.chance(0, 10.0, Confidence::P95).unwrap();
        prop_assert!((chance - share(0, false)).abs() < 1e-9 && interval.contains(chance));
    }
}
