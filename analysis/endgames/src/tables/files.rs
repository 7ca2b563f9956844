//! The files of a table: the values, their summary, and the values of an interrupted build.

use super::recorded;
use crate::graph::Solved;
use crate::summary::Row;
use anyhow::Context;
use fusion_chess::endgame::{self, Layout, Material, Table, TableError, equivalent_rules};
use fusion_chess::rules::RuleSet;
use fusion_jobs::atomic;
use fusion_jobs::exit::Failure;
use fusion_jobs::plain::{self, TABLE};
use fusion_print::output::write_atomically;
use fusion_study::failure;
use rayon::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The paths of a table's files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Files {
    /// Values.
    pub table: PathBuf,
    /// Summary, which is written last.
    pub summary: PathBuf,
    /// Values of an interrupted build.
    pub part: PathBuf,
}

impl Files {
    /// Returns the paths in a folder of a material's table for these rules.
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

/// Writes values. `finished` is false for the values of an interrupted solver.
///
/// # Errors
/// Fails if the file cannot be written. Nothing is left of it then.
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

/// Opens a table and checks that it is the table of this material and these rules.
///
/// # Errors
/// Fails if the file cannot be read, is damaged, or is of another ending (exit code 65).
pub fn open_table(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Table> {
    Table::open_finished(path, material, rules).map_err(|error| failure(error.into()).into())
}

/// Reads all values of a table.
///
/// # Errors
/// Fails as [`open_table`] does.
pub fn read_table(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Solved> {
    all_codes(&open_table(path, material, rules)?)
}

/// Reads the values of an interrupted build. Returns `None` if there are none, or only values of
/// another version of the program.
///
/// # Errors
/// Fails if the file cannot be read, is damaged, or is of another ending (exit code 65).
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
/// Fails if the file cannot be written.
pub fn write_summary(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(write_atomically(path, &writer.into_inner().map_err(|error| error.into_error())?)?)
}

/// Reads the summary of a table.
///
/// # Errors
/// Fails if the file cannot be read (exit code 66 if it is missing). Fails with exit code 65 if the
/// file is not a summary, is the summary of another table, or is far larger than a summary.
pub fn read_summary(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Vec<Row>> {
    let bytes = plain::read(path, TABLE)?;
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
