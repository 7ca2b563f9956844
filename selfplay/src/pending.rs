//! Stand-ins for parts of the engine that have not landed.
use serde::{Deserialize, Serialize};
/// Stand-in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Exploration.
    pub c_puct: f32,
}
