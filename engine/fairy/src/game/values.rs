//! Values of pieces for searches that know nothing else about a game.

use crate::board::Tables;
use crate::definition::{Kind, Role};

/// Share of the squares that are occupied where values are computed.
const DENSITY: f32 = 0.3;

/// Returns the value of each kind in hundredths of a Pawn.
///
/// A definition may give values. Others follow from mobility: the mean number of moves on a board of which
/// 30% is occupied. On the board of chess that is 5.3 for a Knight, which is worth 3; the value grows by
/// the power 1.35 of the mobility, which is near what chess players say of Rooks, Bishops and Queens. A
/// Pawn is worth 1, and a royal piece nothing, since it is not exchanged; a royal compound is worth the rest of
/// its components.
pub(crate) fn values(tables: &Tables) -> Vec<i32> {
    let mobility: Vec<f32> =
        (0..tables.rules.pieces.len()).map(|kind| tables.mobility(kind as Kind, DENSITY)).collect();
    let promotion = &tables.rules.promotion;
    let value = |kind: usize| {
        let piece = &tables.rules.pieces[kind];
        if let Some(value) = piece.value {
            return value;
        }
        let by_moves = 300.0 * (mobility[kind] / KNIGHT_MOBILITY).powf(1.35);
        let is_pawn = piece.role == Role::Pawn || promotion.pawns[0] >> kind & 1 == 1;
        let least = if is_pawn { 100.0 } else { 20.0 };
        by_moves.max(least) as i32
    };
    let is_royal = |kind: usize| tables.royals >> kind & 1 == 1;
    let of = |kind: usize| {
        let others = Tables::kinds(tables.rules.components(kind as Kind) & !tables.royals);
        if is_royal(kind) { others.map(|kind| value(kind.into())).sum() } else { value(kind) }
    };
    (0..mobility.len()).map(of).collect()
}

/// Mean number of moves of a Knight on the board of chess.
const KNIGHT_MOBILITY: f32 = 5.25;
