//! How often each rule set is drawn: the figure beside the verdict.

use super::{Block, Figure, Section};
use crate::figures::forest;
use crate::format::count;
use crate::many;
use crate::report::Report;

pub(super) fn page(report: &Report) -> Section {
    let mut caption = format!(
        "Share of games drawn at {} nodes a move, with Wilson’s 95% interval.",
        count(report.main_nodes)
    );
    if many::figure_arms(report).iter().any(|arm| arm.capped > 0) {
        caption.push_str(" A capped game is not a draw; the dashed outline reaches to the share that there would be if all capped games were.");
    }
    let left_out = many::left_out_of_figures(report);
    if left_out > 0 {
        caption.push_str(&format!(" {left_out} more rule sets are in the table of results; the figures show the compared ones and presets first."));
    }
    Section::new("draws", "Draw rates", "How often each rule set is drawn")
        .with(Block::Figure(Figure::new("forest", forest::draw_shares(report), caption)))
}
