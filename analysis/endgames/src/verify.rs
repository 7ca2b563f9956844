//! The check of a table: every value derived again from its successors.

use crate::graph::Ending;
use fusion_engine::board::Position;
use fusion_engine::endgame::{Squares, Value};
use fusion_jobs::stop::Stop;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// A value that does not follow from those of its successors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fen} under {rules} is stored as {stored:?}, but its moves make it {derived:?}")]
pub struct Contradiction {
    /// The position; an arrangement that is no position may have none worth the name.
    pub fen: String,
    /// The rules.
    pub rules: String,
    /// What the table says.
    pub stored: Option<Value>,
    /// What follows.
    pub derived: Option<Value>,
}

/// Derives every value of a table from those of its successors and compares. The number of
/// entries checked, or fewer if stopped.
///
/// # Errors
/// The first contradiction by entry.
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

/// What the values of a position's successors make it.
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
                // A move to what is no position would be a fault of the table: never a win.
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
