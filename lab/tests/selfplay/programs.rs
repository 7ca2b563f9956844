//! Tests programs that a study's file names, and the check of a study before it is played.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::command::{fail, run, succeed, text};

/// Writes a program that creates a file when it is started.
fn marker(folder: &Path) -> String {
    let path = folder.join("program");
    let mark = folder.join("started");
    fs::write(&path, format!("#!/bin/sh\n: >'{}'\n", mark.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("uci:{}", path.display())
}

fn study(folder: &Path, rest: &str) {
    let text = format!(
        "[study]\nname = 'x'\n[train]\nstart = 'material'\n[measure]\nrules = ['orthodox']\n{rest}"
    );
    fs::write(folder.join("s.toml"), text).unwrap();
}

#[test]
fn programs_of_a_file_are_started_only_with_leave() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let program = marker(at);
    let command = program.trim_start_matches("uci:");
    let line = "match --study s.toml --nodes 2 --games 2 --first material";
    for (key, section) in [("strength.opponent", "strength"), ("matches.y.opponent", "matches.y")] {
        study(at, &format!("[{section}]\nopponent = '{program}'\n"));
        // A player on the command line replaces that of the first match.
        let all = line.replace(" --first material", "");
        let words = format!("{key} of the study's file names a program");
        fail(at, &all, 64, &words);
        fail(at, &all, 64, command);
        fail(at, &all, 64, "--allow-programs");
        fail(at, "check s.toml --refuse-programs", 64, "--allow-programs");
        let out = succeed(at, "check s.toml");
        assert!(out.contains(&format!("{key} starts a program: {program}")), "{out}");
        assert!(!at.join("started").exists());
    }
    study(at, &format!("network = '{program}'\n"));
    fail(at, "measure --study s.toml", 64, "measure.network of the study's file names a program");
    fail(at, "check s.toml --refuse-programs", 64, "measure.network");
    for (rest, words) in [
        ("own_plies = 4", "own_plies: another program cannot draw its moves"),
        ("tables = 't'", "tables: another program does not probe these tables"),
    ] {
        study(at, &format!("[extra.y]\nnetwork = '{program}'\n{rest}\n"));
        fail(at, "check s.toml", 64, words);
    }
    assert!(!at.join("started").exists());
    // The program starts if it is allowed, or if it is given on the command line. It is not a UCI
    // program.
    study(at, &format!("[strength]\nopponent = '{program}'\n"));
    fail(at, line, 64, "strength.opponent");
    let out = run(at, &format!("{line} --allow-programs"));
    assert!(at.join("started").exists(), "{}", text(&out));
    fs::remove_file(at.join("started")).unwrap();
    let out =
        run(at, &format!("match --first material --second {program} --rules orthodox --out m"));
    assert!(at.join("started").exists(), "{}", text(&out));
    study(at, &format!("[ladder]\nreferences = ['uniform', '{program}']\n"));
    assert!(succeed(at, "check s.toml").contains("ladder.references starts a program"));
    fail(at, "check s.toml --refuse-programs", 64, "ladder.references");
}

#[test]
fn the_check_looks_for_all_that_a_study_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (rest, key) in [
        ("[network]\nfile = 'no.fnet'\n", "network.file"),
        ("[strength]\nopponent = 'no.fnet'\n", "strength.opponent"),
        ("[matches.y]\nopponent = 'no.fnet'\n", "matches.y.opponent"),
        ("[matches.y]\nopponent = 'uci:no-such-program -x?nodes=3'\n", "matches.y.opponent"),
        ("[extra.y]\nnetwork = 'no.fnet'\n", "extra.y.network"),
        ("[extra.y]\ntables = 'no-tables'\n", "extra.y.tables"),
        ("[ladder]\nreferences = ['no.fnet']\n", "ladder.references"),
    ] {
        study(at, rest);
        fail(at, "check s.toml", 66, key);
    }
    for rest in
        ["[strength]\nopponent = 'alphabeta:3'\n", "[ladder]\nreferences = ['alphabeta:3']\n"]
    {
        study(at, rest);
        fail(at, "check s.toml", 64, "pvs:material is the alpha-beta search on material");
    }
    study(at, "[strength]\nopponent = 'pvs:material'\n[matches.y]\nopponent = 'self'\n[ladder]\n");
    succeed(at, "check s.toml");
    for (line, key) in [("init = 'no.fnet'", "train.init"), ("start = 'no.fnet'", "train.start")] {
        fs::write(at.join("s.toml"), format!("[study]\nname = 'x'\n[train]\n{line}\n")).unwrap();
        fail(at, "check s.toml", 66, key);
    }
    let bad = at.join("bad.fnet");
    fs::write(&bad, "no network").unwrap();
    study(at, &format!("[network]\nfile = '{}'\n", bad.display()));
    fail(at, "check s.toml", 65, "network.file");
}

#[test]
fn the_check_names_the_key_that_a_folder_was_made_without() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("run")).unwrap();
    check_against(at, "[openings]\ncount = 20\n", 0, "");
    fs::copy(at.join("s.toml"), at.join("run/study.toml")).unwrap();
    check_against(at, "# more\n[openings]\ncount = 30\n", 0, "");
    check_against(at, "[openings]\ncount = 10\n", 64, "openings.count was 20 and is now 10");
    let other = "[openings]\ncount = 20\n[strength]\ncap = 300\n";
    check_against(at, other, 64, "strength.cap was 400 and is now 300");
}

/// Checks a study against the folder, with this exit code and this text.
fn check_against(at: &Path, rest: &str, code: i32, words: &str) {
    study(at, rest);
    fail(at, "check s.toml --against run", code, words);
}
