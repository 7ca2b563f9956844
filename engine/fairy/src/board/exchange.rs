//! Exchanges on a square.

use super::attacks::View;
use super::moves::{Action, Move};
use super::position::Position;
use super::tables::Tables;
use crate::definition::{Kind, Squares};

impl Position {
    /// Returns what a move gains by the captures that follow on its destination, if both sides capture with
    /// the piece of least value and stop when they like. `gain` is what the move itself gains and
    /// `standing` the value of the piece that it leaves there.
    pub(crate) fn exchange(
        &self,
        tables: &Tables,
        values: &[i32],
        mv: Move,
        gain: i32,
        standing: i32,
    ) -> i32 {
        let to = mv.to();
        let mut view = self.view(tables);
        view.occupied |= 1 << to;
        view.gone |= 1 << to;
        if !mv.is_drop() {
            view.occupied &= !(1 << mv.from());
            view.gone |= 1 << mv.from();
        }
        if mv.action() == Action::EnPassant {
            let passed = self.passed_piece(tables, to).map_or(0, |square| 1 << square);
            view.occupied &= !passed;
            view.gone |= passed;
        }
        let mut gains = [0; 40];
        gains[0] = gain;
        let (mut depth, mut side, mut at_stake) = (0, self.side ^ 1, standing);
        while depth + 1 < gains.len() {
            let Some((square, kind)) = self.cheapest(tables, values, to, side, view) else { break };
            let royal = tables.royals >> kind & 1 == 1;
            if royal && self.attackers(tables, to, side ^ 1, without(view, square)) != 0 {
                break;
            }
            depth += 1;
            gains[depth] = at_stake - gains[depth - 1];
            at_stake = values[usize::from(kind)];
            view = without(view, square);
            side ^= 1;
        }
        for i in (1..=depth).rev() {
            gains[i - 1] = -gains[i].max(-gains[i - 1]);
        }
        gains[0]
    }

    /// Returns the piece of least value of a side that attacks a square; the King last.
    fn cheapest(
        &self,
        tables: &Tables,
        values: &[i32],
        to: usize,
        side: usize,
        view: View,
    ) -> Option<(usize, Kind)> {
        let mut attackers: Squares = self.attackers(tables, to, side, view);
        let mut best: Option<(i32, usize, Kind)> = None;
        while attackers != 0 {
            let square = attackers.trailing_zeros() as usize;
            attackers &= attackers - 1;
            let Some((_, kind)) = self.piece(square) else { continue };
            let value =
                if tables.royals >> kind & 1 == 1 { i32::MAX } else { values[usize::from(kind)] };
            if best.is_none_or(|(least, ..)| value < least) {
                best = Some((value, square, kind));
            }
        }
        best.map(|(_, square, kind)| (square, kind))
    }
}

/// Returns a view in which a piece has left its square.
fn without(view: View, square: usize) -> View {
    View { occupied: view.occupied & !(1 << square), gone: view.gone | 1 << square, ..view }
}
