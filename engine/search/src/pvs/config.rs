//! Settings of the search.

use serde::{Deserialize, Serialize};

/// The parts of the search that can be switched off, and the size of its table. What each part
/// gains in matches is in `docs/search.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PvsConfig {
    /// Size of the transposition table in MiB; each game has its own.
    pub table_mib: u32,
    /// A position in which even a pass is good enough is not searched further.
    pub null_move: bool,
    /// Late moves are searched to a smaller depth at first.
    pub late_reductions: bool,
    /// Late quiet moves near the leaves are not searched.
    pub late_pruning: bool,
    /// Positions near the leaves whose evaluation is far above the window are not searched.
    pub reverse_futility: bool,
    /// Quiet moves near the leaves are not searched if the evaluation is far below the window.
    pub futility: bool,
    /// Positions near the leaves far below the window are valued by their forcing moves.
    pub razoring: bool,
    /// Moves near the leaves that lose material in an exchange are not searched.
    pub exchange_pruning: bool,
    /// Positions without a move in the table are searched a ply less.
    pub internal_reduction: bool,
    /// A move in the table that is far better than all others is searched a ply further.
    pub singular_extension: bool,
}

impl PvsConfig {
    /// The usual settings.
    pub const DEFAULT: Self = Self {
        table_mib: 16,
        null_move: true,
        late_reductions: true,
        late_pruning: true,
        reverse_futility: true,
        futility: true,
        razoring: true,
        exchange_pruning: true,
        internal_reduction: true,
        singular_extension: true,
    };

    /// A search of all moves to the full depth, with a small table.
    pub const EXHAUSTIVE: Self = Self {
        table_mib: 16,
        null_move: false,
        late_reductions: false,
        late_pruning: false,
        reverse_futility: false,
        futility: false,
        razoring: false,
        exchange_pruning: false,
        internal_reduction: false,
        singular_extension: false,
    };
}

/// Largest transposition table in MiB. Every game in progress has one for each such player.
const MOST_TABLE: u32 = 1024;

impl PvsConfig {
    /// Checks the size of the table.
    ///
    /// # Errors
    /// Returns the range of a setting that is out of range.
    ///
    /// ```
    /// use fusion_search::pvs::PvsConfig;
    ///
    /// let config = PvsConfig { table_mib: 0, ..PvsConfig::DEFAULT };
    /// assert_eq!(config.check().unwrap_err(), "table_mib must be from 1 to 1024");
    /// assert!(PvsConfig::DEFAULT.check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), String> {
        if (1..=MOST_TABLE).contains(&self.table_mib) {
            return Ok(());
        }
        Err(format!("table_mib must be from 1 to {MOST_TABLE}"))
    }
}

impl Default for PvsConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// When a search ends. It ends also as soon as a win or loss is proven that no deeper search can
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of positions to visit.
    pub nodes: u64,
    /// Largest depth in plies.
    pub depth: i32,
    /// Number of best lines to find.
    pub lines: usize,
}

impl Limits {
    /// Ends after this number of positions.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes, ..Self::depth(super::MAX_PLY as i32 / 2) }
    }

    /// Ends after this depth.
    #[must_use]
    pub fn depth(depth: i32) -> Self {
        Self { nodes: u64::MAX, depth, lines: 1 }
    }
}
