use super::*;
use crate::codec;
use fusion_chess::FusionGame;
use fusion_game::evaluator::Evaluator;
use fusion_game::{Benchmark, Game, Notation, leaves};
use fusion_game::{FeatureSet, hex};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn rules() -> <FusionGame as Game>::Rules {
    "fusion-2020".parse().unwrap()
}

fn random_network(hidden: usize, seed: u64) -> FloatNetwork {
    FloatNetwork::random::<FusionGame>(&rules(), hidden, seed).unwrap()
}

#[test]
fn integers_agree_with_floats() {
    let float = random_network(128, 7);
    let network = Arc::new(Network::quantise::<FusionGame>(&rules(), &float).unwrap());
    let mut evaluator = NetworkEvaluator::new(network);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for preset in fusion_chess::rules::PRESETS {
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
                assert!((float - integer).abs() < 0.025, "{float} {integer} {}", preset.0);
            }
            evaluator.policy(&game, &moves, &mut logits);
            let mut rows = Vec::new();
            game.policy_factors(&moves, &mut rows);
            for (rows, &logit) in rows.chunks(FusionGame::POLICY_FACTORS).zip(&logits) {
                let expected = float.logit(&hidden, rows);
                assert!((expected - logit).abs() < 0.08, "{expected} {logit} {}", preset.0);
            }
            game.play(moves[rng.next_u32() as usize % moves.len()]);
        }
    }
}

#[test]
fn floats_made_of_integers_make_the_same_integers() {
    let network = Network::quantise::<FusionGame>(&rules(), &random_network(64, 11)).unwrap();
    let again = Network::quantise::<FusionGame>(&rules(), &network.to_float()).unwrap();
    assert!(again.weights::<i16>(INPUT) == network.weights::<i16>(INPUT));
    assert!(again.weights::<i8>(POLICY) == network.weights::<i8>(POLICY));
    for layer in [POLICY, INNER, VALUE] {
        let pairs = again.biases::<f32>(layer).iter().zip(network.biases::<f32>(layer));
        let apart = pairs.fold(0f32, |most, (a, b)| most.max((a - b).abs() / b.abs().max(1e-3)));
        assert!(apart < 1e-5, "{apart}");
    }
    assert!(again.weights::<f32>(VALUE) == network.weights::<f32>(VALUE));
}

#[test]
fn networks_of_the_earlier_scheme_are_read_as_they_were() {
    let network = Network::quantise::<FusionGame>(&rules(), &random_network(128, 5)).unwrap();
    let older = <TreeSizes as SizesFor<FusionGame>>::older(&rules(), 128).unwrap();
    let earlier = codec::resized(network.bytes(), network.sizes(), older);
    assert!(earlier.len() < network.bytes().len());
    let grown = Network::from_bytes::<FusionGame>(&rules(), &earlier).unwrap();
    assert_eq!(grown.sizes(), network.sizes());
    assert_eq!(grown.hash(), hex(&Sha256::digest(&earlier)), "its identity is its file's");
    let (network, grown) = (Arc::new(network), Arc::new(grown));
    let [mut one, mut other] = [network, grown].map(NetworkEvaluator::new);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    // Rules of these presets were known to the earlier scheme.
    for (_, rules) in &fusion_chess::rules::PRESETS[..6] {
        let mut game = FusionGame::new(rules);
        for _ in 0..60 {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            assert_eq!(one.value(&game), other.value(&game));
            let [mut expected, mut found] = [Vec::new(), Vec::new()];
            one.policy(&game, &moves, &mut expected);
            other.policy(&game, &moves, &mut found);
            assert_eq!(expected, found, "{}", game.to_text());
            game.play(moves[rng.next_u32() as usize % moves.len()]);
        }
    }
    for damaged in [40, 5_000, earlier.len() - 1] {
        let mut bad = earlier.clone();
        bad[damaged] ^= 1;
        assert!(Network::from_bytes::<FusionGame>(&rules(), &bad).is_err(), "{damaged}");
    }
    assert!(Network::from_bytes::<FusionGame>(&rules(), &earlier[..earlier.len() - 1]).is_err());
}

#[test]
fn files_round_trip_and_damage_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.fnet");
    let float = random_network(64, 3);
    let network = Network::quantise::<FusionGame>(&rules(), &float).unwrap();
    std::fs::write(&path, network.bytes()).unwrap();
    let loaded = Network::load::<FusionGame>(&rules(), &path).unwrap();
    assert_eq!(loaded.hash(), network.hash());

    let good = std::fs::read(&path).unwrap();
    let rejected = |bytes: &[u8]| Network::from_bytes::<FusionGame>(&rules(), bytes).unwrap_err();
    for (at, expected) in [
        (0, "not a network"),
        (8, "version"),
        (12, "hidden width"),
        (20, "sizes"),
        (40, "scheme"),
        (5_000, "checksum"),
        (good.len() - 1, "checksum"),
    ] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(rejected(&bad).contains(expected), "{at}: {}", rejected(&bad));
    }
    for len in [0, 10, 100, good.len() / 2, good.len() - 1] {
        assert!(rejected(&good[..len]).contains("truncated"), "{}", rejected(&good[..len]));
    }
    // Changing the file does not change a network that is already loaded.
    std::fs::write(&path, vec![0; good.len()]).unwrap();
    assert_eq!(loaded.bytes(), good);
    #[cfg(unix)]
    {
        let endless =
            Network::load::<FusionGame>(&rules(), std::path::Path::new("/dev/zero")).unwrap_err();
        assert!(endless.to_string().contains("not a file"), "{endless}");
    }
    let missing = Network::load::<FusionGame>(&rules(), &folder.path().join("none")).unwrap_err();
    assert!(missing.to_string().contains("none"));
}

#[test]
fn what_was_evaluated_before_changes_no_bit() {
    let network =
        Arc::new(Network::quantise::<FusionGame>(&rules(), &random_network(128, 2)).unwrap());
    let mut warm = NetworkEvaluator::new(network.clone());
    let rules = "fusion-2020".parse().unwrap();
    for game in leaves(&FusionGame::middle_games(&rules)) {
        let mut fresh = NetworkEvaluator::new(network.clone());
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
    let network =
        Arc::new(Network::quantise::<FusionGame>(&rules(), &random_network(128, 2)).unwrap());
    let mut evaluator = NetworkEvaluator::new(network.clone());
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
    let expected = policy(&mut NetworkEvaluator::new(network));
    evaluator.value(&first);
    evaluator.value(&second);
    assert_eq!(policy(&mut evaluator), expected);
}

#[test]
fn rows_are_kept_once_each_however_many_positions_came_before() {
    let mut distinct = evaluator::Distinct::new(8);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    // More positions than the position number can count, so that it wraps around.
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

#[test]
fn activations_and_logits_have_a_sensible_spread() {
    let network = random_network(256, 1);
    let (mut activations, mut logits, mut chances) = (Vec::new(), Vec::new(), Vec::new());
    for game in FusionGame::middle_games(&"fusion-2020".parse().unwrap()) {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let features: Vec<u16> = FeatureSet::of(&game).iter().collect();
        let hidden = network.hidden(&features);
        let mut rows = Vec::new();
        game.policy_factors(&moves, &mut rows);
        let rows = rows.chunks(FusionGame::POLICY_FACTORS);
        logits.extend(rows.map(|rows| network.logit(&hidden, rows)));
        chances.extend(network.value(&hidden).into_iter().take(3));
        activations.extend(hidden);
    }
    let share = |hit: &dyn Fn(&f32) -> bool| {
        activations.iter().filter(|h| hit(h)).count() as f32 / activations.len() as f32
    };
    assert!((0.1..0.4).contains(&share(&|&h| h == 0.0)));
    assert!((0.02..0.2).contains(&share(&|&h| h == 1.0)));
    let square = logits.iter().map(|x| x * x).sum::<f32>() / logits.len() as f32;
    assert!((0.5..2.0).contains(&square.sqrt()), "{square}");
    assert!(chances.iter().all(|p| (0.003..0.997).contains(p)), "{chances:?}");
}

#[test]
fn the_seed_decides_and_bad_widths_are_rejected() {
    assert_eq!(random_network(64, 1), random_network(64, 1));
    assert_ne!(random_network(64, 1), random_network(64, 2));
    assert!(FloatNetwork::random::<FusionGame>(&rules(), 100, 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// No sum wraps, however large the weights are: values and policies are those of sums in 32
    /// bits. The factors give sums that fit, sums that fit if few inputs change, and sums that do
    /// not fit.
    #[test]
    fn sums_never_wrap(
        factor in prop::sample::select(vec![1f32, 4.0, 12.0, 40.0, 1000.0]),
        preset in 0..fusion_chess::rules::PRESETS.len(),
        seed: u64,
    ) {
        let mut float = random_network(64, seed);
        float.layers[INPUT].weights.iter_mut().for_each(|weight| *weight *= factor);
        let network = Arc::new(Network::quantise::<FusionGame>(&rules(), &float).unwrap());
        let mut evaluator = NetworkEvaluator::new(network.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut game = FusionGame::new(&fusion_chess::rules::PRESETS[preset].1);
        let (mut hidden, mut scratch) = (vec![0; 64], Vec::new());
        for _ in 0..40 {
            let (mut moves, mut logits) = (Vec::new(), Vec::new());
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            network.in_32_bits(FeatureSet::of(&game).iter(), &mut hidden);
            prop_assert_eq!(evaluator.value(&game), network.value(&hidden, &mut scratch));
            evaluator.policy(&game, &moves, &mut logits);
            let (mut rows, mut outputs) = (Vec::new(), Vec::new());
            game.policy_factors(&moves, &mut rows);
            network.rows(&hidden, &rows, &mut scratch, &mut outputs);
            for (outputs, &logit) in outputs.chunks(FusionGame::POLICY_FACTORS).zip(&logits) {
                prop_assert_eq!(outputs.iter().sum::<f32>(), logit);
            }
            game.play(moves[rng.next_u32() as usize % moves.len()]);
        }
    }
}
