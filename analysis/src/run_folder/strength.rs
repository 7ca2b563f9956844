//! Whether the figures of a match follow from its counts.

use super::{RulesStrength, Strength};
use fusion_selfplay::elo::elo;

/// Scores may differ by so much: they are sums of quarters.
const SCORE: f64 = 1e-6;
/// Elo differences may: some files round them.
const ELO: f64 = 0.15;

/// The figures that both a match and its parts have.
struct Figures {
    games: u64,
    score: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

/// Checks a match and its parts.
///
/// # Errors
/// What is wrong.
pub(super) fn check(strength: &Strength) -> Result<(), String> {
    let Strength { games, wins, draws, losses, score, elo, elo_low, elo_high, .. } = *strength;
    if total([wins, draws, losses]) != Some(games) {
        return Err("wins, draws and losses do not add up to games".into());
    }
    check_score(games, [wins, draws, losses], score)?;
    Figures { games, score, elo, elo_low, elo_high }.check()?;
    if !strength.los.is_none_or(|los| (0.0..=1.0).contains(&los)) {
        return Err("the likelihood of superiority (los) is no probability".into());
    }
    for part in &strength.per_rules {
        part_of(part).map_err(|what| format!("under {}: {what}", part.rules))?;
    }
    let parts: Vec<u64> = strength.per_rules.iter().map(|part| part.games).collect();
    if !parts.is_empty() && total(parts) != Some(games) {
        return Err("the games of the rule sets do not add up to games".into());
    }
    Ok(())
}

fn part_of(part: &RulesStrength) -> Result<(), String> {
    let RulesStrength { games, wins, draws, losses, score, elo, elo_low, elo_high, .. } = *part;
    if let (Some(wins), Some(draws), Some(losses)) = (wins, draws, losses) {
        if total([wins, draws, losses]) != Some(games) {
            return Err("wins, draws and losses do not add up to games".into());
        }
        check_score(games, [wins, draws, losses], score)?;
    }
    Figures { games, score, elo, elo_low, elo_high }.check()
}

fn total(counts: impl IntoIterator<Item = u64>) -> Option<u64> {
    counts.into_iter().try_fold(0, u64::checked_add)
}

/// Checks the score against the games that it is of.
fn check_score(games: u64, counts: [u64; 3], score: Option<f64>) -> Result<(), String> {
    let [wins, draws, _] = counts.map(|count| count as f64);
    let expected = (games > 0).then(|| (wins + draws / 2.0) / games as f64);
    match (score, expected) {
        (Some(score), Some(expected)) if (score - expected).abs() <= SCORE => Ok(()),
        (Some(score), Some(expected)) => {
            Err(format!("the score {score:e} is not that of the games, {expected:.6}"))
        }
        (Some(_), None) => Err("a score without games".into()),
        (None, _) => Ok(()),
    }
}

impl Figures {
    fn check(&self) -> Result<(), String> {
        let finite = |value: Option<f64>| value.is_none_or(f64::is_finite);
        if !self.score.is_none_or(|score| (0.0..=1.0).contains(&score)) {
            return Err("the score is not between 0 and 1".into());
        }
        if ![self.elo, self.elo_low, self.elo_high].into_iter().all(finite) {
            return Err("an Elo difference is not a finite number".into());
        }
        if let (Some(score), Some(found)) = (self.score, self.elo) {
            // Nearer to nothing or everything than half a point there is no difference.
            let margin = 0.5 / self.games.max(1) as f64;
            let expected = elo(score.clamp(margin.min(0.5), 1.0 - margin.min(0.5)));
            if (found - expected).abs() > ELO {
                let message = format!("the Elo difference {found:.1} is not that of the score");
                return Err(format!("{message}, {expected:.1}"));
            }
        }
        let ordered = |low: Option<f64>, high: Option<f64>| !matches!((low, high), (Some(a), Some(b)) if a > b);
        if !ordered(self.elo_low, self.elo) || !ordered(self.elo, self.elo_high) {
            return Err("the Elo difference is outside of its interval".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(change: impl Fn(&mut serde_json::Value)) -> String {
        let mut value = json!({
            "first": {"network": "a", "nodes": 1}, "second": {"network": "b", "nodes": 1},
            "rules": ["orthodox"], "games": 8, "wins": 5, "draws": 2, "losses": 1,
            "score": 0.75, "elo": 190.8485, "elo_low": -20.0, "elo_high": 500.0, "los": 0.97,
            "per_rules": [{"rules": "orthodox", "games": 8, "wins": 5, "draws": 2, "losses": 1,
                "score": 0.75, "elo": 190.8485, "elo_low": -20.0, "elo_high": 500.0}]
        });
        change(&mut value);
        let strength: Strength = serde_json::from_value(value).unwrap();
        check(&strength).err().unwrap_or_default()
    }

    #[test]
    fn figures_follow_from_the_counts() {
        assert_eq!(refused(|_| {}), "");
        assert!(refused(|v| v["wins"] = json!(6)).contains("do not add up"));
        assert!(refused(|v| v["score"] = json!(0.99)).contains("not that of the games, 0.750000"));
        assert!(refused(|v| v["score"] = json!(-1e308)).contains("not that of the games"));
        assert!(refused(|v| v["elo"] = json!(900.0)).contains("not that of the score, 190.8"));
        assert!(refused(|v| v["elo_low"] = json!(200.0)).contains("outside of its interval"));
        assert!(refused(|v| v["elo_high"] = json!(100.0)).contains("outside of its interval"));
        assert!(refused(|v| v["los"] = json!(1.5)).contains("no probability"));
        let part = refused(|v| v["per_rules"][0]["score"] = json!(0.5));
        assert!(part.contains("under orthodox: the score"), "{part}");
        assert!(refused(|v| v["per_rules"][0]["losses"] = json!(2)).contains("do not add up"));
        let fewer = refused(|v| v["per_rules"] = json!([{"rules": "orthodox", "games": 6}]));
        assert!(fewer.contains("of the rule sets"), "{fewer}");
    }

    #[test]
    fn a_sweep_has_the_elo_of_half_a_point_less() {
        let sweep = |elo: f64| {
            refused(|v| {
                for (key, value) in [("wins", 8), ("draws", 0), ("losses", 0)] {
                    v[key] = json!(value);
                    v["per_rules"][0][key] = json!(value);
                }
                for at in ["", "/per_rules/0"] {
                    v.pointer_mut(at).unwrap()["score"] = json!(1.0);
                    v.pointer_mut(at).unwrap()["elo"] = json!(elo);
                    v.pointer_mut(at).unwrap()["elo_high"] = json!(elo.max(500.0));
                }
            })
        };
        assert_eq!(sweep(400.0 * 15f64.log10()), "");
        assert!(sweep(900.0).contains("not that of the score"));
    }
}
