//! What a game is: the traits that search, networks, self-play and analysis are written against.
//!
//! There is a trait for each reader: [`Game`] for search, [`RuleSet`] for studies, [`Notation`] for
//! records and programs, [`Tactics`] for alpha-beta search, [`Encoding`] for networks, [`Describe`] for files and reports,
//! [`Benchmark`] for move counts and speed. A [`CompleteGame`] has them all. [`BoardGame`] is for pages on which people
//! play.
//!
//! The traits assume two players and perfect information. They do not assume that turns alternate,
//! that the board is 8x8, or a limit on the number of moves of a position. [`toy`] has the smallest
//! game that implements them, and [`conformance`] tests what they promise.

mod benchmark;
mod board;
mod complete;
pub mod conformance;
mod describe;
mod encoding;
mod error;
pub mod evaluator;
mod exercise;
mod features;
pub mod files;
mod game;
mod game_text;
mod hex;
mod lessons;
pub mod math;
mod notation;
mod outcome;
mod presets;
mod read_game;
mod rules;
pub mod tablebase;
mod tactics;
mod toggles;
pub mod toy;
mod views;

pub use benchmark::{Benchmark, BenchmarkSet, MAX_PERFT_DEPTH, leaves};
pub use board::{
    BoardGame, BoardMove, BoardPiece, BoardShape, DRAWING, PlacedPiece, Reserve, Space,
};
pub use complete::CompleteGame;
pub use describe::{
    Describe, Description, EventKind, EventKinds, EventSet, RuleExample, SanityPosition,
};
pub use encoding::{Encoding, EncodingShape, OlderEncoding, Symmetry};
pub use error::{OpenError, OpenErrorKind};
pub use exercise::Exercise;
pub use features::FeatureSet;
pub use game::Game;
pub use game_text::{FIRST_ONLY, GameText, PlainGame, invalid, play_text, unfinished};
pub use hex::hex;
pub use lessons::{Lesson, RulePicture};
pub use notation::{Notation, TextLayout};
pub use outcome::{Ending, EndingKind, Outcome, Results, Side};
pub use presets::{know_presets, nearest};
pub use read_game::{ReadGame, ReadLine, ReadMove};
pub use rules::{RuleSet, ToggleKind, Variant};
pub use tactics::{MoveIndices, Tactics};
pub use toggles::{RulesError, ToggleValue, Toggles, toggle_number, toggle_value};
pub use views::{MOST_COUNT, ViewChange, ViewInputs, Views, ViewsShape};

/// All traits, for code that calls methods of a concrete game.
pub mod prelude {
    pub use crate::{Benchmark, CompleteGame, Describe, Encoding, Game, Notation, RuleSet};
}
