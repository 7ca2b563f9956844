//! The report's tables as CSV files.

use crate::game_sections;
use crate::sections;
use fusion_print::table::Table;
use fusion_results::report::Report;

/// The names of the tables that the report of any game may have, separated by spaces.
const NAMES: &str = "summary endings pairs usage balance toggles interactions changes trends agents \
    curves reliability checks random published published-draws published-white players uncertainty";

/// Returns the names of all tables that a report may have.
pub fn names() -> impl Iterator<Item = &'static str> {
    let of_games = game_sections::all().flat_map(|game| game.file_names().iter().copied());
    NAMES.split(' ').chain(sections::game::NAMES).chain(of_games)
}

/// Returns the file name of a table.
#[must_use]
pub fn file_name(table: &str) -> String {
    format!("{table}.csv")
}

/// Returns the name and the contents of each file.
///
/// # Errors
/// Writing CSV to memory causes no error.
pub fn tables(report: &Report) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let file = |table: &Table| Ok((file_name(&table.id), table.to_csv()?));
    sections::files(report).iter().map(file).collect()
}
