//! Consistency of a match's statistics with its counts.

use super::{RulesStrength, Strength};
use fusion_statistics::elo::{Pentanomial, elo};

/// Tolerance of scores, which are sums of quarters.
const SCORE: f64 = 1e-6;
/// Tolerance of Elo differences, which some files round.
const ELO: f64 = 0.15;
/// Tolerance of the likelihood of superiority, which some files round.
const LOS: f64 = 1e-3;

/// The statistics that a match and its parts have in common.
struct Figures {
    games: u64,
    /// Games won and lost, if recorded.
    decided: Option<[u64; 2]>,
    pentanomial: Option<Pentanomial>,
    score: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    los: Option<f64>,
}

/// Checks the statistics of a match and its parts.
///
/// A game that neither player won, drawn or without a result, counts half a point for each.
///
/// # Errors
/// Returns a description of the first contradiction.
pub(super) fn check(strength: &Strength) -> Result<(), String> {
    let Strength { games, wins, losses, pentanomial, score, .. } = *strength;
    let Strength { elo, elo_low, elo_high, los, .. } = *strength;
    let decided = Some([wins, losses]);
    Figures { games, decided, pentanomial, score, elo, elo_low, elo_high, los }.check()?;
    let mut left = games;
    for part in &strength.per_rules {
        let RulesStrength { games, pentanomial, score, elo, elo_low, elo_high, .. } = *part;
        let decided = part.wins.zip(part.losses).map(|(wins, losses)| [wins, losses]);
        let figures =
            Figures { games, decided, pentanomial, score, elo, elo_low, elo_high, los: None };
        figures.check().map_err(|what| format!("under {}: {what}", part.rules))?;
        left = left.checked_sub(games).ok_or("the rule sets have more games than there are")?;
    }
    match left {
        _ if strength.per_rules.is_empty() => Ok(()),
        0 => Ok(()),
        _ => Err("the rule sets have fewer games than there are".into()),
    }
}

impl Figures {
    fn check(&self) -> Result<(), String> {
        if let Some(halves) = self.halves()? {
            let expected = halves as f64 / (2.0 * self.games.max(1) as f64);
            agrees("score", self.score, Some(expected), SCORE)?;
        }
        if !self.score.is_none_or(|score| (0.0..=1.0).contains(&score)) {
            return Err("the score is not between 0 and 1".into());
        }
        if !self.los.is_none_or(|los| (0.0..=1.0).contains(&los)) {
            return Err("the likelihood of superiority (los) is no probability".into());
        }
        self.check_elo()?;
        let Some(estimate) = self.pentanomial.and_then(|counts| counts.estimate()) else {
            return Ok(());
        };
        agrees("elo_low", self.elo_low, Some(estimate.elo_low), ELO)?;
        agrees("elo_high", self.elo_high, Some(estimate.elo_high), ELO)?;
        agrees("los", self.los, Some(estimate.los), LOS)
    }

    /// Returns the number of half points, after comparing that of the games with that of the pairs.
    fn halves(&self) -> Result<Option<u64>, String> {
        let by_games = match self.decided {
            None => None,
            Some([wins, losses]) => {
                let others = wins.checked_add(losses).and_then(|sum| self.games.checked_sub(sum));
                let others = others.ok_or("more games are won and lost than were played")?;
                wins.checked_mul(2).and_then(|halves| halves.checked_add(others))
            }
        };
        if let Some(Pentanomial(pairs)) = self.pentanomial {
            let sum = |weight: fn(u64) -> u64| {
                let terms = (0..).zip(pairs).map(|(i, count)| count.checked_mul(weight(i)));
                terms.sum::<Option<u64>>()
            };
            let of_games = by_games.is_none() || sum(|halves| halves) == by_games;
            if sum(|_| 2) != Some(self.games) || !of_games {
                return Err("the pairs (pentanomial) are not of these games".into());
            }
        }
        Ok(by_games)
    }

    fn check_elo(&self) -> Result<(), String> {
        let all = [self.elo_low, self.elo, self.elo_high];
        if !all.into_iter().flatten().all(f64::is_finite) {
            return Err("an Elo difference is not a finite number".into());
        }
        // Scores are clamped to half a point from 0 and 1, where the Elo is not finite.
        let margin = (0.5 / self.games.max(1) as f64).min(0.5);
        let expected = self.score.map(|score| elo(score.clamp(margin, 1.0 - margin)));
        if self.score.is_some() {
            agrees("elo", self.elo, expected, ELO)?;
        }
        match all.into_iter().flatten().is_sorted() {
            true => Ok(()),
            false => Err("the Elo difference is outside of its interval".into()),
        }
    }
}

/// Checks one statistic, if it is given.
fn agrees(
    name: &str,
    found: Option<f64>,
    expected: Option<f64>,
    tolerance: f64,
) -> Result<(), String> {
    match (found, expected) {
        (Some(found), Some(expected)) if (found - expected).abs() <= tolerance => Ok(()),
        (Some(found), Some(expected)) => {
            Err(format!("{name} is {found:e}; the games give {expected:.6}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the error of a match after a change, or an empty string if it is valid.
    fn refused(change: impl Fn(&mut serde_json::Value)) -> String {
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
        assert_eq!(refused(|_| {}), "");
        assert!(refused(|v| v["wins"] = json!(8)).contains("more games are won and lost"));
        assert!(refused(|v| v["wins"] = json!(6)).contains("not of these games"));
        let without = |v: &mut serde_json::Value, key: &str, value: f64| {
            v["pentanomial"] = json!(null);
            v[key] = json!(value);
        };
        for (key, value, said) in [
            ("score", 0.99, "score is 9.9e-1; the games give 0.750000"),
            ("score", -1e308, "score is -1e308; the games give"),
            ("elo", 900.0, "elo is 9e2; the games give 190.848502"),
            ("elo_low", 200.0, "outside of its interval"),
            ("elo_high", 100.0, "outside of its interval"),
            ("los", 1.5, "no probability"),
        ] {
            let what = refused(|v| without(v, key, value));
            assert!(what.contains(said), "{key}: {what}");
        }
        assert!(refused(|v| v["elo_low"] = json!(-90.0)).contains("elo_low is -9e1; the games"));
        assert!(refused(|v| v["elo_high"] = json!(900.0)).contains("elo_high is 9e2; the games"));
        assert!(refused(|v| v["los"] = json!(0.5)).contains("los is 5e-1; the games"));
        let part = refused(|v| v["per_rules"][0]["score"] = json!(0.5));
        assert!(part.contains("under orthodox: score is 5e-1"), "{part}");
        let pairs = refused(|v| v["pentanomial"] = json!([u64::MAX, 1, 1, 1, 1]));
        assert!(pairs.contains("not of these games"), "{pairs}");
        let other = |games| {
            let part = json!([{"rules": "orthodox", "games": games}]);
            refused(|v| v["per_rules"] = part.clone())
        };
        assert!(other(6).contains("fewer games") && other(10).contains("more games"));
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
            assert_eq!(refused(change), "");
        }
    }

    #[test]
    fn a_sweep_has_the_elo_of_half_a_point_less() {
        let sweep = Pentanomial([0, 0, 0, 0, 4]).estimate().unwrap();
        let with = |elo: f64| {
            refused(|v| {
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
