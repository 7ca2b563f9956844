//! A position as a page shows it.

use super::game::Played;
use fusion_game::{BoardGame, BoardMove, Side};
use serde::Serialize;
use serde_json::{Value, json};

/// A move that was played.
#[derive(Serialize)]
pub(crate) struct Past {
    /// In engine notation.
    text: String,
    /// In people's notation.
    words: String,
    side: Side,
    #[serde(flatten)]
    shown: BoardMove,
}

/// Returns what is kept of a legal move.
pub(crate) fn past<G: BoardGame>(game: &G, mv: G::Move) -> Past {
    Past {
        text: game.move_text(mv),
        words: game.move_words(mv),
        side: game.side_to_move(),
        shown: game.board_move(mv),
    }
}

/// Returns everything that a page needs to show a position and to let people play on.
pub(crate) fn describe<G: BoardGame>(played: &Played<G>) -> Value {
    let Played { game, history } = played;
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let outcome = game.outcome(&moves);
    if outcome.is_some() {
        moves.clear();
    }
    let legal: Vec<Past> = moves.iter().map(|&mv| past(game, mv)).collect();
    let pieces = game.pieces();
    let own = pieces.iter().filter(|placed| placed.piece.side == game.side_to_move());
    let restrictions: serde_json::Map<String, Value> = own
        .filter(|_| outcome.is_none())
        .filter_map(|placed| Some((placed.space.clone(), game.restriction(&placed.space)?.into())))
        .collect();
    json!({
        "rules": game.rules().to_string(),
        "text": game.to_text(),
        "side": game.side_to_move(),
        "players": G::PLAYERS,
        "board": G::shape(game.rules()),
        "pieces": pieces,
        "reserves": game.reserves(),
        "threatened": game.threatened(),
        "legal": legal,
        "restrictions": restrictions,
        "history": history,
        "outcome": outcome.map(|outcome| json!({
            "result": outcome.result(),
            "winner": outcome.winner,
            "ending": outcome.ending.name(),
            "words": outcome.ending.kind().words,
        })),
    })
}
