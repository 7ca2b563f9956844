//! `moves`: the legal moves of a position.

use super::position::Setting;
use fusion_game::CompleteGame;
use fusion_jobs::exit::note;
use fusion_registry::for_game;
use std::io::Write;

/// Arguments of `moves`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
}

/// Prints a line for each legal move: the text for programs, then the text for people.
pub fn run(args: &Args) -> anyhow::Result<()> {
    for_game!(args.setting.known_game(), G => list(&args.setting.game::<G>()?))
}

fn list<G: CompleteGame>(game: &G) -> anyhow::Result<()> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if let Some(outcome) = game.outcome(&moves).filter(|_| moves.is_empty()) {
        note(format_args!("no legal moves: {}", outcome.ending.kind().words));
    }
    let mut out = std::io::stdout().lock();
    for mv in moves {
        writeln!(out, "{:<5}  {}", game.move_text(mv), game.move_words(mv))?;
    }
    Ok(())
}
