//! A game that goes through the whole pipeline.

use crate::tablebase::Tablebase;
use crate::{Benchmark, Describe, Encoding, OpenError, OpenErrorKind};
use std::path::Path;
use std::sync::Arc;

/// A game with everything that self-play, training and reports need: rules, notation, encoding,
/// descriptions and benchmarks.
pub trait CompleteGame: Encoding + Describe + Benchmark {
    /// Opens the tablebases in a folder for each of these rule sets. They may share their data.
    ///
    /// # Errors
    /// Returns an error if the folder has nothing for the game and the rules
    /// ([`OpenErrorKind::Missing`]), or if a file in it is rejected ([`OpenErrorKind::Rejected`]).
    fn tablebases(
        rules: &[Self::Rules],
        folder: &Path,
    ) -> Result<Vec<Arc<dyn Tablebase<Self>>>, OpenError> {
        let names: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let message = format!("{}: there are no tables for {}", folder.display(), names.join(", "));
        Err(OpenError::new(OpenErrorKind::Missing, message))
    }
}
