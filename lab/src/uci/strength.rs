//! Limited strength: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! The scale is that of Stockfish 15.1's own `UCI_Elo`, as measured by matches in orthodox chess.
//! `tests/engine/uci-strength 60` played 900 games, 60 of each pairing. Each level played against
//! Stockfish at the nearest of 1350, 1500 and 1800, and against the next level. The table has the
//! most likely ratings. The 95% intervals cover only the chance in these games:
//!
//! | `UCI_Elo` | measured | interval |
//! | ---: | ---: | --- |
//! | 850 | 842 | 719 to 928 |
//! | 1000 | 955 | 873 to 1028 |
//! | 1150 | 1111 | 1044 to 1175 |
//! | 1300 | 1314 | 1255 to 1373 |
//! | 1450 | 1479 | 1428 to 1530 |
//! | 1600 | 1640 | 1586 to 1685 |
//! | 1750 | 1759 | 1709 to 1814 |
//! | 1900 | 1921 | 1856 to 1995 |
//!
//! Below 1350 the scale depends more on the games between the levels than on those against
//! Stockfish. The scale depends on the opponent. The levels are further apart from each other than
//! on Stockfish's scale. A search of 1,024 nodes won none of 20 games against Stockfish at 2100.
//! Other rules and networks have the same levels, but their strength was not measured.

use super::games::UciGame;
use fusion_search::{Child, Search};
use rand::SeedableRng;
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand_chacha::ChaCha8Rng;

/// The search settings of a strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Visits of the root that end a search.
    pub(super) nodes: u32,
    /// The temperature of the draw. The chance of a move is proportional to its share of the visits
    /// to the power of 1 / temperature. At 0 the best move is played.
    pub(super) temperature: f32,
}

/// Levels with their strength, weakest first.
const LEVELS: [(u32, Level); 8] = [
    (850, Level { nodes: 1, temperature: 0.98 }),
    (1100, Level { nodes: 1, temperature: 0.75 }),
    (1170, Level { nodes: 1, temperature: 0.5 }),
    (1220, Level { nodes: 4, temperature: 0.0 }),
    (1460, Level { nodes: 16, temperature: 0.0 }),
    (1630, Level { nodes: 64, temperature: 0.0 }),
    (1820, Level { nodes: 256, temperature: 0.0 }),
    (1900, Level { nodes: 474, temperature: 0.0 }),
];

/// The network that the levels were measured with, as the beginning of its SHA-256.
const MEASURED_WITH: &str = "f72a3290df62";

/// The strengths of the weakest and the strongest level.
pub(super) const RANGE: [u32; 2] = [LEVELS[0].0, LEVELS[LEVELS.len() - 1].0];

impl Level {
    /// Returns the level of this strength. Between two levels of the table, the nodes are
    /// interpolated geometrically and the temperatures linearly.
    pub(super) fn of(elo: u32) -> Self {
        let elo = elo.clamp(RANGE[0], RANGE[1]);
        let above = LEVELS.iter().position(|&(rating, _)| rating >= elo).unwrap_or(0).max(1);
        let [(low, weak), (high, strong)] = [LEVELS[above - 1], LEVELS[above]];
        let share = (elo - low) as f32 / (high - low) as f32;
        let between = |a: f32, b: f32| a + (b - a) * share;
        let nodes = between((weak.nodes as f32).ln(), (strong.nodes as f32).ln()).exp();
        Self {
            nodes: nodes.round() as u32,
            temperature: between(weak.temperature, strong.temperature),
        }
    }

    /// Describes the level for a strength.
    pub(super) fn describe(self, elo: u32) -> String {
        let Self { nodes, temperature } = self;
        format!(
            "UCI_Elo {elo}: {nodes} nodes a move at temperature {temperature:.2}, as measured in \
             orthodox chess with network {MEASURED_WITH}"
        )
    }

    /// Draws a move for the position at the root. Equal visits always give the same move. Returns
    /// `None` where the best move is to be played. The policy counts as one visit.
    pub(super) fn draw<G: UciGame>(
        self,
        search: &Search<G>,
        allowed: impl Fn(G::Move) -> bool,
    ) -> Option<G::Move> {
        if self.temperature <= 0.0 {
            return None;
        }
        let mut children = search.children();
        children.retain(|child| allowed(child.mv));
        let share = |child: &Child<G::Move>| child.visits as f32 + child.prior;
        let most = children.iter().map(share).fold(0.0, f32::max);
        let weight = |child| (share(child) / most).powf(1.0 / self.temperature);
        let weights = children.iter().map(weight);
        let chances = WeightedIndex::new(weights).ok()?;
        // After a repetition the clock differs, so the draw can differ as well.
        let seed = search.game().hash().wrapping_add(search.game().clock().into());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        Some(children[chances.sample(&mut random)].mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::FusionGame;
    use fusion_chess::board::Move;
    use fusion_game::Game;
    use fusion_game::evaluator::Material;
    use fusion_search::SearchConfig;

    #[test]
    fn levels_grow_from_end_to_end() {
        for (elo, level) in LEVELS {
            assert_eq!(Level::of(elo), level);
        }
        let levels: Vec<Level> = (RANGE[0]..=RANGE[1]).map(Level::of).collect();
        assert!(levels.is_sorted_by_key(|level| level.nodes));
        assert!(levels.is_sorted_by(|a, b| a.temperature >= b.temperature));
        assert_eq!(Level::of(0), Level::of(RANGE[0]));
        assert_eq!(Level::of(9999), Level::of(RANGE[1]));
    }

    #[test]
    fn moves_are_drawn_by_their_visits() {
        let rules = "orthodox".parse().unwrap();
        let mut search = Search::new(SearchConfig::default(), FusionGame::new(&rules));
        search.run(&mut Material { seed: 1 }, 200);
        let draw = |temperature, allowed: &dyn Fn(Move) -> bool| {
            Level { nodes: 200, temperature }.draw(&search, allowed)
        };
        assert_eq!(draw(0.0, &|_| true), None);
        assert!(draw(1.0, &|_| true).is_some());
        assert_eq!(draw(1.0, &|_| true), draw(1.0, &|_| true));
        assert_eq!(draw(1.0, &|_| false), None);
        // The temperature is so low that only the most visited move remains.
        let children = search.children();
        let most = children.iter().map(|child| child.visits).max().unwrap();
        let drawn = draw(1e-3, &|_| true).unwrap();
        assert!(children.iter().any(|child| child.mv == drawn && child.visits == most));
        let last = children[children.len() - 1].mv;
        assert_eq!(draw(1.0, &|mv| mv == last), Some(last));
    }
}
