//! The games that reports support.

use crate::games::RowEnding;
use fusion_chess::FusionGame;
use fusion_game::{Description, Ending};

/// Returns the description of the game of a run.
#[must_use]
pub fn description() -> Description {
    Description::of::<FusionGame>()
}

/// Returns every ending of a row, in the order in which tables list them.
#[must_use]
pub fn row_endings() -> Vec<RowEnding> {
    RowEnding::all(description())
}

/// Returns the endings of the rules, and adjudication, which replaces them.
#[must_use]
pub fn endings() -> Vec<Ending> {
    description().endings.iter().copied().chain([Ending::TABLES]).collect()
}

/// Returns whether a game ended by a mate. Mates would be more frequent with fewer escapes.
#[must_use]
pub fn is_mate(ending: RowEnding) -> bool {
    ending == RowEnding::Game(fusion_chess::game::CHECKMATE)
}
