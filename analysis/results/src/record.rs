//! Games of a run as their file has them: texts, and what they say.

use crate::games::{GameRow, mismatch, too_many};
use crate::report_game::canonical;
use crate::run_folder::files;
use fusion_game::{BoardGame, ReadGame};
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_print::progress::Progress;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Upper bound of the length of a game, in bytes.
const LONGEST: usize = 1 << 24;

/// The texts of the games with the numbers of their first lines. An empty line ends a paragraph.
pub struct Texts<R> {
    input: R,
    line: u64,
    /// Number of paragraphs of a game.
    paragraphs: usize,
}

impl<R> Texts<R> {
    /// Reads texts of games with this number of paragraphs.
    pub fn new(input: R, paragraphs: usize) -> Self {
        Self { input, line: 0, paragraphs }
    }
}

impl<R: BufRead> Iterator for Texts<R> {
    type Item = io::Result<(u64, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut text, mut first, mut paragraphs) = (Vec::new(), self.line + 1, 0);
        let mut was_empty = true;
        loop {
            let before = text.len();
            let mut rest = self.input.by_ref().take((LONGEST - before) as u64);
            match rest.read_until(b'\n', &mut text) {
                Err(error) => return Some(Err(error)),
                Ok(_) if text.len() == LONGEST => return Some(Err(too_long(first))),
                Ok(0) => return (!text.is_empty()).then_some(Ok((first, text))),
                Ok(_) => self.line += 1,
            }
            let is_empty = text[before..].iter().all(u8::is_ascii_whitespace);
            if is_empty && before == 0 {
                text.clear();
                first = self.line + 1;
            }
            paragraphs += usize::from(is_empty && !was_empty);
            if paragraphs == self.paragraphs {
                return Some(Ok((first, text)));
            }
            was_empty = is_empty;
        }
    }
}

fn too_long(line: u64) -> io::Error {
    let message = format!("the game from line {line} on has more than {LONGEST} bytes");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Calls a function with the place of each row, the row, the number of the first line of its game's text, and
/// the text. `what` names the work in the progress.
///
/// # Errors
/// Fails if the file cannot be read or has more or fewer games than there are rows, on a request to stop, and as
/// the function does.
pub fn each_text(
    path: &Path,
    rows: &[GameRow],
    paragraphs: usize,
    what: &'static str,
    mut visit: impl FnMut(usize, &GameRow, u64, &[u8]) -> Result<(), Failure>,
) -> anyhow::Result<()> {
    let progress = Progress::new(what, rows.len());
    let stop = Stop::of_process();
    let mut texts = Texts::new(files::open(path)?, paragraphs);
    let damaged = |error| Failure::corrupt(format!("{}: {error}", path.display()));
    for (index, row) in rows.iter().enumerate() {
        stop.check_unsaved()?;
        let text = texts.next().transpose().map_err(damaged)?;
        let (line, bytes) = text.ok_or_else(|| mismatch(path, row, "the file ends before it"))?;
        visit(index, row, line, &bytes)?;
        progress.add(1);
    }
    match texts.next() {
        None => Ok(()),
        Some(_) => Err(too_many(path).into()),
    }
}

/// Parses a game of a file, and checks that it is that of its row.
///
/// # Errors
/// Fails if the text cannot be read as a game, or if it is another game.
pub fn parse<G: BoardGame>(
    path: &Path,
    row: &GameRow,
    line: u64,
    text: &[u8],
) -> Result<ReadGame, Failure> {
    let wrong = |what: String| {
        Failure::corrupt(format!("{}, in the game from line {line} on: {what}", path.display()))
    };
    let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
    let game = G::read_record(text).map_err(wrong)?;
    if let Some(reason) = game.unread {
        return Err(wrong(reason));
    }
    let round = game.tag("Round").or(game.tag("Game").and_then(|name| name.split(' ').next_back()));
    let what = match () {
        () if game.rules != row.rules && Some(&game.rules) != canonical(&row.rules).as_ref() => {
            "another rule set"
        }
        () if round != Some(row.opening.to_string().as_str()) => "another opening",
        () if game.line.moves.len() != row.plies as usize => "another length",
        () if game.result != row.result.text() => "another result",
        () => return Ok(game),
    };
    Err(mismatch(path, row, what))
}

/// Parses the first side's win, draw and loss chances in a comment, `[%wdl 512,300,188]`. The last
/// number may be missing. Returns the first ones.
#[must_use]
pub fn wdl(comment: &str) -> Option<[u16; 3]> {
    let (numbers, _) = comment.split_once("[%wdl ")?.1.split_once(']')?;
    let numbers: Vec<u16> = numbers
        .split(',')
        .map(|number| number.trim().parse::<u16>().ok())
        .collect::<Option<_>>()?;
    let (win, draw) = (*numbers.first()?, *numbers.get(1)?);
    let loss = 1000u16.checked_sub(win.checked_add(draw)?)?;
    let fits = numbers.len() == 2 || (numbers.len() == 3 && numbers[2] == loss);
    fits.then_some([win, draw, loss])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: impl BufRead, paragraphs: usize) -> Vec<(u64, String)> {
        Texts::new(input, paragraphs)
            .map(|text| text.unwrap())
            .map(|(line, text)| (line, String::from_utf8(text).unwrap()))
            .collect()
    }

    #[test]
    fn games_are_told_apart_by_empty_lines() {
        let tags = &b"\n[A \"a\"]\n[B \"1\"]\n\n1. e4 *\n\n\n[A \"b\"]\n\n1. d4 *"[..];
        let expected = [
            (2, "[A \"a\"]\n[B \"1\"]\n\n1. e4 *\n\n".to_owned()),
            (8, "[A \"b\"]\n\n1. d4 *".to_owned()),
        ];
        assert_eq!(texts(tags, 2), expected);
        let plain = &b"\na 0: x\nb\n\n\nc 1: y\nd\n"[..];
        assert_eq!(texts(plain, 1), [(2, "a 0: x\nb\n\n".into()), (6, "c 1: y\nd\n".into())]);
        assert!(texts(&b" \n\n"[..], 1).is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let endless = io::BufReader::new(io::repeat(b'x'));
        let error = Texts::new(endless, 1).next().unwrap().unwrap_err().to_string();
        assert!(error.contains("from line 1 on has more than"), "{error}");
    }

    #[test]
    fn evaluations_are_read_in_both_forms() {
        for good in ["[%wdl 512,300,188]", "[%wdl 512,300]", "x [%wdl 512,300,188] [%wdl 1,2,997]"]
        {
            assert_eq!(wdl(good), Some([512, 300, 188]), "{good}");
        }
        for wrong in [
            "[%wdl 512,300,189]",
            "[%wdl 512]",
            "[%wdl 800,300]",
            "[%eval 1]",
            "[%wdl a,b,c]",
            "[%wdl 1,2",
        ] {
            assert_eq!(wdl(wrong), None, "{wrong}");
        }
    }
}
