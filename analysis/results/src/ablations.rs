//! Effects of toggles that are changed one at a time.
//!
//! The games are those under one rule set and those under all rule sets that differ from it in one
//! toggle.

use crate::games::GameRow;
use crate::means::{self, Difference};
use crate::pairs::{self, Inference, Pair};
use crate::report_game::ReportGame;
use crate::white::{self, Edge};
use fusion_statistics::multiple::holm;
use std::collections::BTreeSet;

/// Changes of one rule set, one toggle at a time.
#[derive(Clone, Debug)]
pub struct Ablations {
    /// Name of the measurement with the games.
    pub measurement: String,
    /// The rule set that is changed.
    pub base: String,
    /// Nodes per move.
    pub nodes: u64,
    /// The changes, in the order of the rules' table.
    pub changes: Vec<Change>,
}

/// A change of one toggle.
#[derive(Clone, Debug)]
pub struct Change {
    /// The toggle.
    pub toggle: &'static str,
    /// The toggle with its new value, as in `castling=no`.
    pub text: String,
    /// Changed rule set minus base, paired by opening.
    pub pair: Pair,
    /// The judged p-value after Holm's adjustment over the changes.
    pub holm_p: f64,
    /// White's score with the change minus that without.
    pub white: Option<Edge>,
    /// Length of games with the change minus that without, in plies. A capped game has the length
    /// of the cap.
    pub plies: Option<Difference>,
}

impl Change {
    /// Significance level of the adjusted p-value.
    pub const ALPHA: f64 = 0.05;

    /// Returns whether the change of draws is significant after the adjustment.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.holm_p < Self::ALPHA
    }
}

/// Compares the rule sets of a measurement with the one from which each differs in one toggle.
///
/// The comparison is at the largest budget. Returns `None` if there is no such rule set, or if only
/// one rule set differs from it.
///
/// # Errors
/// Rows that were read and checked cause no error.
pub fn ablations(
    measurement: &str,
    rows: &[GameRow],
    inference: Inference,
) -> anyhow::Result<Option<Ablations>> {
    let texts: BTreeSet<&str> = rows.iter().map(|row| row.rules.as_str()).collect();
    let game = texts.first().map(|rules| ReportGame::of_rules(rules)).unwrap_or_default();
    let rules: Vec<(&str, Vec<String>)> =
        texts.iter().filter_map(|text| Some((*text, game.values(text)?))).collect();
    let one_apart = |base: &[String]| {
        let mut others = rules.iter().filter(|(_, rules)| rules != base);
        others.all(|(_, rules)| differences(base, rules).len() == 1)
    };
    let bases: Vec<&(&str, Vec<String>)> =
        rules.iter().filter(|(_, base)| rules.len() > 2 && one_apart(base)).collect();
    let ([(text, base)], Some(nodes)) = (&bases[..], rows.iter().map(|row| row.nodes).max()) else {
        return Ok(None);
    };
    let mut others: Vec<(usize, &(&str, Vec<String>))> = rules
        .iter()
        .filter_map(|other| Some((*differences(base, &other.1).first()?, other)))
        .collect();
    others.sort_by_key(|(place, _)| *place);
    let mut changes = Vec::new();
    for (place, (other, values)) in others {
        let of_both =
            |row: &&GameRow| row.nodes == nodes && (row.rules == *text || row.rules == *other);
        let games: Vec<GameRow> = rows.iter().filter(of_both).cloned().collect();
        let pair = pairs::compare(&games, Some((other, text)), inference)?.pop();
        let toggle = game.toggles()[place].name;
        let changed = |rules: &str| Some(rules == *other);
        let plies = |row: &GameRow| (!row.failed()).then_some(f64::from(row.plies));
        let white = white::difference(games.iter(), changed, inference)?;
        let plies = means::difference(games.iter(), plies, changed, inference)?;
        changes.extend(pair.map(|pair| Change {
            toggle,
            text: format!("{toggle}={}", values[place]),
            holm_p: pair.p,
            pair,
            white,
            plies,
        }));
    }
    let p: Vec<f64> = changes.iter().map(|change| change.pair.p).collect();
    for (change, p) in changes.iter_mut().zip(holm(&p)?) {
        change.holm_p = p;
    }
    let (measurement, base) = (measurement.to_owned(), (*text).to_owned());
    Ok(Some(Ablations { measurement, base, nodes, changes }))
}

/// Returns the places of the toggles in which two rule sets differ.
fn differences(a: &[String], b: &[String]) -> Vec<usize> {
    (0..a.len()).filter(|&place| a[place] != b[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    fn rows(arms: &[(&'static str, u64)]) -> Vec<GameRow> {
        let game = |&(rules, every): &(&'static str, u64)| {
            (0..120).map(move |opening| test_row(rules, 8, opening, opening % every == 0))
        };
        arms.iter().flat_map(game).collect()
    }

    #[test]
    fn each_change_is_compared_with_the_base() {
        let arms =
            [("fusion-2020", 2), ("fusion-2020,castling=no", 4), ("fusion-2020,fission=no", 2)];
        let inference = Inference::ONCE;
        let found = ablations("x", &rows(&arms), inference).unwrap().unwrap();
        assert_eq!((found.base.as_str(), found.changes.len()), ("fusion-2020", 2));
        let [fission, castling] = &found.changes[..] else { panic!() };
        assert_eq!((fission.text.as_str(), castling.text.as_str()), ("fission=no", "castling=no"));
        assert_eq!((castling.pair.difference, fission.pair.difference), (-0.25, 0.0));
        assert_eq!(castling.pair.first, "fusion-2020,castling=no");
        assert!(castling.holm_p < 0.001 && fission.holm_p == 1.0);
        assert!(castling.is_significant() && !fission.is_significant());
        let plies = castling.plies.unwrap();
        assert_eq!((plies.openings, plies.value), (120, 0.0));
        // A quarter of the openings are won instead of drawn.
        assert!((castling.white.unwrap().score.value.abs() - 0.125).abs() < 1e-9);
    }

    #[test]
    fn other_rule_sets_are_no_ablations() {
        let inference = Inference::ONCE;
        let presets = [("fusion-1999", 2), ("fusion-2006", 3), ("fusion-2020", 4)];
        assert!(ablations("x", &rows(&presets), inference).unwrap().is_none());
        let two = [("fusion-2020", 2), ("fusion-2020,castling=no", 4)];
        assert!(ablations("x", &rows(&two), inference).unwrap().is_none(), "that is the verdict");
    }
}
