//! Placebo tests: toggles without effect, an arm against itself in real games.
//!
//! Where nothing splits, for example, it cannot matter whether an attacked piece may split. The network
//! still receives that toggle as input and plays other games. A difference in draws would show an agent
//! that reacts to the name of a rule, or an error of the method.

use crate::games::GameRow;
use fusion_chess::rules::{RuleSet, TOGGLES};
use fusion_statistics::bootstrap::Bootstrap;
use fusion_statistics::{Confidence, Interval};
use std::collections::{BTreeMap, BTreeSet};

/// Stands for all toggles.
pub const TOGETHER: &str = "all together";
const RESAMPLES: u32 = 4_000;

/// Draws under a rule set minus draws under the same rules as a preset or nearer to one.
#[derive(Clone, Debug)]
pub struct Placebo {
    /// The toggle, or [`TOGETHER`].
    pub toggle: String,
    /// Number of pairs of games that differ only in the toggle.
    pub pairs: u64,
    /// Mean difference in draws.
    pub difference: f64,
    /// 95% interval of the difference, from resampled openings.
    pub interval: Interval,
    /// Simultaneous interval: those of all inert toggles together cover with 95%.
    pub joint: Interval,
}

/// Two games from one opening at one budget: by the rules nearer to a preset, and by the same rules under another name.
type Pairs<'a> = Vec<[&'a GameRow; 2]>;

/// Compares pairs of games whose rule sets differ only in an inert toggle, from one opening at one budget: the rule set
/// that is further from a preset less the other one. The last of several toggles is [`TOGETHER`].
///
/// Returns an empty list without such pairs.
///
/// # Errors
/// Rows that were read and checked cause no error.
pub fn placebos(rows: &[GameRow], seed: u64) -> anyhow::Result<Vec<Placebo>> {
    let names: BTreeSet<&str> = rows.iter().map(|row| row.rules.as_str()).collect();
    let toggles = TOGGLES.iter().map(|toggle| (toggle.name, pairs(rows, &names, toggle.name)));
    let mut toggles: Vec<(&str, Pairs)> = toggles.filter(|(_, pairs)| pairs.len() > 1).collect();
    if toggles.len() > 1 {
        toggles.push((TOGETHER, toggles.iter().flat_map(|(_, pairs)| pairs.clone()).collect()));
    }
    let count = toggles.len();
    let compared = toggles.iter().map(|(toggle, pairs)| compare(toggle, pairs, count, seed));
    Ok(compared.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns the pairs of games that differ only in an inert toggle, with the rule set nearer to a preset first.
fn pairs<'a>(rows: &'a [GameRow], names: &BTreeSet<&str>, toggle: &str) -> Pairs<'a> {
    let bases: BTreeMap<&str, String> =
        names.iter().filter_map(|name| Some((*name, without(name, toggle)?))).collect();
    let mut games: BTreeMap<(u64, u64, &str), BTreeMap<&str, &GameRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.failed()) {
        if let Some(base) = bases.get(row.rules.as_str()) {
            let game = games.entry((row.opening, row.nodes, base)).or_default();
            game.insert(&row.rules, row);
        }
    }
    let in_turn = |game: BTreeMap<&str, &'a GameRow>| {
        let mut game: Vec<&GameRow> = game.into_values().collect();
        game.sort_by_key(|row| row.rules.matches(',').count());
        let [near, others @ ..] = &game[..] else { return Vec::new() };
        others.iter().map(|far| [*near, *far]).collect()
    };
    games.into_values().flat_map(in_turn).collect()
}

/// Returns the rule set with the toggle as in fusion-2020. Returns `None` unless the toggle is inert.
fn without(rules: &str, toggle: &str) -> Option<String> {
    let mut rules: RuleSet = rules.parse().ok()?;
    let is_inert = !rules.applies(toggle);
    let value = RuleSet::preset("fusion-2020").ok()?.get(toggle)?;
    rules.set(toggle, &value).ok()?;
    (is_inert && !rules.applies(toggle)).then(|| rules.to_string())
}

fn compare(
    toggle: &str,
    pairs: &Pairs,
    intervals: usize,
    seed: u64,
) -> anyhow::Result<Option<Placebo>> {
    // For each opening: the total of its pairs' differences, and the number of pairs.
    let mut openings: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    for [near, far] in pairs {
        let totals = openings.entry(near.opening).or_default();
        totals[0] += f64::from(u8::from(far.drawn())) - f64::from(u8::from(near.drawn()));
        totals[1] += 1.0;
    }
    let clusters: Vec<[f64; 2]> = openings.into_values().collect();
    let total = clusters.iter().fold([0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]]);
    if clusters.len() < 2 {
        return Ok(None);
    }
    let mean = |[total, pairs]: &[f64; 2]| Some(total / pairs);
    let resampled = Bootstrap::draw(&clusters, mean, RESAMPLES, seed)?;
    let interval = resampled.interval(Confidence::P95)?;
    let joint = resampled.interval(Confidence::new(1.0 - 0.05 / intervals as f64)?)?;
    let (pairs, difference) = (total[1] as u64, total[0] / total[1]);
    Ok(Some(Placebo { toggle: toggle.to_owned(), pairs, difference, interval, joint }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    /// Returns the games of 80 openings under two rule sets; `drawn` says of which opening and rule set they are drawn.
    fn games(names: [&str; 2], drawn: fn(u64, usize) -> bool) -> Vec<GameRow> {
        let rules = names.map(|name| name.parse::<RuleSet>().unwrap().to_string());
        let rules = |opening| rules.iter().enumerate().map(move |(i, rules)| (opening, i, rules));
        (0..80)
            .flat_map(rules)
            .map(|(opening, i, rules)| test_row(rules, 8, opening, drawn(opening, i)))
            .collect()
    }

    #[test]
    fn only_inert_toggles_are_compared() {
        let base = "fusion-2020,king-fuses=no,fuse-onto-king=no";
        let changed = format!("{base},sliders-cross-check=yes");
        let rows = games([base, &changed], |opening, i| (opening as usize + i).is_multiple_of(2));
        let found = placebos(&rows, 1).unwrap();
        assert_eq!((found.len(), found[0].toggle.as_str()), (1, "sliders-cross-check"));
        assert_eq!((found[0].pairs, found[0].difference), (80, 0.0));
        assert!(found[0].interval.contains(0.0) && found[0].interval.low < 0.0);
        // With royal compounds on the board the toggle has an effect.
        let royal = ["fusion-2020", "fusion-2020,sliders-cross-check=yes"];
        assert!(placebos(&games(royal, |_, _| true), 1).unwrap().is_empty());
    }

    #[test]
    fn a_preset_comes_first_whatever_the_value() {
        let drawn = |opening, i| i == 1 && opening < 20;
        let mut rows = games(["orthodox", "orthodox,attacked-split=no"], drawn);
        let found = placebos(&rows, 1).unwrap();
        assert_eq!((found[0].toggle.as_str(), found[0].difference), ("attacked-split", 0.25));
        // Nothing splits in orthodox chess: its own game serves both toggles.
        rows.extend(games(["fusion-1999", "orthodox,royal-reach=path"], drawn));
        let found = placebos(&rows, 1).unwrap();
        let toggles: Vec<&str> = found.iter().map(|of| of.toggle.as_str()).collect();
        assert_eq!(toggles, ["attacked-split", "royal-reach", TOGETHER]);
        assert_eq!((found[2].pairs, found[2].difference), (160, 0.25));
        assert!(found[2].joint.low < found[2].interval.low);
    }
}
