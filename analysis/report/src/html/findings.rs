//! The report's findings in the form that the page's figures take.

use super::{
    AgentDifference, Effect, Extras, IncidenceCurve, IncidenceStep, PieceValue, ReliabilityBin,
    SampledGame,
};
use crate::calibration::Calibration;
use crate::elsewhere::Elsewhere;
use crate::format::{agent, capitalised, count, paragraphs, percent, toggle_words};
use crate::games::GameResult;
use crate::many;
use crate::report::Report;
use crate::values::{Values, Worth};
use fusion_statistics::Confidence;
use fusion_statistics::incidence::Step;
use fusion_statistics::reliability::Reliability;
use std::collections::BTreeSet;

/// Everything that the page can show of this report.
pub(super) fn extras(report: &Report) -> Extras {
    // One agent alone is the verdict's own comparison.
    let elsewhere = if report.elsewhere.len() > 1 { &report.elsewhere[..] } else { &[] };
    let shared = report.run.games.first().map_or("", |row| row.network.as_str());
    Extras {
        effects: effects(report),
        agents: elsewhere.iter().map(|row| agent_difference(row, shared)).collect(),
        incidence: incidence(report),
        piece_values: worths(&report.values, |values| &values.pieces),
        synergies: worths(&report.values, |values| &values.synergies),
        reliability: report.calibration.first().map(bins).unwrap_or_default(),
        games: games(report),
        deviations: deviations(report),
        all_games: false,
    }
}

/// The effects of the toggles in all their mixes or, without such games, changed alone.
fn effects(report: &Report) -> Vec<Effect> {
    let mixed = |effect: &crate::toggles::Effect| Effect {
        label: words(effect.toggle),
        against: effect.toggle.to_owned(),
        estimate: effect.estimate.value,
        low: effect.interval.low,
        high: effect.interval.high,
        p: Some(effect.holm_p),
    };
    let alone = |change: &crate::ablations::Change| Effect {
        label: change.text.clone(),
        against: String::new(),
        estimate: change.pair.difference,
        low: change.pair.bootstrap95.low,
        high: change.pair.bootstrap95.high,
        p: Some(change.holm_p),
    };
    match (report.toggles.first(), report.ablations.first()) {
        (Some(toggles), _) => toggles.effects.iter().map(mixed).collect(),
        (None, Some(ablations)) => ablations.changes.iter().map(alone).collect(),
        (None, None) => Vec::new(),
    }
}

/// What a toggle allows or, where no words are known, its name.
fn words(toggle: &str) -> String {
    match toggle_words(toggle) {
        "" => toggle.to_owned(),
        words => capitalised(words),
    }
}

fn agent_difference(row: &Elsewhere, main_network: &str) -> AgentDifference {
    let agent = match row.agent.as_str() {
        same if same == main_network => "network".to_owned(),
        "rollout" => "rollouts".to_owned(),
        other => agent(other),
    };
    let nodes = row.nodes.map(|nodes| format!("{} nodes", count(nodes)));
    // What tells the rows apart stands in the name, which narrow screens show too.
    let (name, detail) = match nodes {
        Some(nodes) if row.own_openings => (format!("{agent}, own openings"), nodes),
        Some(nodes) => (format!("{agent}, {nodes}"), String::new()),
        None => (agent, String::new()),
    };
    AgentDifference {
        agent: name,
        detail,
        openings: row.shares[0].trials(),
        first: row.shares[0].share(),
        second: row.shares[1].share(),
        difference: row.difference,
        low: row.interval.low,
        high: row.interval.high,
    }
}

fn incidence(report: &Report) -> Vec<IncidenceCurve> {
    let step = |step: &Step| {
        let interval = step.interval(Confidence::P95);
        IncidenceStep { ply: step.time, share: step.share, low: interval.low, high: interval.high }
    };
    let of_arm = |curves: &crate::curves::Curves| {
        let curve = |(ending, steps): &(_, Vec<Step>)| IncidenceCurve {
            rules: curves.rules.clone(),
            ending: *ending,
            steps: steps.iter().map(step).collect(),
        };
        curves.by_ending.iter().map(curve).collect::<Vec<_>>()
    };
    let shown: BTreeSet<&str> =
        many::main_arms(report).into_iter().map(|arm| arm.rules.as_str()).collect();
    let curves = report.curves.iter().filter(|curves| shown.contains(curves.rules.as_str()));
    curves.flat_map(of_arm).collect()
}

fn worths(values: &[Values], which: impl Fn(&Values) -> &Vec<Worth>) -> Vec<PieceValue> {
    let worth = |values: &Values, worth: &Worth| PieceValue {
        rules: values.rules.clone(),
        piece: worth.name.to_owned(),
        value: worth.value,
        low: worth.interval.low,
        high: worth.interval.high,
    };
    let of_arm = |values| which(values).iter().map(move |each| worth(values, each));
    values.iter().flat_map(of_arm).collect()
}

fn bins(calibration: &Calibration) -> Vec<ReliabilityBin> {
    let of = |outcome: &str, reliability: &Reliability| -> Vec<ReliabilityBin> {
        let bin = |bin: &fusion_statistics::reliability::Bin| ReliabilityBin {
            outcome: outcome.to_owned(),
            predicted: bin.predicted,
            observed: bin.happened.share(),
            low: bin.interval.low,
            high: bin.interval.high,
            positions: bin.happened.trials(),
        };
        reliability.bins.iter().map(bin).collect()
    };
    let mut bins = of("draw", &calibration.draws);
    bins.extend(of("White wins", &calibration.wins));
    let corrected = |outcome: &str, reliability: &Option<Reliability>| {
        reliability.as_ref().map(|reliability| of(outcome, reliability)).unwrap_or_default()
    };
    bins.extend(corrected("draw, corrected", &calibration.corrected_draws));
    bins.extend(corrected("White wins, corrected", &calibration.corrected_wins));
    bins
}

fn games(report: &Report) -> Vec<SampledGame> {
    let game = |shown: &crate::positions::ShownGame| {
        let row = &report.run.games[shown.row];
        let result = match row.result {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::None => "*",
        };
        SampledGame {
            title: shown.reason.title.clone(),
            why: shown.reason.why.clone(),
            rules: row.rules.clone(),
            nodes: row.nodes,
            opening: row.opening,
            result: result.to_owned(),
            ending: super::bars::display(row.ending).to_lowercase(),
            opening_plies: row.opening_plies as usize,
            moves: shown.moves.clone(),
        }
    };
    report.shown.iter().map(game).collect()
}

/// Paragraphs of the run's own list, and what the games themselves show: capped ones.
fn deviations(report: &Report) -> Vec<String> {
    let written = report.run.deviations.as_deref().unwrap_or_default();
    let mut found = paragraphs(written);
    found.extend(report.arms.iter().filter(|arm| arm.errors > 0).map(|arm| {
        format!(
            "{} games of {} at {} nodes failed and are left out ({}).",
            count(arm.errors),
            arm.rules,
            count(arm.nodes),
            percent(arm.error_share())
        )
    }));
    found
}
