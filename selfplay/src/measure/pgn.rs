//! PGN of measurement games of Fusion Chess.

use std::io::Write;

use anyhow::Context;
use fusion_engine::cli::Failure;
use fusion_engine::fusion::FusionGame;
use fusion_engine::game::{Ending, Game, Outcome, Side};
use fusion_engine::notation::{PgnGame, PgnMove};

use super::MeasuredGame;

/// Digits of a network's hash in a player's name.
const HASH_DIGITS: usize = 12;

/// Writes a game of Fusion Chess: each searched move is followed by the mover's opinion,
/// `[%wdl 512,300,188]`, White's chances per mille.
///
/// # Errors
/// A game that is not legal, or an error of the output.
pub fn write_pgn(game: &MeasuredGame, out: &mut dyn Write) -> anyhow::Result<()> {
    let rules = FusionGame::parse_rules(&game.row.rules).map_err(Failure::corrupt)?;
    let mut position = FusionGame::new(&rules);
    let mut pgn = PgnGame::new(&rules, position.position());
    let network: String = game.row.network.chars().take(HASH_DIGITS).collect();
    let player = format!("{network} at {} nodes", game.row.nodes);
    pgn.set_tag("Event", "Measurement");
    pgn.set_tag("Round", &game.row.opening.to_string());
    pgn.set_tag("White", &player);
    pgn.set_tag("Black", &player);
    pgn.set_outcome(outcome(game)?);
    let opening = game.opening.split_ascii_whitespace().map(|text| (text, None));
    let played = game.moves.iter().map(|played| (played.0.as_str(), Some(played.1)));
    for (text, wdl) in opening.chain(played) {
        let mv = position.parse_move(text).ok_or_else(|| {
            Failure::corrupt(format!("{text} is not legal in {}", position.to_text()))
        })?;
        let comment = wdl.map(|[win, draw, loss]| format!("[%wdl {win},{draw},{loss}]"));
        pgn.moves.push(PgnMove { mv, comment });
        position.play(mv);
    }
    Ok(pgn.write(out)?)
}

fn outcome(game: &MeasuredGame) -> anyhow::Result<Outcome> {
    let ending = Ending::from_name(&game.row.ending).context("unknown ending")?;
    let winner = match game.row.result.as_str() {
        "1-0" => Some(Side::First),
        "0-1" => Some(Side::Second),
        _ => None,
    };
    Ok(Outcome { winner, ending })
}
