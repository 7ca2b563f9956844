//! Reading of the measurements' games for the page, many at a time.

use super::select::Measurement;
use crate::viewer::{Encoded, Encoder, Replayed, replay};
use fusion_game::{BoardGame, RuleSet};
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::progress::Progress;
use fusion_results::games::GameRow;
use fusion_results::games::{mismatch, too_many};
use fusion_results::record::{self, Texts};
use fusion_results::run_folder::files;
use rayon::prelude::*;
use std::path::Path;

/// Number of games that are read at a time.
const AT_A_TIME: usize = 512;

/// A game of the page.
#[derive(Debug)]
pub(super) struct PageGame {
    /// Index of its row in the measurement.
    pub row: usize,
    /// The lines before the turns in its text.
    pub head: Vec<String>,
    pub moves: Encoded,
}

/// Reads the wanted games of a measurement. The file lists all games in the rows' order.
///
/// # Errors
/// Fails if a file cannot be read, is not of the game's format, or holds other games than the rows.
pub(super) fn read<G: BoardGame>(
    path: &Path,
    measurement: &Measurement,
    encoder: &mut Encoder,
    progress: &Progress,
) -> anyhow::Result<Vec<PageGame>> {
    let rows = measurement.rows;
    let stop = Stop::of_process();
    let mut texts = Texts::new(files::open(path)?, G::LAYOUT.paragraphs());
    let mut games = Vec::new();
    let mut done = 0;
    loop {
        stop.check_unsaved()?;
        let texts: Vec<(u64, Vec<u8>)> =
            texts
                .by_ref()
                .take(AT_A_TIME)
                .collect::<Result<_, _>>()
                .map_err(|error| Failure::corrupt(format!("{}: {error}", path.display())))?;
        if done + texts.len() > rows.len() {
            return Err(too_many(path).into());
        }
        if texts.is_empty() {
            break;
        }
        let read: Vec<Option<(usize, Vec<String>, Replayed)>> = (done..)
            .zip(&texts)
            .collect::<Vec<_>>()
            .par_iter()
            .map(|&(row, (line, text))| {
                let wanted = measurement.wanted.contains_key(&row);
                let game = || game::<G>(path, &rows[row], *line, text);
                Ok(wanted.then(game).transpose()?.map(|(head, game)| (row, head, game)))
            })
            .collect::<Result<_, Failure>>()?;
        done += texts.len();
        progress.add(read.iter().flatten().count());
        let encoded = |(row, head, game)| PageGame { row, head, moves: encoder.encode(game) };
        games.extend(read.into_iter().flatten().map(encoded));
    }
    match rows.get(done) {
        None => Ok(games),
        Some(row) => Err(mismatch(path, row, "the file ends before it").into()),
    }
}

/// Returns the lines before the turns of a game's text, and the game.
fn game<G: BoardGame>(
    path: &Path,
    row: &GameRow,
    line: u64,
    text: &[u8],
) -> Result<(Vec<String>, Replayed), Failure> {
    let read = record::parse::<G>(path, row, line, text)?;
    let (head, turns) = G::LAYOUT.split(std::str::from_utf8(text).unwrap_or_default());
    let digits = turns.find(|c: char| !c.is_ascii_digit()).unwrap_or(turns.len());
    let number = turns[..digits].parse().unwrap_or(1);
    let wrong = |what: String| {
        Failure::corrupt(format!("{}, in the game from line {line} on: {what}", path.display()))
    };
    let rules = G::Rules::parse(&row.rules).map_err(|error| wrong(error.into()))?;
    let moves = read.line.moves.iter().map(|mv| mv.text.as_str());
    let replayed = replay::<G>(&rules, read.start.as_deref(), moves, number);
    let replayed = replayed.map_err(|error| wrong(error.to_string()))?;
    Ok((head.into_iter().map(str::to_owned).collect(), replayed))
}
