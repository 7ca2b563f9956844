//! Every column that a rule set at one node budget can have in a table.

use crate::arms::{Arm, Mean};
use crate::table::{Fields, Unit};
use fusion_statistics::proportion::wilson;
use fusion_statistics::{Confidence, Interval};

/// The columns. Those for people with an interval in the same cell end in `_with_interval`.
pub(super) fn fields() -> Fields<'static, Arm> {
    usage(character(lengths(balance(results()))))
}

fn results() -> Fields<'static, Arm> {
    Fields::new()
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
        .count("decisive_games", "Decisive games", |arm| arm.white_wins + arm.black_wins)
        .share("draw_share", ("Draw share", "drawn"), |arm| arm.draw_share.share())
        .interval("draw_wilson95", ("95% interval", "95%"), Unit::Share, |arm| arm.draw_wilson)
        .interval("draw_jeffreys95", "Jeffreys’ 95% interval", Unit::Share, |a| a.draw_jeffreys)
        .share("draw_share_if_capped_drawn", "If capped were drawn", Arm::draw_share_upper)
        .share("upper_bound", "If capped were drawn", |arm| {
            (arm.capped > 0).then(|| arm.draw_share_upper())
        })
        .share("capped_share", "Capped share", Arm::capped_share)
        .share("error_share", "Error share", Arm::error_share)
        .count("distinct_games", "Different games", |arm| arm.distinct)
        .value("effective_games", "Effective games", Unit::Decimals(1), |arm| arm.effective)
        .value("design_effect", "Design effect", Unit::Decimals(2), |arm| {
            arm.games as f64 / arm.effective
        })
}

fn balance(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    fields
        .share("white_score", "White’s score", |arm| arm.white_score.map(|score| score.value))
        .interval("white_score95", ("95% interval", "95%"), Unit::Share, |arm| {
            arm.white_score.map(|score| score.interval)
        })
        .value("drawelo", "drawelo", Unit::Decimals(0), |arm| arm.draw_elo)
        .interval("drawelo95", "95% interval", Unit::Decimals(0), |arm| arm.draw_elo95)
        .value("davidson_nu", "Davidson ν", Unit::Decimals(2), |arm| arm.nu)
        .interval("davidson_nu95", "95% interval", Unit::Decimals(2), |arm| arm.nu95)
}

fn lengths(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    let names = [
        ("plies_min", "Shortest"),
        ("plies_q1", "Lower quartile"),
        ("plies_median", "Median"),
        ("plies_q3", "Upper quartile"),
        ("plies_max", "Longest"),
    ];
    let mean = ("plies_mean", "Mean");
    let mut fields = fields.value(mean.0, mean.1, Unit::Decimals(1), |arm: &Arm| arm.length.mean);
    for (i, (key, heading)) in names.into_iter().enumerate() {
        let heading = (heading, if key == "plies_median" { "median" } else { heading });
        fields =
            fields.value(key, heading, Unit::Decimals(0), move |arm: &Arm| arm.length.quartiles[i]);
    }
    fields
        .interval("quartiles", ("Quartiles", "quartiles"), Unit::Decimals(0), |arm| {
            let [_, low, _, high, _] = arm.length.quartiles;
            Interval { low, high }
        })
        .value("median_plies", "Median plies", Unit::Decimals(0), |arm| arm.length.quartiles[2])
}

fn mean(mean: Mean) -> (f64, Interval) {
    (mean.value, mean.interval)
}

/// What sets the games apart: the lead, drama, escapes, diversity of openings.
fn character(fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    fields
        .text("own_openings", "Own openings", |arm: &Arm| {
            if arm.opening_entropy.is_some() { "yes" } else { "no" }
        })
        .value("lead_changes_per_game", "Changes of the lead", Unit::Decimals(2), |arm| {
            arm.drama.lead_changes.value
        })
        .interval("lead_changes95", "95% interval", Unit::Decimals(2), |arm| {
            arm.drama.lead_changes.interval
        })
        .estimate(
            "lead_changes_with_interval",
            "Changes of the lead a game",
            Unit::Decimals(2),
            |arm| mean(arm.drama.lead_changes),
        )
        .count("games_with_lead_change", "Games with one", |arm| arm.drama.with_change.successes())
        .share("lead_change_share", "Games with one", |arm| arm.drama.with_change.share())
        .value("drama", "Drama", Unit::Decimals(3), |arm| arm.drama.drama.map(|of| of.value))
        .interval("drama95", "95% interval", Unit::Decimals(3), |arm| {
            arm.drama.drama.map(|of| of.interval)
        })
        .estimate("drama_with_interval", "Drama of the won games", Unit::Decimals(3), |arm| {
            arm.drama.drama.map(mean)
        })
        .estimate("escapes_with_interval", "Would-be mates escaped", Unit::Share, |arm| {
            arm.escapes.map(|share| (share.share(), wilson(share, Confidence::P95)))
        })
        .count("escapes", "Escapes", |arm| arm.escapes.map(|share| share.successes()))
        .count("escapes_from_mate", "Escapes", |arm| arm.escapes.map_or(0, |of| of.successes()))
        .count("escapes_and_mates", "Escapes and mates", |arm| {
            arm.escapes.map_or(0, |of| of.trials())
        })
        .value("opening_entropy_bits", "Entropy, bits", Unit::Decimals(1), |arm| {
            arm.opening_entropy.map(|of| of.value)
        })
        .interval("opening_entropy95", "95% interval", Unit::Decimals(1), |arm| {
            arm.opening_entropy.map(|of| of.interval)
        })
        .estimate("opening_entropy_with_interval", "Entropy, bits", Unit::Decimals(1), |arm| {
            arm.opening_entropy.map(mean)
        })
        .estimate("draws_with_interval", "Draws (95% interval)", Unit::Share, |arm| {
            (arm.draw_share.share(), arm.draw_wilson)
        })
        .estimate("score_with_interval", "White’s score (95% interval)", Unit::Share, |arm| {
            arm.white_score.map(|score| (score.value, score.interval))
        })
}

/// `games_with_fusions` and `fusions_per_100` for some kinds of moves.
fn usage(mut fields: Fields<'static, Arm>) -> Fields<'static, Arm> {
    for kind in ["fusions", "fissions", "promotions"] {
        let find = move |arm: &Arm| arm.usage.iter().find(|usage| usage.name == kind).cloned();
        let one = kind.trim_end_matches('s');
        let [key, heading] = [format!("games_with_{kind}"), format!("Games with a {one}")];
        fields =
            fields.share(&key, heading.as_str(), move |arm| find(arm).map(|usage| usage.share));
        let name = crate::format::capitalised(kind);
        let [key, heading] = [format!("{kind}_per_100"), format!("{name} per 100 plies")];
        fields = fields.value(&key, heading.as_str(), Unit::Decimals(2), move |arm| {
            find(arm).map(|usage| usage.per_100_plies)
        });
    }
    fields
}
