//! Values of the pieces.

use super::pieces_figure::{find, names, pieces};
use crate::figures::data::{Data, slug};
use crate::figures::series::keys;
use crate::section::{Block, Figure, Section};
use fusion_print::format::count;
use fusion_print::table::Unit::Signed;
use fusion_print::table::{Fields, Table};
use fusion_results::chess::piece_values::{Values, Worth};
use fusion_results::report::Report;

/// The value of a piece under one rule set.
pub(crate) type Item<'a> = (&'a Values, &'a Worth);

fn fields<'a>() -> Fields<'static, Item<'a>> {
    Fields::<Item>::default()
        .text("rules", "Rule set", |(values, _)| values.rules.clone())
        .count("games", "Games", |(values, _)| values.games)
        .text("piece", "Piece", |(_, worth)| worth.name.clone())
        .value("pawns", "Pawns", Signed(2), |(_, worth)| worth.value)
        .interval("pawns95", "95% interval", Signed(2), |(_, worth)| worth.interval)
}

pub(super) fn file(report: &Report) -> Table {
    let items = report.chess.values.iter().flat_map(|values| {
        values.pieces.iter().chain(&values.synergies).map(move |worth| (values, worth))
    });
    fields().whole_table("values", "Piece values", items)
}

/// Returns a table with a row for each piece and a column for each rule set.
fn table(id: &str, title: &str, items: &[Item]) -> Table {
    let mut fields = Fields::<&str>::default().text("piece", "Piece", |piece| *piece);
    for key in keys(items.iter().map(|(values, _)| values.rules.as_str())) {
        let heading = key.label.clone();
        fields = fields.estimate(&heading, heading.as_str(), Signed(2), move |piece| {
            let (_, worth) = find(items, piece, &key.label)?;
            Some((worth.value, worth.interval))
        });
    }
    fields.whole_table(&slug(id), title, names(items))
}

fn figure(
    report: &Report,
    id: &'static str,
    title: &'static str,
    worths: fn(&Values) -> &Vec<Worth>,
) -> Option<Block> {
    let of = |values| worths(values).iter().map(move |worth| (values, worth));
    let items: Vec<Item> = report.chess.values.iter().flat_map(of).collect();
    let caption = format!(
        "Least squares of the results by tanh of the difference in pieces, at quiet positions of the games at {} nodes; 95% intervals by resampling games. A royal compound counts what its other part adds to the King. A kind that too few games have is left out. These are associations in the games, not effects of fusing: the players choose when to fuse.",
        count(report.main_nodes)
    );
    let numbers = Block::Folded("Numbers".into(), vec![Block::Table(table(id, title, &items))]);
    let table = fields().table(id, "", "rules piece pawns pawns95", &items);
    let data = Data::of(&table, "rules piece pawns low95 high95");
    let figure = Figure {
        title,
        below: vec![numbers],
        ..Figure::new("values", pieces(id, title, &items), caption, data)
    };
    (!items.is_empty()).then_some(Block::Figure(figure))
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let pieces = figure(report, "piece-values", "Piece values in Pawns", |of| &of.pieces)?;
    let synergies =
        figure(report, "synergies", "Worth beyond the sum, in Pawns", |of| &of.synergies);
    let figures = [Some(pieces), synergies].into_iter().flatten().collect();
    let section = Section::new("pieces", "Pieces", "What the pieces are worth").folded();
    Some(section.with([Block::Grid(figures)]))
}
