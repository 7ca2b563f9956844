//! Reader of `strength.json`, which must agree with itself.

use super::files::{self, SMALL, corrupt};
use fusion_runner::matches::{MatchReport, Score};
use fusion_statistics::elo::{Estimate, Pentanomial};
use std::path::Path;

/// Tolerance of scores, which are sums of quarters.
const SCORE: f64 = 1e-6;
/// Tolerance of Elo differences, which some files round.
const ELO: f64 = 0.15;
/// Tolerance of the likelihood of superiority, which some files round.
const LOS: f64 = 1e-3;

/// Reads a match and checks its figures.
///
/// # Errors
/// Fails if the file cannot be read, is damaged or contradicts itself (exit code 65).
pub(super) fn read(path: &Path) -> anyhow::Result<MatchReport> {
    let mut report: MatchReport =
        serde_json::from_slice(&files::read(path, SMALL)?).map_err(|error| corrupt(path, error))?;
    let wrong = "wins, draws, losses and capped games do not add up to games";
    separate_capped(&mut report.total).ok_or_else(|| corrupt(path, wrong))?;
    check(&report).map_err(|message| corrupt(path, message))?;
    Ok(report)
}

/// Separates capped games from draws, which earlier versions counted together.
///
/// Returns `None` if the counts are inconsistent in either format.
fn separate_capped(score: &mut Score) -> Option<()> {
    let decided = score.wins.checked_add(score.losses)?;
    if decided.checked_add(score.draws)? == score.games {
        score.draws = score.draws.checked_sub(score.capped)?;
    }
    let sum = decided.checked_add(score.draws)?.checked_add(score.capped)?;
    (sum == score.games).then_some(())
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
    let halves = halves(score).ok_or("more games are won and lost than were played")?;
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
        (None, Some(_)) => Err("score, elo, elo_low, elo_high and los must be numbers".into()),
        (_, None) => Ok(()),
    }
}

/// Returns the first player's half points. A game that neither player won, drawn or without a
/// result, is one for each.
fn halves(score: &Score) -> Option<u64> {
    let others = score.games.checked_sub(score.wins.checked_add(score.losses)?)?;
    score.wins.checked_mul(2)?.checked_add(others)
}

fn check_estimate(found: Estimate, expected: Estimate) -> Result<(), String> {
    for (name, found, expected, tolerance) in [
        ("score", found.score, expected.score, SCORE),
        ("elo", found.elo, expected.elo, ELO),
        ("elo_low", found.elo_low, expected.elo_low, ELO),
        ("elo_high", found.elo_high, expected.elo_high, ELO),
        ("los", found.los, expected.los, LOS),
    ] {
        if (found - expected).abs() > tolerance {
            return Err(format!("{name} is {found:e}; the games give {expected:.6}"));
        }
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
            "games": 8, "wins": 5, "draws": 2, "losses": 1, "pentanomial": pairs,
            "score": 0.75, "elo": 190.8485, "elo_low": estimate.elo_low,
            "elo_high": estimate.elo_high, "los": estimate.los
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
        assert!(rejected(|v| v["wins"] = json!(8)).contains("more games are won and lost"));
        assert!(rejected(|v| v["wins"] = json!(6)).contains("not of these games"));
        for (key, value, said) in [
            ("score", json!(0.99), "score is 9.9e-1; the games give 0.750000"),
            ("score", json!(-1e308), "score is -1e308; the games give"),
            ("elo", json!(900.0), "elo is 9e2; the games give 190.848502"),
            ("elo_low", json!(-90.0), "elo_low is -9e1; the games"),
            ("elo_high", json!(900.0), "elo_high is 9e2; the games"),
            ("los", json!(0.5), "los is 5e-1; the games"),
            ("elo", json!(null), "must be numbers"),
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
    fn capped_games_of_a_match_are_no_draws() {
        let read = |draws, capped| {
            let (games, wins, losses) = (20, 6, 4);
            let mut score = Score { games, wins, draws, losses, capped, ..Score::default() };
            separate_capped(&mut score).map(|()| (score.draws, score.capped))
        };
        // The current format, and those of earlier versions.
        assert_eq!(read(7, 3), Some((7, 3)));
        assert_eq!(read(10, 3), Some((7, 3)));
        assert_eq!(read(10, 0), Some((10, 0)));
        for (draws, capped) in [(9, 0), (9, 3), (10, 11), (u64::MAX, 3)] {
            assert_eq!(read(draws, capped), None, "{draws} {capped}");
        }
    }

    /// Checks that capped games are accepted apart from draws, and among them as in earlier
    /// versions.
    #[test]
    fn capped_games_are_half_a_point() {
        for (draws, capped) in [(2, 0), (2, 1), (1, 1), (0, 2)] {
            let change = |v: &mut serde_json::Value| {
                v["draws"] = json!(draws);
                v["capped"] = json!(capped);
            };
            assert_eq!(rejected(change), "");
        }
    }

    #[test]
    fn a_sweep_has_the_elo_of_half_a_point_less() {
        let sweep = Pentanomial([0, 0, 0, 0, 4]).estimate().unwrap();
        let with = |elo: f64| {
            rejected(|v| {
                for (key, value) in [
                    ("wins", json!(8)),
                    ("losses", json!(0)),
                    ("pentanomial", json!([0, 0, 0, 0, 4])),
                    ("score", json!(1.0)),
                    ("elo", json!(elo)),
                    ("elo_low", json!(sweep.elo_low)),
                    ("elo_high", json!(sweep.elo_high)),
                    ("los", json!(sweep.los)),
                    ("per_rules", json!([])),
                ] {
                    v[key] = value;
                }
            })
        };
        assert_eq!(with(sweep.elo), "");
        assert_eq!(with(400.0 * 15f64.log10()), "");
        assert!(with(900.0).contains("elo is 9e2"));
    }
}
