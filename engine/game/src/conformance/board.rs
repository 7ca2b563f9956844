//! What a board that people play on must hold.

use super::{holds, repeated, same};
use crate::{BoardGame, BoardShape, PlacedPiece, RuleSet};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, HashSet};

/// Plies between two positions that are checked, on average.
const STRIDE: u64 = 7;

/// Plies after which a random game is given up.
const LONGEST_GAME: usize = 200;

/// Checks what [`BoardGame`] promises in positions of random games under all presets and random
/// rule sets, `games` of each. Returns the number of positions.
///
/// # Errors
/// Returns what does not hold, and in which position.
///
/// ```
/// use fusion_game::{conformance, toy::TicTacToe};
///
/// assert!(conformance::check_board::<TicTacToe>(2, 1)? > 5);
/// # Ok::<(), String>(())
/// ```
pub fn check_board<G: BoardGame>(games: usize, seed: u64) -> Result<usize, String> {
    check_lessons::<G>(&G::parse_rules(G::KNOWN_RULES)?)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let presets: Vec<G::Rules> = G::Rules::presets().into_iter().map(|(_, rules)| rules).collect();
    let mut positions = 0;
    for _ in 0..games {
        let random = G::Rules::random(&mut rng);
        for rules in presets.iter().chain([&random]) {
            check_rules::<G>(rules)?;
            let mut game = G::new(rules);
            for _ in 0..LONGEST_GAME {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                if rng.next_u64().is_multiple_of(STRIDE) {
                    positions += 1;
                    check_position(&game, &moves)
                        .map_err(|what| format!("{rules}, {}: {what}", game.to_text()))?;
                }
                if game.outcome(&moves).is_some() {
                    break;
                }
                let Some(&mv) = moves.choose(&mut rng) else { break };
                game.play(mv);
            }
        }
    }
    Ok(positions)
}

/// Lessons tell of every toggle once, and their pictures are legal as they say.
fn check_lessons<G: BoardGame>(known: &G::Rules) -> Result<(), String> {
    let told = G::LESSONS.iter().flat_map(|lesson| lesson.toggles);
    if let Some(toggle) = repeated(told.clone()) {
        return Err(format!("two lessons tell of {toggle}"));
    }
    for toggle in G::Rules::TOGGLES.iter().filter(|_| !G::LESSONS.is_empty()) {
        holds(told.clone().any(|name| *name == toggle.name), || {
            format!("no lesson tells of {}", toggle.name)
        })?;
    }
    for picture in G::LESSONS.iter().flat_map(|lesson| lesson.pictures) {
        let rules = G::parse_rules(&format!("{known},{}", picture.changes))?;
        let game: Option<G> = picture.example.game(&rules);
        let game = game.ok_or_else(|| format!("there is no position for {:?}", picture.says))?;
        let is_legal = game.parse_move(picture.example.mv).is_some();
        holds(is_legal == picture.legal, || format!("{}: {is_legal}", picture.says))?;
    }
    Ok(())
}

/// Every value that a form offers is accepted, or refused for a reason.
fn check_rules<G: BoardGame>(rules: &G::Rules) -> Result<(), String> {
    let name = rules.to_string();
    same("parse_rules", &G::parse_rules(&name).map(|rules| rules.to_string()), &Ok(name))?;
    for toggle in G::Rules::TOGGLES {
        let choices = G::Rules::choices(toggle.name);
        holds(!choices.is_empty(), || format!("{} has no choices", toggle.name))?;
    }
    Ok(())
}

fn check_position<G: BoardGame>(game: &G, moves: &[G::Move]) -> Result<(), String> {
    let shape = G::shape(game.rules());
    let spaces: HashSet<&str> = shape.spaces.iter().map(|space| space.name.as_str()).collect();
    same("names of spaces", &spaces.len(), &shape.spaces.len())?;
    let pieces = game.pieces();
    let on_board = pieces.iter().all(|piece| spaces.contains(piece.space.as_str()));
    holds(on_board, || "a piece stands on no space".into())?;
    if let Some(space) = repeated(pieces.iter().map(|piece| &piece.space)) {
        return Err(format!("two pieces stand on {space}"));
    }
    check_codes(game, &shape, &pieces)?;
    let in_turn = game.in_turn();
    holds(in_turn.iter().all(|space| spaces.contains(space.as_str())), || {
        "the turn is about no space".into()
    })?;
    let drawn = |letter: char| G::FIGURES.contains(&format!("id=\"figure-{letter}\""));
    let figures = pieces.iter().flat_map(|piece| piece.piece.figure.chars());
    holds(figures.clone().all(drawn), || "a piece has no figure".into())?;
    check_moves(game, moves, &spaces)
}

/// Spaces without a piece have the code 0, and pieces have the same code if they look the same.
fn check_codes<G: BoardGame>(
    game: &G,
    shape: &BoardShape,
    pieces: &[PlacedPiece],
) -> Result<(), String> {
    let codes = game.codes();
    same("number of codes", &codes.len(), &shape.spaces.len())?;
    let mut looks = HashMap::new();
    for (space, code) in shape.spaces.iter().zip(codes) {
        let piece = pieces.iter().find(|placed| placed.space == space.name);
        let look = piece.map(|PlacedPiece { piece, .. }| (piece.side, &piece.figure, &piece.name));
        holds((code == 0) == look.is_none(), || format!("{}: code {code}", space.name))?;
        same("pieces of a code", looks.entry(code).or_insert(look), &look)?;
    }
    let distinct: HashSet<_> = looks.values().collect();
    same("pieces with a code of their own", &distinct.len(), &looks.len())
}

fn check_moves<G: BoardGame>(
    game: &G,
    moves: &[G::Move],
    spaces: &HashSet<&str>,
) -> Result<(), String> {
    let shown: Vec<_> = moves.iter().map(|&mv| game.board_move(mv)).collect();
    let mut legal = HashSet::new();
    for mv in &shown {
        let Some(to) = mv.to.as_deref() else {
            holds(mv.from.is_none(), || format!("{mv:?} leads from a space to none"))?;
            continue;
        };
        let from = mv.from.as_deref().unwrap_or(to);
        let known = spaces.contains(to) && spaces.contains(from);
        holds(known, || format!("{mv:?} leads from or to no space"))?;
        legal.insert((from, to));
    }
    let labels = shown.iter().map(|mv| (&mv.from, &mv.to, &mv.label));
    if let Some(label) = repeated(labels) {
        return Err(format!("two moves are {label:?}"));
    }
    for &from in spaces {
        for &to in spaces {
            let why = game.why_illegal(from, to);
            let is_right = why.is_none() == legal.contains(&(from, to));
            holds(is_right, || format!("{from} to {to}: {why:?}"))?;
            let is_sentence = why.as_ref().is_none_or(|why| why.ends_with('.'));
            holds(is_sentence, || format!("{why:?} is no sentence"))?;
        }
        let restriction = game.restriction(from);
        holds(restriction.is_none_or(|text| text.ends_with('.')), || {
            format!("restriction of {from}")
        })?;
    }
    Ok(())
}
