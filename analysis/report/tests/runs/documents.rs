//! Tests that numbers of published studies are the same in documents and in their reports.

use fusion_print::format::{fixed, points, signed};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

type Row = HashMap<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// Returns the rows of a table of a published report.
fn rows(study: &str, table: &str) -> Vec<Row> {
    let path = root().join("data/studies").join(study).join("report").join(table);
    csv::Reader::from_path(path).unwrap().deserialize().map(|row| row.unwrap()).collect()
}

fn number(row: &Row, key: &str) -> f64 {
    row[key].parse().unwrap()
}

/// Formats a difference in points with its interval as documents do.
fn with_interval(row: &Row, key: &str) -> String {
    let [value, low, high] =
        ["", "95_low", "95_high"].map(|end| points(number(row, &format!("{key}{end}"))));
    format!("{value} ({low} to {high})")
}

#[test]
fn the_table_of_single_changes_is_that_of_the_report() {
    let text = document("data/studies/which-rule/README.md");
    let mut found = 0;
    for row in rows("which-rule", "changes.csv") {
        if number(&row, "holm_p") >= 0.05 {
            continue;
        }
        let plies =
            ["plies", "plies95_low", "plies95_high"].map(|key| signed(number(&row, key), 0));
        let start = format!(
            "| {} ({}% drawn) | `{}`",
            row["base"],
            fixed(100.0 * number(&row, "unchanged"), 1),
            row["change"]
        );
        let end = format!(
            "| {} | {} | {} ({} to {}) |",
            with_interval(&row, "difference"),
            with_interval(&row, "white"),
            plies[0],
            plies[1],
            plies[2]
        );
        let line = text.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("no line begins with {start}"));
        assert!(line.ends_with(&end), "{line}\nshould end with\n{end}");
        found += 1;
    }
    assert_eq!(found, text.lines().filter(|line| line.contains("% drawn) |")).count());
}

#[test]
fn the_finding_has_the_numbers_of_its_report() {
    let finding = document("docs/finding.md");
    let differences: Vec<Row> = rows("players", "players.csv");
    for name in [
        "measure",
        "alpha-beta-1k",
        "alpha-beta-3k",
        "alpha-beta-30k",
        "tree-100",
        "tree-400",
        "tree-1600",
    ] {
        let row = differences.iter().find(|row| row["measurement"] == name).unwrap();
        let end = format!(
            "| {} | {} to {} |",
            points(number(row, "difference")),
            points(number(row, "difference95_low")),
            points(number(row, "difference95_high"))
        );
        let share = |key| format!("| {}% |", fixed(100.0 * number(row, key), 1));
        let is = |line: &&str| line.ends_with(&end) && line.contains(&share("second_share"));
        let line = finding.lines().find(is).unwrap_or_else(|| panic!("{name}: {end}"));
        assert!(line.contains(&share("first_share")), "{name}: {line}");
    }
    let main = &differences[0];
    let headline = format!("{} percentage points", points(number(main, "difference")));
    for name in ["README.md", "docs/finding.md"] {
        let text = document(name);
        assert!(text.contains(&headline), "{name}: {headline}");
        for key in ["first_share", "second_share"] {
            let share = format!("{}%", fixed(100.0 * number(main, key), 1));
            assert!(text.contains(&share), "{name}: {share}");
        }
    }
}

/// The first rule set of each pair has the changes.
#[test]
fn the_table_of_the_family_is_that_of_the_reports() {
    let text = document("data/studies/fusion-family/README.md");
    let games: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `variants#")?.split('`').next())
        .collect();
    assert!(!games.is_empty());
    for game in games {
        let study = format!("fusion-family/{game}");
        let share = |rules: &str| {
            let rows = rows(&study, "summary.csv");
            let row = rows.iter().find(|row| row["rules"] == rules && row["nodes"] == "2000");
            let row = row.unwrap();
            let [value, low, high] = ["share", "wilson95_low", "wilson95_high"]
                .map(|key| fixed(100.0 * number(row, &format!("draw_{key}")), 1));
            format!("{value}% ({low} to {high}%)")
        };
        let [before, after] = [format!("variants#{game}"), format!("variants#{game}-2020")];
        let pair = &rows(&study, "pairs.csv")[0];
        assert_eq!([&pair["first"], &pair["second"]], [&after, &before]);
        let [value, low, high] = ["difference", "bootstrap95_low", "bootstrap95_high"]
            .map(|key| points(number(pair, key)));
        let agents = rows(&study, "agents.csv");
        let own = agents.iter().find(|row| row["openings_of_its_own"] == "yes").unwrap();
        let [own, own_low, own_high] = ["difference", "difference95_low", "difference95_high"]
            .map(|key| points(number(own, key)));
        let line = format!(
            "| `{before}`, [report]({game}/report.html) | {} | {} | {value} ({low} to {high}) | \
             {own} ({own_low} to {own_high}) |",
            share(&before),
            share(&after)
        );
        assert!(text.contains(&line), "no line is {line}");
    }
}
