//! The results of a report, for a page.

use fusion_print::format::{percent, percent_interval, points, points_interval};
use fusion_results::arms::{Arm, listed_endings};
use fusion_results::pairs::Pair;
use fusion_results::report::Report;
use fusion_statistics::Interval;
use serde_json::{Value, json};

/// Returns what a page shows of a report on this many of the study's openings.
pub(crate) fn of(report: &Report, openings: u64, planned: u64) -> Value {
    let arms: Vec<&Arm> = report.main_arms().collect();
    let endings = listed_endings(arms.iter().copied());
    let arm_of = |arm: &&Arm| {
        let ends = endings.iter().filter(|(place, _)| arm.endings[*place] > 0);
        let ends: Vec<Value> =
            ends.map(|(place, ending)| json!([ending.name(), arm.endings[*place]])).collect();
        json!({
            "rules": arm.rules,
            "games": arm.games,
            "draws": share(arm.draw_share.share(), arm.draw_wilson),
            "white": arm.white_score.map(|score| share(score.value, score.interval)),
            "plies": arm.length.quartiles,
            "capped": arm.capped,
            "endings": ends,
        })
    };
    let pair_of = |pair: &Pair| {
        json!({
            "first": pair.first,
            "second": pair.second,
            "difference": {
                "value": pair.difference,
                "words": points(pair.difference),
                "interval": points_interval(pair.interval95),
            },
            "judged": report.is_primary(pair),
        })
    };
    let verdict = &report.verdict;
    json!({
        "openings": openings,
        "players": report.run.game.players(),
        "planned": planned,
        "arms": arms.iter().map(arm_of).collect::<Vec<_>>(),
        "pairs": report.main_pairs().into_iter().map(pair_of).collect::<Vec<_>>(),
        "verdict": {
            "headline": verdict.headline,
            "sentence": verdict.sentence,
            "remarks": verdict.remarks,
            "decided": verdict.decision.is_some(),
        },
    })
}

/// Returns a share and its 95% interval, as numbers and in words.
fn share(value: f64, interval: Interval) -> Value {
    json!({
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "words": percent(value),
        "interval": percent_interval(interval),
    })
}
