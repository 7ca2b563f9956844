//! What a game adds to the results of its runs, beyond what every game has.
//!
//! A game without an entry in the list gets the whole report; an entry adds to it.

use crate::arms::Arm;
use crate::calibration::Forecast;
use crate::chess::{Chess, Findings};
use crate::games::GameRow;
use crate::notable::{self, ShownGame};
use crate::pairs::Inference;
use crate::protocol::Check;
use crate::report_game::ReportGame;
use crate::run_folder::RunFolder;
use crate::trends::Trends;
use fusion_registry::{KnownGame, for_game};

/// The games that add something, with their parts.
const PARTS: [(KnownGame, &dyn Part); 1] = [(KnownGame::Chess, &Chess)];

/// What the moves of a run are read for.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The rule sets at the main budget.
    pub arms: &'a [&'a Arm],
    /// The main budget.
    pub nodes: u64,
    /// The primary comparison, first minus second.
    pub primary: Option<(&'a str, &'a str)>,
    /// Settings of the bootstrap.
    pub inference: Inference,
}

/// What the moves of a run tell.
#[derive(Debug, Default)]
pub struct Found {
    /// One forecast per game at the main budget. The forecasts are independent of each other.
    pub forecasts: Vec<Forecast>,
    /// Games to show.
    pub shown: Vec<ShownGame>,
    /// Results that only chess games have.
    pub chess: Findings,
}

/// What the gates of a game are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a> {
    /// The run.
    pub run: &'a RunFolder,
    /// The games of the main agent in all measurements from shared openings.
    pub games: &'a [GameRow],
    /// The arms of the main measurement.
    pub arms: &'a [Arm],
    /// Change of draws with the nodes.
    pub trends: Option<&'a Trends>,
    /// Seed of the bootstrap.
    pub seed: u64,
}

/// What a game adds to the results of its runs.
pub trait Part: Sync {
    /// Reads the moves of a run.
    ///
    /// # Errors
    /// Fails if the moves cannot be read or do not belong to the games.
    fn read(&self, run: &RunFolder, scope: &Scope) -> anyhow::Result<Found> {
        let Some(path) = &run.moves else { return Ok(Found::default()) };
        let known = run.game.known();
        let games = for_game!(known, G => notable::read::<G>(path, &run.games, scope.nodes)?);
        Ok(Found { forecasts: games.forecasts, shown: games.shown, ..Found::default() })
    }

    /// Says how the games to show are chosen.
    fn criteria(&self) -> &'static str {
        notable::CRITERIA
    }

    /// Returns the gates that rest on what is known about the game.
    ///
    /// # Errors
    /// Rows that were read and checked cause no error.
    fn gates(&self, _: &Played) -> anyhow::Result<Vec<Check>> {
        Ok(Vec::new())
    }

    /// Returns whether a toggle's value deserves a mention where all rule sets have it: by default, if
    /// it is not that of every preset.
    fn is_notable(&self, game: ReportGame, toggle: &str, value: &str) -> bool {
        game.differs_from_presets(toggle, value)
    }
}

/// A game that adds nothing.
struct Plain;

impl Part for Plain {}

/// Returns what a game adds.
#[must_use]
pub fn part(game: ReportGame) -> &'static dyn Part {
    let found = PARTS.iter().find(|(known, _)| *known == game.known());
    found.map_or(&Plain, |(_, part)| *part)
}
