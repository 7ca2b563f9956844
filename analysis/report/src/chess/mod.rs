//! The part of the report that only chess games have: pieces, material, lines, endgame tables, and
//! what is known about orthodox chess.

mod leads;
mod lines;
mod lone_king;
mod pieces;
mod pieces_figure;
mod utility;

use crate::game_sections::{GameSections, Limits};
use crate::section::Section;
use fusion_print::table::Table;
use fusion_print::text::Paragraph;
use fusion_results::report::Report;
use fusion_results::verdict::DEFAULT_PRIMARY;

/// The letters of the pieces in the names of tables and figures.
pub(crate) const LETTERS: &str = "R, B, N: Rook, Bishop, Knight; K: King. Two letters are one piece that moves as either: RB Queen, RN Marshall, BN Paladin, KR Dragon King, KB Pontiff, KN Cavalier King.";

/// The chess games.
pub(crate) struct Chess;

impl GameSections for Chess {
    fn question(&self, primary: (&str, &str)) -> Option<&'static str> {
        let question = "Do the 2020 rules make Fusion Chess less drawish?";
        (primary == DEFAULT_PRIMARY).then_some(question)
    }

    fn file_names(&self) -> &'static [&'static str] {
        &["values", "lone-king", "lone-king-toggles", "leads", "lines", "utility"]
    }

    fn files(&self, report: &Report) -> Vec<Table> {
        let lone_king = report.chess.lone_king.as_ref();
        let tables = [
            Some(pieces::file(report)),
            lone_king.map(lone_king::positions_file),
            lone_king.map(lone_king::changes_file),
            Some(leads::file(report)),
            Some(lines::file(report)),
            Some(utility::file(report)),
        ];
        tables.into_iter().flatten().collect()
    }

    fn terminal(&self, report: &Report) -> Vec<Paragraph> {
        lone_king::terminal(report)
    }

    fn page(&self, report: &Report) -> Vec<Section> {
        let sections = [
            leads::page(report),
            lines::page(report),
            utility::page(report),
            pieces::page(report),
            lone_king::page(report),
        ];
        sections.into_iter().flatten().collect()
    }

    fn templates(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("bars.html.j2", include_str!("lone_king/bars.html.j2")),
            ("lines.html.j2", include_str!("lines.html.j2")),
        ]
    }

    fn letters(&self) -> Option<&'static str> {
        Some(LETTERS)
    }

    fn limits(&self) -> Limits {
        Limits {
            level: ": strong engines draw most orthodox games, this one may not",
            pool: " without fusion, fission or castling",
        }
    }
}
