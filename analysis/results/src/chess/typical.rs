//! Selection of the most typical game of a rule set: of its most frequent ending, and near the medians.

use super::telling::Pick;
use crate::games::{GameResult, GameRow, RowEnding, display};
use fusion_print::format::{percent, signed};
use fusion_statistics::quantile::quantile;
use std::collections::BTreeMap;

/// A number of a game, with its name.
type Measure = (&'static str, fn(&GameRow) -> f64);

/// Least number of games of which one is called typical.
const LEAST: usize = 20;

/// The numbers by which games are compared.
const MEASURES: [Measure; 5] = [
    ("plies", |row| row.plies.into()),
    ("captures", |row| row.events.of("captures").count.into()),
    ("fusions", |row| row.events.of("fusions").count.into()),
    ("fissions", |row| row.events.of("fissions").count.into()),
    ("changes of the lead", |row| row.lead_changes.into()),
];

/// Selects the game of a rule set that is nearest to the medians of the games with the most frequent ending.
/// Each distance is in units of the distance between the quartiles, at least 1; the distances are added.
pub(super) fn typical(games: &[(usize, &GameRow)], rules: &str) -> Option<Pick> {
    let all: Vec<(usize, &GameRow)> =
        games.iter().filter(|(_, row)| row.rules == rules).copied().collect();
    if all.len() < LEAST {
        return None;
    }
    let mut kinds: BTreeMap<(&str, bool), (u64, RowEnding)> = BTreeMap::new();
    let kind = |row: &GameRow| (row.ending.name(), row.result == GameResult::Draw);
    for (_, row) in &all {
        kinds.entry(kind(row)).or_insert((0, row.ending)).0 += 1;
    }
    let (&usual, &(number, ending)) = kinds.iter().max_by_key(|(_, (number, _))| *number)?;
    let alike: Vec<(usize, &GameRow)> =
        all.iter().filter(|(_, row)| kind(row) == usual).copied().collect();
    let scales: Vec<[f64; 2]> = MEASURES.iter().filter_map(|of| scale(&alike, of)).collect();
    let distance = |row: &GameRow| -> f64 {
        let each = MEASURES.iter().zip(&scales);
        each.map(|((_, value), [median, spread])| (value(row) - median).abs() / spread).sum()
    };
    let (row, game) =
        *alike.iter().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)).then(a.0.cmp(&b.0)))?;
    let numbers: Vec<String> = MEASURES
        .iter()
        .zip(&scales)
        .map(|((name, value), [median, _])| {
            let median = signed(*median, 0).replace('+', "");
            format!("{name} {} (median {median})", value(game))
        })
        .collect();
    let why = format!(
        "It ended by {}, as {} of the games under {rules} do, and is nearest to the medians of these: {}.",
        display(ending).to_lowercase(),
        percent(number as f64 / all.len() as f64),
        numbers.join(", ")
    );
    Some(Pick { row, title: format!("Typical game under {rules}"), why })
}

/// Returns the median and the distance between the quartiles, at least 1.
fn scale(games: &[(usize, &GameRow)], (_, value): &Measure) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = games.iter().map(|(_, row)| value(row)).collect();
    values.sort_by(f64::total_cmp);
    let at = |p| quantile(&values, p).ok();
    Some([at(0.5)?, (at(0.75)? - at(0.25)?).max(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    #[test]
    fn the_typical_game_is_of_the_usual_ending_and_near_the_medians() {
        let mut rows: Vec<GameRow> =
            (0..24).map(|at| test_row("orthodox", 8, at, at >= 16)).collect();
        for (row, plies) in rows.iter_mut().zip([10, 200, 90, 100, 110, 400]) {
            row.plies = plies;
        }
        // The other decisive games are short and long ones.
        rows[6..16].iter_mut().enumerate().for_each(|(at, row)| row.plies = [20, 300][at % 2]);
        rows[16..].iter_mut().for_each(|row| row.plies = 105);
        let games: Vec<(usize, &GameRow)> = rows.iter().enumerate().collect();
        let pick = typical(&games, "orthodox").unwrap();
        // 16 games were not drawn; the median of their plies is 105, between two games.
        assert_eq!(pick.row, 3);
        assert!(
            pick.why.contains("66.7%") && pick.why.contains("plies 100 (median 105)"),
            "{}",
            pick.why
        );
        assert!(
            typical(&games, "fusion-1999").is_none() && typical(&games[..19], "orthodox").is_none()
        );
    }
}
