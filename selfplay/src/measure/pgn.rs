//! PGN of measurement games.

use std::io::Write;

use fusion_engine::cli::Failure;
use fusion_engine::game::Game;

use super::game::MeasuredGame;

/// Writes a game.
pub(super) fn write<G: Game>(game: &MeasuredGame, out: &mut dyn Write) -> anyhow::Result<()> {
    let rules = G::parse_rules(&game.row.rules).map_err(Failure::corrupt)?;
    let mut position = G::new(&rules);
    for text in game.opening.split(' ').chain(game.moves.iter().map(|m| m.0.as_str())) {
        let mv = position.parse_move(text).ok_or_else(|| Failure::corrupt(text))?;
        write!(out, "{} ", position.move_san(mv))?;
        position.play(mv);
    }
    writeln!(out, "{}\n", game.row.result)?;
    Ok(())
}
