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
    /// A move that leads to a threat, check in chess games, is searched a ply further.
    pub threat_extension: bool,
    /// A move in the table that is far better than all others is searched a ply further.
    pub singular_extension: bool,
    /// Reduction of late moves, in 1024ths of a ply, before the part that grows with depth and
    /// number.
    pub reduction_base: i32,
    /// Growth of the reduction with ln(depth) x ln(number), in 1024ths of a ply.
    pub reduction_growth: i32,
    /// Sum of a move's statistics that changes its reduction by a ply.
    pub reduction_statistic: i32,
    /// Margin of reverse futility for each ply, in hundredths of the cheapest piece, as all margins.
    pub reverse_margin: i32,
    /// Margin of futility at depth 0.
    pub futility_margin: i32,
    /// Margin of futility for each ply.
    pub futility_growth: i32,
    /// Moves that are searched at depth 0 before late pruning if 32 moves are legal. Of more legal
    /// moves, proportionally more are searched.
    pub late_moves: i32,
    /// Lower end of the window from which on no move is pruned: the game is all but won, and only a
    /// mate is better.
    pub winning: i32,
    /// Statistic that a quiet move gains in the order of moves if it threatens the other side.
    pub threat_bonus: i32,
    /// Most that the corrections for each part of a position change its static evaluation.
    pub correction: i32,
    /// Gain beyond the captured piece for which quiescence tries a capture.
    pub quiescence_margin: i32,
    /// Forcing moves that quiescence tries in a position.
    pub quiescence_moves: i32,
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
        threat_extension: false,
        singular_extension: true,
        reduction_base: 614,
        reduction_growth: 465,
        reduction_statistic: 8192,
        reverse_margin: 80,
        futility_margin: 120,
        futility_growth: 100,
        late_moves: 12,
        winning: 800,
        threat_bonus: 8000,
        correction: 40,
        quiescence_margin: 150,
        quiescence_moves: 100,
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
        threat_extension: false,
        singular_extension: false,
        ..Self::DEFAULT
    };
}

/// Largest transposition table in MiB. Every game in progress has one for each such player.
const MOST_TABLE: u32 = 1024;

impl PvsConfig {
    /// Checks that the settings are in ranges in which no sum overflows.
    ///
    /// # Errors
    /// Returns the first setting that is out of range, with its range.
    ///
    /// ```
    /// use fusion_search::pvs::PvsConfig;
    ///
    /// let config = PvsConfig { reduction_statistic: 0, ..PvsConfig::DEFAULT };
    /// assert_eq!(config.check().unwrap_err(), "reduction_statistic must be from 1 to 1000000");
    /// assert!(PvsConfig::DEFAULT.check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), String> {
        let table = i32::try_from(self.table_mib).unwrap_or(i32::MAX);
        let ranges = [
            ("table_mib", table, 1, MOST_TABLE as i32),
            ("reduction_base", self.reduction_base, 0, 10_000),
            ("reduction_growth", self.reduction_growth, 0, 10_000),
            ("reduction_statistic", self.reduction_statistic, 1, 1_000_000),
            ("reverse_margin", self.reverse_margin, 0, 10_000),
            ("futility_margin", self.futility_margin, 0, 10_000),
            ("futility_growth", self.futility_growth, 0, 10_000),
            ("late_moves", self.late_moves, 1, 1_000),
            ("winning", self.winning, 0, 100_000),
            ("threat_bonus", self.threat_bonus, 0, 1_000_000),
            ("correction", self.correction, 0, 1_000),
            ("quiescence_margin", self.quiescence_margin, 0, 10_000),
            ("quiescence_moves", self.quiescence_moves, 1, 1_000),
        ];
        let wrong =
            ranges.into_iter().find(|&(_, value, least, most)| value < least || value > most);
        wrong.map_or(Ok(()), |(name, _, least, most)| {
            Err(format!("{name} must be from {least} to {most}"))
        })
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
