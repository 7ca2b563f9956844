//! The report's tables as CSV files.

use crate::report::Report;
use crate::sections;
use crate::table::Table;

/// The names of all tables that a report may have, between spaces.
pub const NAMES: &str = "summary endings pairs usage balance toggles interactions trends agents \
    curves values reliability lone-king lone-king-toggles random checks";

/// The file of a table.
#[must_use]
pub fn file_name(table: &str) -> String {
    format!("{table}.csv")
}

/// The files' names with their contents.
///
/// # Errors
/// Never in memory; passed on from the CSV writer.
pub fn tables(report: &Report) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let file = |table: &Table| Ok((file_name(&table.id), table.to_csv()?));
    sections::files(report).iter().map(file).collect()
}
