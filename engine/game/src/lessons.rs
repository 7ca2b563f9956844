//! The rules of a game in words and pictures, as data, for readers to whom the game is new.

use crate::RuleExample;

/// A section of the rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its heading.
    pub title: &'static str,
    /// Paragraphs that hold whatever the toggles are.
    pub words: &'static [&'static str],
    /// Names of the toggles whose sentences belong here.
    pub toggles: &'static [&'static str],
    /// Boards with moves.
    pub pictures: &'static [RulePicture],
}

/// A board with a move on it.
#[derive(Debug, PartialEq, Eq)]
pub struct RulePicture {
    /// Changes to the rules of the game, so that the board is a small one: `board=7`.
    pub changes: &'static str,
    /// The position and the move, without a toggle.
    pub example: RuleExample,
    /// Whether the move is legal under the rules that readers know.
    pub legal: bool,
    /// What the picture shows if it is as `legal` says.
    pub says: &'static str,
}

impl RulePicture {
    /// Creates a picture of a move that is made from a position.
    #[must_use]
    pub const fn new(
        changes: &'static str,
        position: &'static str,
        mv: &'static str,
        says: &'static str,
    ) -> Self {
        let example = RuleExample { toggle: "", position: Some(position), line: "", mv };
        Self { changes, example, legal: true, says }
    }

    /// Returns the picture after moves in engine notation, joined by blanks.
    #[must_use]
    pub const fn after(self, line: &'static str) -> Self {
        let example = RuleExample { line, ..self.example };
        Self { example, ..self }
    }

    /// Returns the picture as one of an illegal move.
    #[must_use]
    pub const fn illegal(self) -> Self {
        Self { legal: false, ..self }
    }
}
