//! Results of each rule set at each node budget.

use super::*;

/// Returns the table of all counts and estimates of each rule set.
pub(super) fn file(report: &Report) -> Table {
    let keys = "rules nodes network games errors white_wins draws black_wins capped \
        draw_share draw_wilson95 draw_share_if_capped_drawn \
        capped_share error_share white_score white_score95 \
        plies_mean plies_min plies_q1 plies_median plies_q3 plies_max \
        decisive_games distinct_games effective_games design_effect network_count";
    arms::fields().table("summary", "Rule sets", keys, &report.arms)
}

pub(super) fn terminal(report: &Report) -> Vec<Paragraph> {
    let keys = "rules nodes games white_wins draws black_wins capped errors \
        draw_share draw_wilson95";
    let title = "Results (95%: Wilson)";
    let table = arms::fields().table("results", title, keys, many::arms(report));
    let table = table.without_zeros(&["capped", "errors"]);
    vec![Paragraph::Table(table.droppable("white_wins black_wins draws errors capped games"))]
}

/// Returns the columns that say what draw rates and White's scores are shares of, where these differ.
pub(super) fn denominators(report: &Report) -> [&'static str; 2] {
    let differ = many::arms(report).iter().any(|arm| arm.capped > 0);
    if differ { ["games", "with_result"] } else { ["", ""] }
}

/// Returns the columns on a game's special moves. If its turns have several plies, their number tells
/// more than that of plies.
fn usage(report: &Report) -> String {
    if report.run.game.counts("turns") {
        return "turns_a_game".to_owned();
    }
    let occurs = |kind: &&str| {
        report.main_arms().any(|arm| arm.usage.iter().any(|usage| usage.name == *kind))
    };
    let columns = arms::KINDS
        .into_iter()
        .filter(occurs)
        .map(|kind| format!("games_with_{kind} {kind}_per_100"));
    columns.collect::<Vec<_>>().join(" ")
}

/// Returns the section. Its first table shows how drawish, long and even the games of each rule set
/// are, and for chess games how often they use the rule set's special moves. The results at all
/// budgets are folded if there are several.
pub(super) fn page(report: &Report) -> Section {
    let keys = "rules nodes games white_wins draws black_wins capped errors \
        draw_share draw_wilson95 upper_bound";
    let title = "Results by rule set and nodes";
    let results = arms::fields().table("results", title, keys, many::arms(report));
    let usage = usage(report);
    let [games, with_result] = denominators(report);
    let keys = format!(
        "rules {games} draws_with_interval median_plies {with_result} score_with_interval {usage}"
    );
    let title = format!("The rule sets side by side, at {} nodes a move", count(report.main_nodes));
    let side_by_side = arms::fields().table("side-by-side", &title, &keys, many::main_arms(report));
    let has_several_budgets = many::arms(report).len() > many::main_arms(report).len();
    let results = if has_several_budgets {
        Block::Folded("By rule set and nodes".into(), vec![Block::Table(results)])
    } else {
        Block::Table(results)
    };
    Section::new("results", "Results", "Results in numbers")
        .with(many::notes(report).into_iter().map(Block::Paragraph))
        .with([Block::Table(side_by_side), results])
        .with(effects::tables(report))
}
