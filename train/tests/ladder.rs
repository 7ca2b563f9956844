//! Tests the ladder as a user plays it: after a loop, by its own command, interrupted, changed.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{program, study, tree};

const LADDER: &str = r#"
[ladder]
nodes = 4
games = 4
earlier = 2
references = ["uniform", "rollout", "material"]

[train.gate]
games = 0
"#;

/// Writes the test study with every network accepted, and a ladder.
fn with_ladder(folder: &Path) -> PathBuf {
    study(folder, "[train.gate]\ngames = 8\n", LADDER)
}

fn command(name: &str, study: &Path, out: &Path) -> assert_cmd::Command {
    let mut command = program();
    command.arg(name).arg(study).arg("--out").arg(out).args(["--threads", "1"]);
    command
}

fn message(output: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

/// Returns the rows of the ladder's table by column.
fn rows(out: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(out.join("ladder.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?} is no number"))
}

/// Checks the costs of generations against the sums of the loop's own files.
fn check_costs(out: &Path, rows: &[BTreeMap<String, String>]) {
    let (mut positions, mut plies, mut seconds) = (0.0, 0.0, 0.0);
    for (generation, row) in rows.iter().filter(|row| row["kind"] == "generation").enumerate() {
        assert_eq!(row["player"], format!("generation-{generation:03}"));
        let path = out.join(&row["player"]).join("generation.json");
        let outcome: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        positions += outcome["fit"]["positions"].as_f64().unwrap();
        plies += outcome["plies"].as_f64().unwrap();
        for stage in ["selfplay", "fit", "gate"] {
            seconds += outcome["cpu"][stage].as_f64().unwrap();
        }
        assert_eq!((number(row, "positions"), number(row, "plies")), (positions, plies));
        assert!((number(row, "cpu_hours") - seconds / 3600.0).abs() < 1e-5, "{row:?}");
    }
}

#[test]
fn a_loop_ends_with_its_ladder() {
    let folder = tempfile::tempdir().unwrap();
    let (study, out) = (with_ladder(folder.path()), folder.path().join("train"));
    command("loop", &study, &out).assert().success();
    let all = rows(&out);
    // The start is `material`, so as a reference it would play itself.
    let players = ["material", "generation-000", "generation-001", "generation-002"];
    let players: Vec<&str> = players.into_iter().chain(["uniform", "rollout"]).collect();
    let scales = ["all", "fusion-2020", "orthodox"];
    assert_eq!(all.len(), players.len() * scales.len());
    for (rows, rules) in all.chunks(players.len()).zip(scales) {
        let names: Vec<&str> = rows.iter().map(|row| row["player"].as_str()).collect();
        assert_eq!(names, players);
        assert!(rows.iter().all(|row| row["rules"] == rules));
        assert_eq!((rows[0]["elo"].as_str(), rows[0]["elo_high"].as_str()), ("0.0", "0.0"));
        assert_eq!((rows[0]["positions"].as_str(), rows[5]["positions"].as_str()), ("0", ""));
        for row in &rows[1..] {
            let [low, elo, high] = ["elo_low", "elo", "elo_high"].map(|name| number(row, name));
            assert!(low < elo && elo < high, "{row:?}");
        }
        // There are 4 games under each of the rule sets against each of 5 opponents.
        let share = if rules == "all" { 2.0 } else { 1.0 };
        assert_eq!(number(&rows[0], "games"), 4.0 * 5.0 * share);
        check_costs(&out, rows);
    }
    assert!(all.iter().any(|row| number(row, "elo").abs() > 1.0), "all games were drawn");

    // The command finds no work, and replays lost matches with the same result.
    let before = tree(&out);
    command("ladder", &study, &out).assert().success();
    assert!(before == tree(&out), "a finished ladder changed files");
    std::fs::remove_file(out.join("ladder.csv")).unwrap();
    std::fs::remove_dir_all(out.join("ladder/generation-002-vs-generation-001")).unwrap();
    command("ladder", &study, &out).assert().success();
    assert!(before == tree(&out), "what was lost came back otherwise");
}

#[test]
fn other_settings_are_rejected_and_more_players_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (study, out) = (with_ladder(folder.path()), folder.path().join("train"));
    let none = command("ladder", &study, &out).assert().code(66);
    assert!(message(&none).contains("holds no training loop"), "{}", message(&none));
    assert!(!out.exists());

    let text = std::fs::read_to_string(&study).unwrap();
    let write = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(&study, text.replace(from, to)).unwrap();
    };
    write("references = [\"uniform\", ", "references = [");
    command("loop", &study, &out).assert().success();
    assert!(!out.join("ladder/uniform-vs-start").exists());
    write("earlier = 2", "earlier = 1");
    let match_file = out.join("ladder/generation-001-vs-start/strength.json");
    let before = std::fs::read(&match_file).unwrap();
    command("ladder", &study, &out).assert().success();
    assert!(out.join("ladder/uniform-vs-start/strength.json").exists());
    assert_eq!(std::fs::read(&match_file).unwrap(), before);

    write("nodes = 4", "nodes = 5");
    let rejected = command("ladder", &study, &out).assert().code(64);
    let said = message(&rejected);
    assert!(said.contains("`ladder.nodes` was 4, now it is 5"), "{said}");
    write("batch = 64", "batch = 65");
    let rejected = command("ladder", &study, &out).assert().code(64);
    let said = message(&rejected);
    assert!(said.contains("another study: `train.batch` was 64, now it is 65"), "{said}");
    write("\"rollout\"", "\"a/b\", \"a_b\"");
    let rejected = command("ladder", &study, &out).assert().code(64);
    assert!(message(&rejected).contains("`a/b` and `a_b`"), "{}", message(&rejected));
    write("\"rollout\"", "\"/no/such/network\"");
    let rejected = command("ladder", &study, &out).assert().code(66);
    assert!(message(&rejected).contains("/no/such/network"), "{}", message(&rejected));
}

#[test]
fn an_interrupted_ladder_comes_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let (study, out) = (with_ladder(folder.path()), folder.path().join("train"));
    command("loop", &study, &out).assert().success();
    let text = std::fs::read_to_string(&study).unwrap();
    // The matches take long enough for an interruption, and are no more than that needs.
    let text =
        text.replace("games = 4\n", "games = 40\n").replace("\"uniform\", \"rollout\", ", "");
    std::fs::write(&study, text).unwrap();
    let fresh = || {
        std::fs::remove_dir_all(out.join("ladder")).unwrap();
        std::fs::remove_file(out.join("ladder.csv")).unwrap();
    };
    fresh();
    command("ladder", &study, &out).assert().success();
    let straight = std::fs::read(out.join("ladder.csv")).unwrap();

    fresh();
    let child = Command::new(env!("CARGO_BIN_EXE_fusion-train"))
        .args(["ladder", "--threads", "1"])
        .arg(&study)
        .arg("--out")
        .arg(&out)
        .envs(fusion_train::device::ENVIRONMENT)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let second = out.join("ladder/generation-001-vs-generation-000");
    for _ in 0..3000 {
        if second.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-TERM".to_owned(), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(75), "{said}");
    assert!(said.contains("run the same command to continue"), "{said}");
    assert!(second.exists() && !out.join("ladder.csv").exists(), "{said}");
    command("ladder", &study, &out).assert().success();
    assert_eq!(std::fs::read(out.join("ladder.csv")).unwrap(), straight);
}
