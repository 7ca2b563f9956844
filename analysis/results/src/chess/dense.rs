//! Compact PGN, with the moves of each game on one line.

use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use std::io::{self, BufRead, Read, Write};

/// Name of the file with the moves of chess games.
pub const FILE: &str = <fusion_chess::FusionGame as fusion_game::Notation>::GAMES_FILE;

/// Upper limit of the bytes of a line and of a compact game.
const LONGEST: usize = 1 << 24;

/// Writes compact PGN, with or without comments.
///
/// The moves of each game are on one line, without the numbers of Black's moves. Evaluations such
/// as `[%wdl 324,352,324]` lose their last number, since the three add up to 1000.
///
/// # Errors
/// Fails with exit code 65 if the text is not UTF-8 or has too long a line. Fails on a request to
/// stop, or on an error of the input or the output.
pub fn write(
    input: &mut dyn BufRead,
    evaluations: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let stop = Stop::of_process();
    let mut dense = Dense { evaluations, in_moves: false, text: String::new() };
    let mut bytes = Vec::new();
    while read_line(input, &mut bytes)? {
        let line = std::str::from_utf8(&bytes).map_err(|_| Failure::corrupt("is not UTF-8"))?;
        dense.push(line);
        if dense.text.len() >= LONGEST {
            return Err(too_long().into());
        }
        if !dense.in_moves {
            stop.check_unsaved()?;
            dense.write_finished(out)?;
        }
    }
    dense.write_finished(out)?;
    Ok(out.write_all(b"\n")?)
}

/// Reads a line without its line end. Returns `false` after the last line.
fn read_line(input: &mut dyn BufRead, bytes: &mut Vec<u8>) -> anyhow::Result<bool> {
    bytes.clear();
    if input.take(LONGEST as u64).read_until(b'\n', bytes)? == 0 {
        return Ok(false);
    }
    if bytes.len() == LONGEST {
        return Err(too_long().into());
    }
    for end in *b"\n\r" {
        bytes.pop_if(|byte| *byte == end);
    }
    Ok(true)
}

fn too_long() -> Failure {
    Failure::corrupt("a line or a game of more than 16 MiB")
}

struct Dense {
    evaluations: bool,
    in_moves: bool,
    /// Text that is not yet written: the game, and the line ends before it.
    text: String,
}

impl Dense {
    fn push(&mut self, line: &str) {
        match (line.is_empty(), self.in_moves) {
            (true, false) => self.text.push('\n'),
            (true, true) => self.text.push_str("\n\n"),
            (false, false) => self.text.extend([line, "\n"]),
            (false, true) => self.push_moves(line),
        }
        self.in_moves ^= line.is_empty();
    }

    fn push_moves(&mut self, line: &str) {
        let text = &mut self.text;
        for word in line.split_ascii_whitespace() {
            let comment = word.starts_with('{') || word.ends_with('}');
            if word.ends_with("...") || (comment && !self.evaluations) {
                continue;
            }
            // The last of the three numbers of an evaluation.
            let third = word.strip_suffix("]}").filter(|w| w.matches(',').count() == 2);
            let short = third.and_then(|numbers| numbers.rsplit_once(','));
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            match short {
                Some((numbers, _)) => text.extend([numbers, "]}"]),
                None => text.push_str(word),
            }
        }
    }

    /// Writes the text without blanks at its end, which may be the end of the file.
    fn write_finished(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let length = self.text.trim_end().len();
        out.write_all(&self.text.as_bytes()[..length])?;
        self.text.drain(..length);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(pgn: &str, evaluations: bool) -> String {
        let mut out = Vec::new();
        write(&mut pgn.as_bytes(), evaluations, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dense_moves() {
        let pgn = "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 {[%wdl 324,352,324]} 2... Nc6 {[%wdl\n100,200,700]} 1-0\n\n[Event \"b\"]\n\n1. d4 *\n";
        let with = "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 {[%wdl 324,352]} Nc6 {[%wdl 100,200]} 1-0\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(dense(pgn, true), with);
        assert_eq!(dense(with, true), with);
        assert_eq!(
            dense(pgn, false),
            "[Event \"a\"]\n[Round \"1\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 *\n"
        );
        assert_eq!(dense(&pgn.replace('\n', "\r\n"), true), with);
        assert_eq!(dense("", true), "\n");
    }

    #[test]
    fn endless_lines_are_rejected() {
        let rejected =
            |input: &mut dyn BufRead| write(input, true, &mut io::sink()).unwrap_err().to_string();
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        assert!(rejected(&mut endless).contains("more than 16 MiB"));
        let lines = "xxxxxxx\n".repeat(LONGEST / 4);
        let game = format!("[Event \"a\"]\n\n{lines}");
        assert!(rejected(&mut game.as_bytes()).contains("more than 16 MiB"));
        assert!(rejected(&mut &b"\xff\n"[..]).contains("not UTF-8"));
    }
}
