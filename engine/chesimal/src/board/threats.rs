//! Which units can capture where, apart from the limits of a turn.

use super::bitboard::{Bitboard, Square};
use super::movegen::board;
use super::position::Position;
use super::reach::{self, Windows};
use super::unit::{Kind, Mode};
use crate::rules::RuleSet;
use fusion_game::Side;

impl Position {
    /// Returns the units of a side that some leader of it activates at the start of a turn, those
    /// that have no move included.
    #[must_use]
    pub fn alert(&self, side: Side, rules: &RuleSet) -> Bitboard {
        let mut alert = Bitboard::EMPTY;
        let never = [(Kind::King, Bitboard::EMPTY), (Kind::Prince, self.kind(Kind::Knight))];
        for (kind, never) in never {
            for leader in self.kind(kind) & self.units(side) {
                // What is connected to a King or another Prince has been found with that leader.
                if !alert.has(leader) {
                    alert |= self.connected(leader, rules) & !never;
                }
            }
        }
        alert
    }

    /// Returns the squares to which some of these units can move, if nothing of their own colour
    /// stands there. Pawns go in all directions.
    #[must_use]
    pub fn reached_by(&self, units: Bitboard, rules: &RuleSet) -> Bitboard {
        let board = board(rules);
        let empty = Windows::new(board & !self.occupied());
        let mut reached = Windows::new(Bitboard::EMPTY);
        for kind in Kind::ALL {
            for from in units & self.kind(kind) {
                reached.add(reach::reach(kind, Mode::King, from, &empty), from);
            }
        }
        reached.set() & board
    }

    /// Returns whether one of these units can move to a square, whatever stands there.
    #[must_use]
    pub fn is_reached(&self, square: Square, units: Bitboard, rules: &RuleSet) -> bool {
        // All moves can be made backwards: a leader passes the same square.
        let empty = Windows::new(board(rules) & !self.occupied());
        let near = Windows::new(units);
        let reaches = |kind: Kind| {
            let pattern = reach::reach(kind, Mode::King, square, &empty);
            let mut from = reach::squares(pattern & near.around(square), square);
            from.any(|from| self.kind(kind).has(from))
        };
        !units.is_empty() && Kind::ALL.into_iter().any(reaches)
    }
}
