//! What other parts of the program ask of a position.

use super::movement::for_each;
use super::position::{FROM_PAWN, Position, State};
use super::tables::Tables;
use crate::definition::{Kind, Role};

impl Position {
    /// Returns the plies without progress.
    #[must_use]
    pub fn progress_clock(&self) -> u16 {
        self.state.clock
    }

    /// Returns whether the King of the side to move is attacked.
    #[must_use]
    pub fn in_check(&self, tables: &Tables) -> bool {
        self.checkers(tables, self.side) != 0
    }

    /// Returns whether a royal piece of the side to move is attacked.
    #[must_use]
    pub fn is_threatened(&self, tables: &Tables) -> bool {
        self.in_check(tables) || (tables.rules.pseudo_royal && self.pseudo_royal_is_mated(tables))
    }

    /// Returns whether there is a legal move. The game does not end at once.
    pub(crate) fn has_move(&self, tables: &Tables) -> bool {
        self.count_moves(tables) > 0
    }

    /// Returns the number of pieces of a kind that a side has on the board and in the hand.
    #[must_use]
    pub fn count(&self, side: usize, kind: Kind) -> u32 {
        self.owned(side, kind)
    }

    /// Returns whether the side to move has only a King and Pawns.
    pub(crate) fn only_pawns(&self, tables: &Tables) -> bool {
        let rules = &tables.rules;
        (0..rules.pieces.len()).all(|kind| {
            let is_pawn = rules.promotion.pawns[self.side] >> kind & 1 == 1;
            let role = rules.pieces[kind].role;
            is_pawn
                || matches!(role, Role::Pawn | Role::King)
                || self.owned(self.side, kind as Kind) == 0
        })
    }

    /// Returns the letter of the piece on a square, in the case of its side; `.` for an empty square and `*`
    /// for a missing one.
    #[must_use]
    pub fn letter(&self, tables: &Tables, square: usize) -> char {
        let missing = self.walls >> square & 1 == 1;
        self.piece(square).map_or(if missing { '*' } else { '.' }, |(side, kind)| {
            let letter = tables.rules.pieces[usize::from(kind)].letter;
            if side == 0 { letter } else { letter.to_ascii_lowercase() }
        })
    }

    /// Passes the turn, and returns what takes it back.
    pub(crate) fn make_null(&mut self, tables: &Tables) -> State {
        let state = self.state;
        self.set_passing(tables, 0);
        self.ply += 1;
        self.switch(tables);
        state
    }

    /// Takes a pass of [`Position::make_null`] back.
    pub(crate) fn take_back_null(&mut self, state: State) {
        self.side ^= 1;
        self.ply -= 1;
        self.state = state;
    }
}

impl Tables {
    /// Returns the mean number of moves of a kind of the first side over all squares, if each square is
    /// occupied with this chance, as often by an own piece as by an enemy.
    pub(crate) fn mobility(&self, kind: Kind, density: f32) -> f32 {
        let movement = &self.movements.of[0][usize::from(kind)];
        let squares = self.grid.squares();
        let from = |from: usize| movement.usual.expected(&self.movements, from, density);
        let inside = (0..squares).filter(|&square| movement.region >> square & 1 == 1);
        let (sum, count) = inside.fold((0.0, 0), |(sum, count), at| (sum + from(at), count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }
}

impl Position {
    /// Calls a function with the square and the kind of each piece of a side.
    #[inline]
    pub(crate) fn for_each_piece(&self, side: usize, mut each: impl FnMut(usize, Kind)) {
        for_each(self.sides[side], |square| {
            if let Some((_, kind)) = self.piece(square) {
                each(square, kind);
            }
        });
    }

    /// Calls a function with each square that a side's pieces attack.
    pub(crate) fn for_each_attacked(&self, tables: &Tables, side: usize, each: impl FnMut(usize)) {
        let (occupied, cannons) = (self.occupied(), self.cannons(tables));
        let mut attacked = 0;
        self.for_each_piece(side, |square, kind| {
            let movement = &tables.movements.of[side][usize::from(kind)];
            let (_, capture) =
                movement.usual.moves(&tables.movements.lines, square, occupied, cannons);
            attacked |= capture & movement.region;
        });
        for_each(attacked, each);
    }

    /// Calls a function with each square where a capture in passing may go.
    pub(crate) fn for_each_passing(&self, each: impl FnMut(usize)) {
        for_each(self.state.passing, each);
    }

    /// Returns whether a side may castle on the kingside, and on the queenside.
    pub(crate) fn castling_rights(&self, side: usize) -> [bool; 2] {
        self.state.rights.of(side)
    }

    /// Returns the checks that a side has left to win; 0 if checks do not count.
    pub(crate) fn checks_left(&self, side: usize) -> u8 {
        self.state.checks[side]
    }

    /// Returns what a promoted piece on a square was before, if it was not a Pawn that promoted as Pawns do.
    pub(crate) fn kind_before(&self, square: usize) -> Option<Kind> {
        let origin = self.origin(square);
        (origin != 0 && origin != FROM_PAWN).then(|| origin - 1)
    }

    /// Returns the number of pieces on the board and in the hands.
    pub(crate) fn pieces(&self) -> usize {
        (self.owned_in_all(0) + self.owned_in_all(1)) as usize
    }
}

impl Position {
    /// Returns whether a square is missing.
    #[must_use]
    pub fn is_missing(&self, square: usize) -> bool {
        self.walls >> square & 1 == 1
    }

    /// Returns whether the piece on a square reaches another one by its moves, whatever that leaves attacked.
    #[must_use]
    pub fn reaches(&self, tables: &Tables, from: usize, to: usize) -> bool {
        let Some((side, kind)) = self.piece(from) else { return false };
        let movement = &tables.movements.of[side][usize::from(kind)];
        let (occupied, cannons) = (self.occupied(), self.cannons(tables));
        let (quiet, capture) =
            movement.usual.moves(&tables.movements.lines, from, occupied, cannons);
        let ends = (quiet & !occupied) | (capture & self.sides[side ^ 1]);
        (ends & movement.region) >> to & 1 == 1
    }

    /// Returns the side and the kind of the piece that a move captures.
    pub(crate) fn captured_by(&self, tables: &Tables, mv: super::Move) -> Option<(usize, Kind)> {
        self.captured_square(tables, mv).and_then(|square| self.piece(square))
    }

    /// Returns the squares of royal pieces of the side to move that are attacked.
    pub(crate) fn threatened_royals(&self, tables: &Tables) -> Vec<usize> {
        let us = self.side;
        let king = self.king(tables, us).map_or(0, |king| 1 << king);
        let royals = king | self.pseudo_royals(tables) & self.sides[us];
        let view = self.view(tables);
        let mut found = Vec::new();
        for_each(royals, |square| {
            if self.attackers(tables, square, us ^ 1, view) != 0 {
                found.push(square);
            }
        });
        found
    }
}
