//! `[train.samples]`: how games become training samples.

use serde::{Deserialize, Serialize};

/// Training result of the positions of a game that reached the ply cap. The cap is not a result of
/// the game, and a draw would teach that long games are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CappedResult {
    /// The root value of each position's own search.
    #[default]
    Root,
    /// A draw.
    Draw,
    /// No result: the game's positions are left out.
    Skip,
}

/// Conversion of records to samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SampleOptions {
    /// Training result of capped games.
    pub capped: CappedResult,
    /// Weight of positions after a fast search, which train only the value. 0 leaves them out.
    pub fast_weight: f32,
    /// Policy-surprise weighting: this share of the full searches' total weight is distributed in
    /// proportion to the divergence of each policy from the network's own. 0 is off.
    pub surprise: f32,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { capped: CappedResult::Root, fast_weight: 0.5, surprise: 0.0 }
    }
}
