//! Games for the alpha-beta search.

use super::{FairyGame, Last, Past};
use crate::board::{Action, Move, State, Tables, Undo};
use crate::definition::Value;
use crate::rules::FairyRules;
use fusion_game::{MoveIndices, Outcome, Tactics};

/// What a search has done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Done {
    /// It has made a move.
    Move(Undo),
    /// It has passed the turn to test a bound.
    Null(State),
}

/// What is needed to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct GameUndo {
    pub(crate) done: Done,
    /// The positions remembered before.
    history: u32,
    last: Last,
    /// By side: whether its view was mirrored before.
    pub(crate) flipped: [bool; 2],
}

impl FairyGame {
    /// Returns whether the game can be over by more than a lack of moves outside check: if not, a position
    /// without check needs no search for moves.
    pub(crate) fn can_be_over(&self) -> bool {
        let rules = &self.tables().rules;
        self.position.in_check(self.tables())
            || !self.rules.ends_only_by_mate()
            || rules.stalemate != Value::Draw
    }

    /// Returns the value of a kind in hundredths of a Pawn.
    fn value_of(&self, kind: u8) -> i32 {
        self.rules.values()[usize::from(kind)]
    }
}

/// The most arrivals: statistics have an entry for each pair.
const MOST_ARRIVALS: usize = 1_536;

/// Returns the number of groups of kinds that arrivals distinguish.
fn groups(tables: &Tables) -> usize {
    (MOST_ARRIVALS / tables.rules.squares().max(1)).clamp(1, tables.rules.pieces.len().max(1))
}

impl Tactics for FairyGame {
    type Undo = GameUndo;

    fn indices(rules: &FairyRules) -> MoveIndices {
        let tables = rules.tables();
        let squares = tables.rules.squares();
        let paths = squares * (squares + tables.rules.pieces.len());
        MoveIndices { paths, arrivals: groups(tables) * squares, parts: 0 }
    }

    fn make(&mut self, mv: Move) -> GameUndo {
        let (history, last, flipped) = (self.history.len() as u32, self.last, self.flipped());
        self.remember(mv);
        let undo = self.position.make(self.tables(), mv);
        GameUndo { done: Done::Move(undo), history, last, flipped }
    }

    fn unmake(&mut self, undo: &GameUndo) {
        match &undo.done {
            Done::Move(undo) => self.position.unmake(self.tables(), undo),
            Done::Null(state) => self.position.take_back_null(*state),
        }
        self.history.truncate(undo.history as usize);
        self.last = undo.last;
    }

    /// Sides that have only Pawns and a King, or that must capture, do not pass: they may be in zugzwang.
    fn pass(&mut self) -> Option<GameUndo> {
        let tables = self.tables();
        if tables.rules.must_capture
            || tables.rules.check_counting && self.position.in_check(tables)
        {
            return None;
        }
        if self.position.in_check(tables) || self.position.only_pawns(tables) {
            return None;
        }
        let history = self.history.len() as u32;
        let state = self.position.make_null(tables);
        let last = std::mem::take(&mut self.last);
        self.history.push(Past { hash: 0, in_check: false, last });
        Some(GameUndo { done: Done::Null(state), history, last, flipped: self.flipped() })
    }

    fn is_threatened(&self) -> bool {
        self.position.is_threatened(self.tables())
    }

    fn threats(&self) -> impl Fn(Move) -> bool {
        let tables = self.tables();
        let after = std::cell::RefCell::new(self.position.clone());
        move |mv| {
            let mut after = after.borrow_mut();
            let undo = after.make(tables, mv);
            let check = after.is_threatened(tables);
            after.unmake(tables, &undo);
            check
        }
    }

    #[inline]
    fn is_forcing(&self, mv: Move) -> bool {
        matches!(mv.action(), Action::Promote | Action::Upgrade) || self.position.captures(mv)
    }

    fn recurrence(&self, plies: usize) -> Option<Outcome> {
        let fold = self.tables().rules.repetition.fold;
        if fold == 0 {
            return None;
        }
        let within = self.repetition(2, plies).filter(|end| end.winner.is_none());
        within.or_else(|| self.repetition(fold, usize::MAX)).map(Self::outcome_of)
    }

    fn is_far_from_draw(&self) -> bool {
        let limit = self.tables().rules.move_rule;
        limit == 0 || self.position.progress_clock() + 20 < 2 * limit
    }

    fn path(&self, mv: Move) -> usize {
        let squares = self.tables().rules.squares();
        let origin = if mv.is_drop() { squares + usize::from(mv.kind()) } else { mv.from() };
        origin * squares + mv.to()
    }

    fn arrival(&self, mv: Move) -> usize {
        let tables = self.tables();
        usize::from(self.position.kind_after(self.tables(), mv)) % groups(tables)
            * tables.rules.squares()
            + mv.to()
    }

    fn gain(&self, mv: Move) -> i32 {
        let position = &self.position;
        let captured = match mv.action() {
            Action::EnPassant => 100,
            _ if position.captures(mv) => {
                position.piece(mv.to()).map_or(0, |(_, kind)| self.value_of(kind))
            }
            _ => 0,
        };
        let moved = position.piece(mv.from()).map(|(_, kind)| kind);
        let promoted = match (mv.action(), moved) {
            (Action::Promote | Action::Change, Some(kind)) => {
                let merged = if self.merges(mv) { position.piece(mv.to()) } else { None };
                let merged = merged.map_or(0, |(_, kind)| self.value_of(kind));
                self.value_of(mv.kind()) - self.value_of(kind) - merged
            }
            (Action::Upgrade, Some(kind)) => {
                let to = self.tables().rules.pieces[usize::from(kind)].promotes_to;
                to.map_or(0, |to| self.value_of(to) - self.value_of(kind))
            }
            _ => 0,
        };
        captured + promoted
    }

    fn exchange_gains(&self, mv: Move, least: i32) -> bool {
        let tables = self.tables();
        if tables.rules.blast
            || tables.rules.must_capture
            || matches!(mv.action(), Action::Castle | Action::Pass | Action::Split)
        {
            return self.gain(mv) >= least;
        }
        let moved = if mv.is_drop() {
            Some(mv.kind())
        } else {
            self.position.piece(mv.from()).map(|(_, kind)| kind)
        };
        let changes = matches!(mv.action(), Action::Promote | Action::Change);
        let standing = if changes { Some(mv.kind()) } else { moved };
        let standing = standing.map_or(0, |kind| self.value_of(kind));
        self.position.exchange(tables, self.rules.values(), mv, self.gain(mv), standing) >= least
    }
}
