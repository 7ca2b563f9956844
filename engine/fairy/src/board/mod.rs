//! Positions of a game that a [`Definition`](crate::Definition) defines: moves, their effects, and ends.
//!
//! Sets of squares have 128 bits. All that depends on the definition only is computed once: [`Tables`].

mod attacks;
mod counting;
mod ends;
mod exchange;
mod fusion;
mod generate;
mod legal;
mod lines;
mod merging;
mod movement;
mod moves;
mod perft;
mod play;
mod position;
mod queries;
mod shortcut;
mod tables;
mod text;

pub use ends::{End, Reason};
pub(crate) use movement::for_each;
pub use moves::{Action, Move};
pub use play::Undo;
pub use position::Position;
pub(crate) use position::State;
pub use tables::Tables;
pub use text::PositionError;
