use super::*;
use crate::codec;
use crate::kernels::Kernel;
use fusion_chess::FusionGame;
use fusion_game::evaluator::MoveEvaluator;
use fusion_game::prelude::*;
use fusion_game::{Side, Tactics};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn rules() -> <FusionGame as Game>::Rules {
    "fusion-2020".parse().unwrap()
}

/// Returns a network with random weights. `scale` widens the input weights.
fn network(hidden: usize, seed: u64, scale: f32) -> ViewFloats {
    let mut network = ViewFloats::random::<FusionGame>(&rules(), hidden, seed).unwrap();
    network.layers[INPUT].weights.iter_mut().for_each(|weight| *weight *= scale);
    network
}

fn value(network: &Arc<ViewNetwork>, game: &FusionGame) -> i32 {
    let mut evaluator = ViewEvaluator::new(network.clone());
    evaluator.begin(game);
    evaluator.value(game)
}

/// Walks through games with moves taken back, and compares with fresh evaluations.
fn check_walks(network: &Arc<ViewNetwork>, steps: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (_, rules) in <FusionGame as Game>::Rules::presets() {
        let mut game = FusionGame::new(&rules);
        let mut evaluator = ViewEvaluator::new(network.clone());
        evaluator.begin(&game);
        let mut line = Vec::new();
        for _ in 0..steps {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let over = game.outcome(&moves).is_some();
            match rng.next_u32() % 4 {
                0 if !line.is_empty() => {
                    game.unmake(&line.pop().unwrap());
                    MoveEvaluator::<FusionGame>::unmake(&mut evaluator);
                }
                _ if over => {}
                1 => {
                    if let Some(undo) = game.pass() {
                        evaluator.make(&game, &undo);
                        line.push(undo);
                        // A pass out of check leaves a position that cannot be.
                        game.unmake(&line.pop().unwrap());
                        MoveEvaluator::<FusionGame>::unmake(&mut evaluator);
                    }
                }
                _ => {
                    let undo = game.make(moves[rng.next_u32() as usize % moves.len()]);
                    evaluator.make(&game, &undo);
                    line.push(undo);
                }
            }
            if rng.next_u32() % 2 == 0 {
                assert_eq!(evaluator.value(&game), value(network, &game), "{}", game.to_text());
            }
        }
    }
}

#[test]
fn sums_that_follow_moves_equal_fresh_ones() {
    let floats = network(64, 1, 1.0);
    for kernel in Kernel::available() {
        let network =
            ViewNetwork::quantise::<FusionGame>(&rules(), &floats).unwrap().with_kernel(kernel);
        check_walks(&Arc::new(network), 300);
    }
}

#[test]
fn sums_that_do_not_fit_16_bits_do_not_wrap() {
    // Weights of up to 20 are ten thousand units each.
    let floats = network(64, 2, 140.0);
    let networks = Kernel::available().into_iter().map(|kernel| {
        ViewNetwork::quantise::<FusionGame>(&rules(), &floats).unwrap().with_kernel(kernel)
    });
    networks.for_each(|network| check_walks(&Arc::new(network), 100));
}

/// The second position differs from the first only in its move number, which the network sees.
#[test]
fn values_that_are_kept_are_those_of_the_position() {
    let network =
        Arc::new(ViewNetwork::quantise::<FusionGame>(&rules(), &network(64, 9, 1.0)).unwrap());
    let mut evaluator = ViewEvaluator::new(network.clone());
    let mut known = Vec::new();
    for number in [5, 30, 5, 31] {
        let fen = format!("4k3/pp6/8/8/8/8/8/4K2R w - - 0 {number}");
        let game = FusionGame::from_text(&"az-no-castling-10".parse().unwrap(), &fen).unwrap();
        evaluator.begin(&game);
        let found = evaluator.value(&game);
        assert_eq!(found, value(&network, &game), "{fen}");
        known.push(found);
    }
    assert!(known[0] == known[2] && known[1] == known[3] && known[0] != known[1], "{known:?}");
}

#[test]
fn quantised_values_are_close_to_the_floats() {
    let floats = network(128, 3, 1.0);
    let network = ViewNetwork::quantise::<FusionGame>(&rules(), &floats).unwrap();
    let mut game = FusionGame::new(&"fusion-2020".parse().unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut largest = 0f32;
    for _ in 0..60 {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            break;
        }
        let inputs = game.view_inputs();
        let exact = floats.value(&inputs, game.stage());
        let mut hidden = vec![0; 256];
        for (half, inputs) in inputs.views.iter().enumerate() {
            network.in_32_bits(inputs.iter().copied(), &mut hidden[half * 128..][..128]);
        }
        hidden.extend(&inputs.counts);
        let found = network.value(&hidden, game.stage(), &mut Vec::new());
        largest = largest.max((found.win - exact[0]).abs()).max((found.loss - exact[2]).abs());
        game.play(moves[rng.next_u32() as usize % moves.len()]);
    }
    assert!(largest < 0.03, "{largest}");
}

#[test]
fn damaged_files_are_rejected() {
    let network = ViewNetwork::quantise::<FusionGame>(&rules(), &network(64, 1, 1.0)).unwrap();
    let bytes = network.bytes().to_vec();
    assert!(ViewNetwork::is_file(&bytes));
    let again = ViewNetwork::from_bytes::<FusionGame>(&rules(), &bytes).unwrap();
    assert_eq!(again.hash(), network.hash());
    let rejected = |bytes: &[u8], part: &str| {
        let reason = ViewNetwork::from_bytes::<FusionGame>(&rules(), bytes).unwrap_err();
        assert!(reason.contains(part), "{reason}");
    };
    rejected(&bytes[..40], "truncated");
    rejected(&bytes[..bytes.len() - 1], "truncated or damaged");
    let mut other = bytes.clone();
    other[0] = b'X';
    rejected(&other, "does not begin with FUSIONVN");
    let mut other = bytes.clone();
    other[40] ^= 1;
    rejected(&other, "another game");
    let mut other = bytes.clone();
    other[12] = 65;
    rejected(&other, "a hidden width of 65");
    let mut other = bytes;
    other[9_000] ^= 1;
    rejected(&other, "checksum");
}

#[test]
fn both_sides_are_judged_alike() {
    let network = Arc::new(
        ViewNetwork::quantise::<FusionGame>(&rules(), &self::network(64, 4, 1.0)).unwrap(),
    );
    let game = FusionGame::from_text(
        &"fusion-1999".parse().unwrap(),
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
    );
    let game = game.unwrap();
    let turned = FusionGame::at(*game.rules(), game.position().flipped());
    assert_eq!(turned.side_to_move(), Side::Second);
    assert_eq!(value(&network, &game), value(&network, &turned));
}

/// A network without counts gives the same values when it has them, with zero weight.
#[test]
fn counts_are_added_to_older_networks() {
    let of = <ViewSizes as SizesFor<FusionGame>>::older;
    let newer = ViewNetwork::quantise::<FusionGame>(&rules(), &network(64, 8, 1.0)).unwrap();
    let older = codec::resized(newer.bytes(), newer.sizes(), of(&rules(), 64).unwrap());
    let network = Arc::new(ViewNetwork::from_bytes::<FusionGame>(&rules(), &older).unwrap());
    assert_eq!(network.sizes(), newer.sizes());
    assert_eq!(codec::resized(network.bytes(), network.sizes(), of(&rules(), 64).unwrap()), older);
    let mut floats = newer.to_float();
    let rows = floats.layers[INNER].weights.chunks_exact_mut(newer.sizes().second());
    rows.for_each(|row| row[128..].fill(0.0));
    let game = FusionGame::new(&"fusion-1999".parse().unwrap());
    let [wanted, found] = [&floats, &network.to_float()]
        .map(|floats| floats.value(&game.view_inputs(), game.stage()));
    assert!(wanted.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-5), "{wanted:?} {found:?}");
    assert_ne!(value(&network, &game), value(&Arc::new(newer), &game));
}

#[test]
fn integers_are_close_to_floats() {
    let floats = network(64, 6, 1.0);
    let again = ViewNetwork::quantise::<FusionGame>(&rules(), &floats).unwrap().to_float();
    for (wanted, found) in floats.parts().zip(again.parts()) {
        assert_eq!(wanted.len(), found.len());
        let apart = wanted.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 0.002, "{apart}");
    }
}
