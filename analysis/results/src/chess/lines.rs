//! Main lines: the openings that the players chose themselves, as a tree with frequencies and results.

use crate::chess::positions;
use crate::games::{GameResult, GameRow};
use crate::run_folder::{Extra, RunFolder};
use fusion_chess::notation::pgn::PgnGame;
use fusion_chess::notation::san::san;
use serde::Serialize;
use std::collections::BTreeMap;

/// Plies of the lines.
pub const PLIES: usize = 10;
/// Least number of games of a line.
pub const LEAST: u64 = 5;
/// Least share of a rule set's games, one over this number.
pub const SHARE: u64 = 100;

/// The lines of the games of a measurement under one rule set at one budget.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Name of the measurement.
    pub measurement: String,
    /// The rule set.
    pub rules: String,
    /// Nodes of each move.
    pub nodes: u64,
    /// All games; its children are the first moves.
    pub root: Line,
}

/// A line of moves from the first position.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Line {
    /// The last move with its number, as in `3. Nf3` or `3... a6`.
    pub last: String,
    /// Games that began with the line.
    pub games: u64,
    /// Games that White won.
    pub white: u64,
    /// Draws.
    pub draws: u64,
    /// Games that Black won.
    pub black: u64,
    /// Longer lines, the most frequent first.
    pub next: Vec<Line>,
}

/// Reads the measurements in which the players choose their openings.
///
/// # Errors
/// Fails if the moves cannot be read or do not belong to the games.
pub fn read(run: &RunFolder) -> anyhow::Result<Vec<Lines>> {
    let mut found = Vec::new();
    for extra in run.extras.iter().filter(|extra| extra.own_openings()) {
        found.extend(of_measurement(extra)?);
    }
    Ok(found)
}

fn of_measurement(extra: &Extra) -> anyhow::Result<Vec<Lines>> {
    let Some(path) = &extra.moves else { return Ok(Vec::new()) };
    let mut roots: BTreeMap<(&str, u64), Line> = BTreeMap::new();
    positions::each_game(path, &extra.games, |_, row, game| {
        if !row.failed() {
            let key = (row.rules.as_str(), row.nodes);
            roots.entry(key).or_default().add(&moves(&game), row);
        }
    })?;
    let lines = |((rules, nodes), mut root): ((&str, u64), Line)| {
        root.prune(LEAST.max(root.games / SHARE));
        Lines { measurement: extra.name.clone(), rules: rules.to_owned(), nodes, root }
    };
    Ok(roots.into_iter().map(lines).collect())
}

/// Returns the first moves with their numbers. None if the rules or the first position cannot be read,
/// which was checked before.
fn moves(game: &PgnGame) -> Vec<String> {
    let (Ok(mut position), Ok(rules)) = (game.start(), game.rules()) else { return Vec::new() };
    let mut words = Vec::new();
    for (ply, mv) in game.moves.iter().take(PLIES).enumerate() {
        let dots = if ply % 2 == 0 { "." } else { "..." };
        words.push(format!("{}{dots} {}", ply / 2 + 1, san(&position, &rules, mv.mv)));
        position.play(mv.mv);
    }
    words
}

impl Line {
    fn add(&mut self, moves: &[String], row: &GameRow) {
        self.games += 1;
        match row.result {
            GameResult::White => self.white += 1,
            GameResult::Draw => self.draws += 1,
            GameResult::Black => self.black += 1,
            GameResult::None => {}
        }
        let Some((first, rest)) = moves.split_first() else { return };
        let place = self.next.iter().position(|line| line.last == *first).unwrap_or_else(|| {
            self.next.push(Line { last: first.clone(), ..Line::default() });
            self.next.len() - 1
        });
        self.next[place].add(rest, row);
    }

    /// Leaves out lines with fewer games, and sorts the others.
    fn prune(&mut self, least: u64) {
        self.next.retain(|line| line.games >= least);
        self.next.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.last.cmp(&b.last)));
        self.next.iter_mut().for_each(|line| line.prune(least));
    }

    /// Appends each line with its moves.
    pub fn list<'a>(&'a self, before: &str, lines: &mut Vec<(String, &'a Line)>) {
        for line in &self.next {
            // White's move has the number.
            let last = match line.last.split_once("... ") {
                Some((_, black)) => black,
                None => &line.last,
            };
            let moves = format!("{before} {last}").trim_start().to_owned();
            lines.push((moves.clone(), line));
            line.list(&moves, lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_row;

    #[test]
    fn lines_are_counted_pruned_and_sorted() {
        let mut root = Line::default();
        let line = |words: &str| words.split(", ").map(str::to_owned).collect::<Vec<_>>();
        for at in 0..6 {
            let drawn = at < 2;
            root.add(&line("1. e4, 1... e5"), &test_row("orthodox", 8, at, drawn));
        }
        for at in 6..13 {
            root.add(&line("1. d4, 1... d5"), &test_row("orthodox", 8, at, false));
        }
        root.add(&line("1. a3"), &test_row("orthodox", 8, 13, true));
        root.prune(5);
        let mut lines = Vec::new();
        root.list("", &mut lines);
        let found: Vec<(&str, u64, u64)> =
            lines.iter().map(|(moves, line)| (moves.as_str(), line.games, line.draws)).collect();
        let expected = [("1. d4", 7, 0), ("1. d4 d5", 7, 0), ("1. e4", 6, 2), ("1. e4 e5", 6, 2)];
        assert_eq!(found, expected);
        assert_eq!((root.games, root.draws), (14, 3));
    }
}
