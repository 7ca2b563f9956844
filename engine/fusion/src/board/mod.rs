//! The 8x8 board: squares, pieces, positions, moves and their generation.

pub mod attacks;
pub mod bitboard;
pub mod fen;
mod forcing;
pub mod movegen;
pub mod moves;
pub mod perft;
pub mod piece;
mod play;
pub mod position;
mod sliders;
mod splitting;
mod zobrist;

pub use bitboard::{Bitboard, Square};
pub use fen::FenError;
pub use moves::{Move, MoveKind};
pub use piece::{Color, Component, Piece};
pub use position::Position;
