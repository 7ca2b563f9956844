//! Games that have no format of their own: the forecasts of their searches, and games to play
//! through on a board.
//!
//! They are read from `games.txt`, which lists them in the order of `games.csv`, with an empty line
//! after each. [`fusion_game::GameText`] describes a game's lines.

use crate::calibration::Forecast;
use crate::games::{GameResult, GameRow, mismatch, too_many};
use crate::run_folder::files::{self, Granted};
use anyhow::Context;
use fusion_jobs::stop::Stop;
use fusion_print::progress::Progress;
use std::io::BufRead;
use std::path::Path;

/// Largest size in bytes of a game's first lines, and of each ply with its evaluation. Both are many
/// times the usual size.
const HEADER: u64 = 64 << 10;
const PLY: u64 = 512;

/// A game to show.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// Index of the game's row.
    pub row: usize,
    /// Reason for showing it.
    pub title: &'static str,
    /// The game's text.
    pub text: String,
}

/// What the moves tell.
#[derive(Clone, Debug, Default)]
pub struct PlainGames {
    /// One forecast per game at the main budget. The forecasts are independent of each other.
    pub forecasts: Vec<Forecast>,
    /// The most notable games, in the order in which they are shown.
    pub shown: Vec<ShownGame>,
}

/// Reads the games at one budget.
///
/// # Errors
/// Fails if the file cannot be read, or holds other games than the rows.
pub fn read(path: &Path, rows: &[GameRow], nodes: u64) -> anyhow::Result<PlainGames> {
    let mut found = PlainGames::default();
    let mut chosen = choose(rows, nodes);
    let progress = Progress::new("reading the games", rows.len());
    let stop = Stop::of_process();
    let (mut text, grant) = Granted::new(files::open(path)?);
    for (index, row) in rows.iter().enumerate() {
        stop.check_unsaved()?;
        grant.renew(HEADER + PLY * u64::from(row.plies));
        let game = next(&mut text).with_context(|| path.display().to_string())?;
        let game = game.ok_or_else(|| mismatch(path, row, "the file ends before it"))?;
        check(row, &game).map_err(|what| mismatch(path, row, what))?;
        if row.nodes == nodes && !row.failed() {
            found.forecasts.extend(forecast(index, row, &game));
        }
        for (_, title) in chosen.extract_if(.., |(chosen, _)| *chosen == index) {
            found.shown.push(ShownGame { row: index, title, text: game.clone() });
        }
        progress.add(1);
    }
    grant.renew(HEADER);
    match next(&mut text)? {
        None => Ok(found),
        Some(_) => Err(too_many(path).into()),
    }
}

/// Reads the lines of a game, up to an empty one. Returns `None` at the end of the file.
fn next(text: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut game = String::new();
    loop {
        let before = game.len();
        let read = text.read_line(&mut game)?;
        match game[before..].trim() {
            "" if read == 0 && game.trim().is_empty() => return Ok(None),
            "" if read == 0 || !game.trim().is_empty() => return Ok(Some(game)),
            _ => {}
        }
    }
}

/// Checks that a game is that of its row.
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
    let comments = game.split("[%wdl ").skip(1);
    let searched: Vec<[u16; 3]> = comments.filter_map(wdl).collect();
    let place = (row.moves_hash % searched.len().max(1) as u64) as usize;
    searched.get(place).map(|&wdl| Forecast { row: index, wdl })
}

/// Parses the numbers at the beginning of a text, `512,300,188]`.
fn wdl(text: &str) -> Option<[u16; 3]> {
    let numbers = text.split_once(']')?.0.split(',');
    let numbers: Vec<u16> = numbers.map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    let wdl = <[u16; 3]>::try_from(numbers).ok()?;
    (wdl.iter().map(|&share| u32::from(share)).sum::<u32>() == 1000).then_some(wdl)
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
    fn evaluations_are_read() {
        assert_eq!(wdl("512,300,188]} x"), Some([512, 300, 188]));
        for wrong in ["512,300,189]", "512]", "512,300,188", "a,b,c]"] {
            assert_eq!(wdl(wrong), None, "{wrong}");
        }
    }

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

    #[test]
    fn games_end_with_an_empty_line() {
        let mut text = &b"\na 0: x\nb\n\n\nc 1: y\nd"[..];
        let mut games = Vec::new();
        while let Some(game) = next(&mut text).unwrap() {
            games.push(game.trim().to_owned());
        }
        assert_eq!(games, ["a 0: x\nb", "c 1: y\nd"]);
    }
}
