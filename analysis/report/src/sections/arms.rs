//! Columns of a rule set at one node budget.

use super::*;
use fusion_print::table::Unit;
use fusion_results::arms::{Arm, Mean};
use fusion_statistics::proportion::wilson;
use fusion_statistics::{Confidence, Interval};

/// Returns the columns. A column for people that has its interval in the same cell ends in
/// `_with_interval`.
pub(super) fn fields() -> Fields<'static, Arm> {
    usage(character(lengths(balance(results()))))
}

fn results() -> Fields<'static, Arm> {
    Fields::default()
        .text("rules", ("Rule set", "rules"), |arm: &Arm| arm.rules.clone())
        .count("nodes", ("Nodes", "nodes"), |arm| arm.nodes)
        .text("network", "Network", |arm| arm.networks.join(" "))
        .count("network_count", "Networks", |arm| arm.networks.len() as u64)
        .count("games", ("Games", "games"), |arm| arm.games)
        .count("errors", ("Errors", "failed"), |arm| arm.errors)
        .count("white_wins", ("White wins", "White"), |arm| arm.white_wins)
        .count("draws", ("Draws", "draws"), |arm| arm.draws)
        .count("black_wins", ("Black wins", "Black"), |arm| arm.black_wins)
        .count("capped", ("Capped", "capped"), |arm| arm.capped)
        .count("with_result", "Games with a result", |arm| arm.games - arm.capped)
        .count("decisive_games", "Decisive games", |arm| arm.white_wins + arm.black_wins)
        .share("draw_share", ("Draw share", "drawn"), |arm| arm.draw_share.share())
        .interval("draw_wilson95", ("95% interval", "95%"), Share, |arm| arm.draw_wilson)
        .share("draw_share_if_capped_drawn", "If capped were drawn", Arm::draw_share_upper)
        .share("upper_bound", "If capped were drawn", |arm| {
            (arm.capped > 0).then(|| arm.draw_share_upper())
        })
        .share("capped_share", "Capped share", Arm::capped_share)
        .share("error_share", "Error share", Arm::error_share)
        .count("distinct_games", "Different games", |arm| arm.distinct)
        .value("effective_games", "Effective games", Decimals(1), |arm| arm.effective)
        .value("design_effect", "Design effect", Decimals(2), |arm| {
            arm.games as f64 / arm.effective
        })
}

fn balance(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    fields
        .share("white_score", "White’s score", |arm| arm.white_score.map(|score| score.value))
        .interval("white_score95", ("95% interval", "95%"), Share, |arm| {
            arm.white_score.map(|score| score.interval)
        })
}

fn lengths(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    fields
        .value("plies_mean", "Mean", Decimals(1), |arm| arm.length.mean)
        .value("plies_min", "Shortest", Decimals(0), |arm| arm.length.quartiles[0])
        .value("plies_q1", "Lower quartile", Decimals(0), |arm| arm.length.quartiles[1])
        .value("plies_median", ("Median", "median"), Decimals(0), |arm| arm.length.quartiles[2])
        .value("plies_q3", "Upper quartile", Decimals(0), |arm| arm.length.quartiles[3])
        .value("plies_max", "Longest", Decimals(0), |arm| arm.length.quartiles[4])
        .interval("quartiles", ("Quartiles", "quartiles"), Decimals(0), |arm| {
            let [_, low, _, high, _] = arm.length.quartiles;
            Interval { low, high }
        })
        .value("median_plies", "Median plies", Decimals(0), |arm| arm.length.quartiles[2])
        .value("turns_a_game", "Turns a game after the opening", Decimals(1), |arm| {
            let turns = arm.usage.iter().find(|usage| usage.name == "turns");
            turns.map(|turns| turns.total as f64 / arm.games as f64)
        })
}

/// Adds the columns on the character of the games: lead, drama, escapes, diversity of openings.
fn character(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    let fields = fields
        .text("own_openings", "Own openings", |arm| yes_or_no(arm.opening_entropy.is_some()))
        .count("games_with_lead_change", "Games with one", |arm| arm.drama.with_change.successes())
        .share("lead_change_share", "Games with one", |arm| arm.drama.with_change.share())
        .estimate("escapes_with_interval", "Would-be mates escaped", Share, |arm| {
            arm.escapes.map(|share| (share.share(), wilson(share, Confidence::P95)))
        })
        .count("escapes", "Escapes", |arm| arm.escapes.map(|share| share.successes()))
        .count("escapes_from_mate", "Escapes", |arm| arm.escapes.map_or(0, |of| of.successes()))
        .count("escapes_and_mates", "Would-be mates", |a| a.escapes.map_or(0, |of| of.trials()))
        .estimate("draws_with_interval", "Draws (95% interval)", Share, |arm| {
            (arm.draw_share.share(), arm.draw_wilson)
        })
        .estimate("score_with_interval", "White’s score (95% interval)", Share, |arm| {
            arm.white_score.map(|score| (score.value, score.interval))
        });
    let lead = ["lead_changes_per_game", "lead_changes", "Changes of the lead a game"];
    let fields = mean(fields, lead, Decimals(2), |arm| Some(arm.drama.lead_changes));
    let drama = ["drama", "drama", "Drama of the won games"];
    let fields = mean(fields, drama, Decimals(3), |arm| arm.drama.drama);
    let entropy = ["opening_entropy_bits", "opening_entropy", "Entropy, bits"];
    mean(fields, entropy, Decimals(1), |arm| arm.opening_entropy)
}

/// Adds columns for a mean, for its interval, and for both in one cell.
fn mean(
    fields: Fields<'static, Arm>,
    [key, name, heading]: [&str; 3],
    unit: Unit,
    of: fn(&Arm) -> Option<Mean>,
) -> Fields<'static, Arm> {
    let interval = move |arm: &Arm| of(arm).map(|mean| mean.interval);
    let both = move |arm: &Arm| of(arm).map(|mean| (mean.value, mean.interval));
    fields
        .value(key, heading, unit, move |arm| of(arm).map(|mean| mean.value))
        .interval(&format!("{name}95"), "95% interval", unit, interval)
        .estimate(&format!("{name}_with_interval"), heading, unit, both)
}

/// Kinds of special moves that have columns.
pub(super) const KINDS: [&str; 3] = ["fusions", "fissions", "promotions"];

/// Adds `games_with_fusions` and `fusions_per_100`, and the same for other kinds of moves.
fn usage(mut fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    for kind in KINDS {
        let find = move |arm: &Arm| arm.usage.iter().find(|usage| usage.name == kind).cloned();
        let one = kind.trim_end_matches('s');
        let [key, heading] = [format!("games_with_{kind}"), format!("Games with a {one}")];
        fields =
            fields.share(&key, heading.as_str(), move |arm| find(arm).map(|usage| usage.share));
        let name = fusion_print::format::capitalised(kind);
        let [key, heading] = [format!("{kind}_per_100"), format!("{name} per 100 plies")];
        fields = fields.value(&key, heading.as_str(), Decimals(2), move |arm| {
            find(arm).map(|usage| usage.per_100_plies)
        });
    }
    fields
}
