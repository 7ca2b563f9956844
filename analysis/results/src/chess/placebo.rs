//! Placebo tests: toggles without effect, an arm against itself in real games.
//!
//! If the King may not move to fuse and no piece may move onto the King, no royal compound is ever
//! on the board. Toggles for the moves of such compounds through check then have no effect. The
//! network still receives those toggles as input and plays other games. A difference in draws would
//! show an agent that reacts to the name of a rule, or an error of the method.

use crate::games::GameRow;
use fusion_chess::rules::RuleSet;
use fusion_statistics::bootstrap::Bootstrap;
use fusion_statistics::{Confidence, Interval};
use std::collections::BTreeMap;

/// Toggles that apply only to royal compounds.
const INERT: [&str; 2] = ["sliders-cross-check", "leapers-cross-check"];
const RESAMPLES: u32 = 4_000;

/// Draws with an inert toggle minus draws without it.
#[derive(Clone, Debug)]
pub struct Placebo {
    /// The toggle.
    pub toggle: &'static str,
    /// Number of pairs of games that differ only in the toggle.
    pub pairs: u64,
    /// Mean difference in draws.
    pub difference: f64,
    /// 95% interval of the difference, from resampled openings.
    pub interval: Interval,
    /// Simultaneous interval: the intervals of all inert toggles together cover with 95%.
    pub joint: Interval,
}

/// Compares pairs of games that differ only in an inert toggle, from one opening at one budget.
///
/// Returns an empty list without such pairs.
///
/// # Errors
/// Rows that were read and checked cause no error.
pub fn placebos(rows: &[GameRow], seed: u64) -> anyhow::Result<Vec<Placebo>> {
    let mut found = Vec::new();
    for toggle in INERT {
        let mut games: BTreeMap<(u64, u64, String), [Option<&GameRow>; 2]> = BTreeMap::new();
        for row in rows.iter().filter(|row| !row.failed()) {
            if let Some((base, on)) = without(&row.rules, toggle) {
                let key = (row.opening, row.nodes, base);
                games.entry(key).or_default()[usize::from(on)] = Some(row);
            }
        }
        found.extend(compare(toggle, &games, seed)?);
    }
    Ok(found)
}

/// Returns the rule set with the toggle off, and whether the toggle was on. Returns `None` unless
/// the toggle is inert.
fn without(rules: &str, toggle: &str) -> Option<(String, bool)> {
    let mut rules: RuleSet = rules.parse().ok()?;
    let on = rules.get(toggle)? == "yes";
    rules.set(toggle, "no").ok()?;
    let inert = !rules.king_fuses && !rules.fuse_onto_king;
    inert.then(|| (rules.to_string(), on))
}

fn compare(
    toggle: &'static str,
    games: &BTreeMap<(u64, u64, String), [Option<&GameRow>; 2]>,
    seed: u64,
) -> anyhow::Result<Option<Placebo>> {
    // For each opening: the sum of its pairs' differences, and the number of pairs.
    let mut openings: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    for ((opening, ..), pair) in games {
        let [Some(off), Some(on)] = pair else { continue };
        let sums = openings.entry(*opening).or_default();
        sums[0] += f64::from(u8::from(on.drawn())) - f64::from(u8::from(off.drawn()));
        sums[1] += 1.0;
    }
    let clusters: Vec<[f64; 2]> = openings.into_values().collect();
    let total = clusters.iter().fold([0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]]);
    if clusters.len() < 2 {
        return Ok(None);
    }
    let mean = |[sum, pairs]: &[f64; 2]| Some(sum / pairs);
    let resampled = Bootstrap::draw(&clusters, mean, RESAMPLES, seed)?;
    let interval = resampled.interval(Confidence::P95)?;
    let joint = resampled.interval(Confidence::new(1.0 - 0.05 / INERT.len() as f64)?)?;
    let (pairs, difference) = (total[1] as u64, total[0] / total[1]);
    Ok(Some(Placebo { toggle, pairs, difference, interval, joint }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    #[test]
    fn only_inert_toggles_are_compared() {
        let base = "fusion-2020,king-fuses=no,fuse-onto-king=no";
        let rows: Vec<GameRow> = (0..80)
            .flat_map(|opening| {
                ["no", "yes"].map(|value| {
                    let text = format!("{base},sliders-cross-check={value}");
                    let rules = text.parse::<RuleSet>().unwrap().to_string();
                    test_row(&rules, 8, opening, (opening + u64::from(value == "yes")) % 2 == 0)
                })
            })
            .collect();
        let found = placebos(&rows, 1).unwrap();
        assert_eq!((found.len(), found[0].toggle, found[0].pairs), (1, INERT[0], 80));
        assert_eq!(found[0].difference, 0.0);
        assert!(found[0].interval.contains(0.0) && found[0].interval.low < 0.0);
        // With royal compounds on the board the toggle has an effect.
        let royal: Vec<GameRow> = (0..80)
            .flat_map(|opening| {
                ["fusion-2020", "fusion-2020,sliders-cross-check=yes"]
                    .map(|rules| test_row(rules, 8, opening, opening % 3 == 0))
            })
            .collect();
        assert!(placebos(&royal, 1).unwrap().is_empty());
    }
}
