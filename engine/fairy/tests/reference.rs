//! Compares the slow player with published counts of moves.

mod slow;

use fusion_fairy::ini::File;
use slow::Slow;

/// A row of the table of counts.
type Row = (String, String, u32, u64);

/// Reads the table of counts: variant, position, depth and number of games of that length.
fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(include_str!("games-perft.csv").as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("a table of counts")
}

/// Compares the rows up to this many nodes.
fn compare(most: u64) {
    let file = File::parse("games.ini", include_str!("games.ini")).expect("the file is valid");
    let mut compared = 0;
    for (name, position, depth, nodes) in rows().into_iter().filter(|row| row.3 <= most) {
        let game = file.resolve(&name, &[]).expect("the section resolves").definition;
        let slow = Slow::from_text(&game, &position).expect("the position is valid");
        assert_eq!(slow.perft(depth), nodes, "{name} {position} at depth {depth}");
        compared += 1;
    }
    assert!(compared > 50, "only {compared} rows");
}

#[test]
fn small_counts_are_as_published() {
    compare(20_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p fusion-fairy --test reference -- --ignored"]
fn all_counts_are_as_published() {
    compare(u64::MAX);
}
