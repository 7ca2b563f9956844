//! The tables of a comparison: those for the terminal, and `compare.csv` with all of their rows.

use super::Comparison;
use super::against::{Against, Estimate};
use super::effects::Effect;
use crate::arms::Arm;
use fusion_print::format::{count, yes_or_no};
use fusion_print::table::{Fields, Table, Unit};

/// A comparison. `draws` and `white_score` are those of the rule set `rules`. `effect` is draws
/// under `rules` minus draws under `minus`.
struct Row<'a> {
    quantity: &'static str,
    rules: &'a str,
    minus: &'a str,
    nodes: u64,
    /// Number of openings that both runs share.
    pairs: Option<u64>,
    same_games: Option<u64>,
    /// Number of games and estimate in each run.
    in_runs: [(u64, Option<Estimate>); 2],
    difference: Option<Estimate>,
    p: Option<[f64; 2]>,
}

/// Returns the table of all comparisons.
pub(super) fn file(comparison: &Comparison) -> Table {
    let rows = || comparison.against.iter();
    let rows =
        rows().map(draws).chain(rows().map(white)).chain(comparison.effects.iter().map(effect));
    let keys = "quantity rules minus nodes paired pairs same_games games_a a a95 games_b b b95 \
        difference difference95 p holm_p";
    fields().table("compare", "Two runs", keys, rows)
}

pub(super) fn settings(comparison: &Comparison) -> Table {
    Fields::<[String; 3]>::default()
        .text("setting", "setting", |[name, ..]| name.clone())
        .text("a", "A", |[_, a, _]| a.clone())
        .text("b", "B", |[.., b]| b.clone())
        .whole_table("settings", "Settings that differ", &comparison.settings.rows)
}

/// Returns the tables of how often each rule set is drawn: in each run, and the difference.
pub(super) fn of_draws(comparison: &Comparison) -> [Table; 2] {
    let rows = || comparison.against.iter().map(draws);
    let keys = "rules nodes games drawn_a drawn_a95 drawn_b drawn_b95";
    let shares = fields().table("draws", "Draws (95%: Wilson)", keys, rows());
    let how = if comparison.same_pool {
        let resamples = count(comparison.inference.resamples.into());
        format!(
            "paired by opening, as both runs have one pool ({resamples} resamples, seed {}; McNemar's p)",
            comparison.inference.seed
        )
    } else {
        "not paired, as the runs' openings differ or are not known (Newcombe; Fisher's p)".into()
    };
    let title = format!("Draws in A less draws in B, in points: {how}");
    let keys = "rules nodes pairs difference difference95 holm_p same_games";
    let differences = fields().table("differences", &title, keys, rows());
    [shares.droppable("games"), differences.droppable("same_games pairs")]
}

pub(super) fn of_white(comparison: &Comparison) -> Table {
    let keys = "rules nodes white_a white_b difference difference95";
    let title = "White’s score, and its difference in points (the interval judges it)";
    let rows = comparison.against.iter().map(white);
    fields().table("white", title, keys, rows).droppable("white_a white_b")
}

pub(super) fn of_effects(comparison: &Comparison) -> Table {
    let keys = "rules minus nodes a b difference difference95";
    let title = "Effect of the rules on draws, in points";
    let rows = comparison.effects.iter().map(effect);
    fields().table("effects", title, keys, rows).droppable("a b")
}

fn fields<'r>() -> Fields<'static, Row<'r>> {
    let mut fields = Fields::<Row>::default()
        .text("quantity", "Quantity", |row| row.quantity)
        .text("rules", ("Rule set", "rules"), |row| row.rules.to_owned())
        .text("minus", ("Minus", "minus"), |row| row.minus.to_owned())
        .count("nodes", ("Nodes", "nodes"), |row| row.nodes)
        .text("paired", "Paired", |row| yes_or_no(row.pairs.is_some()))
        .count("pairs", ("Pairs", "openings"), |row| row.pairs)
        .count("same_games", ("Same games", "same games"), |row| row.same_games)
        .counts("games", ("Games", "games"), |row| row.in_runs.map(|(games, _)| games).into());
    for (i, [run, in_run, drawn, share]) in
        [["a", "in A", "drawn A", "A"], ["b", "in B", "drawn B", "B"]].into_iter().enumerate()
    {
        let value = move |row: &Row| row.in_runs[i].1.map(|estimate| estimate.value);
        let interval = move |row: &Row| row.in_runs[i].1.map(|estimate| estimate.interval);
        fields = fields
            .count(&format!("games_{run}"), "Games", move |row| row.in_runs[i].0)
            .points(run, in_run, value)
            .interval(&format!("{run}95"), "95%", Unit::Points, interval)
            .share(&format!("drawn_{run}"), drawn, value)
            .interval(&format!("drawn_{run}95"), "95%", Unit::Share, interval)
            .share(&format!("white_{run}"), share, value);
    }
    fields
        .points("difference", "A − B", |row| row.difference.map(|estimate| estimate.value))
        .interval("difference95", "95% interval", Unit::Points, |row| {
            row.difference.map(|estimate| estimate.interval)
        })
        .p("p", "p", |row| row.p.map(|[p, _]| p))
        .p("holm_p", "Holm p", |row| row.p.map(|[_, holm_p]| holm_p))
}

fn draws(against: &Against) -> Row<'_> {
    let in_run = |arm: &Arm| {
        let (value, interval) = (arm.draw_share.share(), arm.draw_wilson);
        (arm.games, Some(Estimate { value, interval }))
    };
    Row {
        quantity: "draws",
        rules: against.rules(),
        minus: "",
        nodes: against.nodes(),
        pairs: against.paired.map(|paired| paired.openings),
        same_games: against.paired.map(|paired| paired.same),
        in_runs: against.arms.each_ref().map(in_run),
        difference: Some(against.draws),
        p: Some([against.p, against.holm_p]),
    }
}

fn white(against: &Against) -> Row<'_> {
    let in_run = |arm: &Arm| {
        let score = arm.white_score;
        let score = score.map(|of| Estimate { value: of.value, interval: of.interval });
        (arm.white_wins + arm.draws + arm.black_wins, score)
    };
    let in_runs = against.arms.each_ref().map(in_run);
    Row { quantity: "white_score", in_runs, difference: against.white, p: None, ..draws(against) }
}

fn effect(effect: &Effect) -> Row<'_> {
    let [a, b] = effect.openings;
    Row {
        quantity: "effect",
        rules: &effect.first,
        minus: &effect.second,
        nodes: effect.nodes,
        pairs: effect.paired.then_some(a),
        same_games: None,
        // Each opening has one game under each of the two rule sets.
        in_runs: [(2 * a, Some(effect.in_runs[0])), (2 * b, Some(effect.in_runs[1]))],
        difference: Some(effect.difference),
        p: None,
    }
}
