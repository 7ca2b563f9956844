//! Finished games as text.

use crate::{Notation, Outcome, RuleSet};
use std::io::{self, ErrorKind, Write};

/// A finished game, its moves and position as text.
#[derive(Clone, Debug)]
pub struct GameText {
    /// Name of the event, that is, the purpose of the game.
    pub event: String,
    /// Number of the game in the event.
    pub round: String,
    /// Names of the first and the second player.
    pub players: [String; 2],
    /// The rule set.
    pub rules: String,
    /// The first position; `None` for the rules' initial position.
    pub start: Option<String>,
    /// The moves in engine notation, each with the comment after it.
    pub moves: Vec<(String, Option<String>)>,
    /// How the game ended.
    pub outcome: Outcome,
}

impl GameText {
    /// Returns the position before the first move.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidData`] if the rules or the position cannot be parsed.
    pub fn first_position<G: Notation>(&self) -> io::Result<G> {
        let rules = G::Rules::parse(&self.rules).map_err(invalid)?;
        match &self.start {
            None => Ok(G::new(&rules)),
            Some(text) => {
                G::from_text(&rules, text).map_err(|error| invalid(format!("{text}: {error}")))
            }
        }
    }
}

/// Returns the error of a text that is not a game.
pub fn invalid(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

/// Parses a move and plays it.
///
/// # Errors
/// Returns [`ErrorKind::InvalidData`] if the move is not legal.
pub fn play_text<G: Notation>(game: &mut G, text: &str) -> io::Result<G::Move> {
    let mv = game
        .parse_move(text)
        .ok_or_else(|| invalid(format!("{text} is not legal in {}", game.to_text())))?;
    game.play(mv);
    Ok(mv)
}

/// Writes a game as four lines: event and players, rules and start, result and ending, moves in
/// people's notation.
pub(crate) fn write_plain<G: Notation>(text: &GameText, out: &mut dyn Write) -> io::Result<()> {
    let mut game: G = text.first_position()?;
    let mut words = Vec::new();
    for (mv, comment) in &text.moves {
        let before = game.clone();
        words.push(before.move_words(play_text(&mut game, mv)?));
        words.extend(comment.as_ref().map(|comment| format!("{{{comment}}}")));
    }
    let [first, second] = &text.players;
    writeln!(out, "{} {}: {first} - {second}", text.event, text.round)?;
    writeln!(out, "{} {}", text.rules, text.start.as_deref().unwrap_or("start"))?;
    writeln!(out, "{} {}", text.outcome.result(), text.outcome.ending)?;
    writeln!(out, "{}\n", words.join(" "))
}
