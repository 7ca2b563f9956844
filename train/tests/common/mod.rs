//! Functions that the program's tests share.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A study that takes about a second.
#[allow(dead_code, reason = "not every test program reads it")]
pub const STUDY: &str = r#"
[study]
name = "test"
seed = 5

[network]
hidden = 64

[selfplay]
rules = { "fusion-2020" = 2.0, "orthodox" = 1.0 }
games = 12
simulations = 6
fast_simulations = 3
cap = 80

[train]
generations = 3
window = 2
min_positions = 100
epochs = 3.0
batch = 64
checkpoint_steps = 7

[train.gate]
games = 8
nodes = 6
sanity = false
"#;

/// Returns the program's command, in an environment in which it need not restart itself.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fusion-train"));
    command.envs(fusion_train::device::ENVIRONMENT);
    command
}

/// Writes the study, with one replacement, into a folder.
#[allow(dead_code, reason = "not every test program writes it")]
pub fn study(folder: &Path, from: &str, to: &str) -> PathBuf {
    assert!(STUDY.contains(from), "{from}");
    let path = folder.join("study.toml");
    std::fs::write(&path, STUDY.replace(from, to)).unwrap();
    path
}

/// Returns all files in a folder and its subfolders, with their contents.
#[allow(dead_code, reason = "not every test program compares folders")]
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
