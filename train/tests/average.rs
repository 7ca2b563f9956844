//! Tests `average`: its result, and its messages on bad input.

mod common;

use std::path::{Path, PathBuf};

use common::program;
use fusion_chess::FusionGame;
use fusion_network::views::ViewSizes;
use fusion_train::architecture::{Architecture, Parameters};
use fusion_train::checkpoint;
use tch::Device;

fn rules() -> <FusionGame as fusion_game::Game>::Rules {
    "fusion-2020".parse().unwrap()
}

fn shape() -> ViewSizes {
    ViewSizes::of::<FusionGame>(&rules(), 64).unwrap()
}

/// Writes random weights and returns their file.
fn network(folder: &Path, seed: u64) -> (PathBuf, Parameters<ViewSizes>) {
    let weights = shape().random(seed, Device::Cpu);
    let path = folder.join(format!("{seed}.safetensors"));
    checkpoint::save_weights(&path, &weights, &ViewSizes::scheme_name::<FusionGame>(&rules()))
        .unwrap();
    (path, weights)
}

fn run(networks: &[&Path], out: &Path, hidden: &str, code: i32) -> String {
    let options = ["--search", "pvs", "--hidden", hidden, "--out"];
    let mut command = program();
    command.arg("average").args(networks).args(options).arg(out);
    let output = command.assert().code(code);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn the_mean_of_the_weights_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let [(first, a), (second, b), (third, _)] = [1, 2, 3].map(|seed| network(folder.path(), seed));
    let out = folder.path().join("out");
    run(&[&first, &second], &out, "64", 0);
    for (file, error) in [("net.safetensors", 1e-6), ("net.fnet", 0.02)] {
        let path = out.join(file);
        let mean = checkpoint::load_weights::<FusionGame, _>(&rules(), &path, shape(), Device::Cpu)
            .unwrap();
        for ((name, mean), ((_, a), (_, b))) in mean.tensors().zip(a.tensors().zip(b.tensors())) {
            let expected: tch::Tensor = (a + b) / 2.0;
            let off = (mean - expected).abs().max().double_value(&[]);
            assert!(off <= error, "{file}, {name}: {off}");
        }
    }
    // The same command changes nothing; another needs another folder.
    let bytes = std::fs::read(out.join("net.fnet")).unwrap();
    run(&[&first, &second], &out, "64", 0);
    assert_eq!(std::fs::read(out.join("net.fnet")).unwrap(), bytes);
    let message = run(&[&first, &third], &out, "64", 64);
    assert!(message.contains("holds a run with other settings: `networks`"), "{message}");
}

#[test]
fn networks_that_do_not_fit_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (first, _) = network(folder.path(), 1);
    let (second, _) = network(folder.path(), 2);
    let out = folder.path().join("out");
    let message = run(&[&first, &second], &out, "128", 65);
    assert!(message.contains("is network.hidden another?"), "{message}");
    let message = run(&[&first], &out, "64", 64);
    assert!(message.contains("2 values required"), "{message}");
    assert!(!out.exists());
}
