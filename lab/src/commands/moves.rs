//! `moves`: the legal moves of a position.

use super::position::Setting;
use fusion_chess::notation::san;
use fusion_jobs::exit::note;
use std::io::Write;

/// Arguments of `moves`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    setting: Setting,
}

/// Prints a line for each legal move: coordinate notation, then algebraic.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let rules = &args.setting.rules;
    let position = args.setting.position()?;
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    if moves.is_empty() {
        let reason = if position.in_check() { "checkmate" } else { "stalemate" };
        note(format_args!("no legal moves: {reason}"));
    }
    let mut out = std::io::stdout().lock();
    for mv in moves {
        writeln!(out, "{:<5}  {}", mv.to_string(), san(&position, rules, mv))?;
    }
    Ok(())
}
