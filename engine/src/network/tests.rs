use super::*;
use crate::fusion::FusionGame;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_network(hidden: usize, seed: u64) -> FloatNetwork {
    random::<FusionGame>(hidden, seed).unwrap()
}

#[test]
fn integers_agree_with_floats() {
    let float = random_network(128, 7);
    let network = Arc::new(Network::quantise::<FusionGame>(&float).unwrap());
    let mut evaluator = NetworkEvaluator::new::<FusionGame>(network);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for preset in crate::rules::PRESETS {
        let mut game = FusionGame::new(&preset.1);
        for _ in 0..60 {
            let (mut moves, mut logits) = (Vec::new(), Vec::new());
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            let features: Vec<u16> = FeatureSet::of(&game).iter().collect();
            let hidden = float.hidden(&features);
            let [win, draw, loss, length] = float.value(&hidden);
            let Evaluation { wdl, plies } = evaluator.value(&game);
            let exact = length.clamp(0.0, MOST_LENGTH).exp() - 1.0;
            assert!((plies - exact).abs() < 0.1 * (1.0 + exact), "{plies} {exact}");
            for (float, integer) in [(win, wdl.win), (draw, wdl.draw), (loss, wdl.loss)] {
                assert!((float - integer).abs() < 0.02, "{float} {integer}");
            }
            evaluator.policy(&game, &moves, &mut logits);
            let mut rows = Vec::new();
            game.policy_rows(&moves, &mut rows);
            for (rows, &logit) in rows.chunks(FusionGame::POLICY_TERMS).zip(&logits) {
                let expected = float.logit(&hidden, rows);
                assert!((expected - logit).abs() < 0.06, "{expected} {logit}");
            }
            game.play(moves[rng.next_u32() as usize % moves.len()]);
        }
    }
}

#[test]
fn files_round_trip_and_damage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.fnet");
    let float = random_network(64, 3);
    let network = Network::quantise::<FusionGame>(&float).unwrap();
    network.save(&path).unwrap();
    let loaded = Network::load::<FusionGame>(&path).unwrap();
    assert_eq!(loaded.hash(), network.hash());

    let good = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| Network::from_bytes::<FusionGame>(bytes).unwrap_err();
    for (at, expected) in [
        (0, "not a network"),
        (8, "version"),
        (12, "hidden width"),
        (20, "features"),
        (40, "scheme"),
        (5_000, "checksum"),
        (good.len() - 1, "checksum"),
    ] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(refused(&bad).contains(expected), "{at}: {}", refused(&bad));
    }
    for len in [0, 10, 100, good.len() / 2, good.len() - 1] {
        assert!(refused(&good[..len]).contains("truncated"), "{}", refused(&good[..len]));
    }
    let missing = Network::load::<FusionGame>(&folder.path().join("none")).unwrap_err();
    assert!(missing.to_string().contains("none"));
}

#[test]
fn float_networks_round_trip_and_damage_is_refused() {
    let float = random_network(64, 5);
    let good = float.to_bytes::<FusionGame>().unwrap();
    assert_eq!(FloatNetwork::from_bytes::<FusionGame>(&good), Ok(float.clone()));
    let mut poisoned = float.clone();
    poisoned.policy[77] = f32::NAN;
    let bytes = poisoned.to_bytes::<FusionGame>().unwrap();
    let error = FloatNetwork::from_bytes::<FusionGame>(&bytes).unwrap_err();
    assert!(error.contains("policy.weight") && error.contains("finite"), "{error}");
    assert!(FloatNetwork::from_bytes::<FusionGame>(&good[..good.len() - 4]).is_err());
    assert!(FloatNetwork::from_bytes::<FusionGame>(b"junk").is_err());
}

#[test]
fn what_was_evaluated_before_changes_no_bit() {
    let network = Arc::new(Network::quantise::<FusionGame>(&random_network(128, 2)).unwrap());
    let mut warm = NetworkEvaluator::new::<FusionGame>(network.clone());
    let rules = "fusion-2020".parse().unwrap();
    for game in crate::benchmark::leaves(&crate::benchmark::middle_games(&rules)) {
        let mut fresh = NetworkEvaluator::new::<FusionGame>(network.clone());
        assert_eq!(warm.value(&game), fresh.value(&game));
        let (mut moves, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
        game.legal_moves(&mut moves);
        warm.policy(&game, &moves, &mut one);
        fresh.policy(&game, &moves, &mut two);
        assert_eq!(one, two);
    }
}

#[test]
fn a_policy_is_not_that_of_the_position_evaluated_in_between() {
    let network = Arc::new(Network::quantise::<FusionGame>(&random_network(128, 2)).unwrap());
    let mut evaluator = NetworkEvaluator::new::<FusionGame>(network.clone());
    let mut moves = Vec::new();
    let first = FusionGame::new(&"fusion-2020".parse().unwrap());
    first.legal_moves(&mut moves);
    let mut second = first.clone();
    second.play(moves[0]);
    let policy = |evaluator: &mut NetworkEvaluator| {
        let mut logits = Vec::new();
        evaluator.policy(&first, &moves, &mut logits);
        logits
    };
    let expected = policy(&mut NetworkEvaluator::new::<FusionGame>(network));
    evaluator.value(&first);
    evaluator.value(&second);
    assert_eq!(policy(&mut evaluator), expected);
}

#[test]
fn rows_are_kept_once_each_however_many_positions_came_before() {
    let mut distinct = Distinct::new::<FusionGame>();
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    // More positions than their number can count: it starts again on the way.
    for _ in 0..70_000 {
        let rows: Vec<u16> =
            (0..rng.next_u32() % 12).map(|_| (rng.next_u32() % 8) as u16).collect();
        let mut places = rows.clone();
        distinct.replace(&mut places);
        let said: Vec<u16> =
            places.iter().map(|&place| distinct.get()[usize::from(place)]).collect();
        assert_eq!(said, rows);
        let mut different = rows;
        different.sort_unstable();
        different.dedup();
        assert_eq!(distinct.get().len(), different.len());
    }
}
