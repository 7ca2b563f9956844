//! Inputs and outputs of the tree search's network.
//!
//! | block | size | meaning |
//! | --- | --- | --- |
//! | pieces | 2 x kinds x squares | own, then enemy piece of a kind on a square |
//! | hands | 2 x kinds x 8 | own, then enemy hand with at least 1 to 8 pieces of a kind |
//! | attacks | 2 x squares | squares that own, then enemy pieces attack |
//! | passing | squares | where a capture in passing may go |
//! | castling | 4 | own right on the kingside and the queenside, enemy's |
//! | checks | 2 x 8 | own, then enemy side with at least 1 to 8 checks left |
//!
//! The board is turned so that the side to move plays up: as in a mirror, or by half a circle if the initial
//! position looks more alike so.
//!
//! A move is the sum of two policy rows: what stands where after it, and where it comes from (a square, the
//! hand, or nowhere for a pass). The sizes depend on the board and the kinds of pieces only, so that a network
//! serves all rule sets of a game that differ in other options.

use super::{FairyGame, number};
use crate::board::{Action, Move, Tables};
use crate::definition::Kind;
use crate::rules::FairyRules;
use fusion_game::{Encoding, EncodingShape, FeatureSet, Game, Symmetry};

/// Levels of the number of pieces in a hand, and of checks left.
pub(super) const LEVELS: usize = 8;

/// The places of blocks, from the sizes of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub kinds: usize,
    pub squares: usize,
}

impl Sizes {
    pub fn of(tables: &Tables) -> Self {
        Self { kinds: tables.rules.pieces.len(), squares: tables.rules.squares() }
    }

    /// Returns the input of a piece; `enemy` is 0 or 1.
    #[inline]
    pub fn piece(self, enemy: usize, kind: Kind, square: usize) -> usize {
        (enemy * self.kinds + usize::from(kind)) * self.squares + square
    }

    /// Returns the input of a hand with at least this many pieces of a kind, from 1.
    #[inline]
    pub fn hand(self, enemy: usize, kind: Kind, count: usize) -> usize {
        2 * self.kinds * self.squares + (enemy * self.kinds + usize::from(kind)) * LEVELS + count
            - 1
    }

    /// Returns the number of inputs before the blocks that views do not have.
    pub fn after_hands(self) -> usize {
        2 * self.kinds * (self.squares + LEVELS)
    }

    fn attack(self, enemy: usize, square: usize) -> usize {
        self.after_hands() + enemy * self.squares + square
    }

    fn passing(self, square: usize) -> usize {
        self.after_hands() + 2 * self.squares + square
    }

    fn castling(self, right: usize) -> usize {
        self.after_hands() + 3 * self.squares + right
    }

    fn checks(self, enemy: usize, left: usize) -> usize {
        self.castling(4) + enemy * LEVELS + left - 1
    }

    fn features(self) -> usize {
        self.castling(4) + 2 * LEVELS
    }

    fn rows(self) -> usize {
        self.kinds * self.squares + self.squares + self.kinds + 1
    }
}

/// Returns what names a game's inputs: the board and the kinds of pieces with their moves.
pub(super) fn scheme(rules: &FairyRules) -> String {
    let rules = rules.definition();
    let pieces: Vec<String> = rules
        .pieces
        .iter()
        .map(|piece| format!("{}:{}", piece.letter.to_ascii_lowercase(), piece.betza))
        .collect();
    format!("{}x{}, {}", rules.files, rules.ranks, pieces.join(" "))
}

impl FairyGame {
    /// Returns a square as a side sees it.
    #[inline]
    pub(super) fn turned(&self, square: usize, side: usize) -> usize {
        if side == 0 { square } else { self.tables().turned(square) }
    }
}

impl Encoding for FairyGame {
    const POLICY_FACTORS: usize = 2;

    fn encoding(rules: &FairyRules) -> EncodingShape {
        let sizes = Sizes::of(rules.tables());
        EncodingShape::new(format!("fairy 1, {}", scheme(rules)), sizes.features(), sizes.rows())
    }

    fn features(&self, features: &mut FeatureSet) {
        features.clear();
        let tables = self.tables();
        let sizes = Sizes::of(tables);
        let us = self.position.side_to_move();
        let position = &self.position;
        for side in 0..2 {
            let enemy = side ^ us;
            position.for_each_piece(side, |square, kind| {
                features.insert(sizes.piece(enemy, kind, self.turned(square, us)));
            });
            for kind in 0..sizes.kinds as Kind {
                let count = usize::from(position.in_hand(side, kind)).min(LEVELS);
                (1..=count).for_each(|count| features.insert(sizes.hand(enemy, kind, count)));
            }
            position.for_each_attacked(tables, side, |square| {
                features.insert(sizes.attack(enemy, self.turned(square, us)));
            });
            let rights = position.castling_rights(side);
            (0..2)
                .filter(|&right| rights[right])
                .for_each(|right| features.insert(sizes.castling(2 * enemy + right)));
            let left = usize::from(position.checks_left(side)).min(LEVELS);
            (1..=left).for_each(|left| features.insert(sizes.checks(enemy, left)));
        }
        position.for_each_passing(|square| features.insert(sizes.passing(self.turned(square, us))));
    }

    fn policy_factors(&self, moves: &[Move], rows: &mut Vec<u16>) {
        let sizes = Sizes::of(self.tables());
        let us = number(self.side_to_move());
        let second = sizes.kinds * sizes.squares;
        for &mv in moves {
            let to = self.turned(mv.to(), us);
            rows.push(
                (usize::from(self.position.kind_after(self.tables(), mv)) * sizes.squares + to)
                    as u16,
            );
            let origin = match mv.action() {
                Action::Pass => sizes.squares + sizes.kinds,
                Action::Drop | Action::DropUpgraded => sizes.squares + usize::from(mv.kind()),
                _ => self.turned(mv.from(), us),
            };
            rows.push((second + origin) as u16);
        }
    }

    /// There is none: castling and pieces with moves to one side have no mirror image.
    fn symmetry(_: &FairyRules) -> Option<Symmetry> {
        None
    }
}
