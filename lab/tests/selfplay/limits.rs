//! Tests signals and limits of the system.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;

use super::command::{code, program, text};

#[test]
fn every_signal_of_a_scheduler_saves_and_ends_with_75() {
    for signal in ["USR1", "USR2", "XCPU", "TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let line = "generate --network uniform --games 1000000 --threads 1 --out g";
        let child = program()
            .current_dir(folder.path())
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let part = folder.path().join("g/games-00000-of-00001.shard.part");
        let started = Instant::now();
        while fs::metadata(&part).map_or(0, |data| data.len()) < 2_000 {
            assert!(started.elapsed() < Duration::from_secs(120), "no game was finished");
            sleep(Duration::from_millis(20));
        }
        let kill = std::process::Command::new("bash")
            .args(["-c", &format!("kill -s {signal} {}", child.id())])
            .status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 75, "{signal}: {}", text(&output));
        let words = format!("stopped by SIG{signal}: what is finished is saved");
        assert!(text(&output).contains(&words), "{}", text(&output));
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_the_files_name() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        "ulimit -f 4; exec {} generate --network uniform --games 50 --threads 1 --out g",
        cargo_bin("fusion").display()
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(code(&output), 1, "{}", text(&output));
    let words = "writing g/games-00000-of-00001.shard.part: File too large";
    assert!(text(&output).contains(words), "{}", text(&output));
}
