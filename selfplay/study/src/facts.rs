//! `[forced]` and `[technique]`: what a game itself is like, beyond how it is played out.

use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::check::{check_games, require};

/// Name of the step that searches the initial position, and of its table without the extension.
pub const FORCED: &str = "forced";
/// Name of the step that plays positions that should be won, and of its folder.
pub const TECHNIQUE: &str = "technique";

/// `[forced]`: the search for a forced win from the initial position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForcedConfig {
    /// Positions that the search of each initial position visits.
    pub nodes: u64,
}

impl Default for ForcedConfig {
    fn default() -> Self {
        Self { nodes: 5_000_000 }
    }
}

impl ForcedConfig {
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub(super) fn check(&self) -> Result<(), Failure> {
        require(self.nodes > 0, "forced.nodes must be at least 1")
    }
}

/// `[technique]`: games from positions that should be won, such as those of small forces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TechniqueConfig {
    /// Games of each exercise under each rule set.
    pub games: u64,
    /// Nodes of each move.
    pub nodes: u32,
}

impl Default for TechniqueConfig {
    fn default() -> Self {
        Self { games: 100, nodes: 800 }
    }
}

impl TechniqueConfig {
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub(super) fn check(&self) -> Result<(), Failure> {
        check_games("technique.games", self.games)?;
        require(self.nodes > 0, "technique.nodes must be at least 1")
    }
}
