//! A stop takes effect within seconds, however large the work is between two moves.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::command::{code, program, succeed, text};

/// Starts a command, and sends it a signal when it has worked for a while.
fn stopped(folder: &Path, line: &str, after: Duration) -> Output {
    let mut child = program()
        .current_dir(folder)
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    while !handles_signals(&fs::read_to_string(&status).unwrap()) {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "{line}: {}", text(&child.wait_with_output().unwrap()));
        sleep(Duration::from_millis(10));
    }
    sleep(after);
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap();
    assert!(sent.success(), "{line}: it had ended already");
    let started = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "{line}: {:?}", started.elapsed());
    output
}

/// Returns whether a process handles SIGTERM already, by its state in `/proc`.
fn handles_signals(status: &str) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) != 0
}

#[test]
fn no_step_between_two_looks_at_the_flag_is_long() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    succeed(at, "openings --network uniform --nodes 1 --rules orthodox --count 2 --out pool.csv");
    for line in [
        "generate --network material --simulations 1000000 --games 4 --out a",
        "generate --network rollout --simulations 1000000 --rules chesimal --games 4 --out b",
        "generate --network pvs:material --simulations 1000000 --games 4 --out c",
        "match --first rollout --second pvs:material --nodes 10000000 --games 2 --out d",
        "openings --network rollout --nodes 1000000 --rules freechess --count 9 --out f.csv",
        "divergence --network rollout --nodes 1000000 --openings pool.csv --rules orthodox \
         --rules fusion-2020",
        "measure --network pvs:material --nodes 1000000000 --openings pool.csv --rules orthodox --out g",
        "measure --network rollout --nodes 1000000 --openings pool.csv --rules orthodox --out h",
        "technique --network material --nodes 1000000 --rules orthodox --out i",
        "random --rules chesimal --games 100000000 --out j",
        "budget --network rollout --rules chesimal --time 60000",
    ] {
        let output = stopped(at, line, Duration::from_millis(700));
        assert_eq!(code(&output), 75, "{line}: {}", text(&output));
        assert!(text(&output).contains("stopped by SIGTERM"), "{line}: {}", text(&output));
    }
}

/// The game in which a search was stopped is played again, with the same moves.
#[test]
fn a_run_that_was_stopped_in_a_search_has_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let line = "generate --network uniform --simulations 2000 --games 3 --threads 1 --out ";
    succeed(folder.path(), &format!("{line}whole"));
    stopped(folder.path(), &format!("{line}parts"), Duration::from_millis(300));
    succeed(folder.path(), &format!("{line}parts"));
    let file = "games-00000-of-00001.shard";
    let [whole, parts] = ["whole", "parts"].map(|run| fs::read(folder.path().join(run).join(file)));
    assert!(whole.unwrap() == parts.unwrap());
}
