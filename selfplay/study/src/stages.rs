//! `[[train.stages]]`: settings of training that change from a given generation on.

use std::path::Path;

use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::{SelfplayConfig, Study, TrainConfig};

/// `[[train.stages]]`: changes from a given generation on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The first generation with these changes.
    pub from: u32,
    /// Replaces [`SelfplayConfig::games`].
    pub games: Option<u64>,
    /// Replaces [`SelfplayConfig::simulations`].
    pub simulations: Option<u32>,
    /// Replaces [`SelfplayConfig::fast_simulations`].
    pub fast_simulations: Option<u32>,
    /// Replaces [`TrainConfig::learning_rate`].
    pub learning_rate: Option<f64>,
}

impl Study {
    /// Returns the self-play settings of a generation: those of `[selfplay]`, changed by all stages
    /// that have begun, in their order.
    #[must_use]
    pub fn selfplay_of(&self, generation: u32) -> SelfplayConfig {
        let mut config = self.selfplay.clone();
        for stage in self.train.stages_until(generation) {
            config.games = stage.games.unwrap_or(config.games);
            config.simulations = stage.simulations.unwrap_or(config.simulations);
            config.fast_simulations = stage.fast_simulations.unwrap_or(config.fast_simulations);
        }
        config
    }

    /// Returns the self-play settings of games that belong to no generation: those of `[selfplay]`.
    ///
    /// # Errors
    /// Fails if stages change them from some generation on, for then they are those of generation 0
    /// only (exit code 64). `file` is the study's file for the message.
    pub fn selfplay_without_stages(&self, file: &Path) -> Result<&SelfplayConfig, Failure> {
        let changes = |stage: &&Stage| self.selfplay_of(stage.from) != self.selfplay;
        let Some(stage) = self.train.stages.iter().find(changes) else { return Ok(&self.selfplay) };
        Err(Failure::usage(format!(
            "train.stages changes self-play from generation {} on, and these games belong to no \
             generation: fusion train generate {} --generation N plays those of generation N",
            stage.from,
            file.display()
        )))
    }
}

impl TrainConfig {
    /// Returns the stages that have begun in a generation.
    fn stages_until(&self, generation: u32) -> impl Iterator<Item = &Stage> {
        self.stages.iter().filter(move |stage| stage.from <= generation)
    }

    /// Returns the learning rate of a generation.
    #[must_use]
    pub fn learning_rate_of(&self, generation: u32) -> f64 {
        let rates = self.stages_until(generation).filter_map(|stage| stage.learning_rate);
        rates.last().unwrap_or(self.learning_rate)
    }
}
