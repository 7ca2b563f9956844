//! Chess-like games that are data: a file in the format of Fairy-Stockfish's `variants.ini` defines them.
//!
//! [`ini`] reads a file and resolves its sections to [`Definition`]s; [`betza`] parses the moves of
//! pieces; [`board`] plays a definition; [`rules`] names definitions, and [`FairyGame`] is the game that
//! search, training and studies see.

pub mod betza;
pub mod board;
pub mod definition;
pub mod game;
pub mod ini;
pub mod names;
pub mod rules;
pub mod trial;

pub use definition::Definition;
pub use game::FairyGame;
