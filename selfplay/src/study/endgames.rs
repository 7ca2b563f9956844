//! `[endgames]`: which endings are solved exactly for the report.

use fusion_engine::cli::Failure;
use fusion_engine::endgame::{MAX_COMPONENTS, Material};
use fusion_engine::game::Game;
use serde::{Deserialize, Serialize};

use super::check::{check_rules, require};
use super::{MeasureConfig, Study};

/// `[endgames]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndgamesConfig {
    /// All endings of at most so many components, Kings included.
    pub components: usize,
    /// Further endings, such as `KRRvKR`.
    pub endings: Vec<String>,
    /// Under which rule sets; those of the measurement if there are none.
    pub rules: Vec<String>,
}

impl Default for EndgamesConfig {
    fn default() -> Self {
        Self { components: 4, endings: Vec::new(), rules: Vec::new() }
    }
}

impl EndgamesConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// The first bad value (exit code 64).
    pub fn check<G: Game>(&self) -> Result<(), Failure> {
        require(
            (2..=MAX_COMPONENTS).contains(&self.components),
            format!("endgames.components must lie between 2 and {MAX_COMPONENTS}"),
        )?;
        check_rules::<G>("endgames.rules", &self.rules, true)?;
        self.materials().map(drop)
    }

    /// All endings, smaller ones first.
    ///
    /// # Errors
    /// Text that names no ending (exit code 64).
    pub fn materials(&self) -> Result<Vec<Material>, Failure> {
        let mut materials = Material::all(self.components);
        for ending in &self.endings {
            let material = ending.parse();
            materials.push(
                material.map_err(|error| Failure::usage(format!("endgames.endings: {error}")))?,
            );
        }
        materials.retain(|material| material.len() > 2);
        materials.sort_by_key(Material::len);
        materials.dedup();
        Ok(materials)
    }
}

impl Study {
    /// The rule sets under which endings are solved: those of `[endgames]`, else those that the
    /// measurement lists, else all of its arms.
    ///
    /// # Errors
    /// A rule set that the game does not know (exit code 64).
    pub fn endgame_rules<G: Game>(&self) -> Result<Vec<String>, Failure> {
        let asked = self.endgames.iter().map(|endgames| &endgames.rules);
        let listed = asked.chain([&self.measure.rules]).find(|rules| !rules.is_empty());
        listed.map_or_else(|| MeasureConfig::arms::<G>(&self.measure), |rules| Ok(rules.clone()))
    }
}
