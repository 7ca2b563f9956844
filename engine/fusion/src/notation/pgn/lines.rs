//! The moves of a game while they are read: the main line with its variations.

use super::{PgnLine, PgnMove};
use crate::board::{Move, Position};
use crate::notation::{SanError, parse_move};
use crate::rules::RuleSet;

/// Most variations within each other. Deeper ones become comments.
const DEEPEST: usize = 64;

/// The lines that are open: the main line, and variations of the line before them.
pub(super) struct Lines<'a> {
    rules: &'a RuleSet,
    open: Vec<Open>,
    /// The number of parentheses that are read as text: what cannot be a variation.
    quoted: u32,
}

/// A line that is being read.
struct Open {
    line: PgnLine,
    position: Position,
    /// The position before the last move.
    before: Position,
    /// Whether a move of it could not be read. The rest of the variation becomes a comment.
    broken: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(rules: &'a RuleSet, position: Position) -> Self {
        let open = vec![Open::new(position)];
        Self { rules, open, quoted: 0 }
    }

    /// Returns the number of open parentheses.
    pub(super) fn depth(&self) -> u32 {
        self.open.len() as u32 - 1 + self.quoted
    }

    /// Returns the position after the last move.
    pub(super) fn position(&self) -> &Position {
        &self.last().position
    }

    fn last(&self) -> &Open {
        self.open.last().expect("the main line stays open")
    }

    fn last_mut(&mut self) -> &mut Open {
        self.open.last_mut().expect("the main line stays open")
    }

    /// Begins a variation of the last move.
    pub(super) fn begin(&mut self) {
        let last = self.last();
        let has_room = !last.broken && self.quoted == 0 && self.open.len() <= DEEPEST;
        if has_room && !last.line.moves.is_empty() {
            self.open.push(Open::new(last.before));
        } else {
            self.comment("(");
            self.quoted += 1;
        }
    }

    /// Ends a variation.
    pub(super) fn end(&mut self) {
        if self.quoted > 0 {
            self.quoted -= 1;
            return self.comment(")");
        }
        if self.open.len() > 1
            && let Some(Open { line, .. }) = self.open.pop()
            && line != PgnLine::default()
            && let Some(mv) = self.last_mut().line.moves.last_mut()
        {
            mv.variations.push(line);
        }
    }

    /// Reads and plays a move. In a variation, what is not legal becomes a comment.
    pub(super) fn play(&mut self, text: &str) -> Result<(), SanError> {
        if self.quoted > 0 || self.last().broken {
            self.comment(text);
            return Ok(());
        }
        let written = text.trim_end_matches(['!', '?']);
        match parse_move(self.position(), self.rules, written) {
            Ok(mv) => self.add(mv, glyph(&text[written.len()..])),
            Err(error) if self.open.len() == 1 => return Err(error),
            Err(_) => {
                self.last_mut().broken = true;
                self.comment(text);
            }
        }
        Ok(())
    }

    fn add(&mut self, mv: Move, glyph: Option<u8>) {
        let open = self.last_mut();
        open.before = open.position;
        open.position.play(mv);
        let glyphs = glyph.into_iter().collect();
        open.line.moves.push(PgnMove { glyphs, ..mv.into() });
    }

    /// Adds a glyph to the last move.
    pub(super) fn glyph(&mut self, number: u8) {
        match self.last_mut().line.moves.last_mut() {
            Some(mv) if !mv.glyphs.contains(&number) => mv.glyphs.push(number),
            _ => {}
        }
    }

    /// Adds text to the comment of the last move, or to the line's if there is no move.
    pub(super) fn comment(&mut self, text: &str) {
        let line = &mut self.last_mut().line;
        let comment = match line.moves.last_mut() {
            Some(PgnMove { comment, .. }) => comment,
            None => &mut line.comment,
        };
        match comment {
            Some(comment) => {
                comment.push(' ');
                comment.push_str(text);
            }
            None => *comment = Some(text.into()),
        }
    }

    /// Returns the main line.
    pub(super) fn main(mut self) -> PgnLine {
        self.open.swap_remove(0).line
    }
}

impl Open {
    fn new(position: Position) -> Self {
        Self { line: PgnLine::default(), position, before: position, broken: false }
    }
}

/// Returns the number of a glyph in PGN's list.
pub(super) fn glyph(text: &str) -> Option<u8> {
    let numbers = [
        ("!", 1),
        ("?", 2),
        ("!!", 3),
        ("??", 4),
        ("!?", 5),
        ("?!", 6),
        ("=", 10),
        ("+/=", 14),
        ("=/+", 15),
        ("+/-", 16),
        ("-/+", 17),
        ("+-", 18),
        ("-+", 19),
    ];
    match text.strip_prefix('$') {
        Some(number) => number.parse().ok(),
        None => numbers.iter().find(|(known, _)| *known == text).map(|&(_, number)| number),
    }
}
