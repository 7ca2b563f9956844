//! Inputs of the efficiently updatable network, seen from either side.
//!
//! They are the blocks of pieces and hands of the [encoding](super::encoding), then four inputs for the
//! castling rights, and eight for each side's checks left. A view whose King stands on the left half of the board
//! is mirrored, if all pieces move to the left as to the right: a network has to learn only half of the positions.
//! A stage is an eighth of the pieces of the initial position. The second layer receives [`counts`] as well.

use super::encoding::{LEVELS, Sizes, scheme};
use super::tactics::{Done, GameUndo};
use super::{FairyGame, counts, number};
use crate::board::{Action, Tables, Undo};
use crate::definition::Kind;
use crate::rules::FairyRules;
use fusion_game::{Side, ViewChange, Views, ViewsShape};

/// Stages of a game.
const STAGES: usize = 8;

/// The inputs after those of pieces and hands.
fn castling(sizes: Sizes, right: usize) -> usize {
    sizes.after_hands() + right
}

fn checks(sizes: Sizes, enemy: usize, left: usize) -> usize {
    castling(sizes, 4) + enemy * LEVELS + left - 1
}

/// Records what a move changes in one side's view.
struct Changes<'a> {
    game: &'a FairyGame,
    sizes: Sizes,
    side: usize,
    flipped: bool,
    change: &'a mut ViewChange,
}

impl Changes<'_> {
    fn piece(&mut self, added: bool, owner: usize, kind: Kind, square: usize) {
        let square = self.game.seen(square, self.side, self.flipped);
        self.input(added, self.sizes.piece(owner ^ self.side, kind, square));
    }

    fn input(&mut self, added: bool, input: usize) {
        let list = if added { &mut self.change.added } else { &mut self.change.removed };
        list.push(input as u16);
    }

    /// Records that a hand has changed from one count to another.
    fn hand(&mut self, owner: usize, kind: Kind, before: usize, after: usize) {
        let enemy = owner ^ self.side;
        for count in before.min(after) + 1..=before.max(after).min(LEVELS) {
            self.input(after > before, self.sizes.hand(enemy, kind, count));
        }
    }

    fn made(&mut self, undo: &Undo) {
        let (mv, tables) = (undo.mv(), self.game.tables());
        let position = self.game.position();
        let us = position.side_to_move() ^ 1;
        if let Some((square, owner, kind)) = undo.captured() {
            self.piece(false, owner, kind, square);
            for held in Tables::kinds(undo.captured_to_hand(tables)) {
                let now = usize::from(position.in_hand(us, held));
                self.hand(us, held, now - 1, now);
            }
        }
        match mv.action() {
            Action::Pass => {}
            Action::Castle => {
                let (king_to, rook_to) = tables.castled(mv.from(), mv.to());
                for (from, to) in [(mv.from(), king_to), (mv.to(), rook_to)] {
                    if let Some((owner, kind)) = position.piece(to) {
                        self.piece(false, owner, kind, from);
                        self.piece(true, owner, kind, to);
                    }
                }
            }
            _ => {
                if mv.is_drop() {
                    let now = usize::from(position.in_hand(us, mv.kind()));
                    self.hand(us, mv.kind(), now + 1, now);
                } else {
                    self.piece(false, us, undo.moved_kind(), mv.from());
                }
                if let Some(kind) = undo.merged() {
                    self.piece(false, us, kind, mv.to());
                }
                let split = mv.action() == Action::Split;
                for square in [mv.to(), mv.from()].into_iter().take(1 + usize::from(split)) {
                    if let Some((owner, kind)) = position.piece(square) {
                        self.piece(true, owner, kind, square);
                    }
                }
            }
        }
        for owner in 0..2 {
            let (before, now) = (undo.castling_rights(owner), position.castling_rights(owner));
            for right in (0..2).filter(|&right| before[right] != now[right]) {
                let seen = 2 * (owner ^ self.side) + (right ^ usize::from(self.flipped));
                self.input(now[right], castling(self.sizes, seen));
            }
            let (before, now) =
                (usize::from(undo.checks_left(owner)), usize::from(position.checks_left(owner)));
            for left in before.min(now) + 1..=before.max(now).min(LEVELS) {
                self.input(now > before, checks(self.sizes, owner ^ self.side, left));
            }
        }
    }
}

impl FairyGame {
    /// Returns, by side, whether its view is mirrored.
    #[inline]
    pub(super) fn flipped(&self) -> [bool; 2] {
        let tables = self.tables();
        let files = usize::from(tables.rules.files);
        [0, 1].map(|side| {
            let king = self.position.king(tables, side).filter(|_| tables.is_symmetric);
            king.is_some_and(|king| 2 * (self.turned(king, side) % files) + 1 < files)
        })
    }

    /// Returns a square as it is in a side's view.
    #[inline]
    fn seen(&self, square: usize, side: usize, flipped: bool) -> usize {
        let square = self.turned(square, side);
        if flipped { self.tables().flipped(square) } else { square }
    }
}

impl Views for FairyGame {
    fn views(rules: &FairyRules) -> ViewsShape {
        let sizes = Sizes::of(rules.tables());
        let inputs = castling(sizes, 4) + 2 * LEVELS;
        let shape = ViewsShape::new(format!("fairy, views 2, {}", scheme(rules)), inputs);
        ViewsShape { stages: STAGES, counts: counts::COUNT, ..shape }
    }

    fn view(&self, side: Side, inputs: &mut Vec<u16>) {
        inputs.clear();
        let sizes = Sizes::of(self.tables());
        let (side, position) = (number(side), self.position());
        let flipped = self.flipped()[side];
        for owner in 0..2 {
            let enemy = owner ^ side;
            position.for_each_piece(owner, |square, kind| {
                inputs.push(sizes.piece(enemy, kind, self.seen(square, side, flipped)) as u16);
            });
            for kind in 0..sizes.kinds as Kind {
                let count = usize::from(position.in_hand(owner, kind)).min(LEVELS);
                inputs.extend((1..=count).map(|count| sizes.hand(enemy, kind, count) as u16));
            }
            let rights = position.castling_rights(owner);
            let rights = (0..2).filter(|&right| rights[right]);
            let seen = |right: usize| castling(sizes, 2 * enemy + (right ^ usize::from(flipped)));
            inputs.extend(rights.map(|right| seen(right) as u16));
            let left = usize::from(position.checks_left(owner)).min(LEVELS);
            inputs.extend((1..=left).map(|left| checks(sizes, enemy, left) as u16));
        }
    }

    fn view_change(&self, before: &GameUndo, side: Side, change: &mut ViewChange) -> bool {
        match &before.done {
            Done::Null(_) => true,
            Done::Move(undo) => {
                let (sizes, side) = (Sizes::of(self.tables()), number(side));
                let flipped = self.flipped()[side];
                if undo.has_blast() || before.flipped[side] != flipped {
                    return false;
                }
                Changes { game: self, sizes, side, flipped, change }.made(undo);
                true
            }
        }
    }

    fn view_counts(&self, counts: &mut [u8]) {
        let (tables, rules) = (self.tables(), self.rules);
        counts::count(&self.position, tables, rules.count_tables(), rules.values(), counts);
    }

    fn stage(&self) -> usize {
        let most = self.rules.start().pieces().max(1);
        (STAGES * self.position.pieces() / (most + 1)).min(STAGES - 1)
    }
}
