//! A game that goes through the whole pipeline.

use crate::tablebase::Tablebase;
use crate::{Benchmark, Describe, Encoding, Exercise, OpenError, OpenErrorKind, Views};
use std::path::Path;
use std::sync::Arc;

/// A game with everything that self-play, training and reports need: rules, notation, encodings,
/// tactics, descriptions, benchmarks, exercises and tablebases. By default there are no exercises
/// and no tablebases.
pub trait CompleteGame: Encoding + Describe + Benchmark + Views {
    /// Returns the names of common exercises under a rule set.
    fn exercises(rules: &Self::Rules) -> Vec<String> {
        let _ = rules;
        Vec::new()
    }

    /// Returns the exercise with this name.
    ///
    /// # Errors
    /// Returns an error if there is no such exercise. The message explains the names.
    fn exercise(name: &str) -> Result<Arc<dyn Exercise<Self>>, String> {
        Err(format!("'{name}' is no exercise: the game has none"))
    }

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

    /// Checks that tablebases can cover a rule set.
    ///
    /// # Errors
    /// Returns the reason why they cannot.
    fn check_covered(rules: &Self::Rules) -> Result<(), String> {
        Err(format!("tables do not cover {rules}: the game has none"))
    }

    /// Checks that tablebases can have every ending of at most `components` components, and the
    /// `endings` with these names.
    ///
    /// # Errors
    /// Returns the reason why they cannot, after the name of the parameter.
    fn check_endings(components: usize, endings: &[String]) -> Result<(), String> {
        let _ = (components, endings);
        Err("components: the game has no endgame tables".to_owned())
    }
}
