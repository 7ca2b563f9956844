//! Games to show, and what the moves of every game tell: forecasts, and the most notable games.

use crate::calibration::Forecast;
use crate::games::{GameResult, GameRow, mismatch};
use crate::record;
use fusion_game::{BoardGame, ReadGame};
use std::path::Path;

/// How the games to show are chosen.
pub const CRITERIA: &str = "Chosen by fixed criteria: the most dramatic and the shortest decisive game, the longest game with a result, and the longest drawn game. They are extremes, not typical games.";

/// The reason for showing a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The reason in a few words; empty without a particular reason.
    pub title: String,
    /// The reason in one or two sentences, with the numbers; may be empty.
    pub why: String,
}

/// A game to show, with all its moves.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// Index of the game's row.
    pub row: usize,
    /// Reason for showing the game.
    pub reason: Reason,
    /// The first position as text; `None` for the rules' initial position.
    pub start: Option<String>,
    /// Moves in engine notation, with the first side's win, draw and loss chances per mille from the
    /// search before the move.
    pub moves: Vec<(String, Option<[u16; 3]>)>,
}

impl ShownGame {
    /// Makes a game to show of a game that was read.
    #[must_use]
    pub fn new(row: usize, reason: Reason, game: &ReadGame) -> Self {
        let wdl = |comment: &Option<String>| record::wdl(comment.as_deref()?);
        let moves = game.line.moves.iter().map(|mv| (mv.text.clone(), wdl(&mv.comment)));
        Self { row, reason, start: game.start.clone(), moves: moves.collect() }
    }
}

/// What the moves tell.
#[derive(Clone, Debug, Default)]
pub struct Notable {
    /// One forecast per game at the main budget. The forecasts are independent of each other.
    pub forecasts: Vec<Forecast>,
    /// The most notable games, in the order in which they are shown.
    pub shown: Vec<ShownGame>,
}

/// Reads the games at one budget.
///
/// # Errors
/// Fails if the file cannot be read, or holds other games than the rows.
pub fn read<G: BoardGame>(path: &Path, rows: &[GameRow], nodes: u64) -> anyhow::Result<Notable> {
    let mut found = Notable::default();
    let chosen = choose(rows, nodes);
    record::each_text(
        path,
        rows,
        G::LAYOUT.paragraphs(),
        "reading the games",
        |index, row, line, bytes| {
            let text = String::from_utf8_lossy(bytes);
            check(row, &text).map_err(|what| mismatch(path, row, what))?;
            if row.nodes == nodes && !row.failed() {
                found.forecasts.extend(forecast(index, row, &text));
                if let Some((_, title)) = chosen.iter().find(|(chosen, _)| *chosen == index) {
                    let game = record::parse::<G>(path, row, line, bytes)?;
                    let reason = Reason { title: (*title).to_owned(), why: String::new() };
                    found.shown.push(ShownGame::new(index, reason, &game));
                }
            }
            Ok(())
        },
    )?;
    // In the order of the criteria.
    let place = |shown: &ShownGame| chosen.iter().position(|(row, _)| *row == shown.row);
    found.shown.sort_by_key(place);
    Ok(found)
}

/// Checks by its first lines that a game is that of its row. The moves of most games are not read.
fn check(row: &GameRow, game: &str) -> Result<(), &'static str> {
    let mut lines = game.lines();
    let [players, rules, result] =
        [(); 3].map(|()| lines.next().unwrap_or_default().split(' ').collect::<Vec<_>>());
    let opening = format!("{}:", row.opening);
    match () {
        () if rules.first() != Some(&row.rules.as_str()) => Err("another rule set"),
        () if !players.contains(&opening.as_str()) => Err("another opening"),
        () if result.first() != Some(&row.result.text()) => Err("another result"),
        () => Ok(()),
    }
}

/// Returns the forecast before one of the searched plies. The game's hash selects it, so that the
/// forecasts cover all stages of games.
fn forecast(index: usize, row: &GameRow, game: &str) -> Option<Forecast> {
    let searched: Vec<[u16; 3]> = game.split_inclusive(']').filter_map(record::wdl).collect();
    let place = (row.moves_hash % searched.len().max(1) as u64) as usize;
    searched.get(place).map(|&wdl| Forecast { row: index, wdl })
}

/// Chooses games to show by their rows: the index of each and the reason. No game is chosen twice.
fn choose(rows: &[GameRow], nodes: u64) -> Vec<(usize, &'static str)> {
    let decided = |row: &GameRow| matches!(row.result, GameResult::White | GameResult::Black);
    let drama = |row: &GameRow| (row.drama.unwrap_or_default() * 1000.0) as u32;
    let mut chosen: Vec<(usize, &'static str)> = Vec::new();
    let mut take = |title, best: &dyn Fn(&GameRow) -> Option<u32>| {
        let known = |index: usize| chosen.iter().any(|&(known, _)| known == index);
        let games = rows.iter().enumerate();
        let games = games.filter(|(i, row)| row.nodes == nodes && !row.failed() && !known(*i));
        // The first of the best ones.
        let ranked = games.filter_map(|(index, row)| Some((best(row)?, std::cmp::Reverse(index))));
        let found = ranked.max().map(|(_, std::cmp::Reverse(index))| (index, title));
        chosen.extend(found);
    };
    take("The most dramatic decisive game", &|row| decided(row).then(|| drama(row)));
    take("The shortest decisive game", &|row| decided(row).then_some(u32::MAX - row.plies));
    take("The longest game with a result", &|row| {
        (row.result != GameResult::None).then_some(row.plies)
    });
    take("The longest drawn game", &|row| row.drawn().then_some(row.plies));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    #[test]
    fn games_are_chosen_once() {
        let rows: Vec<GameRow> =
            (0..20).map(|opening| test_row("orthodox", 8, opening, opening % 3 == 0)).collect();
        let chosen = choose(&rows, 8);
        assert_eq!(chosen.len(), 4);
        let shortest = rows[chosen[1].0].plies;
        assert!(
            rows.iter()
                .filter(|row| !row.drawn())
                .all(|row| { row.plies >= shortest || row.opening == rows[chosen[0].0].opening })
        );
        assert!(choose(&rows, 9).is_empty());
    }
}
