//! Where checks and attacks of a royal piece come from, so that most moves need not be tried out.

use super::attacks::Danger;
use super::movement::for_each;
use super::moves::{Action, Move};
use super::position::Position;
use super::tables::Tables;
use crate::definition::{Kind, MOST_KINDS, Squares};
use std::cell::Cell;

/// Where moves can give check.
pub(crate) struct Checks {
    king: usize,
    /// Moves from these squares uncover an attack. A piece that moves away along its own line to the King would
    /// have given check before.
    uncover: Squares,
    /// All lines to the King: what a piece becomes may attack along one that it leaves.
    lines: Squares,
    /// By kind: the squares from which it attacks the King, if they are known.
    attacks: [Cell<Option<Squares>>; MOST_KINDS],
}

impl Checks {
    /// Returns where the side to move can give check; `None` if each move has to be tried out.
    pub fn of(position: &Position, tables: &Tables) -> Option<Self> {
        let us = position.side;
        let attacks = &tables.movements.attacks[us];
        let king = position.king(tables, us ^ 1)?;
        if !attacks.hops.is_empty() || !attacks.lames.is_empty() {
            return None;
        }
        let (mut uncover, mut whole) = (0, 0);
        for (line, kinds) in &attacks.rides {
            let line = &tables.movements.lines[*line];
            whole |= line.reach(king);
            let riders = kinds.iter().fold(0, |set, &kind| set | position.of(us, kind));
            let on_line = line.reach(king) & position.occupied();
            if riders & on_line != 0 {
                let first = line.nearest(on_line);
                let behind = on_line & !(1 << first);
                if behind != 0 && riders >> line.nearest(behind) & 1 == 1 {
                    uncover |= 1 << first;
                }
            }
        }
        Some(Self { king, uncover, lines: whole, attacks: [const { Cell::new(None) }; MOST_KINDS] })
    }

    /// Returns whether a move gives no check for sure.
    pub fn excludes(&self, position: &Position, tables: &Tables, mv: Move) -> bool {
        let opening = match mv.action() {
            Action::Drop | Action::DropUpgraded => 0,
            Action::Go => self.uncover,
            Action::Promote | Action::Upgrade => self.lines,
            _ => Squares::MAX,
        };
        if opening >> mv.from() & 1 == 1 {
            return false;
        }
        let kind = position.kind_after(tables, mv);
        self.from(position, tables, kind) >> mv.to() & 1 == 0
    }

    /// Returns the squares from which a kind attacks the King.
    fn from(&self, position: &Position, tables: &Tables, kind: Kind) -> Squares {
        let cell = &self.attacks[usize::from(kind)];
        cell.get().unwrap_or_else(|| {
            let squares = position.attacking_squares(tables, kind, self.king);
            cell.set(Some(squares));
            squares
        })
    }

    /// Returns the destinations of a piece's simple moves that give no check for sure, and those that give one.
    pub fn of_simple_moves(
        &self,
        position: &Position,
        tables: &Tables,
        from: usize,
    ) -> (Squares, Squares) {
        match position.piece(from) {
            Some((_, kind)) if self.uncover >> from & 1 == 0 => {
                let attacks = self.from(position, tables, kind);
                (!attacks, attacks)
            }
            _ => (0, 0),
        }
    }
}

impl Position {
    /// Returns the squares from which a kind of the side to move attacks a square. It neither hops nor has lame
    /// leaps.
    fn attacking_squares(&self, tables: &Tables, kind: Kind, target: usize) -> Squares {
        let us = self.side;
        let attacks = &tables.movements.attacks[us];
        if tables.movements.of[us][usize::from(kind)].region >> target & 1 == 0 {
            return 0;
        }
        let leaps = attacks.leaps.iter().filter(|(known, _)| *known == kind);
        let leaps = leaps.fold(0, |set, (_, from)| set | from[target]);
        let rides = attacks.rides.iter().filter(|(_, kinds)| kinds.contains(&kind));
        let occupied = self.occupied();
        rides.fold(leaps, |set, (line, _)| {
            set | tables.movements.lines[*line].ride(target, occupied)
        })
    }
}

/// What the safety of the only pseudo-royal piece of the side to move demands.
pub(crate) struct Guard {
    royal: usize,
    danger: Danger,
    /// Whether the piece cannot be captured: the blast would destroy one of the enemy's royal pieces.
    immune: bool,
}

impl Guard {
    /// Returns what the safety demands; `None` if each move has to be tried out.
    pub fn of(position: &Position, tables: &Tables, royals: Squares) -> Option<Self> {
        let rules = &tables.rules;
        let ours = royals & position.sides[position.side];
        if !rules.pseudo_royal || rules.duple_check || ours.count_ones() != 1 {
            return None;
        }
        let royal = ours.trailing_zeros() as usize;
        let mut immune = false;
        if rules.blast {
            let theirs = royals & position.sides[position.side ^ 1];
            for_each(theirs, |square| immune |= tables.around[square] >> royal & 1 == 1);
        }
        Some(Self { royal, danger: Danger::around(position, tables, Some(royal)), immune })
    }

    /// Returns the destinations of a piece's simple moves that leave the royal piece safe for sure, and those
    /// that do not.
    pub fn of_simple_moves(
        &self,
        position: &Position,
        tables: &Tables,
        from: usize,
    ) -> (Squares, Squares) {
        if from == self.royal {
            return (0, 0);
        }
        let theirs = position.sides[position.side ^ 1];
        // A blast removes more than the captured piece.
        let tried = if tables.rules.blast { theirs } else { 0 };
        if self.immune {
            return (!tried, 0);
        }
        let tried = tried | self.danger.delicate_from(from);
        let allowed = self.danger.allowed(from);
        // A capture may win at once.
        (allowed & !tried, !allowed & !tried & !theirs)
    }
}
