//! What a report needs from the game of its run.

use fusion_game::{
    BoardGame, CompleteGame, Description, Ending, Game, Notation, RuleSet, ToggleKind,
};
use fusion_registry::{KnownGame, for_game};
use fusion_runner::measure::{GameResult, GameRow, RowEnding};

/// The game of a run. All rule sets of a run are of one game.
///
/// ```
/// use fusion_results::report_game::ReportGame;
///
/// let game = ReportGame::of_rules("orthodox,castling=no");
/// assert_eq!(game.value("orthodox,castling=no", "castling").as_deref(), Some("no"));
/// assert!(game.counts("captures") && !game.counts("turns"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportGame(KnownGame);

/// Returns the names of the files with the moves of the games, of all games that there are.
#[must_use]
pub fn games_files() -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        KnownGame::ALL.into_iter().map(|game| ReportGame(game).games_file()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl ReportGame {
    /// Returns the game that a rule set belongs to.
    #[must_use]
    pub fn of_rules(rules: &str) -> Self {
        Self(KnownGame::of_rules(rules))
    }

    /// Returns whether a game's events of a kind are counted, such as `turns`, which a game counts if
    /// a turn may have several plies.
    #[must_use]
    pub fn counts(self, event: &str) -> bool {
        self.description().events.place(event).is_some()
    }

    /// Returns the game in the list of games.
    #[must_use]
    pub fn known(self) -> KnownGame {
        self.0
    }

    /// Returns the name of the file with the moves of the games.
    #[must_use]
    pub fn games_file(self) -> &'static str {
        for_game!(self.0, G => G::GAMES_FILE)
    }

    /// Returns the figures of the game's pieces.
    #[must_use]
    pub fn figures(self) -> &'static str {
        for_game!(self.0, G => <G as BoardGame>::FIGURES)
    }

    /// Returns the names of the players: the first, the second.
    #[must_use]
    pub fn players(self) -> [&'static str; 2] {
        for_game!(self.0, G => <G as BoardGame>::PLAYERS)
    }

    /// Returns the description of the game.
    #[must_use]
    pub fn description(self) -> Description {
        for_game!(self.0, G => Description::of::<G>())
    }

    /// Returns every ending of a row, in the order in which tables list them.
    #[must_use]
    pub fn row_endings(self) -> Vec<RowEnding> {
        RowEnding::all(self.description())
    }

    /// Returns the endings of the rules, and adjudication, which replaces them.
    #[must_use]
    pub fn endings(self) -> Vec<Ending> {
        self.description().endings.iter().copied().chain([Ending::TABLES]).collect()
    }

    /// Returns the toggles of the rules, in the order in which expressions list them.
    #[must_use]
    pub fn toggles(self) -> &'static [ToggleKind] {
        for_game!(self.0, G => <G as Game>::Rules::TOGGLES)
    }

    /// Returns what a toggle allows, in a few words, or an empty text if it has no such words.
    #[must_use]
    pub fn toggle_words(self, name: &str) -> &'static str {
        self.toggles().iter().find(|toggle| toggle.name == name).map_or("", |toggle| toggle.short)
    }

    /// Returns whether a toggle's value is not that of every preset.
    #[must_use]
    pub fn differs_from_presets(self, toggle: &str, value: &str) -> bool {
        for_game!(self.0, G => {
            let presets = <G as Game>::Rules::presets();
            presets.iter().any(|(_, rules)| rules.value(toggle).as_deref() != Some(value))
        })
    }

    /// Returns the value of a toggle under a rule set. `None` for another toggle or an unknown rule
    /// set.
    #[must_use]
    pub fn value(self, rules: &str, toggle: &str) -> Option<String> {
        let place = self.toggles().iter().position(|known| known.name == toggle)?;
        self.values(rules)?.into_iter().nth(place)
    }

    /// Returns the values of all toggles under a rule set, in their order. `None` for an unknown rule
    /// set.
    #[must_use]
    pub fn values(self, rules: &str) -> Option<Vec<String>> {
        for_game!(self.0, G => values_of::<G>(rules))
    }

    /// Returns the values of all toggles under a rule set, in their order. A toggle that has no effect because
    /// of the others has none. `None` for an unknown rule set.
    #[must_use]
    pub fn effective_values(self, rules: &str) -> Option<Vec<Option<String>>> {
        for_game!(self.0, G => {
            let parsed = <G as Game>::Rules::parse(rules).ok()?;
            let value = |toggle: &ToggleKind| {
                parsed.sentence(toggle.name).and_then(|_| parsed.value(toggle.name))
            };
            Some(<G as Game>::Rules::TOGGLES.iter().map(value).collect())
        })
    }

    /// Returns what defines a rule set besides its toggles, in words and with its value. `None` for an unknown
    /// rule set.
    #[must_use]
    pub fn details(self, rules: &str) -> Option<Vec<(String, String)>> {
        for_game!(self.0, G => Some(<G as Game>::Rules::parse(rules).ok()?.details()))
    }

    /// Returns whether a game can end like this under its rules. Adjudication, the cap and failures
    /// come from outside.
    #[must_use]
    pub fn can_end(self, row: &GameRow) -> bool {
        match row.ending {
            RowEnding::Game(ending) => {
                self.may_end(&row.rules, ending, row.result != GameResult::Draw)
            }
            RowEnding::Error => true,
        }
    }

    /// Returns whether a game can end by this ending under a rule set, decided or drawn.
    #[must_use]
    pub fn has_ending(self, rules: &str, ending: Ending) -> bool {
        [true, false].into_iter().any(|decided| self.may_end(rules, ending, decided))
    }

    fn may_end(self, rules: &str, ending: Ending, decided: bool) -> bool {
        !self.description().endings.contains(&ending)
            || for_game!(self.0, G => may_end::<G>(rules, ending, decided))
    }
}

/// Returns the canonical text of a rule set. `None` for an unknown one.
#[must_use]
pub fn canonical(rules: &str) -> Option<String> {
    for_game!(KnownGame::of_rules(rules), G => {
        <G as Game>::Rules::parse(rules).ok().map(|rules| rules.to_string())
    })
}

/// Returns whether a game can end like this under a rule set; true for an unknown one.
fn may_end<G: CompleteGame>(rules: &str, ending: Ending, decided: bool) -> bool {
    G::Rules::parse(rules).map_or(true, |rules| G::can_end(&rules, ending, decided))
}

fn values_of<G: CompleteGame>(rules: &str) -> Option<Vec<String>> {
    let rules = G::Rules::parse(rules).ok()?;
    G::Rules::TOGGLES.iter().map(|toggle| rules.value(toggle.name)).collect()
}
