//! A question as the study that answers it.

use anyhow::ensure;
use fusion_game::CompleteGame;
use fusion_registry::{KnownGame, for_game};
use fusion_study::{Study, file_name, rule_sets};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most openings of a study.
pub(crate) const MOST_OPENINGS: u32 = 10_000;

/// What is to be measured.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// Rule sets of one game. The verdict on two is about the first minus the second.
    rules: Vec<String>,
    /// Number of openings.
    openings: u32,
    /// Nodes a move.
    nodes: u32,
    /// The player, as studies name it; without one that of pages.
    network: Option<String>,
    seed: u64,
}

/// The keys of the study's file.
#[derive(Serialize)]
struct File {
    study: General,
    network: Network,
    openings: Openings,
    measure: Measure,
}

#[derive(Serialize)]
struct General {
    name: String,
    seed: u64,
}

#[derive(Serialize)]
struct Network {
    file: String,
}

#[derive(Serialize)]
struct Openings {
    count: u32,
}

#[derive(Serialize)]
struct Measure {
    rules: Vec<String>,
    nodes: [u32; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    primary: Option<[String; 2]>,
}

impl Question {
    /// Returns the study and what it measures.
    ///
    /// # Errors
    /// Fails if a rule set cannot be parsed, or if the study is not valid.
    pub(crate) fn study(self) -> anyhow::Result<Value> {
        let first = self.rules.first().map_or("", String::as_str);
        for_game!(KnownGame::of_rules(first), G => self.of::<G>())
    }

    fn of<G: CompleteGame>(self) -> anyhow::Result<Value> {
        let rules = rule_sets::<G>(&self.rules)?;
        let mut rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        // Two names may stand for one rule set.
        let mut seen = BTreeSet::new();
        rules.retain(|rules| seen.insert(rules.clone()));
        ensure!(!rules.is_empty(), "name a rule set to measure");
        let openings = self.openings;
        ensure!(openings <= MOST_OPENINGS, "{openings} openings are more than {MOST_OPENINGS}");
        let shipped = || KnownGame::of_rules(&rules[0]).page_player().to_owned();
        let file = self.network.unwrap_or_else(shipped);
        let primary = <[String; 2]>::try_from(rules.clone()).ok();
        let file = File {
            study: General { name: file_name(&rules.join("-or-")), seed: self.seed },
            network: Network { file },
            openings: Openings { count: openings },
            measure: Measure { rules: rules.clone(), nodes: [self.nodes], primary },
        };
        let text = toml::to_string(&file)?;
        let study = Study::parse(&text)?;
        study.check::<G>()?;
        let games = rules.len() as u64 * u64::from(self.openings);
        Ok(json!({ "study": text, "name": study.study.name, "rules": rules, "games": games }))
    }
}
