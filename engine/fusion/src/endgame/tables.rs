//! A folder of tables.

use super::file::{EXTENSION, Table, TableError};
use super::{MAX_COMPONENTS, Material, Value, covers, equivalent_rules};
use crate::board::Position;
use crate::rules::RuleSet;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the path, in a folder of tables, of the table of this material for these rules:
/// `KRBvKR/fusion-2020.fet`. Rule sets with the same moves in an ending share a file.
#[must_use]
pub fn path(folder: &Path, material: &Material, rules: &RuleSet) -> PathBuf {
    let rules = equivalent_rules(rules, material);
    folder.join(material.to_string()).join(format!("{rules}.{EXTENSION}"))
}

/// The tables of one rule set. Threads share it.
#[derive(Debug)]
pub struct Tables {
    tables: HashMap<Material, Arc<Table>>,
}

impl Tables {
    /// Opens and checks every table that a folder has for these rules.
    ///
    /// # Errors
    /// Returns an error if a table cannot be read or is damaged, if the folder has no table for
    /// these rules, or if tables do not cover the rules.
    pub fn open(folder: &Path, rules: &RuleSet) -> Result<Self, TableError> {
        Self::open_new(folder, rules, &mut HashMap::new())
    }

    /// Opens the tables for each of these rule sets, as [`Tables::open`] does. A file that several
    /// of them use is opened once, and its blocks are shared.
    ///
    /// # Errors
    /// Returns the first error of [`Tables::open`].
    pub fn open_all(folder: &Path, rules: &[RuleSet]) -> Result<Vec<Self>, TableError> {
        let mut opened = HashMap::new();
        rules.iter().map(|rules| Self::open_new(folder, rules, &mut opened)).collect()
    }

    /// Opens the tables that are not in `opened`, and adds them there.
    fn open_new(
        folder: &Path,
        rules: &RuleSet,
        opened: &mut HashMap<PathBuf, Arc<Table>>,
    ) -> Result<Self, TableError> {
        covers(rules)?;
        let mut tables = HashMap::new();
        for material in Material::all(MAX_COMPONENTS) {
            let path = path(folder, &material, rules);
            if let Some(table) = opened.get(&path) {
                tables.insert(material, table.clone());
            } else if path.is_file() {
                let table = Arc::new(Table::open_finished(&path, &material, rules)?);
                opened.insert(path, table.clone());
                tables.insert(material, table);
            }
        }
        if tables.is_empty() {
            let rules = rules.to_string();
            return Err(TableError::None { folder: folder.into(), rules });
        }
        Ok(Self { tables })
    }

    /// Returns the material for which there is a table, smaller material first.
    #[must_use]
    pub fn materials(&self) -> Vec<Material> {
        let all = Material::all(MAX_COMPONENTS).into_iter();
        all.filter(|material| self.tables.contains_key(material)).collect()
    }

    /// Returns the SHA-256 of the tables' headers and the checksums of their compressed blocks.
    /// Equal hashes mean equal values. Equal values can have different hashes if another version of
    /// the program or of the compressor wrote them.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256::new();
        for material in self.materials() {
            self.tables.get(&material).inspect(|table| hasher.update(table.head()));
        }
        fusion_game::hex(&hasher.finalize())
    }

    /// Returns the table of this material.
    #[must_use]
    pub fn table(&self, material: &Material) -> Option<&Table> {
        self.tables.get(material).map(Arc::as_ref)
    }

    /// Returns the value of a position, or `None` if no table has it. The value ignores the
    /// fifty-move rule and repetition.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        let (material, swapped) = Material::of(position)?;
        if material.len() == 2 {
            return Some(Value::Draw);
        }
        self.tables.get(&material)?.value(position, swapped)
    }
}
