//! What only chess games have: pieces, material, lines, endgame tables, and what is known about
//! orthodox chess.

pub mod dense;
pub mod escapes;
pub mod gates;
pub mod leads;
pub mod lines;
pub mod lone_king;
pub mod piece_values;
pub mod placebo;
pub mod positions;
pub mod solved;
pub mod telling;
mod typical;
pub mod utility;

use crate::arms::Arm;
use crate::calibration::Forecast;
use crate::pairs::Resampling;
use crate::run_folder::RunFolder;
use fusion_chess::rules::PRESETS;
use leads::Leads;
use lines::Lines;
use lone_king::LoneKing;
use piece_values::Values;
use positions::{Positions, ShownGame};
use utility::Utility;

/// Results that only chess games have.
#[derive(Debug)]
pub struct Findings {
    /// Values of the pieces.
    pub values: Vec<Values>,
    /// Results on winning against a lone King with one component.
    pub lone_king: Option<LoneKing>,
    /// Material leads, and who is behind in draws, by measurement, rule set and budget.
    pub leads: Vec<Leads>,
    /// Main lines of the players' own openings.
    pub lines: Vec<Lines>,
    /// What rules are worth that are denied to one side.
    pub utilities: Vec<Utility>,
    /// Games to show.
    pub shown: Vec<ShownGame>,
}

impl Findings {
    /// Reads the moves and the endgame tables of a run. Returns the forecasts of its searches too.
    ///
    /// # Errors
    /// Fails if the moves cannot be read or do not belong to the games.
    pub fn of<'a>(
        run: &RunFolder,
        main_arms: impl Iterator<Item = &'a Arm>,
        main_nodes: u64,
        primary: Option<(&str, &str)>,
        resampling: Resampling,
    ) -> anyhow::Result<(Self, Vec<Forecast>)> {
        let Positions { material, forecasts, shown } = match &run.moves {
            Some(path) if run.game.is_chess() => {
                positions::read(path, &run.games, main_nodes, primary)?
            }
            _ => Positions::default(),
        };
        let found = Self {
            values: if run.game.is_chess() {
                piece_values::values(main_arms, &run.games, &material, resampling)
            } else {
                Vec::new()
            },
            lone_king: run.endgames.as_ref().and_then(|endgames| LoneKing::of(&endgames.rows)),
            leads: leads::read(run)?,
            lines: lines::read(run)?,
            utilities: utility::read(run, resampling)?,
            shown,
        };
        Ok((found, forecasts))
    }
}

/// Returns whether a toggle's value differs from the value in Fusion Chess or in orthodox chess.
pub fn is_unusual(toggle: &str, value: &str) -> bool {
    let mut presets = PRESETS.iter().filter(|(_, rules)| rules.is_usual());
    presets.any(|(_, rules)| rules.get(toggle).as_deref() != Some(value))
}
