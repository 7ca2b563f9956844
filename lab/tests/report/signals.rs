//! Tests signals to the programs' long work, and control characters in their output.

use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/report/tests/data/run")
}

/// Sends a signal to a working command. Returns its exit code and its output.
fn interrupted(arguments: &[&str], signal: &str, after: Duration) -> (Option<i32>, String) {
    let child = Command::new(cargo_bin("fusion"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    while !handles_signals(&fs::read_to_string(&status).unwrap()) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(after);
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "{arguments:?} had ended already");
    let started = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{arguments:?}");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Returns whether a process handles SIGTERM already, by its state in `/proc`.
fn handles_signals(status: &str) -> bool {
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 14) != 0
}

/// Returns the names of all files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn signals_end_the_work_with_their_codes() {
    let after = Duration::from_millis(500);
    let run = data();
    let run = run.to_str().unwrap();
    let long = "10000000";
    for (signal, code) in [("-TERM", 75), ("-USR1", 75), ("-INT", 130)] {
        let at = tempfile::tempdir().unwrap();
        let out = at.path().to_str().unwrap();
        let (ended, said) =
            interrupted(&["report", run, "--out", out, "--resamples", long], signal, after);
        assert_eq!(ended, Some(code), "{said}");
        assert!(said.contains("run the same command"), "{said}");
        assert!(names(at.path()).is_empty());
        let published = at.path().join("p");
        let arguments = ["publish", run, published.to_str().unwrap(), "--resamples", long];
        let (ended, said) = interrupted(&arguments, signal, after);
        assert_eq!(ended, Some(code), "{said}");
        assert!(names(&published).iter().all(|name| !name.contains(".tmp.")));
        let (ended, said) = interrupted(&["compare", run, run, "--resamples", long], signal, after);
        assert_eq!(ended, Some(code), "{said}");
    }
    let study = tempfile::NamedTempFile::new().unwrap();
    fs::write(
        study.path(),
        "[study]\nname = 't'\n[network]\nfile = 'material'\n[measure]\nnodes = [8000]\nrules = ['fusion-1999', 'fusion-2020']\n",
    )
    .unwrap();
    let arguments = ["plan", study.path().to_str().unwrap(), "--calibration", "600"];
    let (ended, said) = interrupted(&arguments, "-TERM", 4 * after);
    assert_eq!(ended, Some(75), "{said}");
}

/// Returns the output of a program on both streams.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(cargo_bin("fusion")).args(arguments).output().unwrap();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

fn assert_clean(text: &str) {
    let odd = text.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
    assert_eq!(odd, None, "{}", text.escape_debug());
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    const EVIL: &str = "\u{1b}]0;title\u{7}";
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join(format!("run{EVIL}"));
    fs::create_dir(&run).unwrap();
    let games = fs::read_to_string(data().join("measure/games.csv")).unwrap();
    fs::write(run.join("games.csv"), games.replace("\nfusion-2006,", &format!("\nx{EVIL},")))
        .unwrap();
    let strength = fs::read_to_string(data().join("strength.json")).unwrap();
    let json = serde_json::to_string(EVIL).unwrap();
    let name = json.trim_matches('"');
    fs::write(run.join("strength.json"), strength.replace("uniform", name)).unwrap();
    let settings = fs::read_to_string(data().join("measure/measure.json")).unwrap();
    fs::write(run.join("measure.json"), settings.replace("\"synthetic\"", &json)).unwrap();
    let path = run.to_str().unwrap();
    let shown = "\\u{1b}]0;title\\u{7}";
    // The parser of arguments words its own errors, which leave out such text.
    for (arguments, says) in [
        (vec!["report", path, "--resamples", "100"], true),
        (vec!["compare", path, path, "--resamples", "100"], true),
        (vec!["report", path, "--primary", EVIL, "orthodox"], true),
        (vec!["report", "--no-such", EVIL], false),
        (vec![EVIL], false),
        (vec!["plan", path], true),
        (vec!["endgames", "summary", path], true),
        (vec!["endgames", "probe", "--tables", path, "--rules", EVIL, "x"], false),
    ] {
        let text = printed(&arguments);
        assert_clean(&text);
        assert!(!says || text.contains(shown), "{arguments:?}: {text}");
    }
    // The control characters are in a message about a row.
    fs::write(run.join("games.csv"), games.replacen("threefold", &format!("x{EVIL}"), 1)).unwrap();
    assert_clean(&printed(&["report", path]));
}
