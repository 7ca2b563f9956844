//! Draw shares of the rule sets: the figure beside the verdict.

use super::*;

pub(super) fn page(report: &Report) -> Section {
    let mut caption = format!(
        "Share of all games drawn at {} nodes a move, the least drawish rule set first, with Wilson’s 95% interval.",
        count(report.main_nodes)
    );
    if many::figure_arms(report).iter().any(|arm| arm.capped > 0) {
        caption.push_str(" A capped game is not a draw; the dashed outline reaches to the share that there would be if all capped games were.");
    }
    let left_out = many::left_out_of_figures(report);
    if left_out > 0 {
        caption.push_str(&format!(" {left_out} more rule sets are in the table of results: figures show the compared ones and presets, and of the others those that are drawn most differently from {}.", many::base(report).unwrap_or("the mean")));
    }
    let keys = "rules nodes games draws capped draw_share draw_wilson95 draw_share_if_capped_drawn";
    let header = keys.replace("draw_wilson95", "wilson95_low wilson95_high");
    let data = Data::of(&arms::fields().table("draws", "", keys, report.main_arms()), &header);
    Section::new("draws", "Draw rates", "How often each rule set is drawn")
        .with([Block::Figure(Figure::new("forest", forest::draw_shares(report), caption, data))])
}
