//! Making actions.

use super::action::Action;
use super::bitboard::{Bitboard, Square};
use super::position::{Active, Position};
use super::unit::Kind;
use super::zobrist;
use crate::rules::{AfterCapture, RuleSet};
use fusion_game::Side;

impl Position {
    /// Makes a legal action. For others the result is unspecified, but the function does not panic.
    pub fn play(&mut self, rules: &RuleSet, action: Action) {
        match action {
            Action::Choose { leader, mode } => {
                self.active = Some(Active { square: leader, mode });
                self.hash ^= zobrist::active(mode, leader);
            }
            Action::Activate { from, to } => self.activate(rules, from, to),
            Action::Recruit(square) => {
                self.recruited.flip(square);
                self.others = self.others.saturating_add(1);
                self.hash ^= zobrist::recruited(square);
            }
            Action::End => self.end_turn(),
        }
    }

    /// Moves a unit. The capture that wins, and any capture under `after-capture=end`, end the turn
    /// (rule 7).
    fn activate(&mut self, rules: &RuleSet, from: Square, to: Square) {
        let (Some(active), Some(kind)) = (self.active, self.kind_on(from)) else { return };
        let captures = self.units(self.side.other()).has(to);
        if captures {
            self.capture(to);
        }
        self.shift(kind, from, to);
        self.moved.flip(to);
        self.hash ^= zobrist::moved(to);
        if active.square == from {
            self.active = Some(Active { square: to, ..active });
            self.leader_moved = true;
            self.hash ^= zobrist::active(active.mode, from) ^ zobrist::active(active.mode, to);
        } else {
            self.others = self.others.saturating_add(1);
        }
        let ends = captures && rules.after_capture == AfterCapture::End;
        if ends || captures && self.has_lost(self.side.other(), rules) {
            self.end_turn();
        }
    }

    /// Removes the enemy unit on a square (rule 4). If it led an AMP, the others become leaderless
    /// (rule 13).
    fn capture(&mut self, square: Square) {
        let (Some(kind), side) = (self.kind_on(square), self.side.other()) else { return };
        let number = self.amp_on(square);
        self.hash ^= self.amp_key(side, number) ^ zobrist::unit(side, kind, square);
        let gone =
            if kind.is_leader() && number != 0 { self.amp(side, number) } else { square.bit() };
        self.join(gone, 0);
        self.kinds[kind.index()].flip(square);
        self.sides[side as usize].flip(square);
        self.hash ^= self.amp_key(side, number);
        self.quiet = 0;
    }

    /// Moves a unit of the side to act to a square that is empty now.
    #[inline]
    fn shift(&mut self, kind: Kind, from: Square, to: Square) {
        let number = self.amp_on(from);
        self.hash ^= self.amp_key(self.side, number);
        let both = from.bit() | to.bit();
        self.kinds[kind.index()] ^= both;
        self.sides[self.side as usize] ^= both;
        for (i, plane) in self.amps.iter_mut().enumerate() {
            if number >> i & 1 != 0 {
                *plane ^= both;
            }
        }
        self.hash ^= zobrist::unit(self.side, kind, from) ^ zobrist::unit(self.side, kind, to);
        self.hash ^= self.amp_key(self.side, number);
    }

    /// Does what the end of a turn does: recruits join, the side changes, counters move.
    pub(crate) fn end_turn(&mut self) {
        if let Some(Active { square, mode }) = self.active {
            self.hash ^= zobrist::active(mode, square);
            self.recruits_join(square);
        }
        self.hash = self.moved.fold(self.hash, |hash, square| hash ^ zobrist::moved(square));
        self.hash ^= zobrist::side();
        self.active = None;
        self.moved = Bitboard::EMPTY;
        (self.others, self.leader_moved) = (0, false);
        self.quiet = self.quiet.saturating_add(1);
        if self.side == Side::Second {
            self.number = self.number.saturating_add(1);
        }
        self.side = self.side.other();
    }

    /// Gives the recruits to the leader's AMP (rule 14).
    fn recruits_join(&mut self, leader: Square) {
        let number = self.amp_on(leader);
        for square in self.recruited {
            let before = self.amp_on(square);
            self.hash ^= zobrist::recruited(square);
            self.hash ^= self.amp_key(self.side, before) ^ self.amp_key(self.side, number);
            self.join(square.bit(), number);
            self.hash ^= self.amp_key(self.side, before) ^ self.amp_key(self.side, number);
        }
        self.recruited = Bitboard::EMPTY;
    }
}
