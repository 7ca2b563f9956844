//! Inputs of the efficiently updatable network: those of [`inputs`], from either side.

use super::tactics::Undo;
use super::{FreeChess, inputs};
use crate::board::Position;
use crate::rules::RuleSet;
use fusion_game::{Side, ViewChange, Views, ViewsShape};

/// Attributes on the board from which the next stage begins.
const STAGE: u32 = 8;
const STAGES: usize = 4;

impl FreeChess {
    fn words(&self, position: &Position, side: Side) -> [u64; inputs::WORDS] {
        let mut words = [0; inputs::WORDS];
        inputs::write(self, position, side, &mut words);
        words
    }
}

/// Appends the numbers of the bits of a set of inputs.
fn collect(words: impl Iterator<Item = u64>, inputs: &mut Vec<u16>) {
    for (place, word) in words.enumerate() {
        let mut rest = word;
        while rest != 0 {
            inputs.push((64 * place) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

impl Views for FreeChess {
    fn views(_: &RuleSet) -> ViewsShape {
        ViewsShape { stages: STAGES, ..ViewsShape::new("freechess, views 1", 64 * inputs::WORDS) }
    }

    fn view(&self, side: Side, inputs: &mut Vec<u16>) {
        inputs.clear();
        collect(self.words(&self.position, side).into_iter(), inputs);
    }

    fn view_change(&self, before: &Undo, side: Side, change: &mut ViewChange) -> bool {
        let [old, new] = [before.position(), &self.position].map(|at| self.words(at, side));
        let pairs = || old.iter().zip(&new);
        collect(pairs().map(|(old, new)| new & !old), &mut change.added);
        collect(pairs().map(|(old, new)| old & !new), &mut change.removed);
        true
    }

    /// The stage grows with the attributes on the board.
    fn stage(&self) -> usize {
        let on_board = |side| self.position.placed(side).len();
        let all = on_board(Side::First) + on_board(Side::Second);
        ((all / STAGE) as usize).min(STAGES - 1)
    }
}
