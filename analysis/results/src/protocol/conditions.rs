//! Checks of a run against the protocol's conditions.

use super::{Check, Status, stronger};
use crate::arms::Arm;
use crate::names::{agent, is_hash, short_hash};
use crate::pairs::Pair;
use crate::report_game::ReportGame;
use crate::run_folder::RunFolder;
use crate::verdict::{MAX_CAPPED, MAX_ERRORS};
use fusion_print::format::{capitalised, count, counted, fixed, percent, signed};
use fusion_statistics::evalue::Looks;
use fusion_study::StopRule;

/// Smallest share of independent games at which intervals can be trusted. Below it they are too
/// narrow.
pub const MIN_EFFECTIVE_SHARE: f64 = 0.95;
/// The condition that games do not fail.
pub const FAILED_GAMES: &str = "Failed games";
/// The condition that few games meet the cap.
pub const PLY_CAP: &str = "Ply cap";
/// Title of the same condition in games whose turns may have several plies.
pub const TURN_CAP: &str = "Cap on turns";
/// The condition that all arms begin from the same openings.
pub const PAIRING: &str = "Same openings in every arm";
/// The condition that few games occur twice.
pub const REPEATS: &str = "Repeated games";

/// Checks all conditions, in the order of the protocol.
///
/// `all` are the arms of every measurement. `arms` and `pairs` are those of the main measurement.
#[must_use]
pub fn check(run: &RunFolder, all: &[&Arm], arms: &[Arm], pairs: &[Pair]) -> Vec<Check> {
    vec![
        errors(all),
        caps(all),
        stopped(run),
        pairing(pairs),
        one_agent(arms),
        pool(run),
        strength(run),
        repeats(arms),
    ]
}

/// Returns the name of an arm for use in a sentence.
fn name(arm: &Arm) -> String {
    format!("{} at {} nodes", arm.rules, count(arm.nodes))
}

/// Returns the arm with the largest value.
fn worst<'a>(
    arms: impl IntoIterator<Item = &'a Arm>,
    value: impl Fn(&Arm) -> f64,
) -> Option<(&'a Arm, f64)> {
    arms.into_iter().map(|arm| (arm, value(arm))).max_by(|a, b| a.1.total_cmp(&b.1))
}

fn errors(arms: &[&Arm]) -> Check {
    let title = FAILED_GAMES;
    let total: u64 = arms.iter().map(|arm| arm.errors).sum();
    match worst(arms.iter().copied(), Arm::error_share) {
        Some((arm, share)) if share > MAX_ERRORS => Check::new(
            Status::Fail,
            title,
            format!(
                "{} of the games of {} failed: over 0.1%, the run is void.",
                percent(share),
                name(arm)
            ),
        ),
        _ if total > 0 => Check::new(
            Status::Pass,
            title,
            format!("{} failed and left out, at most 0.1% in any arm.", counted(total, "game")),
        ),
        _ => Check::new(Status::Pass, title, "None."),
    }
}

fn caps(arms: &[&Arm]) -> Check {
    let turns = arms.iter().any(|arm| ReportGame::of_rules(&arm.rules).counts("turns"));
    let title = if turns { TURN_CAP } else { PLY_CAP };
    match worst(arms.iter().copied(), Arm::capped_share) {
        Some((arm, share)) if share > MAX_CAPPED => Check::new(
            Status::Fail,
            title,
            format!(
                "{} of the games of {} met the cap: over 1%, the cap must be raised.",
                percent(share),
                name(arm)
            ),
        ),
        Some((arm, share)) if share > 0.0 => Check::new(
            Status::Pass,
            title,
            format!(
                "At most {} of an arm’s games met the cap ({}); allowed are 1%.",
                percent(share),
                name(arm)
            ),
        ),
        _ => Check::new(Status::Pass, title, "No game met it."),
    }
}

/// Checks that all planned games are there, and says how the intervals allow for the way that their number was
/// chosen.
fn stopped(run: &RunFolder) -> Check {
    let title = "Number of games";
    let Some(file) = run.measure_file() else {
        return Check::new(Status::Unknown, title, "The measurement recorded no plan.");
    };
    let (played, planned) = (run.games.len() as u64, file.games);
    match (file.settings.stop, played < planned) {
        (Some(StopRule { alpha, .. }), true) => Check::new(
            Status::Warn,
            title,
            format!(
                "The stopping rule ended the games at {} of {}. That they are drawn differently holds with an error of at most {alpha}, however often it was looked at. The interval is anytime-valid, but the estimate is of a moment when the difference was large: it is too far from 0 on average.",
                count(played),
                count(planned)
            ),
        ),
        (Some(_), false) => Check::new(
            Status::Pass,
            title,
            "The stopping rule did not end the games: all were played.",
        ),
        (None, false) => {
            let how = match run.looks() {
                Looks::Once => "The study fixed the number of openings before the games",
                Looks::Any => "More may be added: intervals are anytime-valid",
            };
            Check::new(Status::Pass, title, format!("{} as planned. {how}.", count(played)))
        }
        (None, true) => Check::new(
            Status::Fail,
            title,
            format!("{} of {} are there.", count(played), count(planned)),
        ),
    }
}

fn pairing(pairs: &[Pair]) -> Check {
    let title = PAIRING;
    // Of equal pairs the first is taken, which is the main budget's.
    match pairs.iter().rev().max_by_key(|pair| pair.unmatched) {
        None => Check::new(
            Status::Unknown,
            title,
            "No two rule sets were played from the same openings at the same budget.",
        ),
        Some(pair) if pair.unmatched > 0 => Check::new(
            Status::Warn,
            title,
            format!(
                "{} of {} and {} at {} nodes have no counterpart and are left out of the comparison.",
                counted(pair.unmatched, "opening"),
                pair.first,
                pair.second,
                count(pair.nodes)
            ),
        ),
        Some(pair) => Check::new(
            Status::Pass,
            title,
            format!("{} each, one game per opening.", counted(pair.openings, "opening")),
        ),
    }
}

fn one_agent(arms: &[Arm]) -> Check {
    let title = "One agent";
    let mut networks: Vec<&str> =
        arms.iter().flat_map(|arm| arm.networks.iter().map(String::as_str)).collect();
    networks.sort_unstable();
    networks.dedup();
    match networks[..] {
        [one] => Check::new(Status::Pass, title, format!("All games are by {}.", agent(one))),
        _ => Check::new(
            Status::Fail,
            title,
            format!("{} networks played: {}.", networks.len(), {
                let names: Vec<String> = networks.into_iter().map(short_hash).collect();
                names.join(", ")
            }),
        ),
    }
}

fn pool(run: &RunFolder) -> Check {
    let title = "Opening pool";
    let recorded = run.measure_file().map(|file| &file.settings.pool);
    let recorded = recorded.filter(|pool| is_hash(pool));
    match (&run.pool, recorded) {
        (Some(pool), Some(recorded)) if pool.hash.eq_ignore_ascii_case(recorded) => Check::new(
            Status::Pass,
            title,
            format!("openings.csv has the recorded hash, {}.", short_hash(&pool.hash)),
        ),
        (Some(pool), Some(recorded)) => Check::new(
            Status::Fail,
            title,
            format!(
                "openings.csv has hash {}, but the games were played from {}.",
                short_hash(&pool.hash),
                short_hash(recorded)
            ),
        ),
        (Some(pool), None) => Check::new(
            Status::Unknown,
            title,
            format!(
                "openings.csv has hash {}; the measurement recorded none.",
                short_hash(&pool.hash)
            ),
        ),
        (None, _) => Check::new(Status::Unknown, title, "There is no openings.csv to check."),
    }
}

fn strength(run: &RunFolder) -> Check {
    let title = "Strength audit";
    let Some(strength) = &run.strength else {
        return Check::new(
            Status::Unknown,
            title,
            "There is no strength.json: nothing shows that the agent has learnt to play.",
        );
    };
    let Some(estimate) = strength.total.estimate else {
        return Check::new(Status::Unknown, title, "The match holds no games.");
    };
    let measured = run.measure_file().map(|file| &file.settings.network);
    if let Some(other) = measured.filter(|network| **network != strength.first.network) {
        return Check::new(
            Status::Fail,
            title,
            format!(
                "The match is of {}, and the measurement was played by {}: it says nothing about the agent.",
                agent(&strength.first.network),
                agent(other)
            ),
        );
    }
    let elo = estimate.elo.map_or_else(String::new, |elo| format!(", {} Elo", signed(elo, 0)));
    let detail = format!(
        "{} scored {} against {}{elo}.",
        agent(&strength.first.network),
        percent(estimate.score),
        agent(&strength.second.network)
    );
    Check::new(stronger(estimate), title, capitalised(&detail))
}

fn repeats(arms: &[Arm]) -> Check {
    let title = REPEATS;
    let share = |arm: &Arm| arm.games as f64 / arm.effective;
    match worst(arms, share) {
        Some((arm, design_effect)) if design_effect > 1.0 / MIN_EFFECTIVE_SHARE => Check::new(
            Status::Warn,
            title,
            format!(
                "{} has {} different games of {}, worth {} independent ones: its intervals are too narrow.",
                name(arm),
                count(arm.distinct),
                count(arm.games),
                fixed(arm.effective, 0)
            ),
        ),
        Some((_, design_effect)) if design_effect > 1.0 => Check::new(
            Status::Pass,
            title,
            "A few games occur twice; every arm is worth at least 95% of its games.",
        ),
        _ => Check::new(Status::Pass, title, "No game occurs twice in an arm."),
    }
}
