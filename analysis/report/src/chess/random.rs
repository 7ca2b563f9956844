//! Games of random movers, by ending.

use crate::report::Report;
use crate::table::Unit::{Decimals, Percent};
use crate::table::{Fields, Table};
use fusion_runner::random::RandomRow;

fn fields() -> Fields<'static, RandomRow> {
    let percent = |row: &RandomRow, count: u64| 100.0 * count as f64 / row.games as f64;
    Fields::<RandomRow>::default()
        .text("rules", "Rule set", |row| row.rules.clone())
        .count("games", "Games", |row| row.games)
        .count("white_wins", "White wins", |row| row.white_wins)
        .count("black_wins", "Black wins", |row| row.black_wins)
        .count("stalemate", "Stalemate", |row| row.stalemate)
        .count("threefold", "Threefold", |row| row.threefold)
        .count("fifty_move", "Fifty-move", |row| row.fifty_move)
        .count("dead_position", "Dead position", |row| row.dead_position)
        .value("checkmate_share", "Checkmate", Percent, move |row| {
            percent(row, row.white_wins + row.black_wins)
        })
        .value("stalemate_share", "Stalemate", Percent, move |row| percent(row, row.stalemate))
        .value("threefold_share", "Threefold", Percent, move |row| percent(row, row.threefold))
        .value("fifty_share", "Fifty-move", Percent, move |row| percent(row, row.fifty_move))
        .value("dead_share", "Dead position", Percent, move |row| percent(row, row.dead_position))
        .value("drawn_share", "Drawn", Percent, move |row| percent(row, row.draws()))
        .value("mean_plies", "Plies a game", Decimals(1), |row| row.plies as f64 / row.games as f64)
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "rules games white_wins black_wins stalemate threefold fifty_move dead_position \
        mean_plies";
    fields().table("random", "Random movers", keys, &report.run.random)
}

/// Returns the table of the page.
pub(crate) fn table(report: &Report) -> Table {
    let keys = "rules games checkmate_share stalemate_share threefold_share fifty_share \
        dead_share drawn_share mean_plies";
    let title = "Random movers, from the initial position";
    fields().table("random", title, keys, &report.run.random)
}
