//! Captures of enemy pieces and promotions of Pawns without a self-capture: the moves that a search
//! follows beyond its depth.

use super::movegen::{GroupKind, MoveGroup};
use super::{Move, MoveKind, Position};
use crate::rules::RuleSet;

impl Position {
    /// Appends all legal captures of enemy pieces, and promotions of Pawns that capture no friend, to
    /// `moves`, in a fixed order.
    pub fn forcing_moves(&self, rules: &RuleSet, moves: &mut Vec<Move>) {
        let enemy = self.color(!self.side);
        self.groups::<true>(rules, |MoveGroup { from, to, kind }| match kind {
            GroupKind::Single(MoveKind::Fusion | MoveKind::Castling) => {}
            GroupKind::Single(MoveKind::EnPassant) => {
                moves.extend(to.map(|to| Move::new(from, to, MoveKind::EnPassant)));
            }
            GroupKind::Single(kind) => {
                moves.extend((to & enemy).map(Move::towards(from, kind)));
            }
            GroupKind::Promotions(set) => {
                let promotion = |to, piece| Move::new(from, to, MoveKind::Promotion(piece));
                to.for_each(|to| moves.extend(set.pieces().map(|piece| promotion(to, piece))));
            }
        });
    }
}
