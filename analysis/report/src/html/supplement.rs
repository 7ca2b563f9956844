//! Tables of what explains or supports the draw rates: the rules, their interactions, drama,
//! trends, openings, forecasts, matches and random movers.

use super::tables::TableView;
use crate::ablations::Ablations;
use crate::arms::{Arm, Mean};
use crate::calibration::Calibration;
use crate::format::{
    agent, count, optional, p_value, percent, percent_interval, points, points_interval, signed,
    toggle_long, toggle_words,
};
use crate::many;
use crate::report::Report;
use crate::run_folder::Strength;
use crate::toggles::Toggles;
use fusion_chess::rules::{PRESETS, RuleSet, TOGGLES};
use fusion_runner::random::RandomRow;
use fusion_statistics::estimate::Estimate;
use fusion_statistics::proportion::wilson;
use fusion_statistics::reliability::Reliability;
use fusion_statistics::{Confidence, Interval};
use serde::Serialize;

/// Interactions with a larger adjusted p-value are not singled out.
const CERTAIN: f64 = 0.001;
/// Rows of the table of these.
const MAX_PAIRS: usize = 3;
/// Rule sets that the table of rules has room for.
const MAX_RULES: usize = 12;

/// The tables; those without a row are left out.
#[derive(Serialize)]
pub(super) struct Supplement {
    /// What the rule sets of the main measurement allow.
    rules: Option<TableView>,
    /// The character of each rule set in a row.
    side_by_side: Option<TableView>,
    /// Draw shares where two toggles matter together.
    together: Option<TableView>,
    /// Effects of the other measurements of mixes, with where they are from.
    more_toggles: Vec<(String, TableView)>,
    drama: Option<TableView>,
    trends: Option<TableView>,
    /// Where the toggles' effects are from, in a sentence.
    toggles: Option<String>,
    interactions: Option<TableView>,
    /// Effects of toggles changed alone, a table for each rule set that was changed.
    ablations: Vec<TableView>,
    own_openings: Option<TableView>,
    forecasts: Option<TableView>,
    /// What the network's trend is a trend of, and how far it goes.
    trend_limits: String,
    /// White's edge in the primary comparison, in words.
    white: Option<String>,
    /// What is known about escapes under the 2020 rules.
    escapes: Option<String>,
    matches: Option<TableView>,
    random: Option<TableView>,
}

pub(super) fn supplement(report: &Report) -> Supplement {
    let shown = report.toggles.first();
    Supplement {
        rules: rules(report),
        side_by_side: side_by_side(report),
        together: shown.and_then(together),
        more_toggles: report.toggles.iter().skip(1).filter_map(further).collect(),
        drama: drama(report),
        trends: trends(report),
        toggles: effects_from(report),
        interactions: shown.and_then(interactions),
        ablations: report.ablations.iter().filter_map(ablations).collect(),
        own_openings: own_openings(&report.own_openings),
        forecasts: forecasts(&report.calibration),
        trend_limits: trend_limits(report),
        white: report.white_in_words(),
        escapes: escapes(report),
        matches: matches(report),
        random: random(&report.run.random),
    }
}

fn table(
    caption: &str,
    name: &str,
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Option<TableView> {
    let rows: Vec<Vec<String>> = rows.collect();
    (!rows.is_empty()).then(|| TableView::new(caption, name, header, rows.into_iter()))
}

/// `1.23 (1.11 to 1.35)`.
fn mean(mean: Option<Mean>, decimals: usize) -> String {
    mean.map_or_else(
        || "–".into(),
        |Mean { value, interval: Interval { low, high } }| {
            format!("{value:.decimals$} ({low:.decimals$} to {high:.decimals$})")
        },
    )
}

fn interval(interval: Option<Interval>, decimals: usize) -> String {
    interval.map_or_else(
        || "–".into(),
        |Interval { low, high }| format!("{low:.decimals$} to {high:.decimals$}"),
    )
}

fn drama(report: &Report) -> Option<TableView> {
    let row = |arm: &Arm| {
        let escapes = arm.escapes.map_or_else(
            || "–".into(),
            |share| {
                let interval = percent_interval(wilson(share, Confidence::P95));
                format!("{} ({interval})", percent(share.share()))
            },
        );
        vec![
            arm.rules.clone(),
            mean(Some(arm.drama.lead_changes), 2),
            percent(arm.drama.with_change.share()),
            mean(arm.drama.drama, 3),
            escapes,
            arm.escapes.map_or_else(|| "–".into(), |share| count(share.successes())),
        ]
    };
    table(
        "Changes of the lead, drama and escapes, with 95% intervals",
        "drama",
        &[
            "Rule set",
            "Changes of the lead a game",
            "Games with one",
            "Drama of the won games",
            "Would-be mates escaped",
            "Escapes",
        ],
        many::main_arms(report).into_iter().map(row),
    )
}

fn effect(estimate: Estimate) -> [String; 3] {
    [
        points(estimate.value),
        points_interval(estimate.interval(Confidence::P95)),
        p_value(estimate.p_value()),
    ]
}

fn trends(report: &Report) -> Option<TableView> {
    let trends = report.trends.as_ref()?;
    let row = |(name, change): (String, Estimate)| {
        let mut row = vec![name];
        row.extend(effect(change));
        row
    };
    let caption = format!(
        "Change in draws with every doubling of the nodes, from {} to {}, by {}, percentage points",
        count(trends.range.0),
        count(trends.range.1),
        report.agent()
    );
    let rows = report.changes_by_doubling().into_iter().map(row);
    table(&caption, "trends", &["Rule set", "Per doubling", "95% interval", "p"], rows)
}

/// Whose trends these are, over what: another network's may differ.
fn trend_limits(report: &Report) -> String {
    let budgets: Vec<String> = report.budgets().into_iter().map(count).collect();
    format!(
        "The trends are those of {} over {} budgets ({} nodes): with few budgets a line fits almost anything, another network may have other trends, and nothing is said about more nodes than these.",
        report.agent(),
        budgets.len(),
        super::listed(&budgets)
    )
}

/// The rules under which the inventor claims that nobody escapes a mate.
const CLAIMED: &str = "fusion-2020";

/// What the games say about that claim; nothing without games under these rules.
fn escapes(report: &Report) -> Option<String> {
    let arm = report.main_arms().find(|arm| arm.rules == CLAIMED)?;
    Some(escapes_in_words(arm.escapes?.successes()))
}

fn escapes_in_words(found: u64) -> String {
    let claim =
        format!("The inventor claims that the rules of {CLAIMED} leave none in any position");
    match found {
        0 => format!("{claim}; that these games hold none does not prove it."),
        found => format!("{claim}; these games hold {}.", count(found)),
    }
}

/// What the rule sets of the main measurement allow: the toggles in which they differ.
fn rules(report: &Report) -> Option<TableView> {
    let arms: Vec<(&str, RuleSet)> = report
        .main_arms()
        .filter_map(|arm| Some((arm.rules.as_str(), arm.rules.parse().ok()?)))
        .collect();
    let row = |toggle: &'static str| {
        let values: Vec<String> = arms.iter().filter_map(|(_, rules)| rules.get(toggle)).collect();
        let differ = values.iter().any(|value| *value != values[0]);
        let name = match toggle_long(toggle) {
            "" => toggle.to_owned(),
            words => format!("{words} ({toggle})"),
        };
        differ.then(|| std::iter::once(name).chain(values).collect())
    };
    if arms.len() > MAX_RULES {
        return None;
    }
    let mut header = vec!["Rule"];
    header.extend(arms.iter().map(|(rules, _)| *rules));
    table("What the rule sets allow", "rules", &header, TOGGLES.into_iter().filter_map(row))
}

/// How drawish, long and even the games of each rule set are, and how much they use what is
/// special about it.
fn side_by_side(report: &Report) -> Option<TableView> {
    let row = |arm: &Arm| {
        let mut row = vec![
            arm.rules.clone(),
            format!("{} ({})", percent(arm.draw_share.share()), percent_interval(arm.draw_wilson)),
            format!("{:.0}", arm.length.quartiles[2]),
            arm.white_score.map_or_else(
                || "–".into(),
                |score| format!("{} ({})", percent(score.value), percent_interval(score.interval)),
            ),
        ];
        for kind in ["fusions", "fissions", "promotions"] {
            let usage = arm.usage.iter().find(|usage| usage.name == kind);
            row.push(usage.map_or_else(|| "–".into(), |u| percent(u.share)));
            row.push(usage.map_or_else(|| "–".into(), |u| format!("{:.2}", u.per_100_plies)));
        }
        row
    };
    table(
        &format!("The rule sets side by side, at {} nodes a move", count(report.main_nodes)),
        "side-by-side",
        &[
            "Rule set",
            "Draws (95% interval)",
            "Median plies",
            "White’s score (95% interval)",
            "Games with a fusion",
            "Fusions per 100 plies",
            "Games with a fission",
            "Fissions per 100 plies",
            "Games with a promotion",
            "Promotions per 100 plies",
        ],
        many::main_arms(report).into_iter().map(row),
    )
}

/// The pairs of toggles with a clear interaction, the largest first.
fn together(toggles: &Toggles) -> Option<TableView> {
    let mut pairs: Vec<_> =
        toggles.interactions.iter().filter(|pair| pair.bh_p < CERTAIN).collect();
    pairs.sort_by(|a, b| b.estimate.value.abs().total_cmp(&a.estimate.value.abs()));
    let rows = pairs.into_iter().take(MAX_PAIRS).map(|pair| {
        let mut row: Vec<String> = pair.toggles.map(|toggle| words(toggle).to_owned()).to_vec();
        row.extend(pair.cells.map(|cell| percent(cell.share())));
        row
    });
    table(
        "Rules that matter together: share of games drawn",
        "together",
        &[
            "First rule",
            "Second rule",
            "With neither",
            "Only the second",
            "Only the first",
            "With both",
        ],
        rows,
    )
}

fn words(toggle: &str) -> &str {
    match toggle_words(toggle) {
        "" => toggle,
        words => words,
    }
}

/// Another measurement of mixes: where it is from, and its effects.
fn further(toggles: &Toggles) -> Option<(String, TableView)> {
    let rows = toggles.effects.iter().map(|of| {
        let [estimate, interval, _] = effect(of.estimate);
        vec![
            words(of.toggle).to_owned(),
            percent(of.share_off),
            percent(of.share_on),
            estimate,
            interval,
            p_value(of.holm_p),
        ]
    });
    let caption =
        format!("Effects of rule changes in “{}”, percentage points", toggles.measurement);
    let name = format!("effects-{}", toggles.measurement);
    let header = ["Rule", "Without", "With", "Effect on draws", "95% interval", "Adjusted p"];
    Some((described(toggles), table(&caption, &name, &header, rows)?))
}

/// Where the effects in the first figure are from.
fn effects_from(report: &Report) -> Option<String> {
    let alone = |ablations: &Ablations| {
        format!(
            "From the measurement “{}”: {} with one toggle changed, less {} unchanged, paired by opening, at {} nodes a move; p by Holm’s adjustment over the changes.",
            ablations.measurement,
            ablations.base,
            ablations.base,
            count(ablations.nodes)
        )
    };
    report.toggles.first().map(described).or_else(|| report.ablations.first().map(alone))
}

fn ablations(ablations: &Ablations) -> Option<TableView> {
    let row = |change: &crate::ablations::Change| {
        let pair = &change.pair;
        vec![
            change.text.clone(),
            count(pair.openings),
            percent(pair.first_share.share()),
            percent(pair.second_share.share()),
            points(pair.difference),
            points_interval(pair.bootstrap95),
            p_value(change.holm_p),
        ]
    };
    table(
        &format!("{} with one toggle changed, at {} nodes", ablations.base, count(ablations.nodes)),
        "ablations",
        &["Change", "Openings", "Changed", "Unchanged", "Difference", "95% interval", "Holm p"],
        ablations.changes.iter().map(row),
    )
}

/// Whether a toggle's value sets a game apart from Fusion Chess and orthodox chess, or those from
/// each other.
fn telling((toggle, value): &&(&str, String)) -> bool {
    let mut presets = PRESETS.iter().filter(|(_, rules)| rules.is_usual());
    presets.any(|(_, rules)| rules.get(toggle).as_ref() != Some(value))
}

fn described(toggles: &Toggles) -> String {
    let words = |(toggle, value): &(&str, String)| match toggle_words(toggle) {
        "" => format!("{toggle} {value}"),
        words => format!("{toggle} ({words}) {value}"),
    };
    let common: Vec<String> = toggles.common.iter().filter(telling).map(words).collect();
    let model = if toggles.interactions.is_empty() {
        "only the toggles, since the games do not tell the effects of their pairs"
    } else {
        "the toggles and all their pairs"
    };
    format!(
        "From the measurement “{}” by {}: all mixes of the {} toggles from {} openings, {} games at {} nodes a move. An effect is the average change of the chance of a draw from no to yes (logistic regression on {model}, average marginal effects, errors clustered by opening; p by Holm’s adjustment). The same in all mixes: {}.",
        toggles.measurement,
        agent(&toggles.agent),
        toggles.effects.len(),
        count(toggles.openings),
        count(toggles.games),
        count(toggles.nodes),
        common.join("; ")
    )
}

fn interactions(toggles: &Toggles) -> Option<TableView> {
    let rows = toggles.interactions.iter().map(|pair| {
        let [estimate, interval, _] = effect(pair.estimate);
        vec![pair.toggles.join(" with "), estimate, interval, p_value(pair.bh_p)]
    });
    table(
        "Interactions: by how many points the effect of one toggle is larger with the other",
        "interactions",
        &["Toggles", "Interaction", "95% interval", "BH p"],
        rows,
    )
}

fn own_openings(arms: &[Arm]) -> Option<TableView> {
    let row = |arm: &Arm| {
        vec![
            arm.rules.clone(),
            count(arm.nodes),
            count(arm.games),
            mean(arm.opening_entropy, 1),
            percent(arm.draw_share.share()),
            percent_interval(arm.draw_wilson),
            count(arm.distinct),
        ]
    };
    table(
        "Openings that each rule set’s agent chose itself, by the visits of its search",
        "own-openings",
        &[
            "Rule set",
            "Nodes",
            "Games",
            "Entropy, bits",
            "Draw share",
            "95% interval",
            "Different games",
        ],
        arms.iter().map(row),
    )
}

fn forecasts(calibration: &[Calibration]) -> Option<TableView> {
    let row = |of: &Calibration| {
        let mut row = vec![of.rules.clone().unwrap_or_else(|| "all".into())];
        let error = |of: &Reliability| format!("{:.1}", 100.0 * of.calibration_error);
        let both = [(&of.draws, &of.corrected_draws), (&of.wins, &of.corrected_wins)];
        for (reliability, corrected) in both {
            row.push(error(reliability));
            row.push(corrected.as_ref().map_or_else(|| "–".into(), error));
            row.push(format!("{:.3}", reliability.brier));
            row.push(slope(reliability));
        }
        row
    };
    table(
        "Forecasts by rule set: one position of each game",
        "forecasts",
        &[
            "Rule set",
            "Draws: error, points",
            "Corrected",
            "Brier score",
            "Slope",
            "White’s wins: error, points",
            "Corrected",
            "Brier score",
            "Slope",
        ],
        calibration.iter().map(row),
    )
}

/// Of the recalibration line, 1 if forecasts are neither too bold nor too timid.
fn slope(reliability: &Reliability) -> String {
    let line = reliability.recalibration.as_ref();
    let slope = line.map(|line| line.slope);
    let limits = slope.map(|slope| slope.interval(Confidence::P95));
    match slope {
        None => "–".into(),
        Some(slope) => {
            format!("{} ({})", optional(Some(slope.value), 2), interval(limits, 2))
        }
    }
}

fn matches(report: &Report) -> Option<TableView> {
    let main = report.run.strength.iter();
    let all = main.chain(report.run.matches.iter().map(|(_, result)| result));
    table(
        "Matches by rule set",
        "matches",
        &["First player", "Second player", "Rule set", "Games", "Score", "Elo", "95% interval"],
        all.flat_map(match_rows),
    )
}

fn match_rows(result: &Strength) -> Vec<Vec<String>> {
    let name = |player: &crate::run_folder::Player| {
        let nodes = player.nodes.map(|nodes| format!(", {} nodes", count(nodes)));
        agent(&player.network) + &nodes.unwrap_or_default()
    };
    let elo = |value: Option<f64>| value.map_or_else(|| "–".into(), |value| signed(value, 0));
    // A score of everything has a lower limit alone.
    let interval = |low: Option<f64>, high: Option<f64>, score: Option<f64>| match score {
        Some(score) if score >= 1.0 => format!("at least {}", elo(low)),
        Some(score) if score <= 0.0 => format!("at most {}", elo(high)),
        _ => format!("{} to {}", elo(low), elo(high)),
    };
    let finite = |rules: &crate::run_folder::RulesStrength| {
        rules.elo.filter(|_| rules.score.is_some_and(|score| score > 0.0 && score < 1.0))
    };
    let row = |rules: &crate::run_folder::RulesStrength| {
        vec![
            name(&result.first),
            name(&result.second),
            rules.rules.clone(),
            count(rules.games),
            rules.score.map_or_else(|| "–".into(), percent),
            elo(finite(rules)),
            interval(rules.elo_low, rules.elo_high, rules.score),
        ]
    };
    result.per_rules.iter().map(row).collect()
}

fn random(rows: &[RandomRow]) -> Option<TableView> {
    let row = |row: &RandomRow| {
        let games = row.games as f64;
        let share = |count: u64| format!("{:.2}%", 100.0 * count as f64 / games);
        let mut cells = vec![row.rules.clone(), count(row.games)];
        cells.push(share(row.white_wins + row.black_wins));
        cells.extend(
            [row.stalemate, row.threefold, row.fifty_move, row.dead_position, row.draws()]
                .map(share),
        );
        cells.push(format!("{:.1}", row.plies as f64 / games));
        cells
    };
    table(
        "Random movers, from the initial position",
        "random",
        &[
            "Rule set",
            "Games",
            "Checkmate",
            "Stalemate",
            "Threefold",
            "Fifty-move",
            "Dead position",
            "Drawn",
            "Plies a game",
        ],
        rows.iter().map(row),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_contradict_the_claim_and_their_absence_does_not_prove_it() {
        let none = escapes_in_words(0);
        assert!(none.contains("hold none does not prove it"), "{none}");
        let some = escapes_in_words(3);
        assert!(some.ends_with("these games hold 3.") && !some.contains("none does"), "{some}");
    }
}
