//! Attacks, and what the King's safety demands of a move.

use super::movement::{Landing, for_each};
use super::position::Position;
use super::tables::Tables;
use crate::definition::{Kind, Squares};

/// A board as it may be after a move: the occupied squares, the pieces that have gone, the Janggi Cannons.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub occupied: Squares,
    pub gone: Squares,
    pub cannons: Squares,
}

impl Position {
    /// Returns the board as it is.
    #[inline]
    pub(crate) fn view(&self, tables: &Tables) -> View {
        View { occupied: self.occupied(), gone: 0, cannons: self.cannons(tables) }
    }

    /// Returns a side's pieces of those of the kinds that can go to a square.
    #[inline]
    fn that_go(&self, tables: &Tables, side: usize, kinds: &[Kind], square: usize) -> Squares {
        let movements = &tables.movements.of[side];
        let pieces = kinds.iter().fold(0, |set, &kind| {
            let goes = movements[usize::from(kind)].region >> square & 1 == 1;
            set | if goes { self.kinds[usize::from(kind)] } else { 0 }
        });
        self.sides[side] & pieces
    }

    /// Returns the pieces of a side that attack a square.
    pub(crate) fn attackers(
        &self,
        tables: &Tables,
        square: usize,
        by: usize,
        view: View,
    ) -> Squares {
        let attacks = &tables.movements.attacks[by];
        let lines = &tables.movements.lines;
        let goes =
            |kind: Kind| tables.movements.of[by][usize::from(kind)].region >> square & 1 == 1;
        let mut found = 0;
        for (kind, from) in &attacks.leaps {
            let pieces = from[square] & self.of(by, *kind);
            if pieces != 0 && goes(*kind) {
                found |= pieces;
            }
        }
        for (line, kinds) in &attacks.rides {
            let line = &lines[*line];
            let pieces = line.reach(square) & self.that_go(tables, by, kinds, square) & !view.gone;
            if pieces != 0 {
                found |= line.ride(square, view.occupied) & pieces;
            }
        }
        for &(line, landing, kind) in &attacks.hops {
            let line = &lines[line];
            let pieces = line.reach(square) & self.of(by, kind) & !view.gone;
            // The Cannon of Janggi does not capture its like.
            let shy = landing == Landing::Janggi && view.cannons >> square & 1 == 1;
            if pieces != 0 && !shy && goes(kind) {
                found |= landing.origins(line, square, view.occupied, view.cannons) & pieces;
            }
        }
        for (kind, lames) in &attacks.lames {
            let pieces = self.of(by, *kind);
            if pieces != 0 && goes(*kind) {
                for lame in lames[square].iter().filter(|lame| lame.path & view.occupied == 0) {
                    found |= pieces & 1 << lame.end;
                }
            }
        }
        found & !view.gone
    }

    /// Returns the pieces that a King on a square may not be exposed to: attackers, and the other King if
    /// Kings may not face each other.
    pub(crate) fn threats(&self, tables: &Tables, square: usize, by: usize, view: View) -> Squares {
        self.attackers(tables, square, by, view)
            | self.faces(tables, square, by, view.occupied) & !view.gone
    }

    /// Returns the King of a side that faces a square, if Kings may not face each other.
    pub(crate) fn faces(
        &self,
        tables: &Tables,
        square: usize,
        by: usize,
        occupied: Squares,
    ) -> Squares {
        if !tables.rules.flying_general {
            return 0;
        }
        let lines = tables.movements.faces.iter().map(|&line| &tables.movements.lines[line]);
        lines.fold(0, |found, line| found | line.ride(square, occupied)) & self.royals(tables, by)
    }

    /// Returns the pieces that give check to the side's King.
    pub(crate) fn checkers(&self, tables: &Tables, side: usize) -> Squares {
        let king = self.king(tables, side);
        king.map_or(0, |king| self.attackers(tables, king, side ^ 1, self.view(tables)))
    }
}

/// A piece that may only go to certain squares, because it protects the King.
#[derive(Clone, Copy, Debug)]
struct Pin {
    square: u8,
    allowed: Squares,
}

/// What the safety of the King of the side to move demands.
#[derive(Clone, Debug)]
pub(crate) struct Danger {
    /// The King's square; `None` if there is no King.
    pub king: Option<usize>,
    /// The pieces that give check.
    pub checkers: Squares,
    /// Where pieces other than the King may go.
    pub targets: Squares,
    /// Moves from or to these squares have to be tried out.
    pub delicate: Squares,
    pins: [Pin; 16],
    pinned: usize,
}

impl Danger {
    /// Finds out what the safety of the King demands.
    pub fn of(position: &Position, tables: &Tables) -> Self {
        Self::around(position, tables, position.king(tables, position.side))
    }

    /// Finds out what the safety of a piece of the side to move demands.
    pub fn around(position: &Position, tables: &Tables, king: Option<usize>) -> Self {
        let none = Pin { square: 0, allowed: 0 };
        let mut danger = Self {
            king,
            checkers: 0,
            targets: Squares::MAX,
            delicate: 0,
            pins: [none; 16],
            pinned: 0,
        };
        if let Some(king) = danger.king {
            danger.find_leaps(position, tables, king);
            danger.find_rides(position, tables, king);
            danger.find_hops(position, tables, king);
            if danger.checkers & (danger.checkers.wrapping_sub(1)) != 0 {
                danger.targets = 0;
            }
        }
        danger
    }

    fn check(&mut self, by: Squares, targets: Squares) {
        self.checkers |= by;
        self.targets &= targets;
    }

    fn find_leaps(&mut self, position: &Position, tables: &Tables, king: usize) {
        let by = position.side ^ 1;
        for (kind, from) in &tables.movements.attacks[by].leaps {
            let pieces = from[king] & position.of(by, *kind);
            let region = tables.movements.of[by][usize::from(*kind)].region;
            if pieces != 0 && region >> king & 1 == 1 {
                self.check(pieces, pieces);
            }
        }
    }

    fn find_rides(&mut self, position: &Position, tables: &Tables, king: usize) {
        let by = position.side ^ 1;
        let movements = &tables.movements;
        for (line, kinds) in &movements.attacks[by].rides {
            let riders = position.that_go(tables, by, kinds, king);
            self.find_ride(position, tables, king, *line, riders);
        }
        if tables.rules.flying_general {
            let other = position.royals(tables, by);
            for line in movements.faces {
                self.find_ride(position, tables, king, line, other);
            }
        }
    }

    fn find_ride(
        &mut self,
        position: &Position,
        tables: &Tables,
        king: usize,
        line: usize,
        riders: Squares,
    ) {
        let line = &tables.movements.lines[line];
        let riders = riders & line.reach(king);
        if riders == 0 {
            return;
        }
        let on_line = line.reach(king) & position.occupied();
        let first = line.nearest(on_line);
        let attacks = |square: usize| riders >> square & 1 == 1;
        let between = |square: usize| line.reach(king) & !line.whole(square);
        if attacks(first) {
            self.check(1 << first, between(first));
            return;
        }
        let behind = on_line & !(1 << first);
        if behind == 0 || position.sides[position.side] >> first & 1 == 0 {
            return;
        }
        let second = line.nearest(behind);
        if attacks(second) {
            match self.pins.get_mut(self.pinned) {
                Some(pin) => {
                    *pin = Pin { square: first as u8, allowed: between(second) };
                    self.pinned += 1;
                }
                // With more pins than fit, the moves of the piece are tried out.
                None => self.delicate |= 1 << first,
            }
        }
    }

    /// Hoppers and lame leapers attack depending on what stands between: moves there are tried out.
    fn find_hops(&mut self, position: &Position, tables: &Tables, king: usize) {
        let by = position.side ^ 1;
        let attacks = &tables.movements.attacks[by];
        let view = position.view(tables);
        let mut checkers = 0;
        for &(line, landing, kind) in &attacks.hops {
            let line = &tables.movements.lines[line];
            let pieces = line.reach(king) & position.of(by, kind);
            if pieces != 0 && tables.movements.of[by][usize::from(kind)].region >> king & 1 == 1 {
                self.delicate |= line.reach(king);
                checkers |= landing.origins(line, king, view.occupied, view.cannons) & pieces;
            }
        }
        for (kind, lames) in &attacks.lames {
            let pieces = position.of(by, *kind);
            if pieces != 0 && tables.movements.of[by][usize::from(*kind)].region >> king & 1 == 1 {
                for lame in &lames[king] {
                    if pieces >> lame.end & 1 == 1 {
                        self.delicate |= lame.path | 1 << lame.end;
                        if lame.path & view.occupied == 0 {
                            checkers |= 1 << lame.end;
                        }
                    }
                }
            }
        }
        if checkers != 0 {
            // Any piece may resolve such a check, so all moves are tried out.
            self.checkers |= checkers;
            self.delicate = Squares::MAX;
        }
    }

    /// Returns the squares to which the safety of the King lets a piece other than the King go, those that
    /// have to be tried out included.
    #[inline]
    pub fn allowed(&self, from: usize) -> Squares {
        let mut allowed = self.targets;
        if self.delicate == Squares::MAX {
            return allowed | self.delicate;
        }
        for pin in &self.pins[..self.pinned] {
            if usize::from(pin.square) == from {
                allowed &= pin.allowed;
            }
        }
        allowed
    }

    /// Returns the pieces that protect the King.
    pub fn pinned(&self) -> Squares {
        self.pins[..self.pinned].iter().fold(0, |set, pin| set | 1 << pin.square)
    }

    /// Returns those of the destinations of a piece that have to be tried out.
    #[inline]
    pub fn delicate_from(&self, from: usize) -> Squares {
        if self.delicate >> from & 1 == 1 { Squares::MAX } else { self.delicate }
    }
}

impl Position {
    /// Returns the board after a move of a piece of a kind, or after a drop if it comes from nowhere. `gone` are
    /// captured pieces.
    fn moved(
        &self,
        tables: &Tables,
        (kind, from): (Kind, Squares),
        to: usize,
        gone: Squares,
    ) -> View {
        let to = 1 << to;
        let arrives = if Some(kind) == tables.cannon { to } else { 0 };
        View {
            occupied: self.occupied() & !from & !gone | to,
            gone: gone | to,
            cannons: self.cannons(tables) & !(from | gone | to) | arrives,
        }
    }

    /// Returns whether the King is safe after a move or a drop of another piece.
    pub(crate) fn is_safe_after(
        &self,
        tables: &Tables,
        danger: &Danger,
        piece: (Kind, Squares),
        to: usize,
        gone: Squares,
    ) -> bool {
        let view = self.moved(tables, piece, to, gone);
        danger.king.is_none_or(|king| self.threats(tables, king, self.side ^ 1, view) == 0)
    }

    /// Returns whether a King that is dropped on a square is safe there.
    pub(crate) fn is_safe_dropped(&self, tables: &Tables, kind: Kind, to: usize) -> bool {
        let view = self.moved(tables, (kind, 0), to, 0);
        self.threats(tables, to, self.side ^ 1, view) == 0
    }

    /// Returns whether the King is safe after a capture of the piece on `passed` in passing. As in
    /// Fairy-Stockfish, Kings may face each other after it.
    pub(crate) fn is_safe_after_passing(
        &self,
        tables: &Tables,
        danger: &Danger,
        piece: (Kind, Squares),
        to: usize,
        passed: usize,
    ) -> bool {
        let view = self.moved(tables, piece, to, 1 << passed);
        danger.king.is_none_or(|king| self.attackers(tables, king, self.side ^ 1, view) == 0)
    }

    /// Returns whether the King is safe on a square.
    #[inline]
    pub(crate) fn is_safe_at(&self, tables: &Tables, king: usize, to: usize) -> bool {
        let occupied = self.occupied() & !(1 << king) | 1 << to;
        let cannons = self.cannons(tables) & !(1 << to);
        let view = View { occupied, gone: 1 << to, cannons };
        self.threats(tables, to, self.side ^ 1, view) == 0
    }

    /// Returns the squares that a side's pieces attack. It is slow, for descriptions and tests.
    #[must_use]
    pub fn attacked_by(&self, tables: &Tables, side: usize) -> Squares {
        let view = self.view(tables);
        let mut found = 0;
        for_each(tables.grid.all(), |square| {
            if self.attackers(tables, square, side, view) != 0 {
                found |= 1 << square;
            }
        });
        found
    }
}
