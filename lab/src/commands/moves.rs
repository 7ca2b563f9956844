//! `moves`: the legal moves of a position.

use super::output::Output;
use super::position::Setting;
use fusion_game::CompleteGame;
use fusion_jobs::exit::note;
use fusion_print::table::Fields;
use fusion_registry::for_game;
use std::io::Write;

/// Arguments of `moves`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
    #[command(flatten)]
    output: Output,
}

/// Prints a line for each legal move: the text for programs, then the text for people.
pub fn run(args: &Args) -> anyhow::Result<()> {
    for_game!(args.setting.known_game(), G => list(&args.setting.game::<G>()?, args.output))
}

fn list<G: CompleteGame>(game: &G, output: Output) -> anyhow::Result<()> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    if let Some(outcome) = game.outcome(&moves).filter(|_| moves.is_empty()) {
        note(format_args!("no legal moves: {}", outcome.ending.kind().words));
    }
    let moves = moves.into_iter().map(|mv| [game.move_text(mv), game.move_words(mv)]);
    if output.json {
        let fields = Fields::<[String; 2]>::default()
            .text("move", "Move", |[mv, _]| mv.clone())
            .text("notation", "Notation for people", |[_, notation]| notation.clone());
        output.print_table(fields.whole_table("moves", "Legal moves", moves));
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    for [mv, notation] in moves {
        writeln!(out, "{mv:<5}  {notation}")?;
    }
    Ok(())
}
