//! Tests `fit` on real games: its output, and its messages on bad input.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{program, study};
use fusion_chess::FusionGame;
use fusion_game::FeatureSet;
use fusion_game::evaluator::Evaluation;
use fusion_game::prelude::*;
use fusion_jobs::stop::Stop;
use fusion_network::TreeSizes;
use fusion_network::model::Model;
use fusion_runner::generate;
use fusion_runner::samples::Sample;
use fusion_study::Searcher;
use fusion_study::Study;
use fusion_train::checkpoint;
use fusion_train::floats;
use fusion_train::window::{Ends, Part, TreeLayout, Window};
use tch::Device;

/// Plays the test study's training games and returns its folder of shards.
fn games(folder: &Path) -> PathBuf {
    let study = Study::parse(common::STUDY).unwrap();
    let shards = folder.join("games");
    std::fs::create_dir(&shards).unwrap();
    let model = Model::open::<FusionGame>("material", []).unwrap();
    generate::run::<FusionGame>(
        &study.selfplay,
        &Searcher::from(model),
        1,
        &shards,
        0..1,
        &Stop::new(),
    )
    .unwrap();
    shards
}

fn rejection(args: &[&Path], code: i32) -> String {
    let output = program().arg("fit").args(args).args(["--threads", "1"]).assert().code(code);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

/// The averaged weights, the engine's float network and its integer network are three programs for
/// one function. Floats agree to rounding. Integers agree within 0.02 in the shares of win, draw
/// and loss, and within 0.02 in a move's share of the policy.
#[test]
fn the_engine_plays_the_network_that_was_trained() {
    let folder = tempfile::tempdir().unwrap();
    let (shards, out) = (games(folder.path()), folder.path().join("fit"));
    let study = study(folder.path(), "epochs = 3.0", "epochs = 20.0");
    program()
        .arg("fit")
        .args([
            Path::new("--shards"),
            &shards,
            Path::new("--out"),
            &out,
            Path::new("--study"),
            &study,
        ])
        .assert()
        .success();

    let rules = "fusion-2020".parse().unwrap();
    let ends = Ends::of::<FusionGame>(&rules);
    let shape = TreeSizes::of::<FusionGame>(&rules, 64).unwrap();
    let float = out.join("net.safetensors");
    let weights =
        checkpoint::load_weights::<FusionGame, TreeSizes>(&rules, &float, shape, Device::Cpu)
            .unwrap();
    let network =
        Model::open::<FusionGame>(out.join("net.fnet").to_str().unwrap(), [&rules]).unwrap();
    let reference =
        floats::from_bytes::<FusionGame, TreeSizes>(&rules, &std::fs::read(&float).unwrap())
            .unwrap();
    let mut evaluator = network.evaluator::<FusionGame>(0);
    let (mut spread, mut compared) = (0.0f32, 0);
    for game in positions() {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let features: Vec<u16> = FeatureSet::of(&game).iter().collect();
        let mut rows = Vec::new();
        game.policy_factors(&moves, &mut rows);
        let sample = Sample {
            features: features.clone(),
            policy: vec![1.0 / moves.len() as f32; moves.len()],
            rows: rows.clone(),
            result: [0.0, 1.0, 0.0],
            root: [0.0, 1.0, 0.0],
            remaining: None,
            horizon: [0.3, 0.3, 0.4],
            weight: 1.0,
        };
        let layout = TreeLayout::new(ends, 0.0, None);
        let part = Part::of(&layout, [(0, [sample], false)]).unwrap();
        let mut window = Window::new(Arc::new(layout));
        window.add(part.into()).unwrap();
        let trained = weights.predict(&window.batch(&[0]));

        let hidden = reference.hidden(&features);
        let logits: Vec<f32> = rows
            .chunks(FusionGame::POLICY_FACTORS)
            .map(|rows| reference.logit(&hidden, rows))
            .collect();
        close(&trained.values, &reference.value(&hidden)[..3], 1e-4);
        close(&trained.policies, &softmax(&logits), 1e-4);

        let Evaluation { wdl, .. } = evaluator.value(&game);
        let mut logits = Vec::new();
        evaluator.policy(&game, &moves, &mut logits);
        close(&trained.values, &[wdl.win, wdl.draw, wdl.loss], 0.02);
        close(&trained.policies, &softmax(&logits), 0.02);
        spread = spread.max((wdl.win - wdl.loss).abs());
        compared += 1;
    }
    assert!(
        compared > 100 && spread > 0.1,
        "the comparison is idle: {compared} positions, spread {spread}"
    );
}

/// Returns positions of a few games of fixed but varied moves.
fn positions() -> Vec<FusionGame> {
    let mut positions = Vec::new();
    for (number, rules) in ["fusion-2020", "fusion-1999", "orthodox"].into_iter().enumerate() {
        let mut game = FusionGame::new(&RuleSet::parse(rules).unwrap());
        for ply in 0..60 {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            if game.outcome(&moves).is_some() {
                break;
            }
            positions.push(game.clone());
            game.play(moves[(ply * 7 + number * 3) % moves.len()]);
        }
    }
    positions
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let weights: Vec<f32> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let total: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

fn close(found: &[f32], wanted: &[f32], tolerance: f32) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < tolerance, "{found} is not {wanted}");
    }
}

#[test]
fn bad_input_ends_in_a_message_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (shards, out) = (games(folder.path()), folder.path().join("fit"));
    let args = |study: &Path| -> Vec<PathBuf> {
        [
            "--shards".into(),
            shards.clone(),
            "--out".into(),
            out.clone(),
            "--study".into(),
            study.to_owned(),
        ]
        .into()
    };
    let rejected = |study: &Path, code| {
        let args = args(study);
        rejection(&args.iter().map(PathBuf::as_path).collect::<Vec<_>>(), code)
    };

    let hungry = study(folder.path(), "min_positions = 100", "min_positions = 20000");
    let message = rejected(&hungry, 1);
    assert!(message.contains("need 20,000 positions to train, have "), "{message}");
    assert!(message.contains("play more games or lower `min_positions`"), "{message}");

    let good = study(folder.path(), "seed = 5", "seed = 5");
    let shard = shards.join("games-00000-of-00001.shard");
    let whole = std::fs::read(&shard).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for bytes in [&whole[..whole.len() / 2], &flipped] {
        std::fs::write(&shard, bytes).unwrap();
        let message = rejected(&good, 65);
        assert!(message.contains("games-00000-of-00001.shard"), "{message}");
    }
    std::fs::remove_file(&shard).unwrap();
    assert!(rejected(&good, 66).contains("holds no shard"));
    std::fs::write(&shard, &whole).unwrap();
    assert!(!out.exists(), "a rejected fit left files behind");

    let wild = study(folder.path(), "batch = 64", "batch = 64\nlearning_rate = 1e30");
    let message = rejected(&wild, 1);
    assert!(
        message.contains("training diverged at step") && message.contains("learning_rate"),
        "{message}"
    );
    assert!(!out.join("net.fnet").exists());
}

#[test]
fn networks_that_do_not_fit_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (shards, out) = (games(folder.path()), folder.path().join("fit"));
    let good = study(folder.path(), "seed = 5", "seed = 5");
    let (next, network) = (folder.path().join("next"), out.join("net.safetensors"));
    let arguments = |out: &Path| -> Vec<PathBuf> {
        [
            "--shards".into(),
            shards.clone(),
            "--out".into(),
            out.to_owned(),
            "--study".into(),
            good.clone(),
        ]
        .into()
    };
    program().arg("fit").args(arguments(&out)).assert().success();
    let continued = |extra: &[&str]| {
        program().arg("fit").args(arguments(&next)).arg("--init").arg(&network).args(extra).assert()
    };
    let narrow = continued(&["--hidden", "128"]).code(65);
    let message = String::from_utf8(narrow.get_output().stderr.clone()).unwrap();
    assert!(message.contains("input.weight has the size"), "{message}");
    continued(&["--hidden", "100"]).code(64);

    let whole = std::fs::read(&network).unwrap();
    std::fs::write(&network, &whole[..whole.len() - 10]).unwrap();
    continued(&[]).code(65);
    assert!(!next.exists(), "what cannot begin claims no folder");
    std::fs::write(&network, &whole).unwrap();
    continued(&[]).success();
}
