//! Rules of Makruk and its relatives that limit the length of endings.

use super::position::Position;
use super::tables::Tables;
use crate::definition::{Counting, Kind};

/// The kinds on which the limits depend.
struct Counts {
    pawns: u32,
    rooks: u32,
    khons: u32,
    knights: u32,
}

impl Counts {
    /// Counts the Pawns of both sides, and the other kinds of one side.
    fn of(position: &Position, tables: &Tables, side: usize) -> Self {
        let kind = |name: &str| {
            let place = tables.rules.pieces.iter().position(|piece| piece.name == name);
            place.map(|kind| kind as Kind)
        };
        let of = |name: &str| kind(name).map_or(0, |kind| position.of(side, kind).count_ones());
        let pawns = kind("pawn").map_or(0, |kind| position.kinds[usize::from(kind)].count_ones());
        Self { pawns, rooks: of("rook"), khons: of("silver"), knights: of("knight") }
    }

    /// Returns the limit by the pieces of the stronger side, with that of bare material.
    fn pieces_honour(&self, limits: [u16; 5], otherwise: u16) -> u16 {
        match () {
            () if self.rooks > 1 => limits[0],
            () if self.rooks == 1 => limits[1],
            () if self.khons > 1 => limits[2],
            () if self.knights > 1 => limits[3],
            () if self.khons == 1 => limits[4],
            () => otherwise,
        }
    }
}

/// Returns the limit, in moves, that a side may count to; 0 if it may not count.
fn limit(position: &Position, tables: &Tables, rule: Counting, side: usize) -> u16 {
    let own = position.sides[side].count_ones();
    let other = position.sides[side ^ 1].count_ones();
    let counts = Counts::of(position, tables, side ^ 1);
    match rule {
        Counting::Makruk if counts.pawns > 0 || other == 1 => 0,
        Counting::Makruk if own > 1 => 64,
        Counting::Makruk => counts.pieces_honour([8, 16, 22, 32, 44], 64),
        Counting::Cambodian if own > 3 || other == 1 => 0,
        Counting::Cambodian if own > 1 => 63,
        Counting::Cambodian if counts.pawns > 0 => 0,
        Counting::Cambodian => counts.pieces_honour([7, 15, 21, 31, 43], 63),
        Counting::Asean if counts.pawns > 0 || own > 1 => 0,
        Counting::Asean if counts.rooks > 0 => 16,
        Counting::Asean if counts.khons > 0 => 44,
        Counting::Asean if counts.knights > 0 => 64,
        Counting::Asean => 0,
    }
}

/// Counts a move that has been made: `captured` and `promoted` say what it was, `pawn` that it captured a
/// Pawn.
pub(crate) fn advance(
    position: &mut Position,
    tables: &Tables,
    rule: Counting,
    captured: bool,
    pawn: bool,
    promoted: bool,
) {
    let mover = position.side ^ 1;
    let (own, other) = (position.sides[mover].count_ones(), position.sides[mover ^ 1].count_ones());
    let all = (own + other) as u16;
    let [mut most, mut count] = position.state.counting;
    if most != 0 {
        count += 1;
    }
    let no_pawns = Counts::of(position, tables, mover).pawns == 0;
    if rule != Counting::Asean && pawn && own == 1 && no_pawns {
        let limit = limit(position, tables, rule, mover);
        if limit != 0 {
            (most, count) = (2 * limit, 2 * all - 1);
        }
    }
    if most == 0 || ((captured || promoted) && other == 1) {
        let limit = limit(position, tables, rule, mover ^ 1);
        if limit != 0 {
            most = 2 * limit;
            count = if rule == Counting::Asean || other > 1 { 0 } else { 2 * all };
        }
    }
    position.state.counting = [most, count];
}
