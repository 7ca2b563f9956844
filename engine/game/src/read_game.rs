//! Games as they were read from a text, with everything that the text says about them.

use crate::{GameText, Notation, Outcome, play_text};
use serde::{Deserialize, Serialize};

/// A game that was read from a text, or that people play, with its variations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadGame {
    /// The rule set.
    pub rules: String,
    /// The first position; `None` for the rules' initial position.
    #[serde(default)]
    pub start: Option<String>,
    /// The moves with what is said about them.
    #[serde(flatten)]
    pub line: ReadLine,
    /// What the text says about the game, such as the players: names and values.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`; empty if it is not known.
    #[serde(default)]
    pub result: String,
    /// Why the text after these moves could not be read; `None` if all of it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// What was mended or left out, for example further games of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Moves in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLine {
    /// The comment before the first move.
    #[serde(default)]
    pub comment: Option<String>,
    /// The moves.
    #[serde(default)]
    pub moves: Vec<ReadMove>,
}

/// A move with what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadMove {
    /// The move in engine notation.
    pub text: String,
    /// The comment after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its glyphs by their usual numbers: 1 is `!`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glyphs: Vec<u8>,
    /// Lines that begin with another move instead of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<ReadLine>,
}

impl ReadGame {
    /// Returns the value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the moves of the main line in engine notation.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.line.moves.iter().map(|mv| mv.text.clone()).collect()
    }

    /// Writes the main line with its comments in the format of [`Notation::write_game`]. `players` are the
    /// names where the game has none.
    pub(crate) fn write_plain<G: Notation>(&self, players: &[String; 2]) -> Result<String, String> {
        let name = self.tag("Game").unwrap_or("Game 1");
        let (event, round) = name.rsplit_once(' ').unwrap_or((name, "1"));
        let player = |tag, i: usize| self.tag(tag).unwrap_or(&players[i]).to_owned();
        let moves = self.line.moves.iter().map(|mv| (mv.text.clone(), mv.comment.clone()));
        let mut text = GameText {
            event: event.to_owned(),
            round: round.to_owned(),
            players: [player("First", 0), player("Second", 1)],
            rules: self.rules.clone(),
            start: self.start.clone(),
            moves: moves.collect(),
            outcome: None,
        };
        let mut game: G = text.first_position().map_err(|error| error.to_string())?;
        for (mv, _) in &text.moves {
            play_text(&mut game, mv).map_err(|error| error.to_string())?;
        }
        text.outcome = game.outcome_now().or_else(|| Outcome::told(&self.result));
        let mut bytes = Vec::new();
        G::write_game(&text, &mut bytes).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    }
}

impl ReadLine {
    /// Adds a move in engine notation.
    pub fn push(&mut self, text: String) {
        self.moves.push(ReadMove { text, ..ReadMove::default() });
    }

    /// Adds text to the comment of the last move, or to the one before the first move.
    pub fn comment(&mut self, text: &str) {
        let comment = match self.moves.last_mut() {
            Some(mv) => &mut mv.comment,
            None => &mut self.comment,
        };
        *comment = Some(match comment.take() {
            Some(before) => format!("{before} {text}"),
            None => text.to_owned(),
        });
    }
}
