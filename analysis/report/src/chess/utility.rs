//! What a rule is worth to one side: scores of games in which it is denied to the other side.

use crate::section::{Block, Section};
use fusion_print::table::Unit::Share;
use fusion_print::table::{Fields, Table};
use fusion_results::chess::utility::Utility;
use fusion_results::report::Report;

fn fields() -> Fields<'static, Utility> {
    Fields::<Utility>::default()
        .text("rules", ("Rule set", "rules"), |of| of.rules.clone())
        .text("denied", ("Denied to one side", "denied"), |of| of.denied.clone())
        .text("measurement", "Measurement", |of| of.measurement.clone())
        .text("agent", "Player", |of| of.agent.clone())
        .count("nodes", ("Nodes", "nodes"), |of| of.nodes)
        .count("openings", ("Openings", "openings"), |of| of.openings)
        .share("score", ("Score of the other side", "score"), |of| of.score)
        .interval("score95", ("95% interval", "95%"), Share, |of| of.score95)
        .share("drawn", ("Drawn", "drawn"), |of| of.drawn)
        .share("drawn_both", ("Drawn if nothing is denied", "both"), |of| of.drawn_both)
}

pub(super) fn file(report: &Report) -> Table {
    let keys = "measurement agent nodes rules denied openings score score95 drawn drawn_both";
    fields().table("utility", "What a rule is worth", keys, &report.chess.utilities)
}

const ABOUT: &str = "Games in which a toggle is denied to one side only, half of them to White and half to Black from the same openings. The score is that of the side that may do it: 50% if the rule is worth nothing to a player. The search has the moves that each side may make; the network does not receive what is denied. Intervals from resampled openings.";

pub(super) fn page(report: &Report) -> Option<Section> {
    let keys = "rules denied nodes openings score score95 drawn drawn_both";
    let title = "What a rule is worth to a player";
    let table = fields().table("utility", title, keys, &report.chess.utilities).unless_empty()?;
    let section = Section::new("utility", "Worth of a rule", title);
    Some(section.with([Block::Table(table), Block::Fine(ABOUT.into())]))
}
