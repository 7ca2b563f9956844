//! Tests self-play with libtorch: its evaluations, games and generations.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{program, study};
use fusion_chess::FusionGame;
use fusion_game::FeatureSet;
use fusion_game::evaluator::Evaluation;
use fusion_game::prelude::*;
use fusion_jobs::exit::{CORRUPT, NO_INPUT, exit_code};
use fusion_jobs::shard::ShardReader;
use fusion_network::model::Model;
use fusion_network::{self, FloatNetwork, MOST_LENGTH, Network, TreeSizes};
use fusion_runner::generate::{Answer, BatchEvaluator, Leaf};
use fusion_train::floats;
use fusion_train::torch::TorchEvaluator;
use tch::Device;

/// Returns a wide network of random weights, so that both heads have an output for every position.
fn random_network(folder: &Path) -> (PathBuf, FloatNetwork) {
    let network = fusion_network::FloatNetwork::random::<FusionGame>(&rules(), 256, 3).unwrap();
    let path = folder.join("net.safetensors");
    std::fs::write(&path, floats::to_bytes::<FusionGame, TreeSizes>(&rules(), &network).unwrap())
        .unwrap();
    (path, network)
}

fn rules() -> <FusionGame as fusion_game::Game>::Rules {
    "fusion-2020".parse().unwrap()
}

fn load(path: &Path) -> anyhow::Result<TorchEvaluator<FusionGame>> {
    TorchEvaluator::load(&rules(), path, Device::Cpu)
}

/// Returns positions with their legal moves, more than fit into one pass.
fn positions() -> Vec<(FusionGame, Vec<<FusionGame as Game>::Move>)> {
    let rules = "fusion-2020".parse().unwrap();
    let with_moves = |game: FusionGame| {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        (game, moves)
    };
    fusion_game::leaves(&FusionGame::middle_games(&rules))
        .into_iter()
        .take(300)
        .map(with_moves)
        .collect()
}

/// Returns values of some positions and policies of the others.
fn leaves(
    positions: &[(FusionGame, Vec<<FusionGame as Game>::Move>)],
) -> Vec<Leaf<'_, FusionGame>> {
    let leaf = |(i, (game, moves))| match i % 3 {
        0 => Leaf::Value(game),
        _ => Leaf::Policy(game, moves),
    };
    positions.iter().map(|(game, moves)| (game, &moves[..])).enumerate().map(leaf).collect()
}

#[test]
fn answers_are_those_of_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let (path, reference) = random_network(folder.path());
    let positions = positions();
    let leaves = leaves(&positions);
    let answers = load(&path).unwrap().evaluate(&leaves).unwrap();
    assert_eq!(answers.len(), 300);
    let mut widest = 0.0f32;
    for (leaf, answer) in leaves.iter().zip(&answers) {
        let (Leaf::Value(game) | Leaf::Policy(game, _)) = leaf;
        let hidden = reference.hidden(&FeatureSet::of(*game).iter().collect::<Vec<_>>());
        let (found, wanted) = match (leaf, answer) {
            (Leaf::Value(_), Answer::Value(Evaluation { wdl, plies })) => {
                let mut wanted = reference.value(&hidden);
                wanted[3] = wanted[3].clamp(0.0, MOST_LENGTH);
                (vec![wdl.win, wdl.draw, wdl.loss, plies.ln_1p()], wanted.to_vec())
            }
            (Leaf::Policy(game, moves), Answer::Policy(logits)) => {
                let mut rows = Vec::new();
                game.policy_factors(moves, &mut rows);
                let rows = rows.chunks(FusionGame::POLICY_FACTORS);
                (logits.clone(), rows.map(|rows| reference.logit(&hidden, rows)).collect())
            }
            _ => panic!("{answer:?} is no answer to {leaf:?}"),
        };
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
            widest = widest.max(wanted.abs());
        }
    }
    assert!(widest > 1.0, "the comparison is idle");
}

#[test]
fn no_answer_depends_on_its_company() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = random_network(folder.path());
    let evaluator = load(&path).unwrap();
    let positions = positions();
    let leaves = leaves(&positions);
    let together = evaluator.evaluate(&leaves).unwrap();
    for (leaf, wanted) in leaves.iter().zip(&together).step_by(7) {
        assert_eq!(evaluator.evaluate(&[*leaf]).unwrap(), std::slice::from_ref(wanted));
    }
    let backwards: Vec<_> = leaves.into_iter().rev().collect();
    let mut answers = evaluator.evaluate(&backwards).unwrap();
    answers.reverse();
    assert_eq!(answers, together);
    assert!(evaluator.evaluate(&[]).unwrap().is_empty());
}

#[test]
fn files_that_are_no_float_weights_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (path, float) = random_network(folder.path());
    assert_eq!(exit_code(&load(&folder.path().join("none")).unwrap_err()), NO_INPUT);
    let quantised = folder.path().join("net.fnet");
    let network = Network::quantise::<FusionGame>(&rules(), &float).unwrap();
    std::fs::write(&quantised, network.bytes()).unwrap();
    let error = load(&quantised).unwrap_err();
    assert_eq!(exit_code(&error), CORRUPT);
    assert!(error.to_string().contains("torch needs float weights"), "{error:#}");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
    assert_eq!(exit_code(&load(&path).unwrap_err()), CORRUPT);
}

/// Writes the test study with torch.
fn torch_study(folder: &Path) -> PathBuf {
    study(folder, "games = 12", "games = 12\nevaluator = \"torch\"")
}

fn generate(study: &Path, network: &Path, out: &Path, threads: &str) -> assert_cmd::assert::Assert {
    let mut command = program();
    command.arg("generate").arg(study).arg("--network").arg(network).arg("--out").arg(out);
    command.args(["--threads", threads]).assert()
}

fn games(folder: &Path) -> Vec<(u64, Vec<u8>)> {
    let path = folder.join("games-00000-of-00001.shard");
    ShardReader::open(&path).unwrap().map(Result::unwrap).collect()
}

#[test]
fn games_are_the_same_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let study = torch_study(folder.path());
    let (network, _) = random_network(folder.path());
    let [one, two, again] = ["one", "two", "again"].map(|name| folder.path().join(name));
    generate(&study, &network, &one, "1").success();
    generate(&study, &network, &two, "2").success();
    assert_eq!(games(&one).len(), 12);
    assert!(games(&one) == games(&two));

    // The footer and one game are lost, as if the process had been killed while writing.
    let name = "games-00000-of-00001.shard";
    let whole = std::fs::read(one.join(name)).unwrap();
    std::fs::create_dir(&again).unwrap();
    std::fs::write(again.join(format!("{name}.part")), &whole[..whole.len() - 60]).unwrap();
    generate(&study, &network, &again, "2").success();
    assert!(std::fs::read(again.join(name)).unwrap() == whole);

    let done = generate(&study, &network, &one, "1").success();
    let output = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(output.contains("already complete") && output.contains("\n12 games, "), "{output}");
}

#[test]
fn games_by_another_network_or_evaluator_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let study = torch_study(folder.path());
    let (network, _) = random_network(folder.path());
    let out = folder.path().join("games");
    generate(&study, &network, &out, "1").success();
    let other = fusion_network::FloatNetwork::random::<FusionGame>(&rules(), 64, 9).unwrap();
    std::fs::write(&network, floats::to_bytes::<FusionGame, TreeSizes>(&rules(), &other).unwrap())
        .unwrap();
    let rejected = generate(&study, &network, &out, "1").code(64);
    let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
    assert!(message.contains("its parameters.network is"), "{message}");

    let native = common::study(folder.path(), "seed = 5", "seed = 5");
    let rejected = generate(&native, &network, &out, "1").code(64);
    let message = String::from_utf8(rejected.get_output().stderr.clone()).unwrap();
    assert!(message.contains("use fusion generate"), "{message}");
}

/// Returns the evaluator of a generation's games, as its shard names it.
fn evaluator(out: &Path, generation: u32) -> BTreeMap<String, String> {
    let path = out.join(format!("generation-{generation:03}/games/games-00000-of-00001.shard"));
    let header = ShardReader::open(&path).unwrap().header().clone();
    let text = |key: &str| header.parameters[key].as_str().unwrap().to_owned();
    ["evaluator", "network"].map(|key| (key.to_owned(), text(key))).into()
}

#[test]
fn a_loop_plays_its_networks_with_torch() {
    let folder = tempfile::tempdir().unwrap();
    let study = torch_study(folder.path());
    // Every network is accepted, so each generation is played by the previous network.
    let text = std::fs::read_to_string(&study).unwrap();
    std::fs::write(&study, text.replace("games = 8", "games = 0")).unwrap();
    let run = |out: &Path, threads| {
        let mut command = program();
        command.arg("loop").arg(&study).arg("--out").arg(out).args(["--threads", threads]);
        command.assert().success();
    };
    let out = folder.path().join("train");
    run(&out, "1");
    let said = |evaluator: &str, network: String| -> BTreeMap<String, String> {
        [("evaluator", evaluator.to_owned()), ("network", network)]
            .map(|(key, text)| (key.to_owned(), text))
            .into()
    };
    assert_eq!(evaluator(&out, 0), said("native", "material".to_owned()));
    for generation in 1..3 {
        let fit = out.join(format!("generation-{:03}/fit", generation - 1));
        let network = load(&fit.join("net.safetensors")).unwrap().hash().to_owned();
        assert_eq!(evaluator(&out, generation), said("torch", network));
    }
    // The loop publishes the engine's own copy of the last network.
    Model::open::<FusionGame>(out.join("best.fnet").to_str().unwrap(), [&rules()]).unwrap();

    let again = folder.path().join("again");
    run(&again, "1");
    for name in ["best.fnet", "generation-002/fit/net.safetensors"] {
        let read = |out: &Path| std::fs::read(out.join(name)).unwrap();
        assert!(read(&out) == read(&again), "{name} differs");
    }
}
