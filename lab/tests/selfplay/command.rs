//! The program as users and schedulers run it.

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use fusion_jobs::cluster;

/// Returns the program's command, without the scheduler's variables that the program reads.
pub fn program() -> Command {
    let mut command = Command::new(cargo_bin("fusion"));
    for name in cluster::variables() {
        command.env_remove(name);
    }
    command
}

pub fn run(folder: &Path, line: &str) -> Output {
    program().current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("killed: {}", text(output)))
}

/// Returns standard output and standard error.
pub fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

pub fn succeed(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert_eq!(code(&output), 0, "{line}: {}", text(&output));
    text(&output)
}

/// Runs a command that must fail with this exit code and this text on standard error.
pub fn fail(folder: &Path, line: &str, wanted: i32, words: &str) {
    let output = run(folder, line);
    assert_eq!(code(&output), wanted, "{line}: {}", text(&output));
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.contains(words), "{line}: {err}");
    assert!(!err.contains("panicked"), "{line}: {err}");
}
