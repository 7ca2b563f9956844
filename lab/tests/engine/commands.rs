//! Tests the program's subcommands: output and exit codes.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("fusion").unwrap().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn check(folder: &Path, table: &str) -> (i32, String, String) {
    let path = folder.join("counts.csv");
    std::fs::write(&path, table).unwrap();
    run(&["perft", "--check", path.to_str().unwrap()])
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn perft_counts_and_divides() {
    assert_eq!(run(&["perft", "--depth", "3"]), (0, "12166\n".into(), String::new()));
    assert_eq!(run(&["perft", "--rules", "orthodox", "--depth", "3"]).1, "8902\n");
    assert_eq!(run(&["perft", "--depth", "0", "--divide"]).1, "1\n");
    let (code, text, _) = run(&["perft", "--depth", "2", "--divide"]);
    assert_eq!((code, text.lines().count()), (0, 23));
    assert!(text.contains("e2e4   22\n") && text.ends_with("total  484\n"), "{text}");
}

#[test]
fn perft_checks_tables() {
    let folder = tempfile::tempdir().unwrap();
    let table = format!(
        "ruleset,name,fen,depth,nodes\nfusion-2020,start,{START},2,484\n\
         \"fusion-2020,fusion=no,fission=no,fuse-onto-king=no\",start,{START},1,20\n"
    );
    let (code, text, errors) = check(folder.path(), &table);
    assert_eq!(
        (code, text.as_str(), errors.as_str()),
        (0, "2 rows checked, 2 agree, 0 differ\n", "")
    );

    let (code, text, errors) = check(folder.path(), &table.replace("484", "485"));
    assert_eq!(code, 1);
    assert!(
        text.contains("csv:2: fusion-2020, start, depth 2: the table has 485, counted 484"),
        "{text}"
    );
    assert!(text.ends_with("2 rows checked, 1 agree, 1 differ\n"), "{text}");
    assert!(errors.contains("error: 1 of the move counts"), "{errors}");
}

#[test]
fn malformed_tables_are_rejected_with_line_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let header = "ruleset,name,fen,depth,nodes\n";
    let good = format!("fusion-2020,start,{START},1,22\n");
    let bad = [
        (format!("fusion-2021,start,{START},1,22"), "unknown rule set 'fusion-2021'"),
        (
            "fusion-2020,start,8/8/8 w - - 0 1,1,22".into(),
            "position '8/8/8 w - - 0 1': the placement has 3",
        ),
        (format!("fusion-2020,start,{START},one,22"), "depth 'one' is not a number"),
        (format!("fusion-2020,start,{START},1,-22"), "nodes '-22' is not a number"),
        (format!("fusion-2020,start,{START},99999999999,22"), "the depth is too large"),
        (format!("fusion-2020,castling=no,start,{START},1,22"), "6 fields instead of 5"),
        (format!("fusion-2020,start,{START},1"), "4 fields instead of 5"),
    ];
    for (row, reason) in bad {
        let (code, text, errors) = check(folder.path(), &format!("{header}{good}{row}\n"));
        assert_eq!((code, text.as_str()), (65, ""), "{row}");
        assert!(errors.contains("counts.csv:3: ") && errors.contains(reason), "{errors}");
    }
    for (table, reason) in
        [("", "columns must be ruleset,name,"), (header, "no rows"), ("a,b\n", "columns must")]
    {
        let (code, _, errors) = check(folder.path(), table);
        assert_eq!(code, 65, "{table}");
        assert!(errors.contains(reason), "{errors}");
    }
    let missing = run(&["perft", "--check", "/no/such/file.csv"]);
    assert_eq!(missing.0, 66);
    assert!(missing.2.starts_with("error: reading /no/such/file.csv: "), "{}", missing.2);
}

#[test]
fn moves_are_listed_in_both_notations() {
    let fen = "4k3/8/8/8/8/8/8/Q3K2R w K - 0 1";
    let (code, text, _) = run(&["moves", "--position", fen]);
    assert_eq!(code, 0);
    for line in ["e1g1   O-O+", "h1h8   Rh8+", "a1a3   RBa3", "a1a3r  Ra3", "h1e1   Re1=KR"] {
        let line = line.trim_end_matches('+');
        assert!(text.lines().any(|l| l.trim_end_matches('+') == line), "{line} in\n{text}");
    }
    let (code, text, errors) = run(&["moves", "--position", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]);
    assert_eq!((code, text.as_str(), errors.as_str()), (0, "", "no legal moves: stalemate\n"));
}

#[test]
fn rules_are_explained() {
    let (code, text, _) = run(&["rules"]);
    assert_eq!(code, 0);
    assert!(text.contains("fusion-1999") && text.contains("FIDE chess without castling"), "{text}");
    let (code, text, _) = run(&["rules", "orthodox,stalemate=win,castling=yes"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("az-stalemate-win\n"), "the nearest preset: {text}");
    for part in [
        "Other than in chess\n  - Stalemate wins for the side that gives it. (stalemate=win)\n\nAs in chess",
        "    1  R N B Q K B N R\n",
        "g5g6: legal, Qg6, 1-0 by stalemate. In chess: legal, Qg6, 1/2-1/2 by stalemate.\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("Changed in"), "{text}");
    // What chess does not have is not compared with it.
    let (_, text, _) = run(&["rules", "fusion-2020,castling=no"]);
    assert!(text.contains("Changed in fusion-2020\n  - There is no castling."), "{text}");
    assert!(text.contains("d7d3: not legal.\n"), "{text}");
    // Options whose values are lists are explained too, and compared with chess.
    let (_, text, _) = run(&["rules", "variants#fusion-2006"]);
    let (_, other) = text.split_once("Other than in chess").unwrap();
    let (other, _) = other.split_once("As in chess").unwrap();
    let other = other.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["(fusionMovers): nbr -", "(fusionTargets): nbrk -"] {
        assert!(other.contains(part), "{part} in {text}");
    }
    let (code, _, errors) = run(&["rules", "orthodox,castle=no"]);
    assert!(code == 64 && errors.contains("unknown toggle 'castle'"), "{errors}");
}

#[test]
fn bad_arguments_are_usage_errors() {
    let cases: [(&[&str], &str); 9] = [
        (&[], "Usage"),
        (&["count"], "unrecognized subcommand"),
        (&["perft"], "--depth"),
        (&["perft", "--depth", "x"], "--depth"),
        (&["perft", "--depth", "65"], "--depth"),
        (&["perft", "--depth", "1", "--rules", "fusion"], "presets are fusion-2020"),
        (&["perft", "--depth", "1", "--check", "x.csv"], "cannot be used with"),
        (&["perft", "--depth", "1", "--position", "8/8"], "a FEN has 6 fields"),
        (&["moves", "--position", "8/8/8/8/8/8/8/K7 w - - 0 1"], "Black has no royal piece"),
    ];
    for (arguments, message) in cases {
        let (code, text, errors) = run(arguments);
        assert_eq!((code, text.as_str()), (64, ""), "{arguments:?}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
    assert_eq!(run(&["--help"]).0, 0);
}

/// Text from files and arguments cannot control a terminal.
#[test]
fn control_characters_are_escaped() {
    const EVIL: &str = "\u{1b}]0;title\u{7}";
    let folder = tempfile::tempdir().unwrap();
    let wrong = format!("ruleset,name,fen,depth,nodes\nfusion-2020,start{EVIL},{START},2,485\n");
    let fen = format!("ruleset,name,fen,depth,nodes\nfusion-2020,start,{EVIL},2,485\n");
    for (code, out, err) in [
        check(folder.path(), &wrong),
        check(folder.path(), &fen),
        run(&["perft", "--check", &format!("/no/{EVIL}")]),
    ] {
        let said = out + &err;
        assert!(code != 0 && said.contains("\\u{1b}]0;title\\u{7}"), "{said}");
        assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{}", said.escape_debug());
    }
}

/// A variable of other programs may ask for any number of threads.
#[test]
fn threads_are_bounded() {
    let began = Instant::now();
    let mut command = Command::cargo_bin("fusion").unwrap();
    let games = command.args(["games", "/no/such"]).env("RAYON_NUM_THREADS", "1000000");
    let output = games.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(66), "{errors}");
    assert!(
        errors.contains("RAYON_NUM_THREADS is 1000000: ") && errors.contains(" threads are used")
    );
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let (code, _, errors) = run(&[
        "random",
        "--rules",
        "orthodox",
        "--games",
        "9",
        "--threads",
        "4096",
        "--out",
        "/no/such",
    ]);
    assert_eq!(code, 64, "{errors}");
    assert!(errors.contains("--threads is `4096`, not a number from 1 to"), "{errors}");
}

/// People write moves in many ways, here in a game in the terminal.
#[test]
fn moves_of_people_are_played() {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let arguments = ["play", "--terminal", "--rules", "orthodox", "--side", "both"];
    let game = "e2-e4\n\u{265f}e5\nnf3\nb8-c6\nBb5!\na7\u{2013}a6\n0\u{2013}0\nquit\n";
    let output = command.args(arguments).write_stdin(game).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !told.contains("is no legal move"), "{told}");
    assert!(told.contains("R N B Q . R K ."), "{told}");
}

/// Output that cannot be written is an error, wherever it comes from; a closed pipe is none.
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let shell = |line: &str| {
        let output = std::process::Command::new("bash")
            .args(["-c", line, cargo_bin("fusion").to_str().unwrap()])
            .output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    for line in [
        "--help",
        "--version",
        "help study",
        "study --help",
        "measure -h",
        "completions bash",
        "rules",
        "rules orthodox --json",
        "moves",
        "moves --json",
        "perft --depth 1",
        "perft --depth 2 --divide",
        "check data/studies/quick.toml",
        "check data/studies/quick.toml --toml",
        "steps data/studies/quick.toml",
    ] {
        let line = line.replace("data/", concat!(env!("CARGO_MANIFEST_DIR"), "/../data/"));
        let (code, said) = shell(&format!("\"$0\" {line} >/dev/full"));
        assert_eq!(code, Some(1), "{line}: {said}");
        assert!(said.contains("No space left on device"), "{line}: {said}");
        let (code, said) = shell(&format!("set -o pipefail; \"$0\" {line} | true"));
        assert!(code == Some(0) && !said.contains("error"), "{line}: {said}");
    }
}

#[test]
fn a_near_rule_set_is_suggested_among_those_of_all_games() {
    for line in [&["rules", "fusion2020"][..], &["moves", "--rules", "fusion2020"]] {
        let (code, _, errors) = run(line);
        assert_eq!(code, 64, "{errors}");
        assert!(
            errors.contains("unknown rule set 'fusion2020' (did you mean fusion-2020?)"),
            "{errors}"
        );
        assert!(errors.contains("freechess-7") && errors.contains("chesimal-small"), "{errors}");
    }
    assert!(run(&["rules", "freeches"]).2.contains("did you mean freechess?"));
}

/// A game of Clerics instead of Bishops.
const CLERICS: &str = "[clerics:chess]\nbishop = -\ncustomPiece1 = c:NF\n\
    startFen = rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1\npromotionPieceTypes = qrcn\n";

#[test]
fn a_file_of_games_is_checked_and_tried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.ini");
    let path = path.to_str().unwrap();
    std::fs::write(path, CLERICS).unwrap();
    let (code, text, errors) = run(&["new", path, "--games", "200"]);
    assert_eq!(code, 0, "{errors}");
    for part in
        ["8  r n c q k c n r", "C (piece C): NF", "200 random games", "Nothing looks wrong."]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let game = format!("{path}#clerics,castling=no");
    let (code, text, _) = run(&["moves", "--rules", &game]);
    assert_eq!((code, text.lines().count()), (0, 24), "{text}");

    let wrong = format!("{CLERICS}castlng = false\npromotionPieceTypes = xz\nduckGating = true\n");
    std::fs::write(path, wrong).unwrap();
    let (code, _, errors) = run(&["new", path]);
    assert_eq!(code, 65);
    for part in ["my.ini:6: [clerics] castlng", "did you mean castling?", "my.ini:7:", "my.ini:8:"]
    {
        assert!(errors.contains(part), "{part} in\n{errors}");
    }
    assert_eq!(run(&["new", "/no/such/file.ini"]).0, 66);
}

#[test]
fn perft_checks_tables_of_variants() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("my.ini"), CLERICS).unwrap();
    let start = "rncqkcnr/pppppppp/8/8/8/8/PPPPPPPP/RNCQKCNR w KQkq - 0 1";
    std::fs::write(at("c.csv"), format!("variant,fen,depth,nodes\nclerics,{start},1,24\n"))
        .unwrap();
    let (code, text, errors) = run(&["perft", "--check", &at("c.csv"), "--game", &at("my.ini")]);
    assert_eq!((code, &*text), (0, "1 rows checked, 1 agree, 0 differ\n"), "{errors}");
    let (code, _, errors) = run(&["perft", "--check", &at("c.csv")]);
    assert_eq!(code, 64);
    assert!(errors.contains("--game FILE says which file defines them"), "{errors}");
}
