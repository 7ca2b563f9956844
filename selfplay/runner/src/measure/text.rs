//! Measurement games as text.

use std::io::Write;

use anyhow::bail;
use fusion_game::{CompleteGame, GameText, Outcome, Side};

use super::{GameResult, MeasuredGame, RowEnding};
use crate::games_file;
use crate::matches::PlayerName;

/// Writes a game. Each searched move is followed by the evaluation of the search,
/// `[%wdl 512,300,188]`, the first player's chances per mille.
///
/// # Errors
/// Fails if the game is not legal, or on an error of the output.
pub(super) fn write<G: CompleteGame>(
    game: &MeasuredGame,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (network, nodes) = (game.row.network.clone(), u32::try_from(game.row.nodes).ok());
    let player = PlayerName { network, nodes, equal_time: false }.to_string();
    let opening = game.opening.split_ascii_whitespace().map(|text| (text.to_owned(), None));
    let played = game.moves.iter().map(|played| {
        let [win, draw, loss] = played.1;
        (played.0.clone(), Some(format!("[%wdl {win},{draw},{loss}]")))
    });
    let game = GameText {
        event: "Measurement".to_owned(),
        round: game.row.opening.to_string(),
        players: [player.clone(), player],
        rules: game.row.rules.clone(),
        start: game.start.clone(),
        moves: opening.chain(played).collect(),
        outcome: Some(outcome(game)?),
    };
    games_file::write::<G>(&game, out)
}

fn outcome(game: &MeasuredGame) -> anyhow::Result<Outcome> {
    let RowEnding::Game(ending) = game.row.ending else { bail!("the game has no ending") };
    let winner = match game.row.result {
        GameResult::White => Some(Side::First),
        GameResult::Black => Some(Side::Second),
        GameResult::Draw | GameResult::None => None,
    };
    Ok(Outcome { winner, ending })
}
