//! `[train.samples]`: how games become training samples.

use serde::{Deserialize, Serialize};

/// Conversion of records to samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SampleOptions {
    /// Weight of positions after a fast search, which train only the value. 0 leaves them out.
    pub fast_weight: f32,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { fast_weight: 0.5 }
    }
}
