//! Main lines: the openings that the players chose themselves, as a tree with frequencies and results.

use crate::section::{Block, Section};
use fusion_print::table::{Fields, Table};
use fusion_results::chess::lines::{LEAST, Line, Lines, PLIES, SHARE};
use fusion_results::report::Report;
use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

/// A line with its measurement and its moves.
type Item<'a> = (&'a Lines, String, &'a Line);

pub(super) fn file(report: &Report) -> Table {
    let all = report.chess.lines.iter().flat_map(|of| {
        let mut lines = Vec::new();
        of.root.list("", &mut lines);
        lines.into_iter().map(move |(moves, line)| (of, moves, line))
    });
    Fields::<Item>::default()
        .text("measurement", "Measurement", |(of, ..)| of.measurement.clone())
        .text("rules", "Rule set", |(of, ..)| of.rules.clone())
        .text("line", "Line", |(_, moves, _)| moves.clone())
        .count("nodes", "Nodes", |(of, ..)| of.nodes)
        .count("games", "Games", |(.., line)| line.games)
        .count("white_wins", "White wins", |(.., line)| line.white)
        .count("draws", "Draws", |(.., line)| line.draws)
        .count("black_wins", "Black wins", |(.., line)| line.black)
        .whole_table("lines", "Main lines", all.collect::<Vec<_>>())
}

/// A rule set's tree for the template.
#[derive(Serialize)]
struct Tree<'a> {
    rules: &'a str,
    about: String,
    root: &'a Line,
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let tree = |of: &Lines| {
        let about = format!(
            "{} games of “{}” at {} nodes a move",
            fusion_print::format::count(of.root.games),
            of.measurement,
            fusion_print::format::count(of.nodes)
        );
        // Labels replace rule sets in values of this template.
        Value::from(Serde(Tree { rules: &of.rules, about, root: &of.root }))
    };
    let trees: Vec<Value> = report.chess.lines.iter().map(tree).collect();
    if trees.is_empty() {
        return None;
    }
    let values =
        context! { trees => trees, plies => PLIES, least => LEAST, percent => 100 / SHARE };
    let section =
        Section::new("lines", "Main lines", "Main lines of the players’ own openings").folded();
    Some(section.with([Block::Template("lines.html.j2", values)]))
}
