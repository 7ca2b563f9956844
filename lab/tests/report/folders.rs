//! Tests folders from other sources: changed publications, wrong files, and files that are far
//! larger than they seem.

use assert_cmd::Command;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/report/tests/data/run")
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.args(arguments).timeout(Duration::from_secs(120));
    command
}

/// Returns the exit code and the text on standard error.
fn run(arguments: &[&str]) -> (i32, String) {
    let output = program(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panicked"), "{said}");
    (output.status.code().unwrap_or(-1), said)
}

fn report(run_dir: &Path) -> (i32, String) {
    run(&["report", run_dir.to_str().unwrap(), "--resamples", "100"])
}

fn publish(run_dir: &Path, out: &Path) -> (i32, String) {
    run(&["publish", run_dir.to_str().unwrap(), out.to_str().unwrap(), "--resamples", "100"])
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let at = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &at);
        } else {
            fs::copy(&path, &at).unwrap();
        }
    }
}

/// Returns every file in a folder with its bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(contents(&path)),
            false => all.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    all.sort();
    all
}

/// Copies the test data's run.
fn run_folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&data(), dir.path());
    dir
}

fn published() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (code, said) = publish(&data(), dir.path());
    assert_eq!(code, 0, "{said}");
    dir
}

#[test]
fn games_writes_only_their_page() {
    let out = tempfile::tempdir().unwrap();
    let games = |run_dir: &Path| {
        let [run_dir, out] = [run_dir, out.path()].map(|path| path.to_str().unwrap());
        run(&["games", run_dir, "--out", out, "--from", "1990"])
    };
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/studies/players");
    assert_eq!(games(&study), (0, String::new()));
    let page = fs::read_to_string(out.path().join("games.html")).unwrap();
    assert!(page.to_lowercase().starts_with("<!doctype html>") && contents(out.path()).len() == 1);
    // The test data has no moves.
    let (code, message) = games(&data());
    assert!(code == 64 && message.contains("has no moves"), "{message}");
}

/// Replaces text in a file, and checks that the text was there.
fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn publishing_loses_nothing_of_something_else() {
    let other = tempfile::tempdir().unwrap();
    let edits: [(&str, &str, &str, &str); 3] = [
        ("study.toml", "name = \"", "name = \"other-", "study other-"),
        ("measure/measure.json", "\"seed\": 1", "\"seed\": 2", "seed: 2 there, 1 here"),
        ("measure/measure.json", "\"c_puct\": 1.5", "\"c_puct\": 0.5", "search.c_puct"),
    ];
    for (i, (file, from, to, said)) in edits.into_iter().enumerate() {
        let (run, at) = (run_folder(), other.path().join(i.to_string()));
        edit(&run.path().join(file), from, to);
        assert_eq!(publish(run.path(), &at).0, 0);
        let before = contents(&at);
        let (code, message) = publish(&data(), &at);
        assert!(code == 64 && message.contains("of another run"), "{code} {message}");
        assert!(message.contains(said), "{message}");
        assert!(contents(&at) == before, "{file}");
    }
    // The targets are a run, also of the same study, and a folder of other files.
    let same = run_folder();
    for file in ["measure/measure-00000-of-00001.shard", "notes.txt"] {
        let folder = run_folder();
        fs::write(folder.path().join(file), "").unwrap();
        let before = contents(folder.path());
        let (code, message) = publish(same.path(), folder.path());
        assert!(code == 64 && message.contains("publish into an empty folder"), "{message}");
        assert!(contents(folder.path()) == before, "{file}");
    }
    // A folder of the publication is a link to the run's folder.
    let linked = published();
    fs::remove_dir_all(linked.path().join("measure")).unwrap();
    symlink(same.path().join("measure"), linked.path().join("measure")).unwrap();
    let before = contents(same.path());
    let (code, message) = publish(same.path(), linked.path());
    assert!(code == 64 && message.contains("a link to another folder (measure)"), "{message}");
    assert!(contents(same.path()) == before);
    // A later version continues the run with more games.
    let at = published();
    edit(&same.path().join("measure/measure.json"), "\"synthetic\"", "\"synthetic 2\"");
    assert_eq!(publish(same.path(), at.path()), (0, String::new()));
}

/// The folder of the results is one of this machine.
#[test]
fn a_publication_does_not_name_the_folder_of_the_run() {
    let run = run_folder();
    edit(&run.path().join("study.toml"), "[study]\n", "[study]\nout = '/home/me/run'\n");
    let out = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let (code, said) = publish(run.path(), out.path());
        assert_eq!(code, 0, "{said}");
        let text = fs::read_to_string(out.path().join("study.toml")).unwrap();
        assert_eq!(text, fs::read_to_string(data().join("study.toml")).unwrap());
    }
}

#[test]
fn an_interrupted_publication_makes_no_report_and_is_continued() {
    let at = published();
    let list = at.path().join("SHA256SUMS");
    let whole = fs::read_to_string(&list).unwrap();
    let line = whole.lines().find(|line| line.ends_with("measure/measure.json")).unwrap();
    fs::write(&list, format!("{line}\nthis list is not finished")).unwrap();
    fs::remove_file(at.path().join("endgames.csv.zst")).unwrap();
    let (code, said) = report(at.path());
    assert!(code == 65 && said.contains("not finished"), "{said}");
    let other = run_folder();
    edit(&other.path().join("measure/measure.json"), "\"seed\": 1", "\"seed\": 2");
    let (code, said) = publish(other.path(), at.path());
    assert!(code == 64 && said.contains("unfinished publication of another run"), "{said}");
    assert_eq!(publish(&data(), at.path()).0, 0);
    assert_eq!(fs::read_to_string(&list).unwrap(), whole);
    assert_eq!(report(at.path()).0, 0);
}

#[test]
fn a_publication_is_what_its_list_says() {
    let sound = published();
    let strength = fs::read(data().join("strength.json")).unwrap();
    let endgames = fs::read(data().join("endgames.csv")).unwrap();
    let pool = fs::read(data().join("openings.csv")).unwrap();
    let games = fs::read(data().join("measure/games.csv")).unwrap();
    let added: [(&str, &[u8]); 8] = [
        ("endgames.csv", &endgames),
        ("openings.csv", &pool),
        ("measure/games.csv", &games),
        ("measure/games.pgn", b"\n"),
        ("deviations.txt", b"None.\n"),
        ("superseded.txt", b"By another.\n"),
        ("matches/x/strength.json", &strength),
        ("extra/x/games.csv", &games),
    ];
    for (name, bytes) in added {
        let at = tempfile::tempdir().unwrap();
        copy(sound.path(), at.path());
        let path = at.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        let (code, said) = report(at.path());
        assert_eq!(code, 65, "{name}: {said}");
        assert!(said.contains(name) && said.contains("not in the list of checksums"), "{said}");
    }
    // The folder's list covers no measurement.
    let at = tempfile::tempdir().unwrap();
    copy(sound.path(), at.path());
    fs::write(at.path().join("measure/games.csv"), &games).unwrap();
    let own = format!("{}  games.csv\n", fusion_jobs::checksums::of(&games));
    fs::write(at.path().join("measure/SHA256SUMS"), own).unwrap();
    assert_eq!(report(at.path()).0, 65);
    // The list is cut short.
    let list = fs::read_to_string(sound.path().join("SHA256SUMS")).unwrap();
    for line in list.lines() {
        fs::write(sound.path().join("SHA256SUMS"), list.replace(&format!("{line}\n"), "")).unwrap();
        let (code, said) = report(sound.path());
        assert_eq!(code, 65, "{line}: {said}");
    }
    // Files that no report reads are allowed.
    fs::write(sound.path().join("SHA256SUMS"), &list).unwrap();
    fs::write(sound.path().join("README.md"), "# Study\n").unwrap();
    assert_eq!(report(sound.path()).0, 0);
}

#[test]
fn no_pipe_or_device_is_read() {
    let at = published();
    let list = at.path().join("SHA256SUMS");
    let sound = fs::read_to_string(&list).unwrap();
    let pipe = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let outside = tempfile::tempdir().unwrap();
    pipe(&outside.path().join("pipe"));
    let line = &sound[..64];
    for name in ["/dev/zero", "../pipe", "measure/../../x"] {
        fs::write(&list, format!("{sound}{line}  {name}\n")).unwrap();
        let (code, said) = report(at.path());
        assert!(code == 65 && said.contains("of its own folder"), "{name}: {said}");
    }
    fs::write(&list, &sound).unwrap();
    for name in ["measure/games.csv.zst", "strength.json"] {
        let path = at.path().join(name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        let (code, said) = report(at.path());
        assert!(code == 65 && said.contains("link out of the folder"), "{said}");
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    }
    // Without a list, the files themselves are checked.
    for name in [
        "measure/games.csv",
        "measure/measure.json",
        "strength.json",
        "endgames.csv",
        "openings.csv",
        "study.toml",
        "deviations.txt",
        "superseded.txt",
        "SHA256SUMS",
    ] {
        let run = run_folder();
        let path = run.path().join(name);
        let _ = fs::remove_file(&path);
        pipe(&path);
        let (code, said) = report(run.path());
        assert!(code == 65 && said.contains("not a file") && said.contains(name), "{name}: {said}");
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        assert_eq!(report(run.path()).0, 65, "{name}");
    }
}

/// Compresses `megabytes` megabytes of a repeated text into some kilobytes.
fn bomb(text: &str, megabytes: u64) -> Vec<u8> {
    let text = text.repeat((1 << 20) / text.len());
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    for _ in 0..megabytes {
        io::copy(&mut text.as_bytes(), &mut encoder).unwrap();
    }
    encoder.finish().unwrap()
}

/// Returns the peak memory of a report on a folder, in megabytes, with its exit code and message.
fn memory(run: &Path) -> (u64, i32, String) {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_fusion"))
        .args(["report", run.to_str().unwrap(), "--resamples", "100"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(peak.unwrap_or(0) >> 10);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended.code().unwrap_or(-1);
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (most, code, said)
}

#[test]
fn small_files_take_little_memory() {
    let games = fs::read_to_string(data().join("measure/games.csv")).unwrap();
    let row = games.lines().nth(1).unwrap().to_owned() + "\n";
    for (name, text) in [
        ("measure/measure.json", " "),
        ("study.toml", "#"),
        ("deviations.txt", "word "),
        ("strength.json", " "),
        ("openings.csv", "0,0,,x\n"),
        ("endgames.csv", "x"),
        ("measure/games.csv", row.as_str()),
        ("measure/games.csv", "x"),
        ("measure/games.pgn", "x"),
        ("measure/games.pgn", "[Event \"x\"]\n"),
    ] {
        let run = run_folder();
        let path = run.path().join(name);
        let _ = fs::remove_file(&path);
        let packed = bomb(text, 2048);
        assert!(packed.len() < 1 << 20, "{}", packed.len());
        fs::write(path.with_added_extension("zst"), packed).unwrap();
        let (most, code, said) = memory(run.path());
        assert!(code == 65 && said.contains(name), "{name}: {code} {said}");
        assert!(most < 400, "{name} took {most} MB");
    }
}

#[test]
fn games_beyond_those_promised_are_rejected() {
    let run = run_folder();
    let path = run.path().join("measure/measure.json");
    edit(&path, "\"played\": 160", "\"played\": 159");
    let (code, said) = report(run.path());
    assert!(code == 65 && said.contains("line 161: more than the 159 games"), "{said}");
    edit(&path, "\"played\": 159", "\"played\": 160");
    assert_eq!(report(run.path()).0, 0);
}

#[test]
fn a_description_without_an_entry_is_rejected() {
    let run = run_folder();
    let path = run.path().join("measure/measure.json");
    edit(&path, "\"cap\": 600,", "");
    let (code, said) = report(run.path());
    assert!(code == 65 && said.contains("measure.json: missing field `cap`"), "{said}");
}

#[test]
fn figures_that_contradict_the_games_are_rejected() {
    let run = run_folder();
    let path = run.path().join("strength.json");
    for (from, to, said) in [
        ("0.71875", "0.99", "the games give 0.718750"),
        ("0.71875", "-1e308", "score is -1e308"),
        ("0.71875", "1e999", "out of range"),
        ("\"elo\": 162.9941306313072", "\"elo\": 400.0", "elo is 4e2"),
        ("\"elo_low\": 129.8854084633194", "\"elo_low\": 1e308", "elo_low is 1e308"),
        ("\"elo\": 162.9941306313072", "\"elo\": null", "elo must be a number"),
    ] {
        let sound = fs::read(&path).unwrap();
        edit(&path, from, to);
        let (code, message) = report(run.path());
        assert!(code == 65 && message.contains(said), "{to}: {message}");
        fs::write(&path, sound).unwrap();
    }
}

#[test]
fn tables_of_an_earlier_report_go() {
    let (run, out) = (run_folder(), tempfile::tempdir().unwrap());
    let tables = |folder: &Path| {
        let names = fs::read_dir(folder.join("report")).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let out_name = out.path().to_str().unwrap();
    let again = || {
        let run = run.path().to_str().unwrap();
        program(&["report", run, "--out", out_name, "--resamples", "100"]).assert().success();
    };
    again();
    fs::write(out.path().join("report/own.csv"), "a reader's own").unwrap();
    let before = tables(out.path());
    assert!(before.contains(&"lone-king.csv".into()));
    fs::remove_file(run.path().join("endgames.csv")).unwrap();
    again();
    let after: Vec<String> =
        before.into_iter().filter(|name| !name.starts_with("lone-king")).collect();
    assert_eq!(tables(out.path()), after);
    assert!(after.contains(&"own.csv".into()));
}

#[test]
fn a_superseded_study_says_so_first() {
    let run = run_folder();
    let why = "A newer search plays better:\nsee <the-other> study.\n\n\nIts games stay.\n";
    fs::write(run.path().join("superseded.txt"), why).unwrap();
    let at = tempfile::tempdir().unwrap();
    let out = at.path().join("published");
    let output = program(&["publish", run.path().to_str().unwrap(), out.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let first = "SUPERSEDED. A later study replaces this one.\n\
                 A newer search plays better: see <the-other> study.\nIts games stay.\n\n";
    assert!(text.starts_with(first), "{text}");
    let list = fs::read_to_string(out.join("SHA256SUMS")).unwrap();
    assert!(list.contains("  superseded.txt\n"), "{list}");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    let [note, verdict] = ["see &lt;the-other&gt; study.", "id=\"verdict\""]
        .map(|part| page.find(part).unwrap_or_else(|| panic!("the page has no {part}")));
    assert!(note < verdict && page.contains("<title>Superseded"));
    fs::write(run.path().join("superseded.txt"), " \n").unwrap();
    let (code, said) = report(run.path());
    assert!(code == 65 && said.contains("superseded.txt: is empty"), "{said}");
    fs::write(run.path().join("superseded.txt"), "word ".repeat(1000)).unwrap();
    assert_eq!(report(run.path()).0, 65);
}

/// Every file that a report reads, damaged in every way, is an error that names it.
#[test]
fn damaged_files_of_a_run_are_named() {
    let files: [(&str, &[&str]); 7] = [
        ("measure/games.csv", &["", "HEADER", "a,b\n1,2\n", "CUT", "\0"]),
        ("measure/measure.json", &["", "{}", "[]", "7", "CUT", "\0"]),
        ("strength.json", &["", "{}", "[]", "7", "CUT", "\0"]),
        ("openings.csv", &["", "HEADER", "a,b\n1,2\n", "\0"]),
        ("endgames.csv", &["", "HEADER", "a,b\n1,2\n", "CUT", "\0"]),
        ("study.toml", &["", "= 7", "[study]\nname = 7\n", "no toml", "{}", "\0"]),
        ("random/random.csv", &["", "HEADER", "a,b\n1,2\n", "x"]),
    ];
    let family = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/studies/family");
    for (name, damages) in files {
        for damage in damages {
            let run = run_folder();
            let path = run.path().join(name);
            if name.starts_with("random/") {
                fs::create_dir(run.path().join("random")).unwrap();
                fs::copy(family.join(name), &path).unwrap();
            }
            let sound = fs::read_to_string(&path).unwrap();
            let text = match *damage {
                "HEADER" => format!("{}\n", sound.lines().next().unwrap()),
                "CUT" => sound[..sound.len() * 2 / 3].to_owned(),
                text => text.to_owned(),
            };
            fs::write(&path, text).unwrap();
            let (code, said) = report(run.path());
            assert_eq!(code, 65, "{name}, {damage:?}: {said}");
            assert!(said.contains(name), "{name}, {damage:?}: {said}");
        }
    }
}

#[test]
fn random_games_of_other_rule_sets_are_rejected() {
    let run = run_folder();
    let family = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/studies/family");
    fs::create_dir(run.path().join("random")).unwrap();
    fs::copy(family.join("random/random.csv"), run.path().join("random/random.csv")).unwrap();
    let study = run.path().join("study.toml");
    let text = fs::read_to_string(&study).unwrap();
    fs::write(&study, format!("{text}\n[random]\nrules = ['fusion-2020']\n")).unwrap();
    let (code, said) = report(run.path());
    assert!(code == 65 && said.contains("random.rules"), "{said}");
}

#[test]
fn links_out_of_a_run_are_neither_read_nor_published() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    copy(&data().join("measure"), &outside.path().join("measure"));
    for name in [
        "deviations.txt",
        "superseded.txt",
        "random.csv",
        "games.pgn",
        "measure/strength.json",
        "extra/a",
        "matches/a",
        "measure",
    ] {
        let (from, out) = (run_folder(), tempfile::tempdir().unwrap());
        let at = from.path().join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let _ = fs::remove_dir_all(&at);
        let is_folder = !name.contains('.');
        symlink(outside.path().join(if is_folder { "measure" } else { "secret" }), &at).unwrap();
        if name == "matches/a" {
            fs::copy(data().join("strength.json"), outside.path().join("measure/strength.json"))
                .unwrap();
        }
        let out = out.path().join("out");
        let [from, to] = [from.path(), &out].map(|path| path.to_str().unwrap());
        let (code, said) = run(&["publish", from, to, "--resamples", "100"]);
        assert!(code == 65 && said.contains("link out of the folder"), "{name}: {said}");
        assert!(said.contains(name), "{name}: {said}");
        assert!(!out.exists(), "{name}");
    }
    // A link within the run is as good as a file, and the run itself may be behind a link.
    let run = run_folder();
    fs::write(run.path().join("notes"), "None.").unwrap();
    symlink("notes", run.path().join("deviations.txt")).unwrap();
    let link = outside.path().join("link");
    symlink(run.path(), &link).unwrap();
    assert_eq!(report(&link).0, 0);
}

#[test]
fn folders_with_odd_names_are_rejected_before_any_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    for name in [&b"a\nb"[..], b"-a", b"a\x1b[31m", b"\xff\xfe", b"a b", b".a"] {
        for parent in ["extra", "matches"] {
            let (run, out) = (run_folder(), tempfile::tempdir().unwrap());
            copy(&data().join("measure"), &run.path().join(parent).join(OsStr::from_bytes(name)));
            let out = out.path().join("out");
            let (code, said) = publish(run.path(), &out);
            assert!(code == 65 && said.contains("rename it"), "{name:?}: {said}");
            assert!(!said.contains('\x1b') && !out.exists(), "{name:?}: {said}");
        }
    }
}
