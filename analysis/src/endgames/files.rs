//! The files of a table: the values, their summary, and what an interruption leaves.

use super::graph::Solved;
use super::recorded;
use super::summary::Row;
use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_engine::endgame::{self, Layout, Material, Table, equivalent_rules};
use fusion_engine::rules::RuleSet;
use fusion_selfplay::atomic;
use rayon::prelude::*;
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

/// Writes values, which need not be final.
///
/// # Errors
/// A file that cannot be written; nothing is left of it.
pub fn write_codes(
    path: &Path,
    layout: &Layout,
    rules: &RuleSet,
    codes: &[u16],
) -> anyhow::Result<()> {
    let blocks = codes.par_chunks(layout.block()).map(endgame::compress);
    let blocks = blocks.collect::<std::io::Result<Vec<_>>>()?;
    let material = layout.material();
    atomic::write(path, |out| endgame::write(out, &material, rules, &blocks))
        .with_context(|| format!("writing {}", path.display()))
}

/// Reads all values of a file.
///
/// # Errors
/// A file that cannot be read, is damaged, or is of another ending (exit code 65).
pub fn read_codes(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Solved> {
    let table = open(path, material, rules)?;
    let blocks = (0..table.layout().blocks()).into_par_iter();
    let blocks = blocks.map(|block| table.decompress(block)).collect::<Result<Vec<_>, _>>()?;
    Ok(Solved { layout: table.layout().clone(), codes: blocks.concat() })
}

/// Opens a table and checks that it is what its name says.
///
/// # Errors
/// A file that cannot be read, is damaged, or is of another ending (exit code 65).
pub fn open(path: &Path, material: &Material, rules: &RuleSet) -> anyhow::Result<Table> {
    let table = Table::open(path).map_err(Failure::from)?;
    let expected = equivalent_rules(rules, material);
    if table.layout().material() != *material || *table.rules() != expected {
        let (found, under) = (table.layout().material(), table.rules());
        let message = format!(
            "{} holds {found} under {under}, not what its name says: delete it and build it again",
            path.display()
        );
        return Err(Failure::corrupt(message).into());
    }
    Ok(table)
}

/// Writes the summary of a table.
///
/// # Errors
/// A file that cannot be written.
pub fn write_summary(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    atomic::write_bytes(path, &writer.into_inner().map_err(|error| error.into_error())?)
}

/// Reads a summary.
///
/// # Errors
/// A file that cannot be read (exit code 66 if it is missing) or that is no summary (65).
pub fn read_summary(path: &Path) -> anyhow::Result<Vec<Row>> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    recorded::parse(&bytes)
        .map_err(|what| Failure::corrupt(format!("{} {what}", path.display())).into())
}
