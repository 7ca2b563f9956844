//! Played games of Fusion Chess as PGN.

use std::io::Write;
use std::path::Path;

use fusion_chess::FusionGame;
use fusion_chess::notation::{PgnGame, PgnMove};
use fusion_game::Outcome;
use fusion_game::prelude::*;
use fusion_jobs::exit::{Failure, note};

/// Name of the file with a run's games.
pub const FILE: &str = "games.pgn";

/// A finished game, its moves and position as text.
#[derive(Clone, Debug)]
pub struct GameText {
    /// Name of the event, that is, the purpose of the game.
    pub event: String,
    /// Number of the game in the event.
    pub round: String,
    /// Names of White and Black.
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

/// Function that writes a game. It depends on the game: [`write()`] for Fusion Chess.
pub type Writer = fn(&GameText, &mut dyn Write) -> anyhow::Result<()>;

/// Writes a game of Fusion Chess.
///
/// # Errors
/// Fails if the game is not legal (exit code 65), or on an error of the output.
pub fn write(game: &GameText, out: &mut dyn Write) -> anyhow::Result<()> {
    let rules = RuleSet::parse(&game.rules).map_err(Failure::corrupt)?;
    let mut position = match &game.start {
        None => FusionGame::new(&rules),
        Some(text) => FusionGame::from_text(&rules, text)
            .map_err(|error| Failure::corrupt(format!("{text}: {error}")))?,
    };
    let mut pgn = PgnGame::new(&rules, position.position());
    pgn.set_tag("Event", &game.event);
    pgn.set_tag("Round", &game.round);
    pgn.set_tag("White", &game.players[0]);
    pgn.set_tag("Black", &game.players[1]);
    pgn.set_outcome(game.outcome);
    for (text, comment) in &game.moves {
        let mv = position.parse_move(text).ok_or_else(|| {
            Failure::corrupt(format!("{text} is not legal in {}", position.to_text()))
        })?;
        pgn.moves.push(PgnMove { mv, comment: comment.clone() });
        position.play(mv);
    }
    Ok(pgn.write(out)?)
}

/// Reports why a finished shard has no [`FILE`] beside it.
pub(crate) fn explain_absence(shard: &Path) {
    note(format_args!(
        "{}: an earlier version played these games and did not record their moves, so there is no \
         {FILE}; to have it, play them again in another folder",
        shard.display()
    ));
}
