//! What a match leaves: its pairs in the shard, its result in `strength.json`.

use fusion_engine::game::Ending;
use serde::{Deserialize, Serialize};

use super::PlayerName;
use crate::elo::{Estimate, Pentanomial};
use crate::sprt::{Sprt, SprtConfig};

/// The result of a match: `strength.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// The player whose score this is.
    pub first: PlayerName,
    /// The other player.
    pub second: PlayerName,
    /// Rule sets.
    pub rules: Vec<String>,
    /// Everything about all games together.
    #[serde(flatten)]
    pub total: Score,
    /// The sequential test, if one was asked for.
    pub sprt: Option<Sprt>,
    /// The same figures for each rule set.
    pub per_rules: Vec<RulesScore>,
}

/// Score under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesScore {
    /// The rule set.
    pub rules: String,
    /// The figures.
    #[serde(flatten)]
    pub score: Score,
}

/// Counts of games from the first player's view, and what they say about strength.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Games played.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Drawn games, capped ones included.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Games that reached the cap.
    pub capped: u64,
    /// Pairs by the first player's points: 0, 1/2, 1, 3/2, 2.
    pub pentanomial: Pentanomial,
    /// Mean score, Elo with its 95% interval, likelihood of superiority; absent without games.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// One pair as the shard holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    pub(super) rules: String,
    /// Moves of the opening in coordinate notation.
    pub(super) opening: String,
    /// The games with the first player to begin and with the second.
    pub(super) games: [PairGame; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairGame {
    /// Half points of the first player.
    pub(super) halves: u8,
    pub(super) ending: String,
    pub(super) plies: u32,
}

impl Pair {
    /// Half points of the first player in both games.
    pub(super) fn halves(&self) -> usize {
        self.games.iter().map(|game| usize::from(game.halves)).sum()
    }
}

impl Score {
    fn add(&mut self, pair: &Pair) {
        for game in &pair.games {
            self.games += 1;
            match game.halves {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
            self.capped += u64::from(game.ending == Ending::Cap.name());
        }
        self.pentanomial.add(pair.halves());
        self.estimate = self.pentanomial.estimate();
    }
}

impl MatchReport {
    /// Sums up the pairs of a match.
    pub(super) fn of(
        players: [PlayerName; 2],
        rules: &[String],
        sprt: Option<SprtConfig>,
        pairs: &[Pair],
    ) -> Self {
        let mut total = Score::default();
        let none = |rules: &String| RulesScore { rules: rules.clone(), score: Score::default() };
        let mut per_rules: Vec<RulesScore> = rules.iter().map(none).collect();
        for pair in pairs {
            total.add(pair);
            if let Some(arm) = per_rules.iter_mut().find(|arm| arm.rules == pair.rules) {
                arm.score.add(pair);
            }
        }
        let [first, second] = players;
        Self {
            first,
            second,
            rules: rules.to_vec(),
            sprt: sprt.map(|sprt| sprt.test(&total.pentanomial)),
            total,
            per_rules,
        }
    }
}
