//! The games that reports support.

use crate::games::RowEnding;
use fusion_chess::FusionGame;
use fusion_game::{Description, Ending, Game, Notation, RuleSet, ToggleKind};

type Rules = <FusionGame as Game>::Rules;

/// Name of the file with the moves of the games.
pub const GAMES_FILE: &str = FusionGame::GAMES_FILE;

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

/// Returns the toggles of the rules, in the order in which expressions list them.
#[must_use]
pub fn toggles() -> &'static [ToggleKind] {
    Rules::TOGGLES
}

/// Returns what a toggle allows, in a few words, or an empty text if it has no such words.
#[must_use]
pub fn toggle_words(name: &str) -> &'static str {
    toggles().iter().find(|toggle| toggle.name == name).map_or("", |toggle| toggle.short)
}

/// Returns the value of a toggle under a rule set. `None` for another toggle or an unknown rule set.
#[must_use]
pub fn value(rules: &str, toggle: &str) -> Option<String> {
    <Rules as RuleSet>::parse(rules).ok()?.value(toggle)
}

/// Returns the values of all toggles under a rule set, in their order. `None` for an unknown rule
/// set.
#[must_use]
pub fn values(rules: &str) -> Option<Vec<String>> {
    let rules = <Rules as RuleSet>::parse(rules).ok()?;
    toggles().iter().map(|toggle| rules.value(toggle.name)).collect()
}
