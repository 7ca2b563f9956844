//! Games of random movers, by ending.

use fusion_game::{Description, Ending, Results};
use fusion_print::format::capitalised;
use fusion_print::table::Unit::Decimals;
use fusion_print::table::{Cell, Fields, Kind, Table};
use fusion_runner::random::RandomRow;

/// Returns the columns: counts for the file, and shares for people.
/// Returns the endings that the rows count as draws.
fn drawn(rows: &[RandomRow]) -> impl Iterator<Item = Ending> {
    rows.first().into_iter().flat_map(|row| row.draws.iter().map(|&(ending, _)| ending))
}

fn fields(game: Description, rows: &[RandomRow]) -> Fields<'static, RandomRow> {
    let share = |row: &RandomRow, games: u64| Cell::FinePart(games, row.games.max(1));
    let [long, short] = wins(game);
    let mut fields = Fields::<RandomRow>::default()
        .text("rules", ("Rule set", "rules"), |row| row.rules.clone())
        .count("games", ("Games", "games"), |row| row.games)
        .count("white_wins", "White wins", |row| row.wins[0])
        .count("black_wins", "Black wins", |row| row.wins[1])
        .cells("won_share", (&*long, &*short), Kind::Number, move |row| share(row, row.won()));
    for ending in drawn(rows) {
        let heading = (&*capitalised(ending.kind().words), ending.kind().short);
        let of = move |row: &RandomRow| share(row, row.drawn_by(ending));
        let column = share_column(ending);
        fields = fields.count(&ending.column(), heading, move |row| row.drawn_by(ending));
        fields = fields.cells(&column, heading, Kind::Number, of);
    }
    fields
        .cells("drawn_share", ("Drawn", "drawn"), Kind::Number, move |row| share(row, row.drawn()))
        .value("mean_plies", ("Plies a game", "plies"), Decimals(1), |row| {
            row.plies as f64 / row.games.max(1) as f64
        })
}

/// Returns both headings of the games that were won: the name of the ending, if only one wins.
fn wins(game: Description) -> [String; 2] {
    let wins = |ending: &&Ending| ending.kind().results != Results::Draw;
    let mut endings = game.endings.iter().filter(wins);
    match (endings.next(), endings.next()) {
        (Some(only), None) => [capitalised(only.kind().words), only.kind().short.to_owned()],
        _ => ["Won".to_owned(), "won".to_owned()],
    }
}

fn share_column(ending: Ending) -> String {
    format!("{}_share", ending.column())
}

/// Returns the table of shares.
#[must_use]
pub fn table(game: Description, rows: &[RandomRow]) -> Table {
    let shares: Vec<String> = drawn(rows).map(share_column).collect();
    let keys = format!("rules games won_share {} drawn_share mean_plies", shares.join(" "));
    let first: Vec<&str> = shares.iter().rev().map(String::as_str).collect();
    fields(game, rows)
        .table("random", "Random movers, from the initial position", &keys, rows)
        .droppable(&format!("drawn_share {}", first.join(" ")))
}

/// Returns the table of the CSV file.
pub fn file(game: Description, rows: &[RandomRow]) -> Table {
    let counts: Vec<String> = drawn(rows).map(Ending::column).collect();
    let keys = format!("rules games white_wins black_wins {} mean_plies", counts.join(" "));
    fields(game, rows).table("random", "Random movers", &keys, rows)
}
