//! The protocol's gates: what must hold before a draw rate means anything.

use crate::arms::Arm;
use crate::calibration::Calibration;
use crate::checks::{Check, Status};
use crate::format::{agent, capitalised, count, percent, points, points_interval, signed};
use crate::inert::InertToggle;
use crate::null_checks::NullChecks;
use crate::run_folder::{Player, RulesStrength, RunFolder, Strength};
use crate::trends::Trends;
use fusion_selfplay::random::RandomRow;
use fusion_statistics::Confidence;
use fusion_statistics::null_checks::FalseAlarms;
use fusion_statistics::reliability::{Bin, Reliability};

/// Endings of orthodox games of random movers, in per cent of 24 million games: checkmate,
/// stalemate, repetition, fifty-move rule (which ranks above repetition), insufficient material.
const PUBLISHED: [(&str, f64); 5] = [
    ("checkmate", 15.31),
    ("stalemate", 6.13),
    ("repetition", 2.57),
    ("fifty-move rule", 22.41),
    ("dead position", 53.59),
];
const ORTHODOX: &str = "orthodox";
/// Points that a million games may differ by; fewer may differ by more, but too few say nothing.
const TOLERANCE: f64 = 0.3;
const MILLION: f64 = 1e6;
const FEWEST: u64 = 100_000;
/// Mean distance of forecast and outcome, beyond what chance explains, up to which forecasts
/// count as true.
const MAX_CALIBRATION_ERROR: f64 = 0.05;

/// All gates, in the order of the protocol.
pub(crate) fn gates(
    run: &RunFolder,
    arms: &[Arm],
    trends: Option<&Trends>,
    null_checks: &NullChecks,
    inert: &[InertToggle],
    calibration: &[Calibration],
) -> Vec<Check> {
    let mut gates = vec![
        random_movers(&run.random),
        against_itself(null_checks),
        nothing_changed(inert),
        control(arms, trends),
        forecasts(calibration),
    ];
    let matches = run.strength.iter().chain(run.matches.iter().map(|(_, result)| result));
    gates.extend(matches.filter(|result| !result.per_rules.is_empty()).map(audit));
    gates
}

fn new(status: Status, title: &'static str, detail: impl Into<String>) -> Check {
    Check { status, title, detail: detail.into() }
}

fn random_movers(rows: &[RandomRow]) -> Check {
    let title = "Orthodox random movers end as published";
    let Some(row) = rows.iter().find(|row| row.rules == ORTHODOX) else {
        return new(Status::Unknown, title, "Random movers did not play orthodox chess.");
    };
    if row.games < FEWEST {
        let detail = format!(
            "{} games are too few to tell: {} are needed.",
            count(row.games),
            count(FEWEST)
        );
        return new(Status::Unknown, title, detail);
    }
    let games = row.games as f64;
    let mates = row.white_wins + row.black_wins;
    let found = [mates, row.stalemate, row.threefold, row.fifty_move, row.dead_position]
        .map(|count| 100.0 * count as f64 / games);
    let tolerance = TOLERANCE * (MILLION / games).sqrt().max(1.0);
    let shares: Vec<String> = PUBLISHED
        .iter()
        .zip(found)
        .map(|((name, share), found)| format!("{name} {found:.2}% ({share:.2}%)"))
        .collect();
    let close =
        PUBLISHED.iter().zip(found).all(|((_, share), found)| (share - found).abs() <= tolerance);
    let detail = format!(
        "{} games: {}; in brackets what was published. Allowed are {tolerance:.1} points.",
        count(row.games),
        shares.join(", ")
    );
    new(if close { Status::Pass } else { Status::Fail }, title, detail)
}

fn against_itself(checks: &NullChecks) -> Check {
    let title = "Methods on games without a difference (A/A)";
    let mut found: Vec<(String, FalseAlarms)> = Vec::new();
    if let Some(relabelled) = &checks.relabelled {
        found.push(("McNemar’s test, labels swapped at random".into(), relabelled.mcnemar));
        found.push(("the paired interval".into(), relabelled.interval));
    }
    for (rules, halves) in &checks.halves {
        found.push((format!("Fisher’s test of two halves of {rules}"), halves.fisher));
        found.push((format!("Newcombe’s interval of two halves of {rules}"), halves.newcombe));
    }
    let Some(worst) = found.iter().max_by(|a, b| a.1.seen.share().total_cmp(&b.1.seen.share()))
    else {
        return new(Status::Unknown, title, "There are too few games to split.");
    };
    let (name, alarms) = worst;
    let passed = found.iter().all(|(_, alarms)| alarms.passed());
    let detail = format!(
        "With the labels of these games swapped, or an arm split in two, at random {} times, {} methods saw a difference at 5% in at most {} of the cases ({name}). This tries the methods on the numbers of draws found here; it says nothing about how the games were played.",
        count(alarms.seen.trials()),
        found.len(),
        percent(alarms.seen.share()),
    );
    new(if passed { Status::Pass } else { Status::Fail }, title, detail)
}

/// Games under rule sets that differ in name alone.
fn nothing_changed(inert: &[InertToggle]) -> Check {
    let title = "Real games without a difference (A/A)";
    if inert.is_empty() {
        let detail = "No games differ in a toggle that cannot matter, such as what royal compounds may do where there are none.";
        return new(Status::Unknown, title, detail);
    }
    let rows: Vec<String> = inert
        .iter()
        .map(|found| {
            format!(
                "{} {} points (95% interval {}, {} pairs of games)",
                found.toggle,
                points(found.difference),
                points_interval(found.interval),
                count(found.pairs)
            )
        })
        .collect();
    // Two intervals at once.
    let nothing = inert.iter().all(|found| found.interval.contains(0.0));
    let detail = format!(
        "Where no King can fuse, what royal compounds may do cannot matter, yet the network is told it and plays other games: {}.",
        rows.join("; ")
    );
    new(if nothing { Status::Pass } else { Status::Warn }, title, detail)
}

/// Stronger orthodox chess is known to be drawn more often: an agent or a measurement that does not
/// show it is in doubt.
fn control(arms: &[Arm], trends: Option<&Trends>) -> Check {
    let title = "Control: orthodox draws rise with nodes";
    let at: Vec<String> = arms
        .iter()
        .filter(|arm| arm.rules == ORTHODOX)
        .map(|arm| format!("{} at {}", percent(arm.draw_share.share()), count(arm.nodes)))
        .collect();
    let trend = trends.and_then(|trends| trends.arms.iter().find(|(rules, _)| rules == ORTHODOX));
    let Some((_, change)) = trend else {
        return new(Status::Unknown, title, "Orthodox chess was not played at two budgets.");
    };
    let interval = change.interval(Confidence::P95);
    let detail = format!(
        "{} nodes: {} points with every doubling (95% interval {}).",
        at.join(", "),
        points(change.value),
        points_interval(interval)
    );
    new(if interval.low > 0.0 { Status::Pass } else { Status::Warn }, title, detail)
}

fn forecasts(calibration: &[Calibration]) -> Check {
    let title = "How well the search foresees results";
    let excess = |of: &Reliability| of.calibration_error - by_chance(of);
    let worse = |of: &Calibration| excess(&of.draws).max(excess(&of.wins));
    // Pooled, errors of two arms could cancel each other: each arm is judged.
    let arms = calibration.iter().filter(|of| of.rules.is_some());
    let Some(worst) = arms.max_by(|a, b| worse(a).total_cmp(&worse(b))) else {
        return new(Status::Unknown, title, "There is no games.pgn with the searches’ forecasts.");
    };
    let true_enough = worse(worst) <= MAX_CALIBRATION_ERROR;
    let [draws, wins] = [&worst.draws, &worst.wins].map(|of| {
        let (error, chance) = (100.0 * of.calibration_error, 100.0 * by_chance(of));
        format!("{error:.1} points ({chance:.1} by chance alone)")
    });
    let detail = format!(
        "At their worst, under {}, forecast draw shares are off by {draws} on average, forecast wins of White by {wins}; {:.0} more than by chance are allowed. Draw rates are results, not forecasts.",
        worst.rules.as_deref().unwrap_or_default(),
        100.0 * MAX_CALIBRATION_ERROR
    );
    new(if true_enough { Status::Pass } else { Status::Warn }, title, detail)
}

/// The calibration error to be expected of forecasts that are exactly true: the mean distance of
/// normal shares from their mean.
fn by_chance(reliability: &Reliability) -> f64 {
    let games = |bin: &Bin| bin.happened.trials() as f64;
    let distance = |bin: &Bin| {
        let variance = bin.predicted * (1.0 - bin.predicted) / games(bin);
        (2.0 / std::f64::consts::PI * variance).sqrt()
    };
    let all: f64 = reliability.bins.iter().map(games).sum();
    reliability.bins.iter().map(|bin| games(bin) / all * distance(bin)).sum()
}

/// Whether the first player is the stronger one under every rule set.
fn audit(result: &Strength) -> Check {
    let title = "Strength audit, by rule set";
    let player = |player: &Player| {
        let nodes = player.nodes.map(|nodes| format!(" at {} nodes", count(nodes)));
        agent(&player.network) + &nodes.unwrap_or_default()
    };
    let rows: Vec<String> = result
        .per_rules
        .iter()
        .map(|row| {
            let score = row.score.map_or_else(String::new, percent);
            // A score of everything has no finite Elo.
            let finite =
                row.elo.filter(|_| row.score.is_some_and(|score| score > 0.0 && score < 1.0));
            let elo = finite.map_or_else(String::new, |elo| format!(" ({} Elo)", signed(elo, 0)));
            format!("{score}{elo} under {}", row.rules)
        })
        .collect();
    let stronger =
        |row: &RulesStrength| row.elo_low.map_or(row.score == Some(1.0), |low| low > 0.0);
    let detail = format!(
        "{} scored against {}: {}.",
        player(&result.first),
        player(&result.second),
        rows.join(", ")
    );
    let status = if result.per_rules.iter().all(stronger) { Status::Pass } else { Status::Warn };
    new(status, title, capitalised(&detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_shares_pass_and_others_fail() {
        let row = |fifty_move, dead_position| RandomRow {
            rules: "orthodox".into(),
            games: 1_000_000,
            white_wins: 76_600,
            black_wins: 76_500,
            stalemate: 61_300,
            threefold: 25_700,
            fifty_move,
            dead_position,
            ..RandomRow::default()
        };
        assert_eq!(random_movers(&[row(224_100, 535_800)]).status, Status::Pass);
        assert_eq!(random_movers(&[row(220_900, 539_000)]).status, Status::Fail);
        assert_eq!(random_movers(&[]).status, Status::Unknown);
        let few = RandomRow { games: 1_000, ..row(224_100, 535_800) };
        assert_eq!(random_movers(&[few]).status, Status::Unknown);
    }
}
