//! Splitting PGN text into tokens, line by line.

use super::lines::glyph;
use super::{PgnResult, normalised};
use crate::board::Square;
use crate::notation::lenient;
use std::io::{self, BufRead, Read};

/// Exclusive upper bound in bytes of a line and of a comment.
const LONGEST: usize = if cfg!(test) { 1 << 16 } else { 1 << 24 };

/// A unit of PGN text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `[Name "value"]`
    Tag(String, String),
    /// `{...}` or `;...`; empty ones are skipped.
    Comment(String),
    /// `(`
    Open,
    /// `)`
    Close,
    /// A word in the place of a move.
    Move(String),
    /// The number of an annotation glyph: `$1`, `!`.
    Glyph(u8),
    /// A result.
    Result(PgnResult),
    /// The end of the input.
    End,
}

/// The error for text that is not a token.
#[derive(Debug)]
pub(super) enum LexError {
    Io(io::Error),
    Tag(String),
    Comment,
}

/// Reads tokens. The limits on lines and comments bound the memory.
pub(super) struct Lexer<R> {
    input: R,
    line: String,
    at: usize,
    number: u64,
    ended: bool,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: String::new(), at: 0, number: 0, ended: false }
    }

    /// Returns the number of the current line, counted from 1.
    pub(super) fn line(&self) -> u64 {
        self.number
    }

    /// Reads the next line. Returns `false` at the end of the input.
    fn next_line(&mut self) -> io::Result<bool> {
        let mut bytes = Vec::new();
        self.at = 0;
        let mut input = self.input.by_ref().take(LONGEST as u64);
        if self.ended || input.read_until(b'\n', &mut bytes)? == 0 {
            self.ended = true;
            self.line.clear();
            return Ok(false);
        }
        if bytes.len() == LONGEST {
            return Err(too_long());
        }
        self.number += 1;
        // PGN was Latin-1 before UTF-8 became common.
        self.line = String::from_utf8(bytes)
            .unwrap_or_else(|error| error.as_bytes().iter().map(|&b| char::from(b)).collect());
        if self.number == 1 && self.line.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        Ok(true)
    }

    /// Does the same as [`Lexer::next_line`], but skips lines that a per cent sign in the first
    /// column escapes.
    fn next_line_of_text(&mut self) -> io::Result<bool> {
        let more = self.next_line()?;
        if self.line.starts_with('%') {
            self.at = self.line.len();
        }
        Ok(more)
    }

    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    pub(super) fn next(&mut self) -> Result<Token, LexError> {
        loop {
            let blank = self.rest().len() - self.rest().trim_start().len();
            self.at += blank;
            if self.rest().is_empty() {
                if !self.next_line_of_text().map_err(LexError::Io)? {
                    return Ok(Token::End);
                }
                continue;
            }
            if let Some(token) = self.token()? {
                return Ok(token);
            }
        }
    }

    /// Returns the token at the current place, or `None` for skipped text.
    fn token(&mut self) -> Result<Option<Token>, LexError> {
        let Some(first) = self.rest().chars().next() else { return Ok(None) };
        match first {
            '[' => self.tag().map(Some),
            '{' => Ok(self.braces()?.map(Token::Comment)),
            ';' => {
                let comment = normalised(&self.rest()[1..]);
                self.at = self.line.len();
                Ok(comment.map(Token::Comment))
            }
            '(' | ')' => {
                self.at += 1;
                Ok(Some(if first == '(' { Token::Open } else { Token::Close }))
            }
            _ => match self.result() {
                Some(result) => Ok(Some(Token::Result(result))),
                None => self.symbol().map_err(LexError::Io),
            },
        }
    }

    /// Reads a result that may have blanks, `1 - 0`.
    fn result(&mut self) -> Option<PgnResult> {
        let (result, length) = PgnResult::leading(self.rest())?;
        let after = self.rest()[length..].chars().next();
        after.is_none_or(ends_symbol).then(|| {
            self.at += length;
            result
        })
    }

    fn tag(&mut self) -> Result<Token, LexError> {
        match read_tag(self.rest()) {
            Some((name, value, length)) => {
                self.at += length;
                Ok(Token::Tag(name, value))
            }
            None => {
                let text = self.rest().trim_end().to_string();
                self.at = self.line.len();
                Err(LexError::Tag(text))
            }
        }
    }

    /// Reads a comment in braces, which do not nest.
    fn braces(&mut self) -> Result<Option<String>, LexError> {
        let mut comment = String::new();
        self.at += 1;
        loop {
            if let Some(end) = self.rest().find('}') {
                comment.push_str(&self.rest()[..end]);
                self.at += end + 1;
                return Ok(normalised(&comment));
            }
            comment.push_str(self.rest());
            comment.push(' ');
            if comment.len() > LONGEST {
                return Err(LexError::Io(too_long()));
            }
            // This is the first tag of a game, so the brace was never closed.
            if !self.next_line().map_err(LexError::Io)? || self.line.starts_with("[Event \"") {
                return Err(LexError::Comment);
            }
        }
    }

    /// Reads a move, a result or a glyph. Returns `None` for move numbers and the like.
    fn symbol(&mut self) -> io::Result<Option<Token>> {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| ends_symbol(*c))
            .map_or(rest.len(), |(i, _)| i);
        let end = match bracket(&rest[end..]) {
            0 => end,
            length => {
                let marks = &rest[end + length..];
                let plain = marks.trim_start_matches(|c| "+#!?".contains(c));
                end + length + marks.len() - plain.len()
            }
        };
        let (symbol, after) = rest.split_at(end);
        if after.starts_with(')') && symbol.bytes().all(|b| b.is_ascii_digit()) {
            // A move number: `1) e4`.
            self.at += end + 1;
            return Ok(None);
        }
        if after.trim_end() == ";" {
            return self.wrapped(symbol.to_owned());
        }
        let end = end
            + after.strip_prefix(';').map_or(0, |half| match second_half(half) {
                0 => 0,
                length => 1 + length,
            });
        let token = classify(&rest[..end]);
        self.at += end;
        Ok(token)
    }

    /// Reads a symbol whose line ends with only a semicolon after it. The semicolon is an empty
    /// comment, or a line break between the halves of a fission. The second half names the origin
    /// square of the first half.
    fn wrapped(&mut self, symbol: String) -> io::Result<Option<Token>> {
        self.at = self.line.len();
        self.next_line_of_text()?;
        let rest = self.rest();
        let half = &rest[..second_half(rest)];
        let square = half.trim_start().split('=').next().unwrap_or_default();
        if half.is_empty() || !symbol.contains(&format!("{square}-")) {
            return Ok(classify(&symbol));
        }
        let token = classify(&format!("{symbol}; {}", half.trim_start()));
        self.at += half.len();
        Ok(token)
    }
}

fn too_long() -> io::Error {
    let message = format!("a line or comment has more than {LONGEST} bytes");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn ends_symbol(c: char) -> bool {
    c.is_whitespace() || "()[]{};$".contains(c)
}

/// Returns the length of a promotion or mark in parentheses after a move, `(Q)` or `(e.p.)`. Without
/// a blank before it, it is no variation.
fn bracket(after: &str) -> usize {
    let inside = after.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let is_piece = |text: &str| {
        !text.is_empty() && lenient::plain(text).bytes().all(|b| b.is_ascii_uppercase())
    };
    match inside {
        Some((text, _)) if is_piece(text) || ["ep", "e.p.", "="].contains(&text) => text.len() + 2,
        _ => 0,
    }
}

/// Returns the length of the second half of a fission in Metamorphin's notation, `Ra4-d4; a4=N`,
/// after a move and a semicolon. The rest, or all of it, is a comment.
fn second_half(rest: &str) -> usize {
    let after = rest.trim_start();
    let length = after.find(ends_symbol).unwrap_or(after.len());
    let is_piece = |text: &str| {
        let letters = text.trim_end_matches(|c| "+#!?".contains(c));
        !letters.is_empty() && letters.chars().all(|c| c.is_ascii_uppercase())
    };
    match after[..length].split_once('=') {
        Some((square, piece)) if square.parse::<Square>().is_ok() && is_piece(piece) => {
            rest.len() - after.len() + length
        }
        _ => 0,
    }
}

fn classify(symbol: &str) -> Option<Token> {
    if let Ok(result) = symbol.parse() {
        return Some(Token::Result(result));
    }
    let plain = lenient::plain(symbol);
    let text = match lenient::strip_number(&plain) {
        text if text.bytes().all(|b| b.is_ascii_digit()) => "",
        text => text,
    };
    // `+-`, `=` and `!?` are glyphs, but `--` stands in a move's place.
    let sign = text.chars().all(|c| "!?+-=/#".contains(c)) && text != "--";
    let nag = text.strip_prefix('$').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    if ["e.p.", "e.p", "ep", "ch", "mate"].contains(&text) {
        return None;
    }
    if sign || nag {
        return glyph(text).map(Token::Glyph);
    }
    Some(Token::Move(text.into()))
}

/// Parses `[Name "value"]`. Also returns its length.
fn read_tag(text: &str) -> Option<(String, String, usize)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = inside.split_at(end);
    let is_quote = |c: char| "\"“”„«»".contains(c);
    let rest = rest.trim_start();
    let opened = rest.chars().next().filter(|&c| is_quote(c))?;
    let rest = &rest[opened.len_utf8()..];
    let mut value = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' if opened == '"' => break,
            // Editors' quotes end with the tag.
            end if opened != '"'
                && is_quote(end)
                && letters.as_str().trim_start().starts_with(']') =>
            {
                break;
            }
            '\\' => match letters.next()? {
                escaped @ ('"' | '\\') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            other => value.push(other),
        }
    }
    let rest = letters.as_str().trim_start().strip_prefix(']')?;
    (!name.is_empty()).then(|| (name.into(), value, text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut tokens = Vec::new();
        loop {
            match lexer.next().unwrap() {
                Token::End => return tokens,
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn tags_with_escapes_and_odd_spacing() {
        let tag = |name: &str, value: &str| Token::Tag(name.into(), value.into());
        assert_eq!(
            tokens("[Event \"a \\\"b\\\" \\\\ ] c\"] [ Site\"x\" ]\n[E \"\"]\n"),
            [tag("Event", "a \"b\" \\ ] c"), tag("Site", "x"), tag("E", "")]
        );
        assert_eq!(
            tokens("[Event “a ”b”] [Site \"x\"]\n[E „“]"),
            [tag("Event", "a ”b"), tag("Site", "x"), tag("E", "")]
        );
        for bad in ["[Event]", "[Event \"x]", "[\"x\"]", "[Event \"x\" y]", "[", "[É \"x\"]"] {
            assert!(matches!(Lexer::new(bad.as_bytes()).next(), Err(LexError::Tag(_))), "{bad}");
        }
    }

    #[test]
    fn movetext_has_moves_glyphs_and_results() {
        let mv = |text: &str| Token::Move(text.into());
        let text = "%escaped [line\n1) e4 e5 2.Nf3!? $14 Nc6 2... ... 3 O-O e.p. +- ! 0-0 4.0-0-0\r\n-- 1/2-1/2 * 1-0";
        let first = ["e4", "e5", "Nf3!?"].map(mv).into_iter().chain([Token::Glyph(14)]);
        let next = ["Nc6", "O-O"].map(mv).into_iter().chain([18, 1].map(Token::Glyph));
        let moves = first.chain(next).chain(["0-0", "0-0-0", "--"].map(mv));
        let results = [PgnResult::Draw, PgnResult::Unknown, PgnResult::White].map(Token::Result);
        assert_eq!(tokens(text), moves.chain(results).collect::<Vec<_>>());
    }

    #[test]
    fn parentheses_after_a_move_may_belong_to_it() {
        let mv = |text: &str| Token::Move(text.into());
        assert_eq!(
            tokens("1. e8(Q)+ exd6(ep) Nf3(=) e4(e5) d4 (Q)"),
            [
                mv("e8(Q)+"),
                mv("exd6(ep)"),
                mv("Nf3(=)"),
                mv("e4"),
                Token::Open,
                mv("e5"),
                Token::Close,
                mv("d4"),
                Token::Open,
                mv("Q"),
                Token::Close,
            ]
        );
    }

    #[test]
    fn comments_of_both_kinds() {
        let comment = |text: &str| Token::Comment(text.into());
        assert_eq!(
            tokens("{a\n  % b ( [ ; c}{ }(;d } e\n)"),
            [comment("a % b ( [ ; c"), Token::Open, comment("d } e"), Token::Close]
        );
        assert!(matches!(Lexer::new(&b"{ a\n"[..]).next(), Err(LexError::Comment)));
    }

    #[test]
    fn a_fission_may_name_what_stays_behind() {
        let mv = |text: &str| Token::Move(text.into());
        let comment = |text: &str| Token::Comment(text.into());
        assert_eq!(
            tokens("1. Ra4-d4; a4=N Nf6 2. e4;e2=e4\n2... Bd2-e3;d2=R+ ; b1=N.\nO-O"),
            [
                mv("Ra4-d4; a4=N"),
                mv("Nf6"),
                mv("e4"),
                comment("e2=e4"),
                mv("Bd2-e3;d2=R+"),
                comment("b1=N."),
                mv("O-O")
            ]
        );
        assert_eq!(
            tokens("(1... Ra4-d4; a4=N) 2. Ra4-d4;a4=N{x}"),
            [Token::Open, mv("Ra4-d4; a4=N"), Token::Close, mv("Ra4-d4;a4=N"), comment("x")]
        );
    }

    #[test]
    fn a_fission_may_be_broken_between_its_halves() {
        let mv = |text: &str| Token::Move(text.into());
        assert_eq!(
            tokens("1. Ra4-d4;\r\n  a4=N+ Nf6\n2. Rb1-b2;\nb1=B{x}"),
            [mv("Ra4-d4; a4=N+"), mv("Nf6"), mv("Rb1-b2; b1=B"), Token::Comment("x".into())]
        );
        // An empty comment: the next line has another square than the first half, is escaped, or is
        // missing.
        assert_eq!(tokens("1. e4;\na1=N"), [mv("e4"), mv("a1=N")]);
        assert_eq!(tokens("1. Ra4-d4;\nd4=N"), [mv("Ra4-d4"), mv("d4=N")]);
        assert_eq!(tokens("1. Ra4-d4;\n%a4=N\ne5"), [mv("Ra4-d4"), mv("e5")]);
        assert_eq!(tokens("1. Ra4-d4;\n"), [mv("Ra4-d4")]);
        assert_eq!(tokens("1. Ra4-d4;"), [mv("Ra4-d4")]);
    }

    #[test]
    fn nothing_grows_without_bounds() {
        let blanks = || std::io::repeat(b' ');
        let lines = || std::io::repeat(b'\n');
        for input in [&mut blanks() as &mut dyn io::Read, &mut (&b"{"[..]).chain(lines())] {
            let error = Lexer::new(io::BufReader::new(input)).next().unwrap_err();
            assert!(
                matches!(error, LexError::Io(error) if error.to_string().contains("more than"))
            );
        }
    }

    #[test]
    fn latin_1_and_byte_order_marks_are_read() {
        let mut lexer = Lexer::new(&b"[White \"Andr\xe9\"]"[..]);
        assert_eq!(lexer.next().unwrap(), Token::Tag("White".into(), "André".into()));
        assert_eq!(tokens("\u{feff}[White \"é\"]"), [Token::Tag("White".into(), "é".into())]);
    }
}
