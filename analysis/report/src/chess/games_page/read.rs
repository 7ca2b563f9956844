//! Reading of the measurements' games for the page, many at a time.

use super::moves::{self, Encoded};
use super::select::Measurement;
use fusion_chess::board::{Color, Position};
use fusion_chess::notation::pgn::{self, PgnGame};
use fusion_chess::rules::RuleSet;
use fusion_jobs::exit::Failure;
use fusion_print::progress::Progress;
use fusion_results::chess::positions;
use fusion_results::games::{self, GameRow};
use fusion_results::run_folder::files;
use rayon::prelude::*;
use serde::Serialize;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Number of games that are read at a time.
const AT_A_TIME: usize = 512;
/// Upper bound of the length of a game, in bytes.
const LONGEST: usize = 1 << 24;
/// First bytes of every game.
const FIRST_TAG: &[u8] = b"[Event \"";

/// The initial position of a game, and its data in the PGN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Start {
    /// Contents of each square.
    pub squares: Vec<u8>,
    /// Whether Black moves first.
    pub black_to_move: bool,
    /// Number of the first move.
    pub number: u16,
    /// Tags that identify the game: variant, rules, and the position if it is not the rules' own.
    pub tags: Vec<(String, String)>,
    /// Whether a Queen is written as `Q`.
    pub q: bool,
    /// Whether a Queen is one piece under these rules: nothing merges or splits.
    pub whole_queen: bool,
}

/// A game with its moves.
#[derive(Debug)]
pub(super) struct ReadGame {
    /// Index of its row in the measurement.
    pub row: usize,
    pub start: Start,
    pub moves: Encoded,
}

/// Reads the wanted games of a measurement. The file lists all games in the rows' order.
///
/// # Errors
/// Fails if a file cannot be read, is not a PGN file, or holds other games than the rows.
pub(super) fn read(
    path: &Path,
    measurement: &Measurement,
    progress: &Progress,
) -> anyhow::Result<Vec<ReadGame>> {
    let rows = measurement.rows;
    let mut texts = Texts { input: files::open(path)?, line: 0, next: Vec::new() };
    let mut games = Vec::new();
    let mut done = 0;
    loop {
        let texts: Vec<(u64, Vec<u8>)> =
            texts
                .by_ref()
                .take(AT_A_TIME)
                .collect::<Result<_, _>>()
                .map_err(|error| Failure::corrupt(format!("{}: {error}", path.display())))?;
        if done + texts.len() > rows.len() {
            return Err(games::too_many(path).into());
        }
        if texts.is_empty() {
            break;
        }
        let read: Vec<Option<ReadGame>> = (done..)
            .zip(&texts)
            .collect::<Vec<_>>()
            .par_iter()
            .map(|&(row, (line, text))| {
                let wanted = measurement.wanted.contains_key(&row);
                wanted.then(|| game(path, row, &rows[row], *line, text)).transpose()
            })
            .collect::<anyhow::Result<_>>()?;
        done += texts.len();
        progress.add(read.iter().flatten().count());
        games.extend(read.into_iter().flatten());
    }
    match rows.get(done) {
        None => Ok(games),
        Some(row) => Err(games::mismatch(path, row, "the file ends before it").into()),
    }
}

fn game(path: &Path, row: usize, of: &GameRow, line: u64, text: &[u8]) -> anyhow::Result<ReadGame> {
    let game = parse(path, line, text)?;
    positions::check(path, of, &game)?;
    // The tags have been parsed before.
    let (Ok(rules), Ok(position)) = (game.rules(), game.start()) else {
        return Err(games::mismatch(path, of, "another rule set").into());
    };
    let start = Start::of(&rules, &position);
    let moves: Vec<_> = game.moves.iter().map(|mv| mv.mv).collect();
    let moves = moves::encode(&rules, &position, &moves, start.q);
    Ok(ReadGame { row, start, moves })
}

fn parse(path: &Path, line: u64, text: &[u8]) -> anyhow::Result<PgnGame> {
    let wrong = |what: String| {
        Failure::corrupt(format!("{}, in the game from line {line} on: {what}", path.display()))
    };
    match pgn::read(text).next() {
        Some(Ok(game)) => Ok(game),
        Some(Err(error)) => Err(wrong(error.to_string()).into()),
        None => Err(wrong("it has no moves".into()).into()),
    }
}

impl Start {
    fn of(rules: &RuleSet, position: &Position) -> Self {
        let tags = PgnGame::new(rules, position).tags;
        Self {
            squares: moves::squares(position).to_vec(),
            black_to_move: position.side_to_move() == Color::Black,
            number: position.fullmove(),
            // The other tags are the game's.
            tags: tags.into_iter().filter(|(_, value)| !value.contains('?')).collect(),
            q: moves::queen_is_q(rules),
            whole_queen: rules.queen_is_whole(),
        }
    }
}

/// The texts of the games with the numbers of their first lines.
struct Texts {
    input: Box<dyn BufRead>,
    line: u64,
    /// The first line of the next game.
    next: Vec<u8>,
}

impl Iterator for Texts {
    type Item = std::io::Result<(u64, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = self.line.max(1);
            let mut text = std::mem::take(&mut self.next);
            let ended = loop {
                let before = text.len();
                let mut rest = self.input.by_ref().take((LONGEST - before) as u64);
                match rest.read_until(b'\n', &mut text) {
                    Err(error) => return Some(Err(error)),
                    Ok(_) if text.len() == LONGEST => return Some(Err(too_long(first))),
                    Ok(0) => break true,
                    Ok(_) => self.line += 1,
                }
                if before > 0 && text[before..].starts_with(FIRST_TAG) {
                    self.next = text.split_off(before);
                    break false;
                }
            };
            if !text.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok((first, text)));
            }
            if ended {
                return None;
            }
        }
    }
}

fn too_long(line: u64) -> io::Error {
    let message = format!("the game from line {line} on has more than {LONGEST} bytes");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: impl BufRead + 'static) -> Vec<io::Result<(u64, Vec<u8>)>> {
        Texts { input: Box::new(input), line: 0, next: Vec::new() }.collect()
    }

    #[test]
    fn games_are_told_apart_by_their_first_tag() {
        let file = b"\n[Event \"a\"]\n[Round \"1\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n\n";
        let found: Vec<(u64, String)> = texts(&file[..])
            .into_iter()
            .map(|text| text.unwrap())
            .map(|(line, text)| (line, String::from_utf8(text).unwrap()))
            .collect();
        let expected = [
            (2, "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 *\n\n".to_owned()),
            (7, "[Event \"b\"]\n\n1. d4 *\n\n".to_owned()),
        ];
        assert_eq!(found, expected);
        assert!(texts(&b" \n\n"[..]).is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        for byte in [b'x', b'\n'] {
            let endless = io::BufReader::new(io::repeat(byte));
            let first = Texts { input: Box::new(endless), line: 0, next: Vec::new() }.next();
            let error = first.unwrap().unwrap_err().to_string();
            assert!(error.contains("from line 1 on has more than"), "{error}");
        }
    }
}
