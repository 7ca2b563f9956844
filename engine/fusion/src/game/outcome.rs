//! How games end.
//!
//! The order counts where several endings apply: checkmate, bare King, stalemate, repetition, dead
//! position, move limit. Mate is the aim of the game; then what decides a game comes before what
//! draws it.

use super::{
    BARE_KING, CHECKMATE, DEAD_POSITION, FIFTY_MOVE, FusionGame, STALEMATE, THREEFOLD, checks,
};
use crate::board::{Move, Position};
use crate::rules::{BareKing, Repetition, RuleSet, Stalemate};
use fusion_game::{Outcome, Side};

/// Returns the outcome of a position by the rules that need no history, given whether the side to
/// move can move.
fn by_position(position: &Position, rules: &RuleSet, can_move: bool) -> Option<Outcome> {
    let mover: Side = (!position.side_to_move()).into();
    if !can_move && position.in_check() {
        return Some(Outcome { winner: Some(mover), ending: CHECKMATE });
    }
    if rules.bare_king == BareKing::Loses
        && let Some(outcome) = by_bare_king(position, rules)
    {
        return Some(outcome);
    }
    let winner = (rules.stalemate == Stalemate::Win).then_some(mover);
    (!can_move).then_some(Outcome { winner, ending: STALEMATE })
}

/// Returns the outcome if a side has only a King. The side to move then loses unless it can bare the
/// other one at once.
fn by_bare_king(position: &Position, rules: &RuleSet) -> Option<Outcome> {
    let us = position.side_to_move();
    let winner = match [us, !us].map(|color| position.is_bare(color)) {
        [true, true] => None,
        [false, true] => Some(us.into()),
        [true, false] if !bares(position, rules) => Some((!us).into()),
        _ => return None,
    };
    Some(Outcome { winner, ending: BARE_KING })
}

/// Returns whether a move leaves the other side with nothing but a King.
fn bares(position: &Position, rules: &RuleSet) -> bool {
    let us = position.side_to_move();
    if position.color(!us).len() != 2 {
        return false;
    }
    let mut moves = Vec::new();
    position.legal_moves(rules, &mut moves);
    moves.into_iter().any(|mv| {
        let mut next = *position;
        next.play(mv);
        next.is_bare(!us)
    })
}

/// Returns the index, among all legal moves, of a move that wins at once.
pub(super) fn winning_move(position: &Position, rules: &RuleSet, moves: &[Move]) -> Option<usize> {
    if rules.stalemate == Stalemate::Draw && rules.bare_king == BareKing::None {
        return checks::mating_move(position, rules, moves);
    }
    let winner = Some(position.side_to_move().into());
    moves.iter().position(|&mv| {
        let mut next = *position;
        next.play(mv);
        let outcome = by_position(&next, rules, next.has_legal_move(rules));
        outcome.is_some_and(|outcome| outcome.winner == winner)
    })
}

impl FusionGame {
    /// Returns the outcome, given whether the side to move can move.
    pub(super) fn outcome_if(&self, can_move: bool) -> Option<Outcome> {
        // Most positions have a move and rules without a bare King, and need no more.
        let decides = !can_move || self.rules.bare_king == BareKing::Loses;
        if decides && let Some(outcome) = by_position(&self.position, &self.rules, can_move) {
            return Some(outcome);
        }
        if self.repetitions() >= 2 {
            return Some(self.third_occurrence());
        }
        let draw = |ending| Some(Outcome { winner: None, ending });
        if self.position.is_dead(&self.rules) {
            return draw(DEAD_POSITION);
        }
        if self.rules.move_limit.plies().is_some_and(|most| self.position.halfmove_clock() >= most)
        {
            return draw(FIFTY_MOVE);
        }
        None
    }

    /// Returns what the third occurrence of a position means: the side that has just moved completed
    /// it.
    pub(super) fn third_occurrence(&self) -> Outcome {
        let other = Side::from(self.position.side_to_move());
        let winner = (self.rules.repetition == Repetition::Loses).then_some(other);
        Outcome { winner, ending: THREEFOLD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::prelude::*;

    /// Plays moves and returns how the game ended: `1-0 stalemate`.
    fn ended(rules: &str, fen: &str, moves: &str) -> Option<String> {
        let mut game = FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap();
        for text in moves.split_whitespace() {
            assert_eq!(game.outcome_now(), None, "{rules}, {fen}: before {text}");
            game.play(game.parse_move(text).unwrap());
        }
        let outcome = game.outcome_now()?;
        let result = match outcome.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "draw",
        };
        Some(format!("{result} {}", outcome.ending.name()))
    }

    #[test]
    fn other_ends_of_the_game() {
        let start = crate::board::fen::START;
        let pawn = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let rooks = "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1";
        let knight = "k7/8/1K6/2N5/8/8/8/8 w - - 0 1";
        let bishop = "k7/8/1K6/8/8/8/8/5B2 w - - 0 1";
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        // The last position occurred once before, and once with the Pawn that passed a6 instead of a3.
        let passes = "3k4/1p6/8/P7/1p6/8/P7/4K3 w - - 0 1";
        let passing = "a5a7 d8e8 e1d1 e8d8 a2a4 d8e8 a7a6 e8d7 a6a5 d7d8 a5a7 d8e8 a4a3 e8d7 a3a2 \
                       d7d8 a2a4";
        let far = "4k3/r7/8/8/8/8/R7/4K3 w - - 0 1";
        let beside = "4k3/r7/8/8/8/8/3R4/4K3 w - - 0 1";
        for (rules, fen, moves, ending) in [
            ("az-stalemate-win", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", "g5g6", Some("1-0 stalemate")),
            ("orthodox", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", "g5g6", Some("draw stalemate")),
            ("az-stalemate-win", knight, "c5d7", Some("1-0 stalemate")),
            ("orthodox", knight, "", Some("draw dead-position")),
            ("az-stalemate-win", bishop, "", None),
            ("orthodox", bishop, "", Some("draw dead-position")),
            ("az-stalemate-win", "k7/8/1K6/8/8/8/8/8 w - - 0 1", "", Some("draw dead-position")),
            ("orthodox,repetition=loses", start, shuffle, Some("1-0 threefold")),
            ("orthodox", start, shuffle, Some("draw threefold")),
            ("az-pawn-back,move-limit=2", pawn, "e2e4 e8d8 e4e3 d8e8", Some("draw fifty-move")),
            ("orthodox,move-limit=2", pawn, "e2e4 e8d8 e4e5 d8e8", None),
            ("az-pawn-sideways,move-limit=1", pawn, "e2d2 e8d8", Some("draw fifty-move")),
            ("az-pawn-sideways,move-limit=1", pawn, "e2e3 e8d8", None),
            ("orthodox,pawn-double=always,pawn-back=yes", passes, passing, None),
            ("orthodox,bare-king=loses", rooks, "e2e7", None),
            ("orthodox,bare-king=loses", rooks, "e2e7 e8e7", Some("draw bare-king")),
            ("orthodox,bare-king=loses", rooks, "e2e7 e8d8", Some("1-0 bare-king")),
            ("orthodox,bare-king=loses", far, "a2a7", Some("1-0 bare-king")),
            ("az-self-capture,bare-king=loses", beside, "e1d2", Some("0-1 bare-king")),
            ("fusion-1999,bare-king=loses", beside, "e1d2", None),
            // A set-up position: the side that is not to move has just moved.
            (
                "orthodox,bare-king=loses",
                "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1",
                "",
                Some("1-0 bare-king"),
            ),
            // Mate comes first, and stalemate only after a bare King.
            (
                "orthodox,bare-king=loses",
                "k7/8/1K6/8/8/8/8/7R w - - 0 1",
                "",
                Some("1-0 bare-king"),
            ),
            (
                "orthodox,bare-king=loses",
                "k7/1p6/1K6/8/8/8/7R/8 w - - 0 1",
                "h2h8",
                Some("1-0 checkmate"),
            ),
            (
                "orthodox,bare-king=loses",
                "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
                "",
                Some("1-0 bare-king"),
            ),
        ] {
            assert_eq!(ended(rules, fen, moves).as_deref(), ending, "{rules}, {fen}, {moves}");
        }
        let none = format!("{} 9999 5000", "4k3/8/8/8/8/8/3R4/4K3 w - -");
        assert_eq!(ended("orthodox,move-limit=none", &none, ""), None);
    }

    #[test]
    fn moves_that_win_at_once_are_found() {
        for (rules, fen, wins) in [
            ("orthodox", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", false),
            ("az-stalemate-win", "7k/8/8/6Q1/8/8/8/K7 w - - 0 1", true),
            ("orthodox", "4k3/r7/8/8/8/8/R7/4K3 w - - 0 1", false),
            ("orthodox,bare-king=loses", "4k3/r7/8/8/8/8/R7/4K3 w - - 0 1", true),
            ("orthodox,bare-king=loses", "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", false),
        ] {
            let game = FusionGame::from_text(&rules.parse().unwrap(), fen).unwrap();
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            assert_eq!(game.winning_move(&moves).is_some(), wins, "{rules}, {fen}");
        }
    }
}
