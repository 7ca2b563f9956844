//! Games for the alpha-beta search.

use super::{FreeChess, THREEFOLD, VALUES};
use crate::board::{Action, Kind, Piece, Position, SIDE, Turn};
use crate::rules::RuleSet;
use fusion_game::{Game, MoveIndices, Outcome, Tactics};

/// The position before an action, and how much of the history counted there.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    position: Position,
    since: u32,
    history: u32,
}

impl Undo {
    /// Returns the position before the action.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }
}

const CELLS: usize = SIDE * SIDE;
/// Forms of actions that statistics tell apart beside parts: placements of each kind, and others.
const FORMS: usize = Kind::COUNT + 4;

/// Hundredths of an Opawn.
fn hundredths(piece: Piece) -> i32 {
    let worth = |kind: Kind| piece.count(kind) as i32 * (100.0 * VALUES[kind as usize]) as i32;
    piece.kinds().map(worth).sum()
}

impl FreeChess {
    fn undo(&self) -> Undo {
        Undo {
            position: self.position,
            since: self.since as u32,
            history: self.history.len() as u32,
        }
    }

    /// Returns what an action takes away from the enemy.
    fn won(&self, mv: Action) -> Piece {
        if !self.is_forcing(mv) {
            return Piece::NONE;
        }
        match mv {
            Action::Place { kind, .. } => Piece::of(kind),
            Action::Part { to, .. } => self.position.piece_on(to),
            _ => Piece::NONE,
        }
    }
}

impl Tactics for FreeChess {
    type Undo = Undo;

    fn indices(_: &RuleSet) -> MoveIndices {
        MoveIndices {
            // Parts by origin and destination, then other actions by form and square.
            paths: CELLS * CELLS + FORMS * CELLS,
            // What arrives by its first kind, then other actions.
            arrivals: (2 * Kind::COUNT + 2) * CELLS,
            // White's pieces, Black's pieces, what lies beside the board.
            parts: 3,
        }
    }

    fn make(&mut self, mv: Action) -> Undo {
        let undo = self.undo();
        self.advance(mv);
        undo
    }

    #[inline]
    fn unmake(&mut self, undo: &Undo) {
        self.position = undo.position;
        self.since = undo.since as usize;
        self.history.truncate(undo.history as usize);
        self.ply = self.ply.wrapping_sub(1);
    }

    /// A player with a reserve seldom is in zugzwang: a placement changes little. Others do not pass.
    fn pass(&mut self) -> Option<Undo> {
        let us = self.side_to_move();
        let supply = self.position.reserve(us).without_all(Kind::Royal);
        let begins = self.position.turn() == Turn::Start;
        if !begins || supply.is_empty() || self.position.in_check(&self.rules, us) {
            return None;
        }
        let undo = self.undo();
        self.history.push((self.position.hash(), self.ply));
        self.position.pass();
        self.ply += 1;
        // Positions before a pass do not occur again after it.
        self.since = self.history.len();
        Some(undo)
    }

    /// Check, or no legal turn.
    fn is_threatened(&self) -> bool {
        self.position.turn() == Turn::Start
            && (self.position.in_check(&self.rules, self.side_to_move())
                || !self.position.has_legal_action(&self.rules))
    }

    /// Checks only.
    fn threats(&self) -> impl Fn(Action) -> bool {
        let (position, rules) = (self.position, self.rules);
        let them = position.side_to_move().other();
        move |mv| {
            let next = position.after(&rules, mv);
            next.turn() == Turn::Start && next.in_check(&rules, them)
        }
    }

    fn is_forcing(&self, mv: Action) -> bool {
        let them = self.position.of(self.side_to_move().other());
        match mv {
            Action::Place { to, .. } | Action::Part { to, .. } => them.has(to),
            _ => false,
        }
    }

    fn forcing_moves(&self, moves: &mut Vec<Action>) {
        let first = moves.len();
        self.position.legal_actions(&self.rules, moves);
        let mut place = 0;
        moves.retain(|&mv| {
            place += 1;
            place <= first || self.is_forcing(mv)
        });
    }

    fn part(&self, part: usize) -> u64 {
        self.position.part_hash(part)
    }

    fn recurrence(&self, plies: usize) -> Option<Outcome> {
        if self.position.turn() != Turn::Start {
            return None;
        }
        let hash = self.position.hash();
        let mut earlier = 0;
        for &(known, ply) in self.recent().iter().rev() {
            if known == hash {
                earlier += 1;
                let back = self.ply.wrapping_sub(ply) as usize;
                if back < plies || earlier == 2 {
                    return Some(Outcome { winner: None, ending: THREEFOLD });
                }
            }
        }
        None
    }

    #[inline]
    fn gain(&self, mv: Action) -> i32 {
        hundredths(self.won(mv))
    }

    /// The exchange goes at most one step further: the enemy takes what has arrived.
    fn exchange_gains(&self, mv: Action, least: i32) -> bool {
        let gain = self.gain(mv);
        let (us, them) = (self.side_to_move(), self.side_to_move().other());
        let to = match mv {
            Action::Place { to, .. } | Action::Part { to, .. } | Action::SetDown { to, .. } => to,
            _ => return least <= gain,
        };
        if least > gain {
            return false;
        }
        let next = self.position.after(&self.rules, mv);
        let stands = next.of(us).has(to) && !next.piece_on(to).is_royal();
        let taken = stands && next.may_capture(&self.rules, them) && next.strikers(them, to).any();
        let lost = if taken { hundredths(next.piece_on(to)) } else { 0 };
        least <= gain - lost
    }

    #[inline]
    fn path(&self, mv: Action) -> usize {
        let form = |form: usize, cell: usize| CELLS * CELLS + form * CELLS + cell;
        match mv {
            Action::Part { from, to, .. } => from.compact() * CELLS + to.compact(),
            Action::Place { kind, to } => form(kind as usize, to.compact()),
            Action::Lift { from, .. } => form(Kind::COUNT, from.compact()),
            Action::SetDown { to, .. } => form(Kind::COUNT + 1, to.compact()),
            Action::Return { from } => form(Kind::COUNT + 2, from.compact()),
            Action::End => form(Kind::COUNT + 3, 0),
        }
    }

    #[inline]
    fn arrival(&self, mv: Action) -> usize {
        match mv {
            Action::Place { kind, to } => kind as usize * CELLS + to.compact(),
            Action::Part { from, to, goes_on } => {
                let piece = self.position.piece_on(from);
                let kind = goes_on.or_else(|| piece.kinds().next()).unwrap_or(Kind::Royal);
                (Kind::COUNT + kind as usize) * CELLS + to.compact()
            }
            Action::SetDown { to, .. } => 2 * Kind::COUNT * CELLS + to.compact(),
            Action::Lift { from, .. } | Action::Return { from } => {
                (2 * Kind::COUNT + 1) * CELLS + from.compact()
            }
            Action::End => (2 * Kind::COUNT + 1) * CELLS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::{Notation, Side};

    fn game(text: &str) -> FreeChess {
        FreeChess::from_text(&"freechess-9".parse().unwrap(), text).unwrap()
    }

    #[test]
    fn repetitions_count_at_the_start_of_turns() {
        let mut game = game("k8/9/9/9/9/9/9/9/K8 w P/p - -");
        let turns = ["a1a2", "a9a8", "a2a1", "a8a9"];
        for round in 0..2 {
            for text in turns {
                assert_eq!(game.outcome_now(), None, "round {round}");
                game.play(game.parse_move(text).unwrap());
            }
            assert!(game.recurrence(5).is_some());
            assert_eq!(game.recurrence(4).is_some(), round == 1);
        }
        assert_eq!(game.outcome_now().map(|outcome| outcome.ending), Some(THREEFOLD));
    }

    #[test]
    fn what_leaves_the_game_ends_the_history() {
        let mut game = game("8k/9/9/4p4/9/4R4/9/9/K8 w -/p - -");
        game.play(game.parse_move("a1a2").unwrap());
        assert_eq!(game.recent().len(), 1);
        game.play(game.parse_move("i9i8").unwrap());
        let undo = game.make(game.parse_move("e4e6").unwrap());
        assert!(game.recent().is_empty());
        game.unmake(&undo);
        assert_eq!(game.recent().len(), 2);
    }

    #[test]
    fn exchanges_look_one_step_ahead() {
        let free = game("8k/9/9/4p4/9/4R4/9/9/K8 w -/p - -");
        let held = game("4r3k/9/9/4p4/9/4R4/9/9/K8 w -/p - -");
        let gains = |game: &FreeChess| {
            let mv = game.parse_move("e4e6").unwrap();
            [-300, 100, 101].map(|least| game.exchange_gains(mv, least))
        };
        assert_eq!(gains(&free), [true, true, false]);
        assert_eq!(gains(&held), [true, false, false]);
    }

    #[test]
    fn only_players_with_a_supply_pass() {
        assert!(game("8k/9/9/9/9/9/9/9/K8 w P/p - -").pass().is_some());
        assert!(game("8k/9/9/9/9/9/9/9/K8 w -/p - -").pass().is_none());
        assert!(game("8k/9/9/9/9/9/9/9/K7r w P/p - -").pass().is_none());
    }

    #[test]
    fn sides_of_endings_are_those_of_the_rules() {
        let outcome = |text: &str| {
            game(text).outcome_now().map(|outcome| (outcome.ending.name(), outcome.winner))
        };
        let lost = Some(Side::Second);
        assert_eq!(outcome("rr5k1/9/9/9/9/9/9/9/K8 w -/- - -"), Some(("checkmate", lost)));
        assert_eq!(outcome("9/9/9/9/9/9/k8/9/Kc7 w -/- - -"), Some(("stalemate", lost)));
        assert_eq!(outcome("8k/9/9/9/9/9/9/9/K8 w -/- - -"), Some(("insufficient", None)));
        assert_eq!(outcome("9/9/9/9/9/9/9/9/9 w K/k - -"), Some(("insufficient", None)));
        assert_eq!(outcome("8k/9/9/9/9/9/9/9/K8 w -/p - -"), None);
    }
}
