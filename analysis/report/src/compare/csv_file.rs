//! `compare.csv`: all comparisons of two runs.

use super::Comparison;
use super::against::{Against, Estimate};
use super::effects::Effect;
use crate::arms::Arm;
use crate::format::yes_or_no;
use crate::table::{Fields, Table, Unit};

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

/// Returns the table of the comparisons.
pub(super) fn table(comparison: &Comparison) -> Table {
    let draws = comparison.against.iter().map(draws);
    let white = comparison.against.iter().map(white);
    let effects = comparison.effects.iter().map(effect);
    let mut fields = Fields::<Row>::default()
        .text("quantity", "Quantity", |row| row.quantity)
        .text("rules", "Rule set", |row| row.rules.to_owned())
        .text("minus", "Minus", |row| row.minus.to_owned())
        .count("nodes", "Nodes", |row| row.nodes)
        .text("paired", "Paired", |row| yes_or_no(row.pairs.is_some()))
        .count("pairs", "Pairs", |row| row.pairs)
        .count("same_games", "Same games", |row| row.same_games);
    for (i, run) in ["a", "b"].into_iter().enumerate() {
        fields = fields.count(&format!("games_{run}"), "Games", move |row| row.in_runs[i].0);
        fields = estimate(fields, run, move |row| row.in_runs[i].1);
    }
    estimate(fields, "difference", |row| row.difference)
        .p("p", "p", |row| row.p.map(|[p, _]| p))
        .p("holm_p", "Holm p", |row| row.p.map(|[_, holm_p]| holm_p))
        .whole_table("compare", "Two runs", draws.chain(white).chain(effects))
}

/// Adds columns for a value and its limits.
fn estimate<'a, 'r>(
    fields: Fields<'a, Row<'r>>,
    key: &str,
    of: impl Fn(&Row<'r>) -> Option<Estimate> + Copy + 'a,
) -> Fields<'a, Row<'r>> {
    fields.points(key, key, move |row| of(row).map(|estimate| estimate.value)).interval(
        &format!("{key}95"),
        "95% interval",
        Unit::Points,
        move |row| of(row).map(|estimate| estimate.interval),
    )
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
