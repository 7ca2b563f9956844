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

use crate::part::{Found, Part, Played, Scope};
use crate::protocol::Check;
use crate::report_game::ReportGame;
use crate::run_folder::RunFolder;
use fusion_chess::rules::PRESETS;
use leads::Leads;
use lines::Lines;
use lone_king::LoneKing;
use piece_values::Values;
use positions::Positions;
use utility::Utility;

/// Results that only chess games have.
#[derive(Debug, Default)]
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
}

/// The chess games.
#[derive(Debug)]
pub struct Chess;

impl Part for Chess {
    fn read(&self, run: &RunFolder, scope: &Scope) -> anyhow::Result<Found> {
        let Positions { material, forecasts, shown } = match &run.moves {
            Some(path) => positions::read(path, &run.games, scope.nodes, scope.primary)?,
            None => Positions::default(),
        };
        let arms = scope.arms.iter().copied();
        let chess = Findings {
            values: piece_values::values(arms, &run.games, &material, scope.inference),
            lone_king: run.endgames.as_ref().and_then(|endgames| LoneKing::of(&endgames.rows)),
            leads: leads::read(run)?,
            lines: lines::read(run)?,
            utilities: utility::read(run, scope.inference)?,
        };
        Ok(Found { forecasts, shown, chess })
    }

    fn criteria(&self) -> &'static str {
        telling::CRITERIA
    }

    fn gates(&self, played: &Played) -> anyhow::Result<Vec<Check>> {
        Ok(vec![
            gates::random_movers(&played.run.random),
            gates::nothing_changed(&placebo::placebos(played.games, played.seed)?),
            gates::control(played.arms, played.trends),
        ])
    }

    /// A value that differs from the one in Fusion Chess or in orthodox chess.
    fn is_notable(&self, _: ReportGame, toggle: &str, value: &str) -> bool {
        let mut presets = PRESETS.iter().filter(|(_, rules)| rules.is_usual());
        presets.any(|(_, rules)| rules.get(toggle).as_deref() != Some(value))
    }
}
