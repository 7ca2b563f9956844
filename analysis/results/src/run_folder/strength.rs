//! Reader of `strength.json`, which must agree with itself.

use super::files::{corrupt, json};
use fusion_runner::matches::{MatchReport, Score};
use fusion_statistics::elo::{Estimate, Pentanomial};
use std::path::Path;

/// Tolerance of scores, which are sums of quarters.
const SCORE: f64 = 1e-6;
/// Tolerance of Elo differences.
const ELO: f64 = 1e-4;

/// Reads a match and checks its figures.
///
/// # Errors
/// Fails if the file cannot be read, is damaged or contradicts itself (exit code 65).
pub(super) fn read(path: &Path) -> anyhow::Result<MatchReport> {
    let report: MatchReport = json(path)?;
    check(&report).map_err(|message| corrupt(path, message))?;
    Ok(report)
}

/// Checks the figures of a match and its parts.
///
/// # Errors
/// Returns a description of the first contradiction.
fn check(report: &MatchReport) -> Result<(), String> {
    check_score(&report.total)?;
    let mut left = report.total.games;
    for part in &report.per_rules {
        check_score(&part.score).map_err(|what| format!("under {}: {what}", part.rules))?;
        let games = left.checked_sub(part.score.games);
        left = games.ok_or("the rule sets have more games than there are")?;
    }
    if left > 0 && !report.per_rules.is_empty() {
        return Err("the rule sets have fewer games than there are".into());
    }
    Ok(())
}

fn check_score(score: &Score) -> Result<(), String> {
    let halves =
        halves(score).ok_or("wins, draws, losses and capped games do not add up to games")?;
    let Pentanomial(pairs) = score.pentanomial;
    let sum = |weight: fn(u64) -> u64| {
        let terms = (0..).zip(pairs).map(|(i, count)| count.checked_mul(weight(i)));
        terms.sum::<Option<u64>>()
    };
    if sum(|_| 2) != Some(score.games) || sum(|halves| halves) != Some(halves) {
        return Err("the pairs (pentanomial) are not of these games".into());
    }
    match (score.estimate, score.pentanomial.estimate()) {
        (Some(found), Some(expected)) => check_estimate(found, expected),
        (None, Some(_)) => Err("score and los must be numbers".into()),
        (_, None) => Ok(()),
    }
}

/// Returns the first player's half points. A game that neither player won, drawn or without a
/// result, is one for each. Returns `None` if the counts do not add up to the games.
fn halves(score: &Score) -> Option<u64> {
    let others = score.draws.checked_add(score.capped)?;
    let games = score.wins.checked_add(score.losses)?.checked_add(others)?;
    if games != score.games {
        return None;
    }
    score.wins.checked_mul(2)?.checked_add(others)
}

fn check_estimate(found: Estimate, expected: Estimate) -> Result<(), String> {
    for (name, found, expected, tolerance) in [
        ("score", Some(found.score), Some(expected.score), SCORE),
        ("elo", found.elo, expected.elo, ELO),
        ("elo_low", found.elo_low, expected.elo_low, ELO),
        ("elo_high", found.elo_high, expected.elo_high, ELO),
        ("los", Some(found.los), Some(expected.los), SCORE),
    ] {
        match (found, expected) {
            (Some(found), Some(expected)) if (found - expected).abs() > tolerance => {
                return Err(format!("{name} is {found:e}; the games give {expected:.6}"));
            }
            (None, Some(_)) => return Err(format!("{name} must be a number")),
            (Some(found), None) => {
                return Err(format!("{name} is {found:e}; the games do not settle it"));
            }
            _ => {}
        }
    }
    if found.elo_interval != expected.elo_interval {
        return Err("elo_interval has other ends than the games give".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_runner::matches::RulesScore;
    use serde_json::json;

    /// Returns the error of a match after a change, or an empty string if it is valid.
    fn rejected(change: impl Fn(&mut serde_json::Value)) -> String {
        // 5 wins, 2 draws, 1 loss: pairs of 1/2, 3/2, 2 and 2 points.
        let pairs = Pentanomial([0, 1, 0, 1, 2]);
        let estimate = pairs.estimate().unwrap();
        let figures = json!({
            "games": 8, "wins": 5, "draws": 2, "losses": 1, "capped": 0, "pentanomial": pairs,
            "score": 0.75, "elo": estimate.elo, "elo_low": estimate.elo_low,
            "elo_high": estimate.elo_high, "elo_interval": estimate.elo_interval,
            "los": estimate.los
        });
        let mut value = figures.clone();
        value["first"] = json!({"network": "a", "nodes": 1});
        value["second"] = json!({"network": "b", "nodes": 1});
        value["rules"] = json!(["orthodox"]);
        value["per_rules"] = json!([figures]);
        value["per_rules"][0]["rules"] = json!("orthodox");
        change(&mut value);
        check(&serde_json::from_value(value).unwrap()).err().unwrap_or_default()
    }

    #[test]
    fn figures_follow_from_the_counts() {
        assert_eq!(rejected(|_| {}), "");
        for wins in [6, 8, u64::MAX] {
            assert!(rejected(|v| v["wins"] = json!(wins)).contains("do not add up to games"));
        }
        let shifted = rejected(|v| (v["wins"], v["draws"]) = (json!(6), json!(1)));
        assert!(shifted.contains("not of these games"), "{shifted}");
        for (key, value, said) in [
            ("score", json!(0.99), "score is 9.9e-1; the games give 0.750000"),
            ("score", json!(-1e308), "score is -1e308; the games give"),
            ("elo", json!(900.0), "elo is 9e2; the games give 190.848502"),
            ("elo_low", json!(-90.0), "elo_low is -9e1; the games"),
            ("elo_high", json!(900.0), "elo_high is 9e2; the games"),
            ("los", json!(0.5), "los is 5e-1; the games"),
            ("elo", json!(null), "elo must be a number"),
            ("score", json!(null), "must be numbers"),
            ("elo_interval", json!("one-sided 95%, above elo_low"), "other ends"),
        ] {
            let what = rejected(|v| v[key] = value.clone());
            assert!(what.contains(said), "{key}: {what}");
        }
        let part = rejected(|v| v["per_rules"][0]["score"] = json!(0.5));
        assert!(part.contains("under orthodox: score is 5e-1"), "{part}");
        let pairs = rejected(|v| v["pentanomial"] = json!([u64::MAX, 1, 1, 1, 1]));
        assert!(pairs.contains("not of these games"), "{pairs}");
        let other = |games| {
            let pentanomial = Pentanomial([0, 0, 0, 0, games / 2]);
            let estimate = pentanomial.estimate();
            let score = Score { games, wins: games, pentanomial, estimate, ..Score::default() };
            let part = RulesScore { rules: "orthodox".into(), score };
            rejected(|v| v["per_rules"] = json!([part]))
        };
        assert!(other(6).contains("fewer games") && other(10).contains("more games"));
    }

    #[test]
    fn capped_games_are_half_a_point() {
        for (draws, capped) in [(2, 0), (1, 1), (0, 2)] {
            let change = |v: &mut serde_json::Value| {
                v["draws"] = json!(draws);
                v["capped"] = json!(capped);
            };
            assert_eq!(rejected(change), "");
        }
    }

    #[test]
    fn a_sweep_settles_one_end_only() {
        let pairs = Pentanomial([0, 0, 0, 0, 4]);
        let with = |estimate: Estimate| {
            rejected(|v| {
                let estimate = Some(estimate);
                let score =
                    Score { games: 8, wins: 8, pentanomial: pairs, estimate, ..Score::default() };
                let figures = serde_json::to_value(score).unwrap();
                v.as_object_mut().unwrap().extend(figures.as_object().unwrap().clone());
                v["per_rules"] = json!([]);
            })
        };
        let estimate = pairs.estimate().unwrap();
        assert_eq!(with(estimate), "");
        let clamped = Estimate { elo: Some(900.0), ..estimate };
        assert!(with(clamped).contains("elo is 9e2; the games do not settle it"));
    }
}
