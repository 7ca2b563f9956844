//! `[ladder]`: the matches that put all generations of a loop on one Elo scale.

use std::collections::BTreeSet;

use fusion_game::CompleteGame;
use fusion_jobs::exit::Failure;
use serde::{Deserialize, Serialize};

use super::Study;
use super::check::{check_games, check_rules, require};

/// `[ladder]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderConfig {
    /// Rule sets, each with its own Elo scale. Default: those of `[selfplay.rules]`.
    pub rules: Option<Vec<String>>,
    /// Nodes per move.
    pub nodes: u32,
    /// Games of each pairing under each rule set; an even number.
    pub games: u64,
    /// Number of earlier accepted generations that each generation plays: those 1, 2, 4, 8 ...
    /// back.
    pub earlier: u32,
    /// Fixed players: evaluators or network files. A reference equal to `train.start` is on the
    /// ladder anyway and does not play twice.
    pub references: Vec<String>,
}

impl Default for LadderConfig {
    fn default() -> Self {
        Self {
            rules: None,
            nodes: 64,
            games: 40,
            earlier: 3,
            references: ["uniform", "rollout", "pvs:material"].map(str::to_owned).to_vec(),
        }
    }
}

impl LadderConfig {
    /// Checks the values of the section.
    ///
    /// # Errors
    /// Fails at the first bad value (exit code 64).
    pub fn check<G: CompleteGame>(&self) -> Result<(), Failure> {
        if let Some(rules) = &self.rules {
            check_rules::<G>("ladder.rules", rules, false)?;
        }
        require(self.nodes > 0, "ladder.nodes must be at least 1")?;
        require(
            self.games.is_multiple_of(2),
            "ladder.games must be even: every opening is played with both colours",
        )?;
        check_games("ladder.games", self.games)?;
        require(self.earlier > 0, "ladder.earlier must be at least 1")?;
        let distinct: BTreeSet<&String> = self.references.iter().collect();
        require(
            distinct.len() == self.references.len()
                && self.references.iter().all(|r| !r.is_empty()),
            "ladder.references must not be empty texts or name a player twice",
        )
    }
}

impl Study {
    /// Returns the rule sets of the ladder.
    #[must_use]
    pub fn ladder_rules(&self, ladder: &LadderConfig) -> Vec<String> {
        let learnt = || self.selfplay.rules.keys().cloned().collect();
        ladder.rules.clone().unwrap_or_else(learnt)
    }
}
