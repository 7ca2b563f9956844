//! What a game is: the traits that search, networks, self-play and analysis are written against.
//!
//! The traits assume two players and perfect information. They do not assume that turns alternate,
//! that the board is 8x8, or a limit on the number of moves of a position. [`toy`] has the smallest
//! game that implements them.

mod error;
pub mod evaluator;
mod features;
mod game;
pub mod math;
mod outcome;
pub mod tablebase;
pub mod toy;

pub use error::{OpenError, OpenErrorKind};
pub use features::FeatureSet;
pub use game::{EarlierScheme, Game, Known, MoveEvents, Reflection};
pub use outcome::{Ending, Outcome, Side};
