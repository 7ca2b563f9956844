//! Positions and moves as text and as codes.

use crate::Game;
use crate::game_text::{self, GameText};
use serde::Serialize;
use std::io::{self, Write};

/// How the text of a game is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TextLayout {
    /// Three lines, then all turns on one line.
    Running,
    /// Three lines, then a line for each turn, with its number.
    Lines,
    /// Tags and an empty line, then the turns with their numbers, and the result, in short lines.
    Tags,
}

impl TextLayout {
    /// Returns the number of paragraphs of a game: its parts between empty lines.
    #[must_use]
    pub fn paragraphs(self) -> usize {
        if self == Self::Tags { 2 } else { 1 }
    }

    /// Splits a text of a game into the lines before the turns, and the turns.
    ///
    /// ```
    /// use fusion_game::TextLayout;
    ///
    /// let (head, turns) = TextLayout::Running.split("Match 1: a - b\nnormal start\n1-0 line\na1 b2\n");
    /// assert_eq!((head.len(), turns), (3, "a1 b2"));
    /// let (head, turns) = TextLayout::Tags.split("[A \"b\"]\n\n12. a1 *\n");
    /// assert_eq!((head, turns), (vec!["[A \"b\"]"], "12. a1 *"));
    /// ```
    #[must_use]
    pub fn split(self, text: &str) -> (Vec<&str>, &str) {
        let mut rest = text.trim();
        let mut head = Vec::new();
        while self == Self::Tags || head.len() < 3 {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = after;
            match line.trim() {
                "" => break,
                line => head.push(line),
            }
        }
        (head, rest.trim_start())
    }
}

/// Positions and moves as text for programs, as text for people, and as codes for records.
pub trait Notation: Game {
    /// Name of the file with the games of a run.
    const GAMES_FILE: &'static str = "games.txt";

    /// Layout of a game's text in that file.
    const LAYOUT: TextLayout = TextLayout::Running;

    /// Word for a position's text: its column in `openings.csv`, and its keyword in protocols.
    const POSITION: &'static str = "position";

    /// Column of `games.csv` with the text of the position after the opening.
    const START_COLUMN: &'static str = "start_position";

    /// Parses a position from its text form, without history.
    ///
    /// # Errors
    /// Returns an error if the text is malformed or the position cannot occur. The message names
    /// the reason.
    fn from_text(rules: &Self::Rules, text: &str) -> Result<Self, String>;

    /// Parses a position of another program or of a person. Also returns remarks about harmless
    /// faults that were mended. By default there are none, as in [`Notation::from_text`].
    ///
    /// # Errors
    /// Returns an error as [`Notation::from_text`] does.
    fn read_text(rules: &Self::Rules, text: &str) -> Result<(Self, Vec<String>), String> {
        Ok((Self::from_text(rules, text)?, Vec::new()))
    }

    /// Returns the position's text form.
    fn to_text(&self) -> String;

    /// Returns a compact and stable code of a legal move for game records. By default it is the place
    /// in the list of legal moves, which is stable only as long as that list is.
    fn encode_move(&self, mv: Self::Move) -> u32 {
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        legal.iter().position(|&known| known == mv).unwrap_or(legal.len()) as u32
    }

    /// Returns the legal move with this code, if there is one.
    fn decode_move(&self, code: u32) -> Option<Self::Move> {
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        legal.into_iter().find(|&mv| self.encode_move(mv) == code)
    }

    /// Returns the move in engine notation.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Returns the legal move with this engine notation, if there is one. A game may accept other
    /// notations as well if none of them can be mistaken for another move.
    fn parse_move(&self, text: &str) -> Option<Self::Move> {
        let mut legal = Vec::new();
        self.legal_moves(&mut legal);
        legal.into_iter().find(|&mv| self.move_text(mv) == text)
    }

    /// Returns the move in the notation for human readers. By default it is the engine notation.
    fn move_words(&self, mv: Self::Move) -> String {
        self.move_text(mv)
    }

    /// Returns moves of one side in a row, the first of them made here, in the notation for human
    /// readers: a turn, or what has been made of it. By default they are joined by blanks.
    fn turn_words(&self, moves: &[Self::Move]) -> String {
        let mut game = self.clone();
        let word = |&mv: &Self::Move| {
            let word = game.move_words(mv);
            game.play(mv);
            word
        };
        moves.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Writes a finished game in the format that the game's programs read.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::InvalidData`] if the game is not legal, or an error of the output.
    fn write_game(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
        game_text::write_plain::<Self>(text, out)
    }
}
