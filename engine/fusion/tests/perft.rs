//! Move counts against independent tables.

use fusion_chess::board::{Position, perft::perft};
use fusion_chess::rules::RuleSet;

/// Published counts, chessprogramming.org "Perft Results", positions 1 to 6.
#[test]
fn orthodox_matches_the_published_counts() {
    let rules = RuleSet::preset("orthodox").unwrap();
    let table: [(&str, &[u64]); 6] = [
        (fusion_chess::board::fen::START, &[20, 400, 8_902, 197_281, 4_865_609]),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            &[48, 2_039, 97_862, 4_085_603],
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624]),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[6, 264, 9_467, 422_333, 15_833_292],
        ),
        (
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            &[44, 1_486, 62_379, 2_103_487],
        ),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2_079, 89_890, 3_894_594],
        ),
    ];
    for (fen, counts) in table {
        let position = Position::from_fen(&rules, fen).unwrap();
        for (depth, nodes) in (1..).zip(counts) {
            assert_eq!(perft(&position, &rules, depth), *nodes, "{fen} depth {depth}");
        }
    }
}

#[test]
fn presets_match_the_shipped_table() {
    assert_eq!(rows_that_match("presets.csv"), 277);
}

#[test]
fn family_matches_the_shipped_table() {
    assert_eq!(rows_that_match("family.csv"), 116);
}

#[test]
fn variants_of_chess_match_the_shipped_table() {
    assert_eq!(rows_that_match("chess-variants.csv"), 72);
}

/// Checks every row of a table of move counts; returns their number.
fn rows_that_match(table: &str) -> usize {
    let path = format!("{}/../../data/perft/{table}", env!("CARGO_MANIFEST_DIR"));
    let mut rows = 0;
    for row in csv::Reader::from_path(path).unwrap().deserialize() {
        let (rules, name, fen, depth, nodes): (String, String, String, u32, u64) = row.unwrap();
        let rules: RuleSet = rules.parse().unwrap();
        let position = Position::from_fen(&rules, &fen).unwrap();
        assert_eq!(perft(&position, &rules, depth), nodes, "{rules} {name} depth {depth}");
        rows += 1;
    }
    rows
}
