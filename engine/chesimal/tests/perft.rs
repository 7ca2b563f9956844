//! Counts against an independent table.

use fusion_chesimal::ChesimalGame;
use fusion_chesimal::rules::RuleSet;
use fusion_game::{Benchmark, Notation, RuleSet as _};
use std::path::Path;

/// Rows of the table.
const ROWS: usize = 76;

#[test]
fn the_game_matches_the_shipped_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft/chesimal.csv");
    let mut rows = 0;
    for row in csv::Reader::from_path(path).unwrap().deserialize() {
        let (text, name, position, kind, depth, nodes): (String, String, String, String, u32, u64) =
            row.unwrap();
        let rules = RuleSet::parse(&text).unwrap();
        let game = ChesimalGame::from_text(&rules, &position).unwrap();
        assert!(ChesimalGame::counts_at(&kind, depth), "{kind} {depth}");
        assert_eq!(game.count(&kind, depth), nodes, "{text} {name} {kind} {depth}");
        rows += 1;
    }
    assert_eq!(rows, ROWS);
}
