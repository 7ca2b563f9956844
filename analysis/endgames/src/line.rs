//! Best play by a table.

use fusion_chess::board::{Color, Move, Position};
use fusion_chess::endgame::Value;
use fusion_chess::notation::san::san;
use fusion_chess::rules::RuleSet;
use std::cmp::Reverse;
use std::fmt::Write;

/// A move and its value.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// The value of the position after the move, for the side to move there.
    pub after: Value,
}

impl Choice {
    /// Returns the sort key of a move, best first: shortest wins, draws, longest losses.
    fn rank(&self) -> (u8, Reverse<u16>, u16) {
        match self.after {
            Value::Loss(plies) => (2, Reverse(plies), 0),
            Value::Draw => (1, Reverse(0), 0),
            Value::Win(plies) => (0, Reverse(0), plies),
        }
    }
}

/// Returns the legal moves of a position, best first. Moves of equal value are in the order of the
/// generator. Returns `None` if the value of some move is unknown.
#[must_use]
pub fn choices(
    position: &Position,
    rules: &RuleSet,
    value: impl Fn(&Position) -> Option<Value>,
) -> Option<Vec<Choice>> {
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    let choice = |mv| {
        let mut next = *position;
        next.play(mv);
        value(&next).map(|after| Choice { mv, after })
    };
    let mut choices = moves.into_iter().map(choice).collect::<Option<Vec<_>>>()?;
    choices.sort_by_key(|choice| Reverse(choice.rank()));
    Some(choices)
}

/// Returns best play from a decided position to mate, in SAN. The line is empty if the position is
/// drawn.
#[must_use]
pub fn best(
    mut position: Position,
    rules: &RuleSet,
    value: impl Fn(&Position) -> Option<Value>,
) -> Vec<String> {
    let mut line = Vec::new();
    let plies = value(&position).and_then(Value::plies).unwrap_or(0);
    for _ in 0..plies {
        let choices = choices(&position, rules, &value).unwrap_or_default();
        let Some(choice) = choices.first() else { break };
        line.push(san(&position, rules, choice.mv));
        position.play(choice.mv);
    }
    line
}

/// Formats a line with move numbers from 1: `1. Kd4 Ke6 2. Rd7`, `1... Ke6 2. Rd7`.
#[must_use]
pub fn text(start: &Position, line: &[String]) -> String {
    let offset = start.side_to_move().index();
    let mut text = String::new();
    for (i, san) in line.iter().enumerate() {
        let ply = i + offset;
        let space = if i == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = match (ply % 2 == Color::White.index(), i) {
            (true, _) => write!(text, "{space}{}. {san}", ply / 2 + 1),
            (false, 0) => write!(text, "{}... {san}", ply / 2 + 1),
            (false, _) => write!(text, " {san}"),
        };
    }
    text
}
