//! How long the games last.

use super::{Block, Figure, Paragraph, Section, arms};
use crate::figures::lengths::lengths;
use crate::format::count;
use crate::many;
use crate::report::Report;
use crate::table::Table;

fn table(report: &Report) -> Table {
    let keys = "rules nodes plies_mean plies_min plies_q1 plies_median plies_q3 plies_max \
        distinct_games effective_games";
    let title = "Game length in plies, and repeated games";
    arms::fields().table("lengths", title, keys, many::arms(report))
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let keys = "rules nodes plies_median quartiles white_score white_score95 drawelo";
    let title = "Game length in plies, and balance (95%: Tango)";
    let table = arms::fields().table("lengths", title, keys, many::arms(report));
    let mut paragraphs = vec![Paragraph::Table(table)];
    paragraphs.extend(report.white_in_words().map(Paragraph::Text));
    let notes = many::notes(report).into_iter();
    paragraphs.extend(notes.map(|note| Paragraph::Item("- ".into(), note)));
    paragraphs
}

pub(super) fn page(report: &Report) -> Section {
    let caption = format!(
        "Plies (half-moves) per game at {} nodes a move, the opening’s included. The height of a bar is a share of the rule set’s games, on one scale for all.",
        count(report.main_nodes)
    );
    let effective = "Effective games: what the games are worth if copies of a game, same moves throughout, add nothing.";
    let numbers = vec![Block::Table(table(report)), Block::Fine(effective.into())];
    Section::new("length", "Lengths", "How long they last")
        .with(Block::Figure(Figure::new("lengths", lengths(report), caption)))
        .with(Block::Folded("Numbers, and repeated games".into(), numbers))
}
