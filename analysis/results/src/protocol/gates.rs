//! The protocol's gates, which must hold before a draw rate has a meaning.

use super::{Check, Status, stronger};
use crate::names::agent;
use crate::null_checks::NullChecks;
use crate::part::{Played, part};
use fusion_print::format::{capitalised, count, percent, signed};
use fusion_runner::matches::{MatchReport, PlayerName};
use fusion_statistics::null_checks::FalseAlarms;

/// Evaluates all gates, in the order of the protocol.
///
/// # Errors
/// Rows that were read and checked cause no error.
pub fn gates(played: &Played, null_checks: &NullChecks) -> anyhow::Result<Vec<Check>> {
    let run = played.run;
    let mut gates = part(run.game).gates(played)?;
    // The protocol checks the rules first, which is the first gate of a game, then the methods.
    gates.insert(gates.len().min(1), against_itself(null_checks));
    let matches = run.strength.iter().chain(run.matches.iter().map(|(_, result)| result));
    gates.extend(matches.filter(|result| !result.per_rules.is_empty()).map(audit));
    Ok(gates)
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
        return Check::new(Status::Unknown, title, "There are too few games to split.");
    };
    let (name, alarms) = worst;
    let passed = found.iter().all(|(_, alarms)| alarms.passed());
    let detail = format!(
        "With the labels of these games swapped, or an arm split in two, at random {} times, {} methods saw a difference at 5% in at most {} of the cases ({name}). This tries the methods on the numbers of draws found here; it says nothing about how the games were played.",
        count(alarms.seen.trials()),
        found.len(),
        percent(alarms.seen.share()),
    );
    Check::new(if passed { Status::Pass } else { Status::Fail }, title, detail)
}

/// Checks that the first player is stronger under every rule set.
fn audit(result: &MatchReport) -> Check {
    let title = "Strength audit, by rule set";
    let player = |player: &PlayerName| {
        let nodes = player.nodes.map(|nodes| format!(" at {} nodes", count(nodes.into())));
        agent(&player.network) + &nodes.unwrap_or_default()
    };
    let rows: Vec<String> = result
        .per_rules
        .iter()
        .filter_map(|row| {
            let estimate = row.score.estimate?;
            let elo = estimate.elo.map(|elo| format!(" ({} Elo)", signed(elo, 0)));
            let (score, elo) = (percent(estimate.score), elo.unwrap_or_default());
            Some(format!("{score}{elo} under {}", row.rules))
        })
        .collect();
    let detail = format!(
        "{} scored against {}: {}.",
        player(&result.first),
        player(&result.second),
        rows.join(", ")
    );
    let found: Vec<Status> = result
        .per_rules
        .iter()
        .map(|row| row.score.estimate.map_or(Status::Unknown, stronger))
        .collect();
    let worst = [Status::Fail, Status::Unsettled].into_iter().find(|status| found.contains(status));
    Check::new(worst.unwrap_or(Status::Pass), title, capitalised(&detail))
}
