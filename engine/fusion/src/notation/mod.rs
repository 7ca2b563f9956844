//! Notations: coordinates for programs, SAN for people, PGN for whole games.

pub mod coordinate;
mod lenient;
pub mod pgn;
pub mod san;

pub use coordinate::{CoordinateError, parse_coordinate};
pub use lenient::{parse_castling, parse_move};
pub use pgn::{PgnError, PgnGame, PgnLine, PgnMove, PgnResult};
pub use san::{SanError, parse_san, san};
