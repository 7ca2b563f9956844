//! A position as a page shows it.

use fusion_game::{BoardGame, BoardMove, Side};
use serde::Serialize;
use serde_json::{Value, json};

/// A move of a position, played or legal, as a page shows it.
#[derive(Serialize)]
pub(crate) struct MoveView {
    /// In engine notation.
    text: String,
    /// In people's notation.
    words: String,
    side: Side,
    #[serde(flatten)]
    board: BoardMove,
}

/// A turn, or the part of it that has been made: plies of one side in a row.
#[derive(Serialize)]
pub(crate) struct TurnView {
    side: Side,
    /// Number of its plies.
    plies: usize,
    /// The whole turn in people's notation.
    words: String,
}

/// A game that was played to a position.
pub(crate) struct Played<G: BoardGame> {
    pub(crate) game: G,
    /// The moves from the first position.
    pub(crate) history: Vec<MoveView>,
    /// The turns of these moves.
    pub(crate) turns: Vec<TurnView>,
}

/// Returns the turns of moves that are made from a position.
pub(crate) fn turns<G: BoardGame>(first: &G, moves: &[G::Move]) -> Vec<TurnView> {
    let mut turns = Vec::new();
    let mut game = first.clone();
    let mut rest = moves;
    while !rest.is_empty() {
        let (begin, side) = (game.clone(), game.side_to_move());
        let mut plies = 0;
        while plies < rest.len() && game.side_to_move() == side {
            game.play(rest[plies]);
            plies += 1;
        }
        let (turn, after) = rest.split_at(plies);
        turns.push(TurnView { side, plies, words: begin.turn_words(turn) });
        rest = after;
    }
    turns
}

/// Describes a legal move of a position.
pub(crate) fn view_move<G: BoardGame>(game: &G, mv: G::Move) -> MoveView {
    MoveView {
        text: game.move_text(mv),
        words: game.move_words(mv),
        side: game.side_to_move(),
        board: game.board_move(mv),
    }
}

/// Returns everything that a page needs to show a position and to let people play on.
pub(crate) fn describe<G: BoardGame>(played: &Played<G>) -> Value {
    let Played { game, history, turns } = played;
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let outcome = game.outcome(&moves);
    if outcome.is_some() {
        moves.clear();
    }
    let legal: Vec<MoveView> = moves.iter().map(|&mv| view_move(game, mv)).collect();
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
        "in_turn": game.in_turn(),
        "legal": legal,
        "restrictions": restrictions,
        "history": history,
        "turns": turns,
        "outcome": outcome.map(|outcome| json!({
            "result": outcome.result(),
            "winner": outcome.winner,
            "ending": outcome.ending.name(),
            "words": outcome.ending.kind().words,
        })),
    })
}
