//! Tests the list of a study's steps, and what it says is missing.

use crate::command::{fail, program, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;

const STUDY: &str = r#"
[study]
name = "steps"
out = "OUT"

[network]
file = "material"

[openings]
count = 6
plies = [2, 2]
nodes = 1

[measure]
rules = ["fusion-2020", "orthodox"]
primary = ["fusion-2020", "orthodox"]
nodes = [1]
cap = 120
shards = 2

[extra.own]
own_plies = 2

[random]
games = 10

[endgames]
components = 3
rules = ["orthodox"]

[strength]
games = 2
nodes = 1
cap = 120
"#;

/// Writes the study with this number of openings.
fn write(folder: &Path, openings: &str) {
    let out = folder.join("run");
    let text = STUDY.replace("OUT", out.to_str().unwrap()).replace("count = 6", openings);
    fs::write(folder.join("study.toml"), text).unwrap();
}

/// Returns the names of the steps that are not done, each with its missing tasks.
fn missing(folder: &Path) -> Vec<String> {
    let text = succeed(folder, "steps study.toml --json");
    let document: Value = serde_json::from_str(&text).unwrap();
    let steps = document["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 9, "{text}");
    for step in steps {
        assert_eq!(step["done"].as_bool().unwrap(), step["missing"] == "", "{step}");
    }
    let open = steps.iter().filter(|step| step["done"] == false);
    let text = |step: &Value, key: &str| step[key].as_str().unwrap().to_owned();
    open.map(|step| format!("{} {}", text(step, "name"), text(step, "missing"))).collect()
}

#[test]
fn files_say_which_steps_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    assert_eq!(
        missing(folder),
        [
            "match 0",
            "endgames 0",
            "openings 0",
            "measure 0-1",
            "measure/merge 0",
            "extra/own 0-1",
            "extra/own/merge 0",
            "random 0",
            "report 0"
        ]
    );
    succeed(folder, "study study.toml");
    assert!(missing(folder).is_empty());

    let run = folder.join("run");
    let shard = run.join("measure/measure-00001-of-00002.shard");
    let bytes = fs::read(&shard).unwrap();
    fs::remove_file(&shard).unwrap();
    assert_eq!(missing(folder), ["measure 1"]);
    // The same games are played again, and their results need not be written again.
    succeed(folder, "measure --study study.toml --only measure --shard 1");
    assert!(fs::read(&shard).unwrap() == bytes);
    assert!(missing(folder).is_empty());
    fs::remove_file(run.join("measure/measure.json")).unwrap();
    assert_eq!(missing(folder), ["measure/merge 0"]);
    succeed(folder, "measure --study study.toml --only measure --merge");
    // The report is older than what it is made from, until it is made again, though it does not change.
    assert_eq!(missing(folder), ["report 0"]);
    let page = fs::read(run.join("report.html")).unwrap();
    succeed(folder, "report run");
    assert!(fs::read(run.join("report.html")).unwrap() == page);
    assert!(missing(folder).is_empty());

    // With more openings there are more games, also where shards of fewer exist.
    write(folder, "count = 8");
    let grown =
        ["openings 0", "measure 0-1", "measure/merge 0", "extra/own 0-1", "extra/own/merge 0"];
    assert_eq!(missing(folder), grown);
    succeed(folder, "study study.toml");
    assert!(missing(folder).is_empty());
    assert!(succeed(folder, "status --study study.toml").contains("measure/merge"));
}

/// Returns the name of each step of training, with those that must be done before.
fn training(lag: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("study.name = \"lag\"\n[train]\ngenerations = 4\n{lag}");
    fs::write(folder.path().join("study.toml"), text).unwrap();
    let text = succeed(folder.path(), "steps study.toml --json");
    let document: Value = serde_json::from_str(&text).unwrap();
    let steps = document["steps"].as_array().unwrap();
    let line = |step: &Value| {
        let name = |name: &Value| name.as_str().unwrap().replace("generation-00", "");
        let after: Vec<String> = step["after"].as_array().unwrap().iter().map(name).collect();
        format!("{}: {}", name(&step["name"]), after.join(", "))
    };
    steps.iter().map(line).take_while(|line| !line.starts_with("openings")).collect()
}

#[test]
fn games_follow_the_network_that_plays_them_and_learning_all_that_it_needs() {
    let without = [
        "0/games: ",
        "0/learn: 0/games",
        "1/games: 0/learn",
        "1/learn: 1/games",
        "2/games: 1/learn",
        "2/learn: 2/games",
        "3/games: 2/learn",
        "3/learn: 3/games",
        "match: 3/learn",
    ];
    assert_eq!(training(""), without);
    assert_eq!(training("lag = 0"), without);
    let with = [
        "0/games: ",
        "0/learn: 0/games",
        "1/games: ",
        "1/learn: 1/games, 0/learn",
        "2/games: 0/learn",
        "2/learn: 2/games, 1/learn",
        "3/games: 1/learn",
        "3/learn: 3/games, 2/learn",
        "match: 3/learn",
    ];
    assert_eq!(training("lag = 1"), with);
}

#[test]
fn jobs_need_a_scheduler_and_a_sound_site_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    fs::write(folder.join("site.toml"), "patition = \"main\"").unwrap();
    fail(folder, "study study.toml --site site.toml", 64, "give --on slurm, too");
    fail(folder, "study study.toml --on slurm --site site.toml", 64, "patition");
    fail(folder, "study study.toml --on slurm --site no.toml", 66, "no.toml");
    let output = program()
        .current_dir(folder)
        .env("PATH", "")
        .args(["study", "study.toml", "--on", "slurm"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(66), "{text}");
    assert!(text.contains("squeue") && text.contains("without Slurm leave --on out"), "{text}");
}
