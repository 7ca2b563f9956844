//! What a game adds to the report of its runs: tables and sections.
//!
//! A game without an entry in the list gets the whole report; an entry adds to it.

use crate::chess::Chess;
use crate::section::Section;
use fusion_print::table::Table;
use fusion_print::text::Paragraph;
use fusion_registry::KnownGame;
use fusion_results::report::Report;
use fusion_results::report_game::ReportGame;

/// The games that add something, with what they add.
const GAMES: [(KnownGame, &dyn GameSections); 1] = [(KnownGame::Chess, &Chess)];

/// What a game adds to the report of its runs.
pub(crate) trait GameSections: Sync {
    /// Returns the page's title for a primary comparison, if the game has one of its own.
    fn question(&self, _: (&str, &str)) -> Option<&'static str> {
        None
    }

    /// Returns the names of its tables.
    fn file_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns its tables for the CSV files. Empty ones are left out.
    fn files(&self, _: &Report) -> Vec<Table> {
        Vec::new()
    }

    /// Returns its part of the terminal's report.
    fn terminal(&self, _: &Report) -> Vec<Paragraph> {
        Vec::new()
    }

    /// Returns its sections of the page.
    fn page(&self, _: &Report) -> Vec<Section> {
        Vec::new()
    }

    /// Returns the templates of its sections, by name.
    fn templates(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Explains the abbreviations in names of tables and figures.
    fn letters(&self) -> Option<&'static str> {
        None
    }

    /// Returns remarks on what the report does not show.
    fn limits(&self) -> Limits {
        Limits { level: "", pool: " that every rule set allows" }
    }
}

/// Remarks on the limits of a report, which continue sentences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Continues "The level of a draw rate depends on the agent".
    pub level: &'static str,
    /// Continues "The pool is of random plies".
    pub pool: &'static str,
}

/// A game that adds nothing.
struct Plain;

impl GameSections for Plain {}

/// Returns what a game adds.
pub(crate) fn sections_of(game: ReportGame) -> &'static dyn GameSections {
    let found = GAMES.iter().find(|(known, _)| *known == game.known());
    found.map_or(&Plain, |(_, sections)| *sections)
}

/// Returns what each game adds.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn GameSections> {
    GAMES.iter().map(|(_, sections)| *sections)
}
