//! Lengths of the games.

use super::*;
use crate::figures::lengths::{Counted, counted, lengths};

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let keys = "rules nodes plies_median quartiles white_score white_score95";
    let title = "Game length in plies, and balance (95%: Tango)";
    let table = arms::fields().table("lengths", title, keys, many::arms(report));
    let mut paragraphs = vec![Paragraph::Table(table.droppable("quartiles"))];
    paragraphs.extend(report.white_in_words().map(Paragraph::Text));
    let notes = many::notes(report).into_iter();
    paragraphs.extend(notes.map(|note| Paragraph::Item("- ".into(), note)));
    paragraphs
}

fn data(report: &Report) -> Data {
    let fields = Fields::<Counted>::default()
        .text("rules", "Rule set", |(arm, ..)| arm.rules.clone())
        .count("plies_from", "From", |(_, from, _)| *from)
        .count("decisive", "Decisive", |(.., games)| games[0])
        .count("drawn", "Drawn", |(.., games)| games[1])
        .count("capped", "Capped", |(.., games)| games[2]);
    let table = fields.whole_table("lengths", "", counted(report));
    Data::of(&table, "rules plies_from decisive drawn capped")
}

pub(super) fn page(report: &Report) -> Section {
    let caption = format!(
        "Plies (half-moves) per game at {} nodes a move, the opening’s included. The height of a bar is a share of the rule set’s games, on one scale for all.",
        count(report.main_nodes)
    );
    let keys = "rules nodes plies_mean plies_min plies_q1 plies_median plies_q3 plies_max \
        distinct_games effective_games";
    let title = "Game length in plies, and repeated games";
    let table = arms::fields().table("lengths", title, keys, many::arms(report));
    let effective = "Effective games: what the games are worth if copies of a game, same moves throughout, add nothing.";
    let numbers = vec![Block::Table(table), Block::Fine(effective.into())];
    Section::new("length", "Lengths", "How long they last")
        .folded()
        .with([Block::Figure(Figure::new("lengths", lengths(report), caption, data(report)))])
        .with([Block::Folded("Numbers, and repeated games".into(), numbers)])
}
