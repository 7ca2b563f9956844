//! Engines end with the program that has started them, whatever they have started themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::command::program;

/// An engine that never answers `go`, inside of a wrapper, inside of another wrapper.
struct Engine {
    folder: tempfile::TempDir,
}

impl Engine {
    /// Writes the scripts. The engine runs `go` when it has to search.
    fn new(go: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let engine = format!(
            "trap '' TERM\necho $$ > {}\nwhile read -r line; do case $line in\n\
             uci) echo uciok;;\nisready) echo readyok;;\ngo*) echo > {}; {go};;\nesac; done\n\
             while :; do :; done\n",
            path("pid"),
            path("gone")
        );
        fs::write(path("engine.sh"), engine).unwrap();
        for (outer, inner) in [("inner.sh", "engine.sh"), ("outer wrapper.sh", "inner.sh")] {
            fs::write(path(outer), format!("sh {}\ntrue\n", path(inner))).unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a match of the engine, and waits until it has to search.
    fn play(&self, settings: &str) -> Child {
        let player = format!("uci:sh '{}'{settings}", self.path("outer wrapper.sh").display());
        // Under `nohup`, the program would inherit that SIGHUP is ignored.
        let program = program();
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP");
        for (name, _) in program.get_envs() {
            command.env_remove(name);
        }
        command.arg(program.get_program());
        command.args(["match", "--first", &player, "--second", "uniform", "--games", "2"]);
        command.args(["--rules", "orthodox", "--threads", "1", "--plies", "0", "--out"]);
        let child = command.arg(self.path("out")).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("the engine searches", || self.path("gone").exists());
        child
    }

    fn runs(&self) -> bool {
        let pid = fs::read_to_string(self.path("pid")).unwrap();
        let status = fs::read_to_string(format!("/proc/{}/status", pid.trim()));
        let status = status.unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
    }

    fn ends(&self, why: &str) {
        wait_until(why, || !self.runs());
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "never: {what}");
        sleep(Duration::from_millis(10));
    }
}

fn kill(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
}

const SPINS: &str = "while :; do :; done";

#[test]
fn an_engine_in_a_wrapper_ends_with_the_match() {
    for (signals, code) in
        [(&["INT"][..], Some(130)), (&["TERM"], Some(75)), (&["KILL"], None), (&["HUP"], None)]
    {
        for go in [SPINS, "kill -s STOP $$"] {
            let engine = Engine::new(go);
            let child = engine.play("");
            assert!(engine.runs());
            signals.iter().for_each(|signal| kill(signal, &child));
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), code, "{signals:?}");
            engine.ends(&format!("{signals:?}, {go}"));
        }
    }
}

/// The second Ctrl-C ends the program while it waits for a stopped engine, which no signal but SIGKILL ends.
#[test]
fn an_engine_ends_after_two_interrupts() {
    let engine = Engine::new(SPINS);
    let mut child = engine.play("");
    kill("STOP", &child);
    kill("INT", &child);
    kill("CONT", &child);
    kill("INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    engine.ends("two interrupts");
}

#[test]
fn an_engine_ends_after_a_timeout() {
    let engine = Engine::new(SPINS);
    let output = engine.play("?timeout=1").wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("did not answer 'go nodes"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    engine.ends("a timeout");
}

/// A path with blanks is said in quotes. Without them, the message says so.
#[test]
fn paths_with_blanks_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("my engine");
    fs::write(&engine, "#!/bin/sh\necho starting >&2; printf '\\033[31m' >&2; exit 3\n").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&engine, open).unwrap();
    let said = |player: &str| {
        let mut command = program();
        command.args(["match", "--first", player, "--second", "uniform", "--rules", "orthodox"]);
        let output = command.arg("--out").arg(folder.path().join("out")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let path = |path: &Path| path.display().to_string();
    let (code, words) = said(&format!("uci:{}", path(&engine)));
    assert_eq!(code, Some(64), "{words}");
    assert!(
        words.contains(&format!("quote the path, as in \"uci:'{}'\"", path(&engine))),
        "{words}"
    );
    for quoted in [format!("'{}'", path(&engine)), path(&engine).replace(' ', "\\ ")] {
        let (code, words) = said(&format!("uci:{quoted}"));
        assert_eq!(code, Some(1), "{words}");
        let wanted = "ended (exit code 3) without answering 'uci'; its standard error ends: \
                      starting | \\u{1b}[31m";
        assert!(words.contains(wanted), "{words}");
    }
}
