//! Writing games.

use super::{PgnGame, PgnMove, PgnTagError, ROSTER, normalised};
use crate::board::{Color, Move, Position};
use crate::notation::san::san_among;
use crate::rules::RuleSet;
use std::io::{self, Write};

/// The longest line of movetext in columns.
const WIDTH: usize = 79;

/// The reason why a game cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PgnWriteError {
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The tags do not determine the game's rules or start.
    #[error(transparent)]
    Tags(#[from] PgnTagError),
    /// A tag's name has characters other than letters, digits and `_`.
    #[error("'{0}' cannot name a tag; names have letters, digits and _")]
    TagName(String),
    /// A move that is not legal in its place.
    #[error("ply {ply}: {mv} is not a legal move there")]
    Move {
        /// The move's number, counted from 1.
        ply: usize,
        /// The move.
        mv: Move,
    },
}

impl PgnGame {
    /// Writes the game: tags, movetext of less than 80 columns, and an empty line.
    ///
    /// # Errors
    /// Returns an error if the output fails, if tags cannot be written or name no rules, or if a
    /// move is illegal.
    pub fn write(&self, out: &mut (impl Write + ?Sized)) -> Result<(), PgnWriteError> {
        self.write_tags(out)?;
        writeln!(out)?;
        let mut text = Movetext { out, column: 0 };
        self.write_moves(&mut text)?;
        text.token(&self.result.to_string())?;
        writeln!(text.out, "\n")?;
        Ok(())
    }

    fn write_tags(&self, out: &mut (impl Write + ?Sized)) -> Result<(), PgnWriteError> {
        let result = self.result.to_string();
        for (name, default) in ROSTER {
            let value = if name == "Result" { Some(result.as_str()) } else { self.tag(name) };
            write_tag(out, name, value.unwrap_or(default))?;
        }
        let in_roster = |name: &str| ROSTER.iter().any(|(known, _)| *known == name);
        for (name, value) in self.tags.iter().filter(|(name, _)| !in_roster(name)) {
            write_tag(out, name, value)?;
        }
        Ok(())
    }

    fn write_moves<W: Write + ?Sized>(&self, text: &mut Movetext<W>) -> Result<(), PgnWriteError> {
        let rules = self.rules()?;
        if let Some(comment) = &self.comment {
            text.comment(comment)?;
        }
        write_line(text, &rules, self.start()?, &self.moves, 0)
    }
}

/// Writes moves from a position with their comments, glyphs and variations. There were `before` plies before
/// them.
fn write_line<W: Write + ?Sized>(
    text: &mut Movetext<W>,
    rules: &RuleSet,
    mut position: Position,
    moves: &[PgnMove],
    before: usize,
) -> Result<(), PgnWriteError> {
    let mut legal = Vec::with_capacity(64);
    // Black's move has a number only if White's move does not stand directly before it.
    let mut interrupted = true;
    for (ply, PgnMove { mv, comment, glyphs, variations }) in (before..).zip(moves) {
        legal.clear();
        position.legal_moves(rules, &mut legal);
        if !legal.contains(mv) {
            return Err(PgnWriteError::Move { ply: ply + 1, mv: *mv });
        }
        let san = san_among(&position, rules, &legal, *mv);
        match position.side_to_move() {
            Color::White => text.token(&format!("{}. {san}", position.fullmove()))?,
            Color::Black if interrupted => {
                text.token(&format!("{}... {san}", position.fullmove()))?;
            }
            Color::Black => text.token(&san)?,
        }
        for glyph in glyphs {
            text.token(&format!("${glyph}"))?;
        }
        if let Some(comment) = comment {
            text.comment(comment)?;
        }
        for variation in variations {
            text.token("(")?;
            if let Some(comment) = &variation.comment {
                text.comment(comment)?;
            }
            write_line(text, rules, position, &variation.moves, ply)?;
            text.token(")")?;
        }
        interrupted = comment.is_some() || !variations.is_empty();
        position.play(*mv);
    }
    Ok(())
}

fn write_tag(
    out: &mut (impl Write + ?Sized),
    name: &str,
    value: &str,
) -> Result<(), PgnWriteError> {
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(PgnWriteError::TagName(name.into()));
    }
    write!(out, "[{name} \"")?;
    for letter in value.chars() {
        match letter {
            '"' | '\\' => write!(out, "\\{letter}")?,
            // A tag must stay on its line.
            control if control.is_control() => write!(out, " ")?,
            other => write!(out, "{other}")?,
        }
    }
    writeln!(out, "\"]")?;
    Ok(())
}

/// Movetext that is being written, broken into lines between tokens.
struct Movetext<'a, W: ?Sized> {
    out: &'a mut W,
    column: usize,
}

impl<W: Write + ?Sized> Movetext<'_, W> {
    fn token(&mut self, token: &str) -> io::Result<()> {
        let length = token.chars().count();
        if self.column > 0 && self.column + 1 + length > WIDTH {
            self.line_end()?;
        }
        if self.column > 0 {
            write!(self.out, " ")?;
            self.column += 1;
        }
        write!(self.out, "{token}")?;
        self.column += length;
        Ok(())
    }

    fn line_end(&mut self) -> io::Result<()> {
        self.column = 0;
        writeln!(self.out)
    }

    fn comment(&mut self, comment: &str) -> io::Result<()> {
        let Some(comment) = normalised(comment) else { return Ok(()) };
        if comment.contains('}') {
            // Braces cannot be escaped, so such a comment runs to the end of its line.
            self.token(&format!(";{comment}"))?;
            return self.line_end();
        }
        let mut atom = String::from("{");
        for (i, word) in comment.split(' ').enumerate() {
            // At the beginning of a line these would be read as an escaped line or a tag.
            let breakable = !word.starts_with(['%', '[']);
            if i > 0 && breakable {
                self.token(&atom)?;
                atom.clear();
            } else if i > 0 {
                atom.push(' ');
            }
            atom.push_str(word);
        }
        atom.push('}');
        self.token(&atom)
    }
}
