//! Move counts of the definitions in `games.ini`, agreed between two other programs.

use fusion_fairy::board::{Position, Tables};
use fusion_fairy::ini::File;

const GAMES: &str = include_str!("games.ini");
const COUNTS: &str = include_str!("games-perft.csv");

/// Checks the counts up to this number.
fn check(most: u64) {
    let file = File::parse("games.ini", GAMES).unwrap();
    let mut wrong = Vec::new();
    let mut rows = csv::Reader::from_reader(COUNTS.as_bytes());
    let mut known: Option<(String, Tables)> = None;
    for row in rows.records() {
        let row = row.unwrap();
        let (name, fen) = (&row[0], &row[1]);
        let (depth, nodes): (u32, u64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        if nodes > most {
            continue;
        }
        if known.as_ref().is_none_or(|(known, _)| known != name) {
            let definition = file.resolve(name, &[]).unwrap().definition;
            known = Some((name.to_owned(), Tables::new(definition)));
        }
        let (_, tables) = known.as_ref().unwrap();
        let position = Position::from_text(tables, fen).unwrap();
        let count = position.perft(tables, depth);
        if count != nodes {
            wrong.push(format!("{name} {fen} depth {depth}: {count} instead of {nodes}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn counts_are_those_of_other_programs() {
    check(300_000);
}

#[test]
#[ignore = "takes minutes: cargo test -p fusion-fairy --test counts -- --ignored"]
fn large_counts_are_those_of_other_programs() {
    check(u64::MAX);
}
