//! Notations: coordinates for programs, SAN for people, PGN for whole games.

pub mod coordinate;
pub mod san;

pub use coordinate::{CoordinateError, parse_coordinate};
pub use san::{SanError, parse_san, san};
