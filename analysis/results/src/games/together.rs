//! Checks across the rows of a file.

use super::{File, GameRow, GamesError};
use std::collections::HashMap;

/// Data for the checks across rows: each game occurs once, and all openings are of one pool.
#[derive(Default)]
pub(super) struct Together {
    /// Number of each rule set.
    rules: HashMap<String, usize>,
    /// Line of each game, by rule set, nodes and opening.
    games: HashMap<(usize, u64, u64), u64>,
    /// Plies of each opening, and the line that gives them.
    openings: HashMap<u64, (u32, u64)>,
}

impl Together {
    /// Rejects a row that contradicts earlier rows.
    pub(super) fn add(&mut self, file: &File<'_>, row: &GameRow) -> Result<(), GamesError> {
        let number = self.rules.len();
        let rules = match self.rules.get(&row.rules) {
            Some(&known) => known,
            None => *self.rules.entry(row.rules.clone()).or_insert(number),
        };
        if let Some(earlier) = self.games.insert((rules, row.nodes, row.opening), row.line) {
            let message = format!(
                "{} at {} nodes has opening {} in line {earlier} already",
                row.rules, row.nodes, row.opening
            );
            return Err(file.row_error(row.line, "opening", message));
        }
        let (plies, earlier) =
            *self.openings.entry(row.opening).or_insert((row.opening_plies, row.line));
        if plies != row.opening_plies {
            let message = format!(
                "opening {} has {} plies here and {plies} in line {earlier}: the games are not from one pool",
                row.opening, row.opening_plies
            );
            return Err(file.row_error(row.line, "opening_plies", message));
        }
        Ok(())
    }
}
