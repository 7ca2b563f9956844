//! Outputs of a match: its pairs in the shard, and its result in `strength.json`.
//!
//! A game that reaches the cap has no result and is counted separately. For the strength it is half
//! a point for each player. It is no evidence for either player, and without it the other game of
//! its pair would have no counterpart with colours changed. Many capped games bring the difference
//! in Elo nearer to zero.

use fusion_game::{Description, Ending, Outcome, Side};
use serde::{Deserialize, Serialize};

use super::PlayerName;
use fusion_statistics::elo::{Estimate, Pentanomial};
use fusion_statistics::sprt::{Sprt, SprtConfig};

/// The result of a match: `strength.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchReport {
    /// The player that the score belongs to.
    pub first: PlayerName,
    /// The other player.
    pub second: PlayerName,
    /// Rule sets.
    pub rules: Vec<String>,
    /// Score of all games together.
    #[serde(flatten)]
    pub total: Score,
    /// The sequential test, if the match has one.
    pub sprt: Option<Sprt>,
    /// Score for each rule set.
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

/// Counts of games from the first player's view, and the strength estimated from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Games played.
    pub games: u64,
    /// Games that the first player won.
    pub wins: u64,
    /// Games drawn by the rules.
    pub draws: u64,
    /// Games that the first player lost.
    pub losses: u64,
    /// Games that reached the cap, which have no result.
    pub capped: u64,
    /// Pairs by the first player's points: 0, 1/2, 1, 3/2, 2. A capped game is half a point.
    pub pentanomial: Pentanomial,
    /// Mean score, Elo with its 95% interval, likelihood of superiority; absent without games.
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
}

/// One pair as the shard stores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    pub(super) rules: String,
    /// The initial position, if the rules have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<String>,
    /// Moves of the opening in coordinate notation.
    pub(super) opening: String,
    /// The game that the first player begins and the game that the second player begins, in this
    /// order.
    pub(super) games: [PairGame; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PairGame {
    /// Half points of the first player.
    pub(super) halves: u8,
    pub(super) ending: String,
    pub(super) plies: u32,
    /// Moves after the opening in coordinate notation, separated by a blank.
    pub(super) moves: String,
}

impl PairGame {
    /// Returns the outcome if the first player played `side`; `None` for an unknown ending.
    pub(super) fn outcome(&self, game: Description, side: Side) -> Option<Outcome> {
        let winner = match self.halves {
            0 => Some(side.other()),
            1 => None,
            _ => Some(side),
        };
        Some(Outcome { winner, ending: game.ending(&self.ending)? })
    }
}

impl Pair {
    /// Returns the half points of the first player in both games.
    pub(super) fn halves(&self) -> usize {
        self.games.iter().map(|game| usize::from(game.halves)).sum()
    }
}

impl Score {
    fn add(&mut self, pair: &Pair) {
        for game in &pair.games {
            self.games += 1;
            match game.halves {
                _ if game.ending == Ending::CAP.name() => self.capped += 1,
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
        }
        self.pentanomial.add(pair.halves());
    }

    fn conclude(&mut self) {
        self.estimate = self.pentanomial.estimate();
    }
}

impl MatchReport {
    /// Returns the report of a match without games.
    pub(super) fn new(players: [PlayerName; 2], rules: &[String]) -> Self {
        let [first, second] = players;
        let none = |rules: &String| RulesScore { rules: rules.clone(), score: Score::default() };
        Self {
            first,
            second,
            rules: rules.to_vec(),
            total: Score::default(),
            sprt: None,
            per_rules: rules.iter().map(none).collect(),
        }
    }

    /// Adds a pair to the counts.
    pub(super) fn add(&mut self, pair: &Pair) {
        self.total.add(pair);
        if let Some(arm) = self.per_rules.iter_mut().find(|arm| arm.rules == pair.rules) {
            arm.score.add(pair);
        }
    }

    /// Computes the estimates from the counts.
    pub(super) fn conclude(&mut self, sprt: Option<SprtConfig>) {
        self.sprt = sprt.map(|sprt| sprt.test(&self.total.pentanomial));
        self.total.conclude();
        self.per_rules.iter_mut().for_each(|arm| arm.score.conclude());
    }
}
