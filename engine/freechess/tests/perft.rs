//! Counts against the table of an independent program.

use fusion_freechess::FreeChess;
use fusion_freechess::rules::RuleSet;
use fusion_game::{Benchmark, Notation};

/// A row of `data/perft/freechess.csv`: ruleset, name, position, kind, depth, count.
type Row = (String, String, String, String, u32, u64);

fn rows() -> Vec<Row> {
    let path = format!("{}/../../data/perft/freechess.csv", env!("CARGO_MANIFEST_DIR"));
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn check(row: &Row) {
    let (rules, name, text, kind, depth, wanted) = row;
    let rules: RuleSet = rules.parse().unwrap();
    let game = FreeChess::from_text(&rules, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = game.count(kind, *depth);
    assert!(FreeChess::counts_at(kind, *depth), "{kind} {depth}");
    assert_eq!(found, *wanted, "{rules}, {name}, {kind}, depth {depth}, {text}");
}

#[test]
fn all_counts_agree_with_the_table() {
    let rows = rows();
    assert_eq!(rows.len(), 115);
    rows.iter().for_each(check);
}
