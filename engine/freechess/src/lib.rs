//! FreeChess (Scarmani, 2003): rules, positions, notation, and the game that search and training
//! play.
//!
//! The board starts empty. Players place attributes from a reserve, which form pieces; pieces move,
//! fuse and split. `docs/freechess.md` has the rules; comments here cite their numbers.

pub mod board;
pub mod game;
pub mod notation;
pub mod rules;

pub use game::FreeChess;
