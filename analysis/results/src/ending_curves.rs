//! Cumulative incidence of endings by ply.

use crate::games::{GameRow, RowEnding};
use crate::report_game::ReportGame;
use fusion_game::Ending;
use fusion_statistics::StatisticsError;
use fusion_statistics::incidence::{Observed, Step, aalen_johansen};
use std::collections::BTreeMap;

/// The incidence curves of one rule set.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Rule-set expression.
    pub rules: String,
    /// Share of games that have ended in this way by a ply, for each of [`ReportGame::endings`] that
    /// occurred.
    pub by_ending: Vec<(Ending, Vec<Step>)>,
}

/// Computes Aalen and Johansen's curves of each rule set at one budget, sorted by rule set.
///
/// A capped game counts as censored.
///
/// # Errors
/// Rows that were read and checked cause no error.
pub fn curves(rows: &[GameRow], nodes: u64) -> Result<Vec<Curves>, StatisticsError> {
    let game = rows.first().map(|row| ReportGame::of_rules(&row.rules)).unwrap_or_default();
    let endings = game.endings();
    let mut games: BTreeMap<&str, Vec<Observed>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.nodes == nodes) {
        let of_arm = games.entry(row.rules.as_str()).or_default();
        if !row.failed() {
            of_arm.push(Observed { time: row.plies, ending: index(&endings, row.ending) });
        }
    }
    games.into_iter().map(|(rules, games)| of_arm(rules, &endings, &games)).collect()
}

fn of_arm(rules: &str, endings: &[Ending], games: &[Observed]) -> Result<Curves, StatisticsError> {
    let curves = aalen_johansen(games, endings.len())?;
    let occurred = |steps: &Vec<Step>| steps.last().is_some_and(|last| last.share > 0.0);
    Ok(Curves {
        rules: rules.to_owned(),
        by_ending: endings
            .iter()
            .copied()
            .zip(curves)
            .filter(|(_, steps)| occurred(steps))
            .collect(),
    })
}

fn index(known: &[Ending], ending: RowEnding) -> Option<usize> {
    known.iter().position(|known| RowEnding::Game(*known) == ending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    #[test]
    fn without_capped_games_the_last_shares_are_those_of_the_endings() {
        let rows: Vec<GameRow> = (0..60).map(|i| test_row("a", 8, i, i % 3 == 0)).collect();
        let curves = curves(&rows, 8).unwrap();
        let last = |at: usize| curves[0].by_ending[at].1.last().unwrap().share;
        assert_eq!(curves[0].by_ending.len(), 2);
        assert!((last(0) - 2.0 / 3.0).abs() < 1e-12 && (last(1) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_capped_game_counts_as_stopped() {
        let mut rows: Vec<GameRow> = (0..4).map(|i| test_row("a", 8, i, true)).collect();
        rows[0].ending = RowEnding::Game(Ending::CAP);
        rows[0].plies = 1;
        let curves = curves(&rows, 8).unwrap();
        assert_eq!(curves[0].by_ending[0].1.last().unwrap().share, 1.0);
    }
}
