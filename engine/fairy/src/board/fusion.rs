//! Moves by which pieces merge, split and change: the family of Fusion Chess.

use super::generate::{Generator, Sink};
use super::movement::for_each;
use super::moves::Action;
use super::position::Position;
use super::tables::Tables;
use crate::definition::{Fission, Kind, Kinds, Squares};

impl Generator<'_> {
    /// Hands over the moves of a piece onto pieces of its side, and those by which it splits. `reach` are the
    /// ends of its moves to empty squares, whatever stands there.
    pub(super) fn merge_and_split(
        &self,
        kind: Kind,
        from: usize,
        reach: Squares,
        sink: &mut impl Sink,
    ) {
        let merging = &self.tables.merging;
        for target in Tables::kinds(merging.partners[usize::from(kind)]) {
            let ends = reach & self.position.of(self.us, target);
            let ends = self.safe_ends(kind, from, ends);
            if let Some(compound) = merging.merged(kind, target).filter(|_| ends != 0) {
                sink.with_kind(Action::Change, from, ends & self.mobile(compound), compound);
            }
        }
        self.splits(kind, from, sink);
    }

    /// Returns those ends of a piece's moves after which the King is safe.
    fn safe_ends(&self, kind: Kind, from: usize, ends: Squares) -> Squares {
        if self.tables.royals >> kind & 1 == 1 {
            self.safe_for_king(kind, from, ends)
        } else {
            self.safe_for_piece(kind, from, ends)
        }
    }

    /// Hands over the drops of a kind onto pieces of its side, within a region.
    pub(super) fn merging_drops(&self, kind: Kind, region: Squares, sink: &mut impl Sink) {
        let merging = &self.tables.merging;
        for target in Tables::kinds(merging.partners[usize::from(kind)]) {
            let ends = self.safe_drops(kind, region & self.position.of(self.us, target));
            if let Some(compound) = merging.merged(kind, target) {
                sink.with_kind(Action::Drop, 0, ends & self.mobile(compound), kind);
            }
        }
    }

    fn splits(&self, kind: Kind, from: usize, sink: &mut impl Sink) {
        let rules = &self.tables.rules;
        let components = rules.pieces[usize::from(kind)].components;
        let may = match rules.fusion.fission {
            Fission::Never => false,
            Fission::Always => components != 0,
            Fission::Unattacked => components != 0 && !self.is_attacked(from),
        };
        if !may {
            return;
        }
        for leaving in Tables::kinds(components) {
            if rules.rest(kind, leaving).is_none() {
                continue;
            }
            let movement = &self.tables.movements.of[self.us][usize::from(leaving)];
            let mut ends = self.reach(movement, from).0 & !self.occupied & self.mobile(leaving);
            if self.tables.royals >> leaving & 1 == 1 {
                ends = self.uncrossed(leaving, from, ends);
                for_each(ends, |to| {
                    if !self.position.is_safe_apart(self.tables, to) {
                        ends &= !(1 << to);
                    }
                });
            } else {
                // What stays behind stays in the way, as if the component came from the hand.
                ends = self.safe_drops(leaving, ends);
            }
            sink.with_kind(Action::Split, from, ends, leaving);
        }
    }

    /// Returns whether the enemy attacks a square.
    fn is_attacked(&self, square: usize) -> bool {
        let view = self.position.view(self.tables);
        self.position.attackers(self.tables, square, self.us ^ 1, view) != 0
    }

    /// Hands over moves of a piece to squares, with what it becomes by a capture or because it was attacked.
    pub(super) fn change(&self, kind: Kind, from: usize, ends: Squares, sink: &mut impl Sink) {
        let rules = &self.tables.rules;
        let quiet = ends & !self.theirs;
        let attacked_becomes = rules.pieces[usize::from(kind)].attacked_becomes;
        if let Some(to) = attacked_becomes.filter(|_| quiet != 0 && self.is_attacked(from)) {
            sink.with_kind(Action::Change, from, quiet & self.mobile(to), to);
        }
        if !self.tables.merging.by_capture {
            sink.moves(Action::Go, from, ends & self.mobile(kind));
            return;
        }
        sink.moves(Action::Go, from, quiet & self.mobile(kind));
        for_each(ends & self.theirs, |to| {
            let becomes = self.after_capture(kind, from, to);
            let end = 1 << to & self.mobile(becomes);
            if becomes == kind {
                sink.moves(Action::Go, from, end);
            } else {
                sink.with_kind(Action::Change, from, end, becomes);
            }
        });
    }

    /// Returns what a piece is after a capture.
    fn after_capture(&self, kind: Kind, from: usize, to: usize) -> Kind {
        let rules = &self.tables.rules;
        let captured = self.position.piece(to).map(|(_, kind)| kind);
        let merged = captured.and_then(|captured| self.tables.merging.merged(kind, captured));
        if let Some(merged) = merged.filter(|_| rules.fusion.assimilation) {
            return merged;
        }
        let components = rules.pieces[usize::from(kind)].components;
        if !rules.fusion.demotion || components == 0 {
            return kind;
        }
        let captures = |component: &Kind| {
            let movement = &self.tables.movements.of[self.us][usize::from(*component)];
            self.reach(movement, from).1 >> to & 1 == 1
        };
        let royal = Tables::kinds(components & self.tables.royals).next();
        royal.or_else(|| Tables::kinds(components).find(captures)).unwrap_or(kind)
    }

    /// Returns those ends of a royal piece's moves that it reaches without crossing attacked squares, as far as
    /// it may not. The squares are tested with the piece lifted off the board.
    pub(super) fn uncrossed(&self, kind: Kind, from: usize, mut ends: Squares) -> Squares {
        if !self.tables.merging.careful || ends & !self.tables.around[from] == 0 {
            return ends;
        }
        let tables = self.tables;
        let fusion = &tables.rules.fusion;
        let mut view = self.position.view(tables);
        view.occupied &= !(1 << from);
        let attacked = |at: usize| self.position.attackers(tables, at, self.us ^ 1, view) != 0;
        let all = |mut squares: Squares, what: bool| {
            while squares != 0 {
                if attacked(squares.trailing_zeros() as usize) != what {
                    return false;
                }
                squares &= squares - 1;
            }
            true
        };
        let usual = &tables.movements.of[self.us][usize::from(kind)].usual;
        let (lines, occupied) = (&tables.movements.lines, self.occupied);
        for_each(ends & !tables.around[from], |to| {
            let captures = self.theirs >> to & 1 == 1;
            let gateways = tables.around[from] & tables.around[to];
            let by_leap = usual.leaps_to(from, to, occupied, captures)
                && (fusion.royal_leaps_cross || gateways == 0 || !all(gateways, true));
            let may_ride = |crossed| fusion.royal_rides_cross || all(crossed, false);
            let by_ride = || usual.ridden(lines, (from, to), occupied, captures).any(may_ride);
            if !by_leap && !by_ride() && !usual.hops_to(lines, (from, to), occupied, captures) {
                ends &= !(1 << to);
            }
        });
        ends
    }
}

impl Position {
    /// Returns whether a King that leaves a compound of its own is safe on an empty square.
    fn is_safe_apart(&self, tables: &Tables, to: usize) -> bool {
        let mut view = self.view(tables);
        view.occupied |= 1 << to;
        self.threats(tables, to, self.side ^ 1, view) == 0
    }

    /// Returns whether nothing is left to mate with: the royal pieces, and with them or on the board at most
    /// one piece of the kinds of [`Definition::dead`].
    pub(crate) fn is_dead(&self, tables: &Tables) -> bool {
        let rules = &tables.rules;
        if rules.dead == 0 || self.pieces() > 3 {
            return false;
        }
        let mut others: Vec<Kinds> = Vec::new();
        for side in 0..2 {
            self.for_each_piece(side, |_, kind| {
                others.push(rules.components(kind) & !tables.royals);
            });
            others.extend(
                (0..rules.pieces.len())
                    .filter(|&kind| self.hands[side][kind] > 0)
                    .map(|kind| rules.components(kind as Kind)),
            );
        }
        let count: u32 = others.iter().map(|kinds| kinds.count_ones()).sum();
        count == 0 || (count == 1 && others.iter().all(|kinds| kinds & !rules.dead == 0))
    }
}
