//! Tests that the steps of a study notice when what they are made with changes between them.

use crate::command::{fail, program, succeed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const STUDY: &str = "[study]\nname = 'x'\nout = 'run'\n[network]\nfile = 'net.fnet'\n[openings]\n\
    count = 2\nnodes = 1\n[measure]\nrules = ['fusion-2020', 'orthodox']\n\
    primary = ['fusion-2020', 'orthodox']\nnodes = [1]\ncap = 101\n[extra.other]\nnodes = [2]\n\
    [strength]\ngames = 2\nnodes = 1\ncap = 60\n";

fn net(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/nets").join(name)
}

/// Returns a folder in which the study has a network, and these steps are done.
fn begun(steps: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(net("base.fnet"), folder.path().join("net.fnet")).unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/study.toml"), STUDY).unwrap();
    for step in steps {
        succeed(folder.path(), &format!("{step} --study study.toml"));
    }
    folder
}

const OTHER: &str = "measure --study study.toml --only other";

#[test]
fn another_network_than_that_of_earlier_steps_is_rejected() {
    let folder = begun(&["match", "openings"]);
    let path = folder.path();
    let swap = |name| fs::copy(net(name), path.join("net.fnet")).unwrap();
    swap("family.fnet");
    for step in ["openings", "measure", "match", "technique"] {
        fail(path, &format!("{step} --study study.toml"), 64, "network.file: net.fnet is");
    }
    swap("base.fnet");
    succeed(path, "measure --study study.toml --only measure");
    swap("family.fnet");
    fail(path, OTHER, 64, "measure.network: net.fnet is");
    swap("base.fnet");
    succeed(path, OTHER);
}

#[test]
fn other_settings_than_those_of_earlier_steps_are_rejected() {
    let folder = begun(&["openings", "measure --only measure"]);
    let path = folder.path();
    for (from, to, key) in [
        ("cap = 101", "cap = 103", "measure.cap is 103"),
        ("nodes = [1]", "nodes = [3]", "measure.nodes is [3]"),
        ("name = 'x'", "name = 'x'\nseed = 9", "study.seed is 9"),
        ("'orthodox']\nprimary", "'fusion-1999']\n#", "measure.rules"),
    ] {
        let text = STUDY.replace(from, to);
        assert_ne!(text, STUDY);
        fs::write(path.join("study.toml"), text).unwrap();
        fail(path, OTHER, 64, key);
    }
    fs::write(path.join("study.toml"), STUDY).unwrap();
    let pool = path.join("run/openings.csv");
    let openings = fs::read_to_string(&pool).unwrap();
    let mut lines: Vec<&str> = openings.lines().collect();
    let moves = lines[1].split_once(',').unwrap().1;
    let second = format!("1,{moves}");
    lines[2] = &second;
    let first = format!("0,{}", openings.lines().nth(2).unwrap().split_once(',').unwrap().1);
    lines[1] = &first;
    fs::write(&pool, lines.join("\n") + "\n").unwrap();
    fail(path, OTHER, 64, "another openings.csv");
    fs::write(&pool, openings).unwrap();
    succeed(path, OTHER);
}

/// What changes while a study runs is found by its next step, which ends the run.
#[test]
fn a_study_whose_files_change_while_it_runs_ends() {
    for (change, code, key) in [
        ("network", 64, "measure.network: net.fnet is"),
        ("cap", 64, "measure.cap was 101 and is now 103"),
        ("damage", 64, "study.toml: line 1"),
    ] {
        let folder = begun(&[]);
        let path = folder.path();
        let text = STUDY.replace("count = 2", "count = 20").replace("nodes = [1]", "nodes = [150]");
        fs::remove_dir_all(path.join("run")).unwrap();
        fs::write(path.join("study.toml"), &text).unwrap();
        let mut command = program();
        command.current_dir(path).args(["study", "study.toml"]);
        let study = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&path.join("run/measure"));
        match change {
            "network" => drop(fs::copy(net("family.fnet"), path.join("net.fnet")).unwrap()),
            "cap" => {
                // The copy names the folder of the study's file, so its keys are edited in place.
                let copy = fs::read_to_string(path.join("run/study.toml")).unwrap();
                fs::write(path.join("run/study.toml"), copy.replace("101", "103")).unwrap();
            }
            _ => fs::write(path.join("run/study.toml"), "[measure").unwrap(),
        }
        let ended = study.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{change}: {message}");
        assert!(message.contains(key), "{change}: {message}");
        assert!(!path.join("run/report.html").exists(), "{change}");
    }
}

/// Waits until a folder is there.
fn wait_for(folder: &Path) {
    let begin = Instant::now();
    while !folder.exists() {
        assert!(begin.elapsed() < Duration::from_mins(2), "{} is missing", folder.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A mixture that was made all the same, by options, is no result of the study.
#[test]
fn a_mixed_run_has_no_report_and_is_not_published() {
    let folder = begun(&["match", "openings", "measure"]);
    let path = folder.path();
    succeed(path, "report run --resamples 100");
    let mixed = path.join("run/extra/other");
    let made = |options: &str| {
        fs::remove_dir_all(&mixed).unwrap();
        succeed(path, &format!("measure --study study.toml --only other {options}"));
    };
    let family = net("family.fnet");
    for (options, key) in [
        (format!("--network {}", family.display()), "extra.other.network"),
        ("--cap 103".to_owned(), "extra.other.cap is 101"),
        ("--nodes 3".to_owned(), "extra.other.nodes"),
        ("--seed 9".to_owned(), "study.seed is 1"),
    ] {
        made(&options);
        // A seed is compared only if the study states it.
        let text = STUDY.replace("name = 'x'", "name = 'x'\nseed = 1");
        fs::write(path.join("run/study.toml"), text).unwrap();
        fail(path, "report run --resamples 100", 65, key);
        fail(path, "publish run out --resamples 100", 65, "study.toml");
        assert!(!path.join("out").exists());
    }
    made("");
    succeed(path, "publish run out --resamples 100");
    // The audit is of another network than the measurement.
    for name in ["strength.json", "games.pgn"] {
        let _ = fs::remove_file(path.join("run").join(name));
    }
    for entry in fs::read_dir(path.join("run")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|of| of == "shard") {
            fs::remove_file(file).unwrap();
        }
    }
    succeed(path, &format!("match --study study.toml --out run --first {}", family.display()));
    fail(path, "report run --resamples 100", 65, "strength.json");
}

/// The measurement of an alpha-beta search names the inputs of its network, not those of the tree search.
#[test]
fn a_measurement_has_the_scheme_of_its_network() {
    let folder = begun(&["openings", "measure --only measure"]);
    let path = folder.path();
    let scheme = |folder: &str| {
        let json = fs::read_to_string(path.join(folder).join("measure.json")).unwrap();
        let file: serde_json::Value = serde_json::from_str(&json).unwrap();
        file["scheme"].as_str().unwrap().to_owned()
    };
    assert!(scheme("run/measure").contains("policy"), "{}", scheme("run/measure"));
    let player = format!("pvs:{}", net("family-pvs.fnet").display());
    let line = "measure --openings run/openings.csv --rules orthodox --nodes 1 --cap 101 --out other --network";
    succeed(path, &format!("{line} {player}"));
    assert!(scheme("other").contains("views"), "{}", scheme("other"));
}
