use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Makes 60 openings under 8 combinations of three toggles, from a small generator that any
/// language can reproduce.
fn games() -> Vec<Observation> {
    let mut state = 12_345u64;
    let mut uniform = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        state as f64 / f64::from(1u32 << 31)
    };
    let mut games = Vec::new();
    for cluster in 0..60 {
        let opening = uniform() * 1.5 - 0.75;
        for toggles in 0..8u32 {
            let on = |j: u32| f64::from(toggles >> j & 1);
            let (a, b, c) = (on(0), on(1), on(2));
            let logit = -0.4 + opening + 0.7 * a - 0.5 * b + 0.9 * a * b + 0.2 * c;
            games.push(Observation { drawn: uniform() < logistic(logit), toggles, cluster });
        }
    }
    games
}

fn close(found: Estimate, value: f64, error: f64) {
    assert!((found.value - value).abs() < 1e-6, "{found:?}, expected {value}");
    assert!((found.error - error).abs() < 1e-6, "{found:?}, expected an error of {error}");
}

/// Expected values: statsmodels 0.14, `GLM(...).fit(cov_type="cluster")`, its marginal effects by
/// the delta method.
#[test]
fn agrees_with_statsmodels() {
    let games = games();
    assert_eq!(games.iter().filter(|game| game.drawn).count(), 247);
    let plain = Logistic::fit(&games, 3, false).unwrap();
    close(plain.coefficient(0).unwrap(), -0.530_783_38, 0.218_193_81);
    close(plain.coefficient(1).unwrap(), 1.115_869_46, 0.206_769_21);
    close(plain.effect(0), 0.270_833_333_3, 0.047_796_379_2);
    close(plain.effect(1), -0.029_166_666_7, 0.046_591_709_2);
    close(plain.effect(2), 0.045_833_333_3, 0.036_982_904_3);
    close(plain.interaction(0, 1), 0.000_994_087_6, 0.002_430_134_6);
    assert!(plain.coefficient(3).is_none());
    let pairs = Logistic::fit(&games, 3, true).unwrap();
    close(pairs.coefficient(3).unwrap(), 0.540_483_51, 0.344_856_77);
    close(pairs.effect(0), 0.270_833_333_3, 0.047_947_713_8);
    close(pairs.interaction(0, 1), 0.125, 0.078_992_939_9);
    assert!((pairs.effect(2).p_value() - 0.216_7).abs() < 1e-3);
}

#[test]
fn what_no_model_can_say_is_an_error() {
    let game = |drawn, toggles, cluster| Observation { drawn, toggles, cluster };
    assert_eq!(Logistic::fit(&[], 1, false).unwrap_err(), StatisticsError::Empty);
    let undefined = |games: &[Observation], toggles| {
        Logistic::fit(games, toggles, false).unwrap_err().to_string()
    };
    assert!(undefined(&games(), 33).contains("bits"));
    let few = [game(true, 0, 0), game(false, 1, 1)];
    assert!(undefined(&few, 1).contains("fewer games"));
    // The toggle decides all draws.
    let separated: Vec<_> = (0..40).map(|i| game(i % 2 == 0, (i % 2) as u32, i)).collect();
    assert!(undefined(&separated, 1).contains("all games or none"));
    // Two toggles that are always on together.
    let together: Vec<_> = (0..40).map(|i| game(i % 3 == 0, (i % 2) as u32 * 3, i)).collect();
    assert!(undefined(&together, 2).contains("apart"));
    let one_opening: Vec<_> = (0..40).map(|i| game(i % 3 == 0, (i % 2) as u32, 7)).collect();
    assert!(undefined(&one_opening, 1).contains("single opening"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn names_and_order_do_not_matter(seed: u64, rotation in 1usize..200) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let games: Vec<Observation> = (0..400)
            .map(|i| Observation {
                drawn: rng.random_bool(0.4),
                toggles: i % 4,
                cluster: u64::from(i / 4),
            })
            .collect();
        let Ok(fitted) = Logistic::fit(&games, 2, true) else { return Ok(()) };
        let mut other = games.clone();
        other.rotate_left(rotation);
        for game in &mut other {
            game.toggles = game.toggles >> 1 | (game.toggles & 1) << 1;
            game.cluster = 1_000 - game.cluster;
        }
        let swapped = Logistic::fit(&other, 2, true).unwrap();
        prop_assert!((fitted.effect(0).value - swapped.effect(1).value).abs() < 1e-9);
        prop_assert!((fitted.effect(0).error - swapped.effect(1).error).abs() < 1e-9);
        let share = |on: u32| {
            let of = games.iter().filter(|game| game.toggles & 1 == on);
            of.clone().filter(|game| game.drawn).count() as f64 / of.count() as f64
        };
        // A model with all pairs of two toggles fits every combination exactly.
        prop_assert!((fitted.effect(0).value - (share(1) - share(0))).abs() < 1e-9);
    }
}
