//! The board: pieces and squares, positions, actions, and which of them are legal.

mod action;
mod bitboard;
mod check;
mod ends;
mod generate;
mod judge;
pub mod perft;
mod piece;
mod play;
mod position;
mod reach;
mod rescue;
mod run;
mod strike;
mod text;

pub use action::Action;
pub use bitboard::{Bitboard, Direction, SIDE, SQUARES, Square, Squares};
pub use piece::{Kind, Piece};
pub use position::{Position, Turn};
pub(crate) use strike::Escapes;
pub use text::PositionError;
