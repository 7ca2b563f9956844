//! The game for the alpha-beta search.

use super::ChesimalGame;
use crate::board::{Action, Kind, Mode, Position, SQUARES};
use crate::rules::RuleSet;
use fusion_game::{Game, MoveIndices, Outcome, Side, Tactics};

/// The game before an action, and how much of the history counted there.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    pub(super) position: Position,
    since: u32,
    turns: u32,
    plies: u32,
}

/// Returns the value of a unit in hundredths of a Pawn: roughly the squares that it reaches on an
/// empty board, and what is lost with a leader. These are guesses, not measurements.
pub(super) const fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::King => 600,
        Kind::Prince => 500,
        Kind::Knight | Kind::Warmachine | Kind::Elephant => 200,
        Kind::Pawn => 100,
    }
}

/// Indices of paths: activations, choices, recruits, the end.
const CHOICES: usize = SQUARES * SQUARES;
const RECRUITS: usize = CHOICES + Mode::COUNT * SQUARES;
const END: usize = RECRUITS + SQUARES;

/// Arrival of the end of a turn, after a block of squares for each kind, for each mode and for recruits.
const ENDS: usize = (Kind::COUNT + Mode::COUNT + 1) * SQUARES;

impl ChesimalGame {
    fn undo(&self) -> Undo {
        Undo {
            position: self.position,
            since: self.since as u32,
            turns: self.history.len() as u32,
            plies: self.plies,
        }
    }
}

impl Tactics for ChesimalGame {
    type Undo = Undo;

    /// The parts are the units of each side without leaders, and all leaders.
    fn indices(_: &RuleSet) -> MoveIndices {
        MoveIndices { paths: END + 1, arrivals: ENDS + 1, parts: 3 }
    }

    fn make(&mut self, action: Action) -> Undo {
        let undo = self.undo();
        let captures = self.captured(action).is_some();
        self.remember();
        self.position.play(&self.rules, action);
        if captures {
            self.since = self.history.len();
        }
        undo
    }

    fn unmake(&mut self, undo: &Undo) {
        self.position = undo.position;
        self.history.truncate(undo.turns as usize);
        self.since = undo.since as usize;
        self.plies = undo.plies;
    }

    /// Only at the start of a turn. A side that has fewer than two units besides leaders may have no
    /// better turn than to pass.
    fn pass(&mut self) -> Option<Undo> {
        let position = &self.position;
        let side = position.side();
        let others = position.units(side) & !position.leaders();
        let lost = position.has_lost(side, &self.rules);
        if position.active().is_some() || others.len() < 2 || lost {
            return None;
        }
        let undo = self.undo();
        self.remember();
        self.position.end_turn();
        // Positions before a pass do not occur again after it.
        self.since = self.history.len();
        Some(undo)
    }

    /// Whether the side to move has lost.
    fn is_threatened(&self) -> bool {
        self.position.has_lost(self.position.side(), &self.rules)
    }

    /// Captures that win.
    fn threats(&self) -> impl Fn(Action) -> bool {
        let kings = self.kings_to_win();
        move |action| matches!(action, Action::Activate { to, .. } if kings.has(to))
    }

    fn is_forcing(&self, action: Action) -> bool {
        self.captured(action).is_some()
    }

    fn forcing_moves(&self, actions: &mut Vec<Action>) {
        let before = actions.len();
        if self.position.active().is_some() {
            self.legal_moves(actions);
            let mut kept = before;
            for i in before..actions.len() {
                if self.is_forcing(actions[i]) {
                    actions.swap(kept, i);
                    kept += 1;
                }
            }
            actions.truncate(kept);
        }
    }

    fn recurrence(&self, plies: usize) -> Option<Outcome> {
        if !self.rules.repetition || self.position.active().is_some() {
            return None;
        }
        let hash = self.position.hash();
        let mut earlier = 0;
        for start in self.recent().iter().rev().filter(|start| start.hash == hash) {
            earlier += 1;
            let back = (self.plies - start.plies) as usize;
            if back < plies || earlier == 2 {
                return Some(Outcome { winner: None, ending: super::THREEFOLD });
            }
        }
        None
    }

    fn is_far_from_draw(&self) -> bool {
        let limit = self.rules.quiet_limit.0;
        limit.is_none_or(|turns| self.position.quiet() + 10 < turns.get())
    }

    fn gain(&self, action: Action) -> i32 {
        self.captured(action).map_or(0, worth)
    }

    /// Looks at one recapture, by any unit that some leader activates: the turn goes on after a
    /// capture, so exchanges on a square say little.
    fn exchange_gains(&self, action: Action, least: i32) -> bool {
        let gain = self.gain(action);
        let Action::Activate { from, to } = action else { return gain >= least };
        let moved = self.position.kind_on(from).map_or(0, worth);
        if gain - moved >= least || gain < least {
            return gain >= least;
        }
        let mut next = self.position;
        next.play(&self.rules, action);
        let enemy: Side = self.position.side().other();
        !next.is_reached(to, next.alert(enemy, &self.rules), &self.rules)
    }

    fn part(&self, part: usize) -> u64 {
        let position = &self.position;
        let units = match part {
            0 => position.units(Side::First) & !position.leaders(),
            1 => position.units(Side::Second) & !position.leaders(),
            _ => position.leaders(),
        };
        // Constants without structure; the upper half of a product depends on all bits.
        units.0.into_iter().fold(part as u64 + 1, |hash, word| {
            let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
            (product >> 64) as u64 ^ product as u64
        })
    }

    fn path(&self, action: Action) -> usize {
        match action {
            Action::Activate { from, to } => from.index() * SQUARES + to.index(),
            Action::Choose { leader, mode } => CHOICES + mode.index() * SQUARES + leader.index(),
            Action::Recruit(square) => RECRUITS + square.index(),
            Action::End => END,
        }
    }

    fn arrival(&self, action: Action) -> usize {
        let (block, square) = match action {
            Action::Activate { from, to } => {
                (self.position.kind_on(from).map_or(0, Kind::index), to.index())
            }
            Action::Choose { leader, mode } => (Kind::COUNT + mode.index(), leader.index()),
            Action::Recruit(square) => (Kind::COUNT + Mode::COUNT, square.index()),
            Action::End => return ENDS,
        };
        block * SQUARES + square
    }
}
