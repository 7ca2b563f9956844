//! What a rule is worth to one side: scores of games in which it is denied to the other side.

use crate::games::GameRow;
use crate::means;
use crate::pairs::Inference;
use crate::run_folder::{MAIN, RunFolder};
use crate::white;
use fusion_chess::rules::RuleSet;
use fusion_statistics::Interval;
use std::collections::BTreeMap;

/// Games in which some toggles are denied to one side, under both colours.
#[derive(Clone, Debug)]
pub struct Utility {
    /// Name of the measurement.
    pub measurement: String,
    /// The player.
    pub agent: String,
    /// The rule set that denies nothing.
    pub rules: String,
    /// The toggles that are denied to one side, as the expression lists them.
    pub denied: String,
    /// Nodes of each move.
    pub nodes: u64,
    /// Number of openings in which both colours have a result.
    pub openings: u64,
    /// Mean score of the side to which nothing is denied.
    pub score: f64,
    /// 95% interval of the score, from resampled openings.
    pub score95: Interval,
    /// Draw share of these games.
    pub drawn: f64,
    /// Draw share of the rule set that denies nothing, if it was played.
    pub drawn_both: Option<f64>,
}

/// Finds the rule sets that deny the same to White and to Black.
///
/// # Errors
/// Fails if the number of resamples is zero.
pub fn read(run: &RunFolder, inference: Inference) -> anyhow::Result<Vec<Utility>> {
    let extras = run.extras.iter().map(|extra| (extra.name.as_str(), &extra.games[..]));
    let mut found = Vec::new();
    for (name, rows) in std::iter::once((MAIN, &run.games[..])).chain(extras) {
        found.extend(of_measurement(name, rows, inference)?);
    }
    Ok(found)
}

/// The two rule sets that deny the same, to White and to Black.
type Denials = [Option<String>; 2];

fn of_measurement(
    name: &str,
    rows: &[GameRow],
    inference: Inference,
) -> anyhow::Result<Vec<Utility>> {
    // By budget, base and toggles.
    let mut pairs: BTreeMap<(u64, String, String), Denials> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.rules.contains("denied=")) {
        if let Some((base, white, toggles)) = without_denial(&row.rules) {
            let denials = pairs.entry((row.nodes, base, toggles)).or_default();
            denials[usize::from(!white)].get_or_insert_with(|| row.rules.clone());
        }
    }
    let mut found = Vec::new();
    for ((nodes, base, denied), denials) in pairs {
        let [Some(white), Some(black)] = denials else { continue };
        let rows = || rows.iter().filter(|row| row.nodes == nodes && !row.failed());
        let side = |rules: &str| match rules {
            rules if rules == black => Some(true),
            rules if rules == white => Some(false),
            _ => None,
        };
        let Some(difference) = means::difference(rows(), white::score, side, inference)? else {
            continue;
        };
        // 1/2 + (White's score with Black denied − White's score with White denied) / 2.
        let score = |difference: f64| 0.5 + difference / 2.0;
        found.push(Utility {
            measurement: name.to_owned(),
            agent: rows().next().map_or_else(String::new, |row| row.network.clone()),
            drawn: drawn(rows().filter(|row| side(&row.rules).is_some())).unwrap_or(f64::NAN),
            drawn_both: drawn(rows().filter(|row| row.rules == base)),
            rules: base,
            denied,
            nodes,
            openings: difference.openings,
            score: score(difference.value),
            score95: Interval {
                low: score(difference.interval.low),
                high: score(difference.interval.high),
            },
        });
    }
    Ok(found)
}

/// Returns the rule set without the denial, whether it is denied to White, and what is denied.
fn without_denial(rules: &str) -> Option<(String, bool, String)> {
    let mut rules: RuleSet = rules.parse().ok()?;
    let denied = rules.get("denied")?;
    let (side, toggles) = denied.split_once(':')?;
    rules.set("denied", "none").ok()?;
    Some((rules.to_string(), side == "white", toggles.to_owned()))
}

/// Returns the share of drawn games. `None` without games.
fn drawn<'a>(rows: impl Iterator<Item = &'a GameRow>) -> Option<f64> {
    let (games, draws) = rows.fold((0.0, 0.0), |(games, draws), row| {
        (games + 1.0, draws + f64::from(u8::from(row.drawn())))
    });
    (games > 0.0).then(|| draws / games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{GameResult, test_row};

    const RESAMPLING: Inference = Inference { resamples: 500, ..Inference::ONCE };

    fn rows(results: &[(&str, GameResult)]) -> Vec<GameRow> {
        let row = |opening: u64, (rules, result): (&str, GameResult)| GameRow {
            result,
            ..test_row(rules, 400, opening, result == GameResult::Draw)
        };
        (0..10).flat_map(|opening| results.iter().map(move |of| row(opening, *of))).collect()
    }

    #[test]
    fn the_score_is_that_of_the_side_that_may() {
        let rows = rows(&[
            ("fusion-1999", GameResult::Draw),
            ("fusion-1999,denied=white:fission", GameResult::Black),
            ("fusion-1999,denied=black:fission", GameResult::Draw),
            ("fusion-1999,denied=black:fusion", GameResult::White),
        ]);
        let found = of_measurement("x", &rows, RESAMPLING).unwrap();
        // Fusion was denied to Black only: one colour says nothing.
        let [found] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&*found.rules, &*found.denied, found.openings), ("fusion-1999", "fission", 10));
        // Black won when it alone could split; White drew when it alone could.
        assert_eq!((found.score, found.drawn, found.drawn_both), (0.75, 0.5, Some(1.0)));
        assert_eq!((found.score95.low, found.score95.high), (0.75, 0.75));
    }

    #[test]
    fn rules_that_deny_nothing_have_no_row() {
        let rows = rows(&[("fusion-1999", GameResult::Draw), ("orthodox", GameResult::White)]);
        assert!(of_measurement("x", &rows, RESAMPLING).unwrap().is_empty());
    }
}
