//! Counts against the table of an independent program.

use fusion_freechess::board::{Position, Turn, perft::perft};
use fusion_freechess::rules::RuleSet;
use std::collections::HashSet;

/// A row of `data/perft/freechess.csv`: ruleset, name, position, kind, depth, count.
type Row = (String, String, String, String, u32, u64);

fn rows() -> Vec<Row> {
    let path = format!("{}/../../data/perft/freechess.csv", env!("CARGO_MANIFEST_DIR"));
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Returns the distinct positions after the current turn.
fn after_turn(position: &Position, rules: &RuleSet) -> HashSet<String> {
    let (mut inside, mut ends) = (vec![*position], HashSet::new());
    let mut known = HashSet::new();
    while let Some(position) = inside.pop() {
        let mut actions = Vec::new();
        position.legal_actions(rules, &mut actions);
        for action in actions {
            let next = position.after(rules, action);
            if next.turn() == Turn::Start {
                ends.insert(next.to_text());
            } else if known.insert(next.hash()) {
                inside.push(next);
            }
        }
    }
    ends
}

fn turns(position: &Position, rules: &RuleSet, depth: u32) -> u64 {
    let mut positions = HashSet::from([position.to_text()]);
    for _ in 0..depth {
        let read = |text: &String| Position::from_text(rules, text).unwrap();
        positions = positions.iter().flat_map(|text| after_turn(&read(text), rules)).collect();
    }
    positions.len() as u64
}

fn check(row: &Row) {
    let (rules, name, text, kind, depth, wanted) = row;
    let rules: RuleSet = rules.parse().unwrap();
    let position =
        Position::from_text(&rules, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = match kind.as_str() {
        "actions" => perft(&position, &rules, *depth),
        "turns" => turns(&position, &rules, *depth),
        "check" => u64::from(position.in_check(&rules, position.side_to_move())),
        "valid" => position.valid_squares(&rules).len() as u64,
        _ => panic!("unknown kind {kind}"),
    };
    assert_eq!(found, *wanted, "{rules}, {name}, {kind}, depth {depth}, {text}");
}

#[test]
fn all_counts_agree_with_the_table() {
    let rows = rows();
    assert_eq!(rows.len(), 115);
    rows.iter().for_each(check);
}
