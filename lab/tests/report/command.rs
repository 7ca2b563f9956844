//! Tests the program as a user runs it: its output, its rejections and their messages.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/report/tests/data/run")
}

fn report(run: &Path) -> Command {
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.arg("report").arg(run);
    command
}

/// Returns a run with the test data's games.csv, edited.
fn edited(edit: impl Fn(String) -> String) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(data().join("measure/games.csv")).unwrap();
    fs::write(dir.path().join("games.csv"), edit(text)).unwrap();
    dir
}

/// Replaces text in line `number` (the header is line 1), and checks that the text was there.
fn in_line(text: &str, number: usize, from: &str, to: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let changed = lines[number - 1].replacen(from, to, 1);
    assert_ne!(changed, lines[number - 1], "nothing to replace in line {number}");
    lines[number - 1] = changed;
    lines.join("\n") + "\n"
}

/// Runs a report that must fail with this exit code, and returns its message.
fn fails(command: &mut Command, code: i32) -> String {
    let output = command.assert().failure().code(code).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn rejected(run: &TempDir, parts: &[&str]) {
    let message = fails(&mut report(run.path()), 65);
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    assert!(!run.path().join("report.html").exists());
}

#[test]
fn writes_page_and_tables_and_nothing_else() {
    let out = tempfile::tempdir().unwrap();
    report(&data()).arg("--out").arg(out.path()).assert().success();
    let mut names: Vec<String> = [out.path().to_owned(), out.path().join("report")]
        .iter()
        .flat_map(|dir| fs::read_dir(dir).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "agents.csv",
            "balance.csv",
            "checks.csv",
            "curves.csv",
            "endings.csv",
            "lone-king-toggles.csv",
            "lone-king.csv",
            "pairs.csv",
            "report",
            "report.html",
            "summary.csv",
            "usage.csv"
        ]
    );
    assert!(!data().join("report.html").exists());
}

#[test]
fn same_bytes_whatever_the_threads() {
    let pages = ["1", "3"].map(|threads| {
        let out = tempfile::tempdir().unwrap();
        report(&data())
            .arg("--out")
            .arg(out.path())
            .env("RAYON_NUM_THREADS", threads)
            .assert()
            .success();
        let read = |name: &str| fs::read(out.path().join(name)).unwrap();
        (read("report.html"), read("report/pairs.csv"))
    });
    assert!(pages[0] == pages[1]);
}

#[test]
fn missing_input_is_66() {
    let empty = tempfile::tempdir().unwrap();
    let message = fails(&mut report(empty.path()), 66);
    assert!(message.contains("fusion measure"), "{message}");
    let message = fails(&mut report(Path::new("/no/such/run")), 66);
    assert!(message.contains("/no/such/run"), "{message}");
}

#[test]
fn empty_files_say_what_to_do() {
    rejected(&edited(|_| String::new()), &["games.csv", "is empty", "fusion measure"]);
    let header_only = edited(|text| text.lines().next().unwrap().to_owned() + "\n");
    rejected(&header_only, &["no games", "fusion measure"]);
}

#[test]
fn truncated_files_are_rejected() {
    rejected(&edited(|text| text[..text.len() - 7].to_owned()), &["truncated"]);
    // The file is cut in the middle of a row, and a line end follows.
    let cut = edited(|text| text[..text.len() - 60].to_owned() + "\n");
    rejected(&cut, &["line 161", "columns"]);
}

#[test]
fn wrong_columns_are_rejected() {
    rejected(&edited(|text| in_line(&text, 1, "nodes", "visits")), &["line 1", "nodes is missing"]);
    let more = edited(|text| {
        text.lines()
            .enumerate()
            .map(|(i, line)| format!("{line},{}\n", if i == 0 { "elo" } else { "7" }))
            .collect()
    });
    rejected(&more, &["unknown column \"elo\""]);
    let swapped = edited(|text| in_line(&text, 1, "rules,opening", "opening,rules"));
    rejected(&swapped, &["out of order"]);
}

#[test]
fn bad_values_name_line_and_column() {
    let seed = edited(|text| in_line(&text, 5, "fusion-1999,3,4,", "fusion-1999,3,four,"));
    rejected(&seed, &["line 5", "column opening_plies", "\"four\""]);
    let row =
        |from: &'static str, to: &'static str| edited(move |text| in_line(&text, 2, from, to));
    rejected(&row("1/2-1/2", "draw"), &["line 2", "column result", "\"draw\""]);
    rejected(&row("threefold", "boredom"), &["line 2", "column ending", "checkmate, stalemate"]);
    rejected(&row(",195,", ",3,"), &["line 2", "column plies"]);
    rejected(&row("e5fd29f054000000", "e5fd29f05400000"), &["line 2", "column moves_hash"]);
}

#[test]
fn contradictions_are_rejected() {
    let stalemate = edited(|text| in_line(&text, 3, "checkmate", "stalemate"));
    rejected(
        &stalemate,
        &["line 3", "column ending", "stalemate contradicts the result 1-0 under fusion-1999"],
    );
    let capped = edited(|text| in_line(&text, 2, "threefold", "cap"));
    rejected(&capped, &["line 2", "cap contradicts the result 1/2-1/2"]);
    let twice = edited(|text| in_line(&text, 3, "fusion-1999,1,", "fusion-1999,0,"));
    rejected(&twice, &["line 3", "column opening", "line 2 already"]);
    let pools = edited(|text| in_line(&text, 42, "fusion-2006,0,4,", "fusion-2006,0,3,"));
    rejected(&pools, &["line 42", "column opening_plies", "not from one pool"]);
    let unused = edited(|text| in_line(&text, 2, ",3,0,6,1,4,0,", ",3,0,0,0,4,0,"));
    rejected(&unused, &["line 2", "column first_fusion"]);
}

#[test]
fn damaged_companions_are_rejected() {
    let run = edited(|text| text);
    let strength = run.path().join("strength.json");
    fs::write(&strength, "{\"first\": ").unwrap();
    rejected(&run, &["strength.json"]);
    let text = fs::read_to_string(data().join("strength.json")).unwrap();
    fs::write(&strength, text.replace("\"wins\": 231", "\"wins\": 230")).unwrap();
    rejected(&run, &["strength.json", "do not add up"]);
    fs::remove_file(strength).unwrap();
    let endgames = run.path().join("endgames.csv");
    let text = fs::read_to_string(data().join("endgames.csv")).unwrap();
    fs::write(&endgames, &text[..text.len() - 40]).unwrap();
    rejected(&run, &["endgames.csv", "truncated"]);
    fs::write(&endgames, in_line(&text, 9, ",KRBvKR,", ",KRBvKN,")).unwrap();
    rejected(&run, &["endgames.csv", "line 9", "is not KRBvKN"]);
    fs::write(&endgames, in_line(&text, 1, ",white_wins,", ",wins,")).unwrap();
    rejected(&run, &["endgames.csv", "no summary of endgame tables"]);
    fs::write(run.path().join("endgames.csv.zst"), b"no archive").unwrap();
    fs::remove_file(&endgames).unwrap();
    rejected(&run, &["endgames.csv.zst"]);
    fs::remove_file(run.path().join("endgames.csv.zst")).unwrap();
    fs::write(run.path().join("openings.csv"), "id,plies,moves,fen\n0,0,,x\n").unwrap();
    rejected(&run, &["opening 1 is not in openings.csv"]);
}

#[test]
fn unwritable_output_is_named_and_nothing_lost() {
    let run = edited(|text| text);
    let blocked = run.path().join("taken");
    fs::write(&blocked, "a file where a folder is wanted").unwrap();
    let message = fails(report(run.path()).arg("--out").arg(&blocked), 1);
    assert!(message.contains("taken"), "{message}");
    assert_eq!(fs::read_to_string(&blocked).unwrap(), "a file where a folder is wanted");
}

#[test]
fn usage_errors_are_64() {
    fails(Command::cargo_bin("fusion").unwrap().arg("rapport"), 64);
    fails(report(&data()).args(["--resamples", "0"]), 64);
    fails(report(&data()).args(["--resamples", "4294967295"]), 64);
    fails(report(&data()).args(["--primary", "orthodox"]), 64);
    let message = fails(report(&data()).args(["--primary", "chess", "orthodox"]), 64);
    assert!(message.contains("no games of chess") && message.contains("fusion-2006"), "{message}");
}

fn verdict_of(run: &Path, arguments: &[&str]) -> String {
    let out = tempfile::tempdir().unwrap();
    let output = report(run).args(arguments).arg("--out").arg(out.path()).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let (verdict, link) = text.trim_end().rsplit_once('\n').unwrap();
    let page = out.path().join("report.html");
    assert_eq!(link, format!("Report: file://{}", page.display()));
    verdict.rsplit("\n\n").next().unwrap().replace('\n', " ")
}

/// The last line is an absolute link, whatever the name of the folder.
#[test]
fn the_last_line_is_where_the_report_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a run")).unwrap();
    fs::copy(data().join("measure/games.csv"), folder.path().join("a run/games.csv")).unwrap();
    let output = report(Path::new("a run")).current_dir(folder.path()).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let last = text.lines().last().unwrap();
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(last, format!("Report: file://{}/a%20run/report.html", here.display()));
    assert!(text.contains("\n\nInconclusive. Under this agent"), "{text}");
    let fits = |line: &str| line.chars().count() <= 80 || line.starts_with("Report: ");
    assert!(text.lines().all(fits), "{text}");
}

#[test]
fn readers_choose_the_primary_comparison() {
    let verdict = verdict_of(&data(), &["--primary", "fusion-1999", "orthodox"]);
    assert!(verdict.contains("whether fusion-1999 is drawn less often than orthodox"), "{verdict}");
    let swapped = verdict_of(&data(), &["--primary", "fusion-1999", "fusion-2020"]);
    assert!(swapped.starts_with("More drawish."), "{swapped}");
}

#[test]
fn an_order_answers_without_the_primary_pair() {
    let run = edited(|text| text.replace("fusion-2020,", "\"fusion-2020,castling=no\","));
    // No file names these two rule sets as the primary pair.
    let verdict = verdict_of(run.path(), &[]);
    assert!(
        verdict.starts_with("Least drawish: fusion-2020,castling=no. Most: orthodox."),
        "{verdict}"
    );
    fs::copy(data().join("measure/measure.json"), run.path().join("measure.json")).unwrap();
    let verdict = verdict_of(run.path(), &[]);
    assert!(verdict.contains("fusion-2020 was not played"), "{verdict}");
    fs::remove_file(run.path().join("measure.json")).unwrap();
    let chosen = verdict_of(run.path(), &["--primary", "fusion-2020,castling=no", "fusion-1999"]);
    assert!(chosen.contains("a difference of −27.5 percentage points (anytime-valid"), "{chosen}");
}

#[test]
fn failed_games_void_the_run() {
    let run = edited(|text| in_line(&in_line(&text, 2, "1/2-1/2", "*"), 2, "threefold", "error"));
    let verdict = verdict_of(run.path(), &[]);
    assert!(
        verdict.starts_with("Void.") && verdict.contains("1 of 40 games of fusion-1999"),
        "{verdict}"
    );
}

#[test]
fn two_networks_or_few_openings_get_no_verdict() {
    let other = edited(|text| {
        text.lines()
            .map(|line| if line.starts_with("fusion-2020") { line.replace("db5f30dd", "00000000") } else { line.into() } + "\n")
            .collect()
    });
    let verdict = verdict_of(other.path(), &[]);
    assert!(verdict.contains("come from 2 networks"), "{verdict}");
    let few = edited(|text| {
        let keep =
            |line: &&str| line.split(',').nth(1).is_none_or(|id| id == "opening" || id.len() == 1);
        text.lines().filter(keep).map(|line| line.to_owned() + "\n").collect()
    });
    let verdict = verdict_of(few.path(), &[]);
    assert!(
        verdict.starts_with("No verdict.") && verdict.contains("share 10 openings"),
        "{verdict}"
    );
}

#[test]
fn an_opponent_without_nodes_is_named_without_them() {
    let run = edited(|text| text);
    let text = fs::read_to_string(data().join("strength.json")).unwrap();
    let mut strength: serde_json::Value = serde_json::from_str(&text).unwrap();
    strength["second"] = serde_json::json!({"network": "alphabeta:3"});
    fs::write(run.path().join("strength.json"), strength.to_string()).unwrap();
    report(run.path()).assert().success();
    let page = fs::read_to_string(run.path().join("report.html")).unwrap();
    let sentence = "Network db5f30dd at 64 nodes scored ";
    assert!(page.contains(sentence) && page.contains(" against alphabeta:3 over 400 games."));
}
