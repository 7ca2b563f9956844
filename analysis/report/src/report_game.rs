//! The games that reports support.

use crate::games::{GameResult, GameRow, RowEnding};
use fusion_game::{CompleteGame, Description, Ending, Game, Notation, RuleSet, ToggleKind};
use fusion_registry::{KnownGame, for_game};

/// The game of every run.
const GAME: KnownGame = KnownGame::Chess;

/// Name of the file with the moves of the games.
pub const GAMES_FILE: &str = for_game!(GAME, G => G::GAMES_FILE);

/// Returns the description of the game of a run.
#[must_use]
pub fn description() -> Description {
    for_game!(GAME, G => Description::of::<G>())
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
    for_game!(GAME, G => <G as Game>::Rules::TOGGLES)
}

/// Returns what a toggle allows, in a few words, or an empty text if it has no such words.
#[must_use]
pub fn toggle_words(name: &str) -> &'static str {
    toggles().iter().find(|toggle| toggle.name == name).map_or("", |toggle| toggle.short)
}

/// Returns the value of a toggle under a rule set. `None` for another toggle or an unknown rule set.
#[must_use]
pub fn value(rules: &str, toggle: &str) -> Option<String> {
    let place = toggles().iter().position(|known| known.name == toggle)?;
    values(rules)?.into_iter().nth(place)
}

/// Returns whether a game can end like this under its rules. Adjudication, the cap and failures come
/// from outside.
#[must_use]
pub fn can_end(row: &GameRow) -> bool {
    match row.ending {
        RowEnding::Game(ending) if description().endings.contains(&ending) => {
            let decided = row.result != GameResult::Draw;
            for_game!(GAME, G => may_end::<G>(&row.rules, ending, decided))
        }
        _ => true,
    }
}

/// Returns whether a game can end like this under a rule set; true for an unknown one.
fn may_end<G: CompleteGame>(rules: &str, ending: Ending, decided: bool) -> bool {
    G::Rules::parse(rules).map_or(true, |rules| G::can_end(&rules, ending, decided))
}

/// Returns the canonical text of a rule set. `None` for an unknown one.
#[must_use]
pub fn canonical(rules: &str) -> Option<String> {
    for_game!(KnownGame::of_rules(rules), G => {
        <G as Game>::Rules::parse(rules).ok().map(|rules| rules.to_string())
    })
}

/// Returns the values of all toggles under a rule set, in their order. `None` for an unknown rule
/// set.
#[must_use]
pub fn values(rules: &str) -> Option<Vec<String>> {
    for_game!(KnownGame::of_rules(rules), G => values_of::<G>(rules))
}

fn values_of<G: CompleteGame>(rules: &str) -> Option<Vec<String>> {
    let rules = G::Rules::parse(rules).ok()?;
    G::Rules::TOGGLES.iter().map(|toggle| rules.value(toggle.name)).collect()
}
