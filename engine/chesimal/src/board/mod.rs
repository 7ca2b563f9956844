//! Boards, positions and actions: the rules without history.

mod action;
mod bitboard;
mod movegen;
mod play;
mod position;
mod reach;
mod text;
mod threats;
mod unit;
mod zobrist;

pub use action::Action;
pub use bitboard::{Bitboard, FILES, NoSquare, RANKS, SQUARES, Square};
pub use position::{Active, Position};
pub use text::{PositionError, start};
pub use unit::{Kind, Mode};
