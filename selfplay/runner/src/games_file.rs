//! The file with the games of a run, for people and other programs.

use std::io::{self, Write};

use fusion_game::{CompleteGame, GameText};
use fusion_jobs::exit::Failure;

/// Writes a game in its own format.
///
/// # Errors
/// Fails if the game is not legal (exit code 65), or on an error of the output.
pub(crate) fn write<G: CompleteGame>(game: &GameText, out: &mut dyn Write) -> anyhow::Result<()> {
    G::write_game(game, out).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Failure::corrupt(error).into(),
        _ => error.into(),
    })
}
