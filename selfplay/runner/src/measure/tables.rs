//! Endgame tables of a measurement. They are opened for all rule sets before the first game.

use std::path::Path;
use std::sync::Arc;

use fusion_game::CompleteGame;
use fusion_game::tablebase::Tablebase;
use fusion_jobs::exit::{Failure, NO_INPUT};
use fusion_study::failure;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The endgame tables that a measurement's searches probe. It is part of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablesUsed {
    /// SHA-256 over the tables of all rule sets. Other tables make another measurement.
    pub sha256: String,
    /// The material that the tables cover, the same under every rule set.
    pub materials: Vec<String>,
}

/// Tables of a rule set.
pub(super) type Tables<G> = Arc<dyn Tablebase<G>>;

/// Opens a folder's tables for each of these rule sets, in their order.
///
/// # Errors
/// Fails if a rule set has no tables, or lacks some that another one has, since a position proven
/// in one arm must be proven in all (exit code 66). Fails if a table is rejected (65).
pub(super) fn open<G: CompleteGame>(
    folder: &Path,
    arms: &[G::Rules],
) -> Result<(TablesUsed, Vec<Tables<G>>), Failure> {
    let tables = G::tablebases(arms, folder).map_err(failure)?;
    let contents: Vec<Vec<String>> = tables.iter().map(|tables| tables.contents()).collect();
    for (rules, here) in arms.iter().zip(&contents) {
        let elsewhere = contents.iter().flatten().find(|name| !here.contains(name));
        if let Some(name) = elsewhere {
            return Err(missing(folder, rules, name));
        }
    }
    let mut hasher = Sha256::new();
    tables.iter().for_each(|tables| hasher.update(tables.hash()));
    let used = TablesUsed {
        sha256: fusion_game::hex(&hasher.finalize()),
        materials: contents.into_iter().next().unwrap_or_default(),
    };
    Ok((used, tables))
}

fn missing(folder: &Path, rules: &impl std::fmt::Display, name: &str) -> Failure {
    let folder = folder.display();
    Failure::new(
        NO_INPUT,
        format!(
            "{folder} holds no endgame table {name} for {rules}, but one for another rule set of \
             the measurement; build it with fusion endgames build --out {folder} \
             --rules {rules}"
        ),
    )
}
