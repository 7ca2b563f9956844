//! Tests the list of a study's steps, and what it says is missing.

use crate::command::{fail, program, succeed};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
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
shards = 2

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
    assert_eq!(steps.len(), 10, "{text}");
    for step in steps {
        assert_eq!(step["done"].as_bool().unwrap(), step["missing"] == "", "{step}");
        let program = step["command"][0].as_str().unwrap();
        assert!(Path::new(program).is_file(), "{program}");
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
            "random 0-1",
            "random/merge 0",
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
    let movers = run.join("random/random-00001-of-00002.shard");
    fs::remove_file(&movers).unwrap();
    fs::remove_file(run.join("random/random.csv")).unwrap();
    assert_eq!(missing(folder), ["random 1", "random/merge 0", "report 0"]);
    succeed(folder, "random --study study.toml --shard 1");
    succeed(folder, "random --study study.toml --merge");
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
fn the_status_of_a_run_is_that_of_all_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    succeed(folder, "study study.toml");
    fs::remove_file(folder.join("run/measure/measure-00001-of-00002.shard")).unwrap();
    // The folder of a study: its steps, though it has the shard of the match, too.
    let steps = succeed(folder, "status run");
    assert_eq!(steps, succeed(folder, "status --study study.toml"));
    let missing = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(name));
        let line = line.unwrap_or_else(|| panic!("{name} is missing in {text}"));
        line.split_whitespace().nth(2).unwrap().to_owned()
    };
    assert_eq!([missing(&steps, "measure"), missing(&steps, "random")], ["1", "none"]);
    // A copy, or a run without a study: all folders with shards.
    fs::rename(folder.join("run"), folder.join("copy")).unwrap();
    let shards = succeed(folder, "status copy --json");
    let document: Value = serde_json::from_str(&shards).unwrap();
    let rows = document["tables"][0]["rows"].as_array().unwrap();
    let of = |row: &Value| format!("{} {}", row["folder"], row["missing"]).replace('"', "");
    let found: Vec<String> = rows.iter().map(of).collect();
    assert_eq!(found, [". none", "extra/own none", "measure 1", "random none"]);
    // A folder of shards is listed for a scheduler, as before.
    assert!(succeed(folder, "status copy/measure").starts_with("1\n"));
    fs::write(folder.join("copy/random/random-00000-of-00002.shard"), "damaged").unwrap();
    fail(folder, "status copy", 65, "random-00000-of-00002.shard");
    fail(folder, "status nowhere", 66, "nowhere");
}

#[test]
fn jobs_need_a_scheduler_and_a_sound_site_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    fs::write(folder.join("site.toml"), "patition = \"main\"").unwrap();
    fail(folder, "study study.toml --site site.toml", 64, "give --on, too");
    fail(folder, "study study.toml --on slurm --site site.toml", 64, "patition");
    fail(folder, "study study.toml --on slurm --site no.toml", 66, "no.toml");
    fail(folder, "study study.toml --on hq --site site.toml", 64, "patition");
    for (engine, expected) in [("slurm", "without Slurm"), ("hq", "without HyperQueue")] {
        let output = program()
            .current_dir(folder)
            .env("PATH", "")
            .args(["study", "study.toml", "--on", engine])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(66), "{text}");
        assert!(text.contains(&format!("{expected} leave --on out")), "{text}");
    }
}

/// Replaces HyperQueue's command: lists the jobs of `jobs`, and copies job files.
const HQ: &str = r#"#!/bin/sh
set -e
here=$(dirname "$0")/..
case "$*" in
  "--output-mode=json job list") cat "$here/jobs" ;;
  "--output-mode=quiet job submit-file "*)
    number=$(($(cat "$here/number") + 1))
    echo $number >"$here/number"
    cp "$4" "$here/$number.toml"
    echo $number
    ;;
  *) echo "unknown: $*" >&2; exit 2 ;;
esac
"#;

/// A study whose jobs go to the replacement of HyperQueue.
struct Queue(tempfile::TempDir);

impl Queue {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        write(path, "count = 6");
        fs::create_dir(path.join("bin")).unwrap();
        fs::write(path.join("bin/hq"), HQ).unwrap();
        fs::set_permissions(path.join("bin/hq"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(path.join("number"), "0").unwrap();
        Self(folder)
    }

    /// Submits the study while these jobs are queued or running. Returns the exit code and the output.
    fn submit(&self, queued: &[(u32, &str)], options: &[&str]) -> (i32, String) {
        let job = |&(id, step): &(u32, &str)| json!({ "id": id, "name": format!("steps: {step}") });
        let mut jobs: Vec<Value> = queued.iter().map(job).collect();
        jobs.push(json!({ "id": 99, "name": "another study: measure" }));
        let folder = self.0.path();
        fs::write(folder.join("jobs"), Value::Array(jobs).to_string()).unwrap();
        let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
        let output = program()
            .current_dir(folder)
            .env("PATH", path)
            .args(["study", "study.toml", "--on", "hq"])
            .args(options)
            .output()
            .unwrap();
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code().unwrap(), texts.concat())
    }

    fn number(&self) -> String {
        fs::read_to_string(self.0.path().join("number")).unwrap().trim().to_owned()
    }
}

#[test]
fn jobs_of_hyperqueue_are_submitted_once_and_again_when_they_are_gone() {
    let queue = Queue::new();
    let all = [(1, "match"), (2, "endgames"), (3, "openings"), (4, "random")];
    let (code, text) = queue.submit(&[], &[]);
    assert_eq!((code, &*queue.number()), (0, "4"), "{text}");
    assert!(text.contains("openings: job 3, tasks 0"), "{text}");
    let file = fs::read_to_string(queue.0.path().join("3.toml")).unwrap();
    assert!(file.contains("steps: openings") && file.contains("--on hq --joins"), "{file}");

    let (code, text) = queue.submit(&all, &[]);
    assert_eq!((code, &*queue.number()), (0, "4"), "{text}");
    assert!(text.contains("openings: job 3 is queued or running"), "{text}");
    // The join of a job is a task of it. It submits what the other tasks have not done.
    let (code, text) = queue.submit(&all, &["--joins", "3"]);
    assert_eq!((code, &*queue.number()), (0, "5"), "{text}");
    let file = fs::read_to_string(queue.0.path().join("5.toml")).unwrap();
    assert!(file.contains("sleep 60"), "it saved nothing: {file}");

    let failure = queue.0.path().join("run/hq/random.failed");
    fs::write(&failure, "65\n").unwrap();
    let running = [(1, "match"), (2, "endgames"), (5, "openings")];
    let (code, text) = queue.submit(&running, &["--joins", "4"]);
    assert_eq!((code, &*queue.number()), (65, "5"), "{text}");
    assert!(text.contains("random ended with exit code 65: see"), "{text}");
    // A person who submits the study again has mended the cause.
    let (code, text) = queue.submit(&running, &[]);
    assert_eq!((code, &*queue.number()), (0, "6"), "{text}");
    assert!(!failure.exists());
}

#[test]
fn steps_that_save_nothing_are_given_up() {
    let queue = Queue::new();
    let others = [(1, "match"), (2, "endgames"), (4, "random")];
    let (code, text) = queue.submit(&[], &[]);
    assert_eq!((code, &*queue.number()), (0, "4"), "{text}");
    for (join, number) in [("3", "5"), ("5", "6"), ("6", "7"), ("7", "8")] {
        let (code, text) = queue.submit(&others, &["--joins", join]);
        assert_eq!((code, &*queue.number()), (0, number), "{text}");
    }
    let (code, text) = queue.submit(&others, &["--joins", "8"]);
    assert_eq!((code, &*queue.number()), (1, "8"), "{text}");
    assert!(text.contains("5 jobs in a row saved nothing"), "{text}");
}

#[test]
fn a_study_with_queued_jobs_may_not_change() {
    let queue = Queue::new();
    let (code, text) = queue.submit(&[], &[]);
    assert_eq!(code, 0, "{text}");
    write(queue.0.path(), "count = 8");
    let (code, text) = queue.submit(&[(1, "match"), (3, "openings")], &[]);
    assert_eq!((code, &*queue.number()), (1, "4"), "{text}");
    assert!(text.contains("cancel them first (hq job cancel 1,3)"), "{text}");
    let (code, text) = queue.submit(&[], &[]);
    assert_eq!((code, &*queue.number()), (0, "8"), "{text}");
}

#[test]
fn manifests_of_kubernetes_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    let site = |mount: &Path| {
        let text = format!(
            "cores = 2\n[kubernetes]\nimage = \"lab\"\nclaim = \"runs\"\nmount = {mount:?}\n"
        );
        fs::write(folder.join("site.toml"), text).unwrap();
    };
    let command = "study study.toml --on kubernetes --site site.toml";
    fail(folder, "study study.toml --on kubernetes", 64, "needs --site FILE");
    site(Path::new("/elsewhere"));
    fail(folder, command, 64, "is not below kubernetes.mount = \"/elsewhere\"");
    site(folder);
    let manifests = || {
        let output = program().current_dir(folder).args(command.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let list: Value = serde_json::from_str(&manifests()).unwrap();
    assert_eq!(list["kind"], "List");
    let jobs = list["items"].as_array().unwrap();
    let arguments = |job: &Value| {
        let words = job["spec"]["template"]["spec"]["containers"][0]["command"].clone();
        words[1].as_str().unwrap().to_owned()
    };
    let programs: Vec<String> = jobs.iter().map(arguments).collect();
    assert_eq!(programs, ["match", "endgames", "openings", "random"]);

    // A finished study has no manifests.
    succeed(folder, "study study.toml");
    assert_eq!(manifests(), "");
}

/// A submission notes its jobs in the study's folder, so it waits for no lock that it cannot take.
#[test]
fn a_submission_is_rejected_where_it_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "count = 6");
    // Another user may not be able to start the program where it was built.
    let fusion = folder.join("fusion");
    fs::copy(program().get_program(), &fusion).unwrap();
    // Without a path no command of Slurm is found, so nothing is submitted.
    let submit = |user: &[&str]| {
        let mut words: Vec<&str> = user.to_vec();
        words.extend(["env", "PATH=", fusion.to_str().unwrap()]);
        words.extend(["study", "study.toml", "--on", "slurm"]);
        let mut command = std::process::Command::new(words[0]);
        let output = command.current_dir(folder).args(&words[1..]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // The first submission makes the folders.
    assert_eq!(submit(&[]).0, Some(66));
    let run = folder.join("run");
    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let folders = [run.join("slurm"), run];
    for place in &folders {
        allow(&place.join(".lock"), 0o444);
        allow(place, 0o555);
    }
    allow(folder, 0o755);
    // Root may write everywhere, so the command runs as another user.
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let (code, message) = submit(if root { &nobody } else { &[] });
    folders.iter().rev().for_each(|place| allow(place, 0o755));
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("run/slurm cannot be written to from here"), "{message}");
}
