//! A game as people see it on a board and play it by hand.
//!
//! All of it is data, so that a page can draw any game and needs no rules: where the spaces are, what
//! stands on them, what a move does in words, and why a move is illegal.

use crate::{CompleteGame, Lesson, ReadGame, Side};
use serde::Serialize;

/// A script that draws boards and their pieces, whatever the game. It is a module of JavaScript that
/// exports its functions and constants.
pub const DRAWING: &str = include_str!("drawing.js");

/// A space of a board.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Space {
    /// Name in positions and moves: `e4`.
    pub name: String,
    /// Column, from 0 at the left as the first player sees it.
    pub column: u16,
    /// Row, from 0 at the first player's edge.
    pub row: u16,
    /// Whether it has the darker of the two colours.
    pub dark: bool,
}

/// The shape of a board of square spaces. Spaces may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct BoardShape {
    /// Number of columns.
    pub columns: u16,
    /// Number of rows.
    pub rows: u16,
    /// The spaces, in any order.
    pub spaces: Vec<Space>,
    /// Names of the columns, from the left; empty if the spaces' names do not have them.
    pub column_names: Vec<String>,
    /// Names of the rows, from the first player's edge.
    pub row_names: Vec<String>,
}

impl BoardShape {
    /// Returns a whole board whose columns are letters from `a` and whose rows are numbers from 1.
    ///
    /// ```
    /// use fusion_game::BoardShape;
    ///
    /// let board = BoardShape::lettered(3, 2);
    /// let names: Vec<&str> = board.spaces.iter().map(|space| space.name.as_str()).collect();
    /// assert_eq!(names, ["a1", "b1", "c1", "a2", "b2", "c2"]);
    /// assert!(board.spaces[0].dark && !board.spaces[1].dark);
    /// ```
    #[must_use]
    pub fn lettered(columns: u16, rows: u16) -> Self {
        let letter = |column: u16| char::from(b'a' + (column % 26) as u8).to_string();
        let column_names: Vec<String> = (0..columns).map(letter).collect();
        let row_names: Vec<String> = (1..=rows).map(|row| row.to_string()).collect();
        let spaces = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let spaces = spaces.map(|(row, column)| Space {
            name: format!("{}{}", letter(column), row + 1),
            column,
            row,
            dark: (row + column) % 2 == 0,
        });
        Self { columns, rows, spaces: spaces.collect(), column_names, row_names }
    }
}

/// A piece as it is drawn and named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardPiece {
    /// Its owner.
    pub side: Side,
    /// What is drawn: a letter for each figure, side by side.
    pub figure: String,
    /// Its name: `Marshall`.
    pub name: String,
    /// What it is made of, in words, if it is made of several parts.
    pub parts: Option<String>,
    /// Whether its loss loses the game.
    pub royal: bool,
}

/// A piece and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacedPiece {
    /// Name of the space.
    pub space: String,
    /// The piece.
    #[serde(flatten)]
    pub piece: BoardPiece,
}

/// Pieces of a kind that a side holds outside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reserve {
    /// The kind of piece.
    #[serde(flatten)]
    pub piece: BoardPiece,
    /// Number of pieces.
    pub count: u32,
}

/// A legal move as a board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardMove {
    /// Space of the piece that moves; `None` if a piece comes onto the board, or nothing moves.
    pub from: Option<String>,
    /// Space where it arrives, or that the move is about. `None` if it is about no space, such as the
    /// end of a turn: pages show a button for it.
    pub to: Option<String>,
    /// Kind of the move, in a word: `fusion`.
    pub kind: &'static str,
    /// What the move does, in a few words. Moves between the same spaces have different words.
    pub label: String,
    /// What stands on the destination after it, or is about to leave it; `None` for an empty space.
    pub becomes: Option<BoardPiece>,
    /// What is left on the origin after it.
    pub stays: Option<BoardPiece>,
    /// What it captures.
    pub captures: Option<BoardPiece>,
}

/// A game that people play on a board.
pub trait BoardGame: CompleteGame {
    /// Names of the players: the first, the second.
    const PLAYERS: [&'static str; 2] = ["First", "Second"];

    /// Rule set that others are compared with, as the one that readers know.
    const KNOWN_RULES: &'static str;

    /// What readers call those rules, in the middle of a sentence: `chess`.
    const KNOWN_NAME: &'static str;

    /// The figures of pieces, as SVG groups `figure-X` for each letter X of [`BoardPiece::figure`]. Each
    /// is drawn in a square of 45 units, on a base at 33.5, in outlines that inherit fill and stroke.
    /// Parts of the class `detail` are lines on the figure.
    const FIGURES: &'static str;

    /// The whole rules for readers who do not know [`BoardGame::KNOWN_RULES`]; empty if everyone does.
    const LESSONS: &'static [Lesson] = &[];

    /// Parses a rule set from a text of unknown origin: reads no files.
    ///
    /// # Errors
    /// Returns the reason why the text is rejected.
    fn parse_rules(text: &str) -> Result<Self::Rules, String>;

    /// Returns the board of a rule set.
    fn shape(rules: &Self::Rules) -> BoardShape;

    /// Returns all pieces on the board.
    fn pieces(&self) -> Vec<PlacedPiece>;

    /// Returns a number for what stands on each space, in the order of [`BoardShape::spaces`]: 0 for
    /// nothing, and for pieces of the same owner, figures and name the same number. Comparing these
    /// is faster than comparing [`BoardGame::pieces`].
    fn codes(&self) -> Vec<u32>;

    /// Returns the pieces outside the board that can come onto it.
    fn reserves(&self) -> Vec<Reserve> {
        Vec::new()
    }

    /// Returns the spaces of pieces of the side to move whose loss is threatened and would lose the
    /// game: the royal piece in check.
    fn threatened(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the spaces that the turn in progress is about: the piece that goes on, pieces that have
    /// moved already. There are none at the start of a turn.
    fn in_turn(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what a legal move looks like on the board.
    fn board_move(&self, mv: Self::Move) -> BoardMove;

    /// Returns why no move leads from one space to another, as a sentence, whether the game is over or
    /// not. Returns `None` if a legal move does. A move without an origin leads from its destination
    /// to itself.
    fn why_illegal(&self, from: &str, to: &str) -> Option<String>;

    /// Returns what a piece of the side to move may not do here although pieces of its kind do, as
    /// a sentence: an attacked compound may not split.
    fn restriction(&self, space: &str) -> Option<String> {
        let _ = space;
        None
    }

    /// Parses the first game of a text in the format of [`Notation::GAMES_FILE`](crate::Notation).
    ///
    /// # Errors
    /// Returns the reason why the text is rejected.
    fn read_game(text: &str) -> Result<ReadGame, String>;

    /// Parses a game of a run's records. They are the program's own, so their rules may name files.
    ///
    /// # Errors
    /// Returns the reason why the text is rejected.
    fn read_record(text: &str) -> Result<ReadGame, String> {
        Self::read_game(text)
    }

    /// Writes a game in the format that [`BoardGame::read_game`] parses. `players` are the names of the
    /// players where the game has none. By default the variations are left out: only the main line and its
    /// comments are written.
    ///
    /// # Errors
    /// Returns the reason why the game cannot be written, such as an illegal move.
    fn write_text(game: &ReadGame, players: &[String; 2]) -> Result<String, String> {
        game.write_plain::<Self>(players)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_and_its_space_are_one_object() {
        let piece = BoardPiece {
            side: Side::Second,
            figure: "RN".into(),
            name: "Marshall".into(),
            parts: Some("Rook and Knight".into()),
            royal: false,
        };
        let placed = PlacedPiece { space: "e4".into(), piece };
        let json = serde_json::to_value(&placed).unwrap();
        assert_eq!(json["space"], "e4");
        assert_eq!(json["side"], "second");
        assert_eq!(json["figure"], "RN");
    }
}
