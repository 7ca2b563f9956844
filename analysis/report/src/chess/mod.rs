//! The part of the report that only chess games have: pieces, boards, games to play through,
//! endgame tables, and what is known about orthodox chess.
//!
//! The other modules take all that is chess from here.

pub(crate) mod dense;
pub mod endgames;
pub(crate) mod escapes;
mod games;
pub mod games_page;
pub(crate) mod gates;
mod leads;
mod lines;
mod lone_king;
pub mod piece_values;
mod pieces;
mod pieces_figure;
pub(crate) mod placebo;
pub mod positions;
pub mod telling;
mod typical;
mod utility;
pub(crate) mod viewer;

use crate::arms::Arm;
use crate::calibration::Forecast;
use crate::pairs::Resampling;
use crate::report::Report;
use crate::run_folder::RunFolder;
use crate::sections::Section;
use crate::table::Table;
use crate::text::Paragraph;
use endgames::lone_king::LoneKing;
use fusion_chess::rules::PRESETS;
use leads::Leads;
use lines::Lines;
use piece_values::Values;
use positions::{Positions, ShownGame};
use utility::Utility;

/// The question of the default primary comparison.
pub(crate) const QUESTION: &str = "Do the 2020 rules make Fusion Chess less drawish?";

/// The templates of these sections.
pub(crate) const TEMPLATES: [(&str, &str); 5] = [
    ("bars.html.j2", include_str!("lone_king/bars.html.j2")),
    ("games.html.j2", include_str!("games.html.j2")),
    ("lines.html.j2", include_str!("lines.html.j2")),
    viewer::FIGURES,
    ("viewer.html.j2", include_str!("viewer/viewer.html.j2")),
];

/// The names of the tables in CSV files.
pub(crate) const FILES: [&str; 6] =
    ["values", "lone-king", "lone-king-toggles", "leads", "lines", "utility"];

/// Anchor of the section on solved endings.
pub(crate) const SOLVED: &str = "lone-king";

/// Anchors of the sections of which the page shows only the heading at first.
pub(crate) const FOLDED: [&str; 3] = ["lines", "pieces", SOLVED];

/// The letters of the pieces in the names of tables and figures.
pub(crate) const LETTERS: &str = "R, B, N: Rook, Bishop, Knight; K: King. Two letters are one piece that moves as either: RB Queen, RN Marshall, BN Paladin, KR Dragon King, KB Pontiff, KN Cavalier King.";

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
    pub(crate) fn of<'a>(
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

/// Returns the tables of the CSV files.
pub(crate) fn files(report: &Report) -> impl Iterator<Item = Table> {
    let lone_king = report.chess.lone_king.as_ref();
    [
        report.run.game.is_chess().then(|| pieces::file(report)),
        lone_king.map(lone_king::positions_file),
        lone_king.map(lone_king::changes_file),
        report.run.game.is_chess().then(|| leads::file(report)),
        report.run.game.is_chess().then(|| lines::file(report)),
        report.run.game.is_chess().then(|| utility::file(report)),
    ]
    .into_iter()
    .flatten()
}

/// Returns the part of the terminal's report.
pub(crate) fn terminal(report: &Report) -> Vec<Paragraph> {
    if report.run.game.is_chess() { lone_king::terminal(report) } else { Vec::new() }
}

/// Returns the sections of the page. `all_games` adds a link to the page of all games.
///
/// # Errors
/// Fails if the rules of a shown game do not allow its moves.
pub(crate) fn page(report: &Report, all_games: bool) -> anyhow::Result<Vec<Section>> {
    if !report.run.game.is_chess() {
        return Ok(Vec::new());
    }
    let sections = [
        leads::page(report),
        lines::page(report),
        utility::page(report),
        pieces::page(report),
        lone_king::page(report),
        games::page(report, all_games)?,
    ];
    Ok(sections.into_iter().flatten().collect())
}

/// Returns whether a toggle's value differs from the value in Fusion Chess or in orthodox chess.
pub(crate) fn is_unusual(toggle: &str, value: &str) -> bool {
    let mut presets = PRESETS.iter().filter(|(_, rules)| rules.is_usual());
    presets.any(|(_, rules)| rules.get(toggle).as_deref() != Some(value))
}
