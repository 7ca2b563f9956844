//! The files of a table: the values, their summary, and what an interruption leaves.

use super::recorded;
use crate::output::write_atomically;
use crate::run_folder;
use crate::run_folder::files::TABLE;
use anyhow::Context;
use fusion_chess::endgame::{self, Layout, Material, Table, TableError, equivalent_rules};
use fusion_chess::rules::RuleSet;
use fusion_endgames::graph::Solved;
use fusion_endgames::summary::Row;
use fusion_jobs::atomic;
use fusion_jobs::exit::Failure;
use fusion_study::failure;
use rayon::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where a table's files lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Files {
    /// The values.
    pub table: PathBuf,
    /// The summary; written last.
    pub summary: PathBuf,
    /// The values of an interrupted build.
    pub part: PathBuf,
}

impl Files {
    /// The files of a material's table for these rules in a folder.
    #[must_use]
    pub fn new(folder: &Path, material: &Material, rules: &RuleSet) -> Self {
        let table = endgame::path(folder, material, rules);
        let with = |extension: &str| {
            let mut name = table.clone().into_os_string();
            name.push(extension);
            PathBuf::from(name)
        };
        let summary = table.with_extension("csv");
        Self { summary, part: with(".part"), table }
    }
}

/// Writes values; not finished if they are what an interrupted solver knows.
///
/// # Errors
/// A file that cannot be written; nothing is left of it.
pub fn write_codes(
    path: &Path,
    layout: &Layout,
    rules: &RuleSet,
    codes: &[u16],
    finished: bool,
) -> anyhow::Result<()> {
    let blocks = codes.par_chunks(layout.block()).map(endgame::compress);
    let blocks = blocks.collect::<std::io::Result<Vec<_>>>()?;
    let material = layout.material();
    atomic::write(path, |out| endgame::write(out, &material, rules, finished, &blocks))
        .with_context(|| format!("writing {}", path.display()))
}

/// Opens a table and checks that it is what its name says.
///
/// # Errors
/// A file that cannot be read, is damaged, or is of another ending (exit code 65).
pub fn open_table(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Table> {
    Table::open_finished(path, material, rules).map_err(|error| failure(error.into()).into())
}

/// Reads all values of a table.
///
/// # Errors
/// As [`open_table`].
pub fn read_table(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Solved> {
    all_codes(&open_table(path, material, rules)?)
}

/// Reads what an interrupted build left; `None` if there is nothing, or only what another
/// version of the program knew.
///
/// # Errors
/// A file that cannot be read, is damaged, or is of another ending (exit code 65).
pub fn read_part(
    path: &Path,
    material: &Material,
    rules: &RuleSet,
) -> anyhow::Result<Option<Solved>> {
    match Table::open(path) {
        Ok(table) if table.layout().material() != *material || table.rules() != rules => {
            let (found, under) = (table.layout().material(), table.rules());
            let message = format!(
                "{} holds {found} under {under}, not what its name says: delete it",
                path.display()
            );
            Err(Failure::corrupt(message).into())
        }
        Ok(table) if table.is_own() => all_codes(&table).map(Some),
        Ok(_) => Ok(None),
        Err(TableError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failure(error.into()).into()),
    }
}

fn all_codes(table: &Table) -> anyhow::Result<Solved> {
    let blocks = (0..table.layout().blocks()).into_par_iter();
    let blocks = blocks.map(|block| table.decompress(block)).collect::<Result<Vec<_>, _>>();
    let blocks = blocks.map_err(|error| failure(error.into()))?;
    Ok(Solved { layout: table.layout().clone(), codes: blocks.concat() })
}

/// Writes a summary, of one table or of many.
///
/// # Errors
/// A file that cannot be written.
pub fn write_summary(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(write_atomically(path, &writer.into_inner().map_err(|error| error.into_error())?)?)
}

/// Reads the summary of a table.
///
/// # Errors
/// A file that cannot be read (exit code 66 if it is missing), that is no summary, another
/// table's, or far larger than one (65).
pub fn read_summary(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Vec<Row>> {
    let bytes = run_folder::files::read(path, TABLE)?;
    let expected = (material.to_string(), equivalent_rules(rules, material).to_string());
    let rows = recorded::parse(&bytes).and_then(|rows| {
        let other = |row: &&Row| (&row.material, &row.rules) != (&expected.0, &expected.1);
        match rows.iter().find(other) {
            None => Ok(rows),
            Some(Row { material, rules, .. }) => {
                Err(format!("has rows of {material} under {rules}, not what its name says"))
            }
        }
    });
    rows.map_err(|what| {
        let message = format!("{} {what}: delete it and build the table again", path.display());
        Failure::corrupt(message).into()
    })
}
