//! Levels of strength, from beginner to full.

use super::search::FoundLine;
use fusion_game::math::exp;
use fusion_search::pvs::plies_to_end;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// A level of strength: how long is searched, and how carelessly is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Its name.
    pub name: &'static str,
    /// Positions of a search.
    pub nodes: u64,
    /// Best lines from which the move is drawn.
    pub lines: usize,
    /// Temperature of the draw, in hundredths of the cheapest piece: a move that is worse by this
    /// much is drawn 1/e times as often. 0 plays the best move.
    pub temperature: u32,
}

const fn level(name: &'static str, nodes: u64, lines: usize, temperature: u32) -> Level {
    Level { name, nodes, lines, temperature }
}

/// The levels, weakest first.
pub const LEVELS: [Level; 8] = [
    level("Beginner", 1_000, 16, 170),
    level("Easy", 1_000, 10, 90),
    level("Casual", 1_500, 6, 45),
    level("Steady", 2_000, 3, 20),
    level("Strong", 3_000, 1, 0),
    level("Stronger", 20_000, 1, 0),
    level("Very strong", 100_000, 1, 0),
    level("Full", 1_000_000, 1, 0),
];

impl Level {
    /// Draws one of the lines, which are sorted and not empty. A win by the next move is always
    /// played. The same seed draws the same line.
    pub(crate) fn draw<M>(&self, lines: &[FoundLine<M>], seed: u64) -> usize {
        let Some(best) = lines.first() else { return 0 };
        if self.temperature == 0 || plies_to_end(best.value) == Some(1) {
            return 0;
        }
        let weight = |line: &FoundLine<M>| {
            f64::from(exp((line.value - best.value) as f32 / self.temperature as f32))
        };
        let total: f64 = lines.iter().map(weight).sum();
        let random = ChaCha8Rng::seed_from_u64(seed).next_u64() as f64 / u64::MAX as f64;
        let mut rest = random * total;
        for (place, line) in lines.iter().enumerate() {
            rest -= weight(line);
            if rest <= 0.0 {
                return place;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(values: &[i32]) -> Vec<FoundLine<u8>> {
        values.iter().map(|&value| FoundLine::of(value, 0)).collect()
    }

    #[test]
    fn worse_moves_are_rarer_and_wins_are_played() {
        let lines_ = lines(&[100, 100 - 170, -2000]);
        let mut counts = [0; 3];
        for seed in 0..3000 {
            counts[LEVELS[0].draw(&lines_, seed)] += 1;
        }
        // Shares of 1 and 1/e.
        assert!((2050..2330).contains(&counts[0]) && counts[2] < 5, "{counts:?}");
        assert_eq!(LEVELS[0].draw(&lines_, 7), LEVELS[0].draw(&lines_, 7));
        assert!((0..100).all(|seed| LEVELS[4].draw(&lines_, seed) == 0));
        let win = lines(&[fusion_search::pvs::MATE - 1, 2000, 1990]);
        assert!((0..100).all(|seed| LEVELS[0].draw(&win, seed) == 0));
    }

    #[test]
    fn levels_grow() {
        assert!(LEVELS.is_sorted_by_key(|level| level.nodes));
        assert!(LEVELS.is_sorted_by(|a, b| a.temperature >= b.temperature));
    }
}
