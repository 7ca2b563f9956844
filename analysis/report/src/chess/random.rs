//! Games of random movers, by ending.

use crate::report::Report;
use crate::table::Unit::{Decimals, FineShare};
use crate::table::{Fields, Table};
use fusion_chess::game::{DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_runner::random::RandomRow;

fn fields() -> Fields<'static, RandomRow> {
    let share = |row: &RandomRow, count: u64| count as f64 / row.games as f64;
    let mut fields = Fields::<RandomRow>::default()
        .text("rules", "Rule set", |row| row.rules.clone())
        .count("games", "Games", |row| row.games)
        .count("white_wins", "White wins", |row| row.wins[0])
        .count("black_wins", "Black wins", |row| row.wins[1])
        .value("checkmate_share", "Checkmate", FineShare, move |row| share(row, row.won()));
    for (key, heading, ending) in [
        ("stalemate", "Stalemate", STALEMATE),
        ("threefold", "Threefold", THREEFOLD),
        ("fifty_move", "Fifty-move", FIFTY_MOVE),
        ("dead_position", "Dead position", DEAD_POSITION),
    ] {
        fields = fields.count(key, heading, move |row| row.drawn_by(ending)).value(
            &format!("{key}_share"),
            heading,
            FineShare,
            move |row| share(row, row.drawn_by(ending)),
        );
    }
    fields.value("drawn_share", "Drawn", FineShare, move |row| share(row, row.drawn())).value(
        "mean_plies",
        "Plies a game",
        Decimals(1),
        |row| row.plies as f64 / row.games as f64,
    )
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "rules games white_wins black_wins stalemate threefold fifty_move dead_position \
        mean_plies";
    fields().table("random", "Random movers", keys, &report.run.random)
}

/// Returns the table of the page.
pub(crate) fn table(report: &Report) -> Table {
    let keys = "rules games checkmate_share stalemate_share threefold_share \
        fifty_move_share dead_position_share drawn_share mean_plies";
    let title = "Random movers, from the initial position";
    fields().table("random", title, keys, &report.run.random)
}
