//! The check of a table: every value is derived again from its successors.

use crate::graph::Ending;
use fusion_chess::board::Position;
use fusion_chess::endgame::{Squares, Value};
use fusion_jobs::stop::Stop;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// A value that does not follow from those of its successors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fen} under {rules} is stored as {stored:?}, but its moves make it {derived:?}")]
pub struct Contradiction {
    /// The position. For an impossible arrangement the FEN may be meaningless.
    pub fen: String,
    /// The rules.
    pub rules: String,
    /// The value in the table.
    pub stored: Option<Value>,
    /// The value derived from the successors.
    pub derived: Option<Value>,
}

/// Derives every value of a table from its successors and compares it with the table. Returns the
/// number of entries checked, which is smaller if stopped.
///
/// # Errors
/// Returns the first contradiction in the order of entries.
pub fn verify(ending: &Ending, codes: &[u16], stop: &Stop) -> Result<u64, Contradiction> {
    let length = ending.layout.block();
    let blocks = (0..ending.layout.blocks()).into_par_iter();
    let checked = blocks.map(|block| {
        if stop.requested() {
            return Ok(0);
        }
        let entries = block * length..(block + 1) * length;
        entries.clone().try_for_each(|index| check(ending, codes, index))?;
        Ok(length as u64)
    });
    checked.try_reduce(|| 0, |a, b| Ok(a + b))
}

fn check(ending: &Ending, codes: &[u16], index: usize) -> Result<(), Contradiction> {
    let found = ending.layout.squares(index).and_then(|(squares, side)| {
        ending.position(&squares, side).map(|position| (squares, position))
    });
    let derived = match &found {
        Some((squares, position)) => derived_code(ending, codes, squares, position),
        None => Value::NO_POSITION,
    };
    if derived == codes[index] {
        return Ok(());
    }
    Err(Contradiction {
        fen: found.map_or_else(|| format!("entry {index}"), |(_, position)| position.to_fen()),
        rules: ending.rules.to_string(),
        stored: Value::of_code(codes[index]),
        derived: Value::of_code(derived),
    })
}

/// Returns the value of a position, derived from the values of its successors.
#[must_use]
pub fn derived_code(ending: &Ending, codes: &[u16], squares: &Squares, position: &Position) -> u16 {
    let (mut moves, mut draws) = (false, false);
    let (mut shortest_win, mut longest_loss) = (u16::MAX, 0);
    ending.successors(
        squares,
        position,
        |index| codes[index],
        |code| {
            moves = true;
            match Value::of_code(code) {
                Some(Value::Loss(_)) => shortest_win = shortest_win.min(code + 1),
                Some(Value::Win(_)) => longest_loss = longest_loss.max(code + 1),
                // A move to an impossible position would be an error in the table. It never counts
                // as a win.
                Some(Value::Draw) | None => draws = true,
            }
            ControlFlow::Continue(())
        },
    );
    match () {
        () if shortest_win < u16::MAX => shortest_win,
        () if !moves && position.in_check() => Value::MATED,
        () if !moves || draws => Value::DRAW,
        () => longest_loss,
    }
}
