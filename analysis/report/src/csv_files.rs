//! The report's tables as CSV files.

use crate::report::Report;
use crate::sections;
use crate::table::Table;
use anyhow::Context;

/// The names of all tables that a report may have.
pub const NAMES: [&str; 16] = [
    "summary.csv",
    "endings.csv",
    "pairs.csv",
    "usage.csv",
    "balance.csv",
    "toggles.csv",
    "interactions.csv",
    "trends.csv",
    "agents.csv",
    "curves.csv",
    "values.csv",
    "reliability.csv",
    "lone-king.csv",
    "lone-king-toggles.csv",
    "random.csv",
    "checks.csv",
];

/// The files' names, all of them among [`NAMES`], with their contents.
///
/// # Errors
/// Never in memory; passed on from the CSV writer.
pub fn tables(report: &Report) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let file = |table: Table| {
        let is = |name: &&str| name.strip_suffix(".csv") == Some(&table.id);
        let name =
            NAMES.into_iter().find(is).with_context(|| format!("{} is no file", table.id))?;
        Ok((name, table.to_csv()?))
    };
    sections::files(report).into_iter().map(file).collect()
}
