//! Tests `--json`: standard output is one JSON document, and its numbers are those of the result.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

fn data() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../analysis/report/tests/data/run").to_owned()
}

/// Runs a command line with `--json`. Returns the document and standard error.
fn run(folder: &Path, line: &str) -> (Value, String) {
    let mut command = Command::cargo_bin("fusion").unwrap();
    let words = line.split_whitespace().chain(["--json"]);
    let output = command.current_dir(folder).args(words).assert().success();
    let output = output.get_output();
    let document = serde_json::from_slice(&output.stdout).unwrap();
    (document, String::from_utf8(output.stderr.clone()).unwrap())
}

/// Returns the table of this name.
fn table<'a>(document: &'a Value, id: &str) -> &'a Value {
    let tables = document["tables"].as_array().unwrap();
    let found = tables.iter().find(|table| table["id"] == id);
    found.unwrap_or_else(|| panic!("no table {id} in {document:#}"))
}

/// Returns the first row with this value in this column.
fn row<'a>(document: &'a Value, id: &str, key: &str, value: &str) -> &'a Value {
    let rows = table(document, id)["rows"].as_array().unwrap();
    rows.iter().find(|row| row[key] == value).unwrap()
}

#[test]
fn a_report_has_the_tables_of_its_files() {
    let out = tempfile::tempdir().unwrap();
    let (report, said) = run(out.path(), &format!("report {} --out .", data()));
    let summary = row(&report, "summary", "rules", "fusion-2020");
    assert_eq!((&summary["games"], &summary["draws"]), (&json!(40), &json!(11)));
    assert_eq!(summary["draw_share"], 0.275);
    let column = &table(&report, "summary")["columns"][0];
    assert_eq!(*column, json!({"key": "rules", "heading": "Rule set", "kind": "text"}));
    let pair = row(&report, "pairs", "second", "fusion-1999");
    assert_eq!((&pair["difference"], &pair["bootstrap95"]["low"]), (&json!(-0.2), &json!(-0.4)));
    let verdict = report["notes"][0].as_str().unwrap();
    assert!(verdict.starts_with("Less drawish. Under this agent"), "{verdict}");
    assert!(said.contains("Report: file://") && out.path().join("report.html").exists(), "{said}");
}

#[test]
fn comparisons_and_plans() {
    let folder = tempfile::tempdir().unwrap();
    let (same, _) = run(folder.path(), &format!("compare {0} {0}", data()));
    let draws = row(&same, "draws", "rules", "orthodox");
    assert_eq!((&draws["games"], &draws["drawn_b"]), (&json!([40, 40]), &json!(0.675)));
    assert_eq!(row(&same, "differences", "rules", "orthodox")["difference95"]["high"], 0.0);

    let study = "[study]\nname = 'small'\nfixed = true\n[network]\nfile = 'material'\n[openings]\ncount = 20\n\
                 [measure]\nrules = ['orthodox', 'fusion-2020']\nnodes = [4, 2]\n";
    std::fs::write(folder.path().join("study.toml"), study).unwrap();
    let (plan, said) = run(folder.path(), "plan study.toml --calibration 1 --threads 1");
    let measure = row(&plan, "measurements", "measurement", "measure");
    assert_eq!((&measure["games"], &measure["nodes"]), (&json!(80), &json!([4, 2])));
    assert_eq!(row(&plan, "times", "name", "measure")["games"], 80);
    let least = &table(&plan, "detectable")["rows"][0]["50%"];
    assert!((0.3..0.5).contains(&least.as_f64().unwrap()), "{least}");
    assert!(said.contains("trying measure"), "{said}");
}

#[test]
fn games_and_their_shards() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "match --first uniform --nodes 2 --games 4 --cap 10 --out m";
    let (played, _) = run(folder, line);
    let all = row(&played, "match", "rules", "all");
    assert_eq!((&all["games"], &all["capped"], &all["score"]), (&json!(4), &json!(4), &json!(0.5)));
    assert!(all["elo"]["high"].is_number() && played["notes"][0].is_string(), "{played}");
    let (status, said) = run(folder, "status m");
    let wanted = json!({"shards": 1, "whole": 1, "begun": 0, "damaged": 0, "missing": []});
    assert_eq!(table(&status, "status")["rows"][0], wanted);
    assert!(said.contains("1 of 1 shards are whole"), "{said}");

    let (random, _) = run(folder, "random --rules orthodox --games 50 --out r");
    let random = row(&random, "random", "rules", "orthodox");
    assert_eq!(random["games"], 50);
    assert_eq!(random["won_share"]["whole"], 50, "{random}");
    let line = "technique --network material --nodes 20 --games 2 --rules fusion-2020 --out t";
    let (technique, said) = run(folder, line);
    assert_eq!(row(&technique, "technique", "pieces", "R")["games"], 2);
    assert!(said.contains("results in t/technique.csv"), "{said}");

    let line = "openings --rules orthodox --rules union --network none --count 3 --out o.csv";
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.current_dir(folder).args(line.split_whitespace()).assert().success();
    let line = "divergence --network material --nodes 20 --openings o.csv --rules orthodox \
                --rules union --out d.csv";
    let (divergence, said) = run(folder, line);
    let row = row(&divergence, "divergence", "first", "orthodox");
    assert_eq!((&row["openings"], &row["only_first"]), (&json!(3), &json!(0.0)));
    assert!(said.contains("results in d.csv"), "{said}");
    let file = std::fs::read_to_string(folder.join("d.csv")).unwrap();
    assert!(file.starts_with("first,second,network,nodes,openings,divergence,divergence95_low"));
}

#[test]
fn moves_and_their_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (perft, _) = run(folder, "perft --depth 3");
    assert_eq!(table(&perft, "perft")["rows"], json!([{"nodes": 12_166}]));
    let (divided, _) = run(folder, "perft --depth 2 --divide");
    assert_eq!(row(&divided, "perft", "move", "e2e4")["nodes"], 22);
    let text = "ruleset,name,fen,depth,nodes\northodox,start,\
                rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,2,400\n";
    std::fs::write(folder.join("counts.csv"), text).unwrap();
    let (checked, _) = run(folder, "perft --check counts.csv");
    let row = &table(&checked, "perft")["rows"][0];
    assert_eq!((&row["nodes"], &row["counted"]), (&json!(400), &json!(400)));
    let (moves, _) = run(folder, "moves --rules orthodox");
    let moves = table(&moves, "moves")["rows"].as_array().unwrap();
    assert!(moves.len() == 20 && moves.contains(&json!({"move": "g1f3", "notation": "Nf3"})));
}

#[test]
fn endgames() {
    let folder = tempfile::tempdir().unwrap();
    let build = "endgames build --out tables --material KRvK --rules orthodox";
    let words = build.split_whitespace();
    let mut command = Command::cargo_bin("fusion").unwrap();
    command.current_dir(folder.path()).args(words).assert().success();
    let (summary, _) = run(folder.path(), "endgames summary tables");
    let rook = row(&summary, "endgames", "ending", "KRvK");
    assert_eq!(rook["longest_mate"], 16);
    assert_eq!(rook["won"]["whole"], rook["positions"]);
}
