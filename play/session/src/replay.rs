//! Plays the moves of a request.

use super::Rejection;
use super::request::{Setting, reject};
use fusion_game::BoardGame;

/// Returns the first position of a setting, with what was mended in its text.
pub(crate) fn first<G: BoardGame>(at: &Setting) -> Result<(G, Vec<String>), Rejection> {
    let rules = G::parse_rules(&at.rules).map_err(|message| reject("rules", message))?;
    match &at.start {
        None => Ok((G::new(&rules), Vec::new())),
        Some(text) => G::read_text(&rules, text).map_err(|message| reject("position", message)),
    }
}

/// Reads a move in the engine's notation, or in people's, as reports have it.
fn read_move<G: BoardGame>(game: &G, text: &str) -> Option<G::Move> {
    game.parse_move(text).or_else(|| {
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        legal.into_iter().find(|&mv| game.move_words(mv) == text)
    })
}

/// Plays the moves of a setting. `record` describes each move before it is played.
pub(crate) fn replay<G: BoardGame, T>(
    at: &Setting,
    record: impl Fn(&G, G::Move) -> T,
) -> Result<(G, Vec<T>), Rejection> {
    let (mut game, _): (G, _) = first(at)?;
    let mut history = Vec::with_capacity(at.moves.len());
    for (number, text) in (1..).zip(&at.moves) {
        let legal = game.outcome_now().is_none().then(|| read_move(&game, text)).flatten();
        let mv = legal.ok_or_else(|| {
            let text: String = text.chars().take(20).collect();
            let words = format!("move {number}: '{text}' is not legal in {}", game.to_text());
            Rejection { good: Some(history.len()), ..reject("move", words) }
        })?;
        history.push(record(&game, mv));
        game.play(mv);
    }
    Ok((game, history))
}
