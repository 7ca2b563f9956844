//! Random positions: of random games, and with random pieces.

use fusion_freechess::board::{Bitboard, Kind, Piece, Position, Square};
use fusion_freechess::rules::{PRESETS, RuleSet};
use fusion_game::RuleSet as _;
use rand::{Rng, RngExt};

/// Draws a preset or any rule set.
pub fn rules(rng: &mut impl Rng) -> RuleSet {
    if rng.random_bool(0.3) {
        return PRESETS[rng.random_range(0..PRESETS.len())].1;
    }
    RuleSet::random(rng)
}

/// Draws a position with pieces of a few attributes near each other, often with both royals on the
/// board. `None` if the rules reject it.
pub fn scattered(rules: &RuleSet, rng: &mut impl Rng) -> Option<Position> {
    let start = Position::start(rules);
    let squares: Vec<Square> = Bitboard::board(rules.size().min(9)).into_iter().collect();
    let mut left = [rules.start_reserve(); 2];
    let mut board = vec![None; squares.len()];
    for _ in 0..rng.random_range(2..14) {
        let (at, side) = (rng.random_range(0..squares.len()), rng.random_range(0..2));
        let most = rng.random_range(1..5);
        let piece = draw(&mut left[side], most, rng);
        match board[at] {
            None if !piece.is_empty() => board[at] = Some((side, piece)),
            _ => left[side] = left[side].plus(piece),
        }
    }
    for (side, reserve) in left.iter_mut().enumerate() {
        let free = board.iter().position(Option::is_none);
        if let (true, Some(_)) = (reserve.is_royal() && rng.random_bool(0.8), free) {
            let at = rng.random_range(0..board.len());
            if board[at].is_none() {
                board[at] = Some((side, Piece::of(Kind::Royal)));
                *reserve = reserve.without(Kind::Royal);
            }
        }
        if rng.random_bool(0.6) {
            let most = rng.random_range(0..4);
            let kept = draw(reserve, most, rng);
            // What is gone has been captured.
            let royal = if reserve.is_royal() { Piece::of(Kind::Royal) } else { Piece::NONE };
            *reserve = kept.plus(royal);
        }
    }
    let standing = |square: Square| {
        let place = squares.iter().position(|&other| other == square)?;
        board[place]
    };
    let text = text(&start, rng.random_bool(0.5), left, standing);
    Position::from_text(rules, &text).ok()
}

/// Takes up to `most` attributes at random.
fn draw(from: &mut Piece, most: u32, rng: &mut impl Rng) -> Piece {
    let mut piece = Piece::NONE;
    for _ in 0..most {
        let kinds: Vec<Kind> = from.kinds().collect();
        if kinds.is_empty() {
            break;
        }
        let kind = kinds[rng.random_range(0..kinds.len())];
        if kind == Kind::Combinator && piece.combines() {
            continue;
        }
        *from = from.without(kind);
        piece = piece.with(kind);
    }
    piece
}

/// Returns the text of a position without shield, at the start of a turn.
pub fn text(
    start: &Position,
    white: bool,
    reserves: [Piece; 2],
    standing: impl Fn(Square) -> Option<(usize, Piece)>,
) -> String {
    let size = start.size();
    let mut rows = Vec::new();
    for rank in (1..=size).rev() {
        let mut row = String::new();
        let mut empty = 0;
        for file in 0..size {
            let name = format!("{}{rank}", char::from(b'a' + file as u8));
            let Some((side, piece)) = standing(Square::parse(&name, size).unwrap()) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                row += &empty.to_string();
                empty = 0;
            }
            let letters = if side == 0 { piece.capitals() } else { piece.to_string() };
            row += &if piece.len() > 1 { format!("{{{letters}}}") } else { letters };
        }
        if empty > 0 {
            row += &empty.to_string();
        }
        rows.push(row);
    }
    let reserve = |side: usize| match reserves[side] {
        Piece::NONE => "-".to_owned(),
        piece if side == 0 => piece.capitals(),
        piece => piece.to_string(),
    };
    let side = if white { "w" } else { "b" };
    format!("{} {side} {}/{} - -", rows.join("/"), reserve(0), reserve(1))
}
