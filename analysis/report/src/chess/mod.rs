//! The part of the report that only chess games have: pieces, boards, games to play through,
//! endgame tables, and what is known about orthodox chess.
//!
//! The other modules take all that is chess from here.

mod games;
pub mod games_page;
mod leads;
mod lines;
mod lone_king;
mod pieces;
mod pieces_figure;
mod utility;
pub(crate) mod viewer;

use crate::sections::Section;
use fusion_print::table::Table;
use fusion_print::text::Paragraph;
use fusion_results::report::Report;

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
