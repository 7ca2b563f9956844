//! What counting moves and measuring speed need of a game.

use crate::{Game, Notation};
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;

/// The largest depth of [`Benchmark::perft`] in plies. Each ply takes a frame of the stack.
pub const MAX_PERFT_DEPTH: u32 = 64;

/// The rule sets and positions that a benchmark measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchmarkSet {
    /// Rule set that other programs play as well; it is the reference of ratios.
    pub reference: &'static str,
    /// Rule set that searches, networks and self-play are measured with.
    pub rules: &'static str,
    /// Positions whose moves are counted under both rule sets: name, text, plies. The first is the
    /// initial position of the reference.
    pub counts: &'static [(&'static str, &'static str, u32)],
}

/// Move counts, and positions to measure speed with.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::TicTacToe;
///
/// let game = TicTacToe::new(&RuleSet::parse("normal")?);
/// assert_eq!([1, 2, 3].map(|depth| game.perft(depth)), [9, 72, 504]);
/// # Ok::<(), String>(())
/// ```
pub trait Benchmark: Notation {
    /// The rule sets and positions to measure.
    const BENCHMARK: BenchmarkSet;

    /// Names of the kinds of counts of [`Benchmark::count`], as tables have them in the column `kind`.
    /// The first is the kind of [`Benchmark::perft`].
    const COUNTS: &'static [&'static str] = &["actions"];

    /// Returns whether a kind is counted at a depth.
    fn counts_at(kind: &str, depth: u32) -> bool {
        let _ = depth;
        Self::COUNTS.contains(&kind)
    }

    /// Returns a count of one of [`Benchmark::COUNTS`] at a depth in plies or turns. Other kinds count
    /// as the first one.
    fn count(&self, kind: &str, depth: u32) -> u64 {
        let _ = kind;
        self.perft(depth)
    }

    /// Returns the number of sequences of `depth` legal moves, at most [`MAX_PERFT_DEPTH`]. The
    /// moves of the last ply are counted, not made.
    fn perft(&self, depth: u32) -> u64 {
        let mut moves = Vec::new();
        match depth {
            0 => 1,
            1 => {
                self.legal_moves(&mut moves);
                moves.len() as u64
            }
            _ => self.divide(depth).into_iter().map(|(_, count)| count).sum(),
        }
    }

    /// Returns, for every legal move, the count of sequences that begin with it. `depth` is at
    /// least 1.
    fn divide(&self, depth: u32) -> Vec<(Self::Move, u64)> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let count = |mv| (mv, after(self, mv).perft(depth.saturating_sub(1)));
        moves.into_iter().map(count).collect()
    }

    /// Returns the same count as [`Benchmark::perft`], but makes every move, including those of the
    /// last ply.
    fn perft_making_every_move(&self, depth: u32) -> u64 {
        if depth == 0 {
            black_box(self);
            return 1;
        }
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves.iter().map(|&mv| after(self, mv).perft_making_every_move(depth - 1)).sum()
    }

    /// Returns middle games to measure searches and networks with. By default they are games after
    /// 4 to 23 random moves that are not over.
    fn middle_games(rules: &Self::Rules) -> Vec<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        (4..24).filter_map(|plies| random_game(rules, plies, &mut rng)).collect()
    }
}

fn after<G: Game>(game: &G, mv: G::Move) -> G {
    let mut next = game.clone();
    next.play(mv);
    next
}

/// Returns a game after this many random moves, or `None` if it is over by then.
fn random_game<G: Game>(rules: &G::Rules, plies: u32, rng: &mut ChaCha8Rng) -> Option<G> {
    let (mut game, mut moves) = (G::new(rules), Vec::new());
    for _ in 0..plies {
        moves.clear();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            return None;
        }
        game.play(*moves.choose(rng)?);
    }
    game.outcome_now().is_none().then_some(game)
}

/// Returns each game and all games that follow it after one move, in random order. Games that are
/// over are left out. Neighbours have less in common than in a search.
#[must_use]
pub fn leaves<G: Game>(games: &[G]) -> Vec<G> {
    let mut moves = Vec::new();
    let mut leaves = games.to_vec();
    for game in games {
        moves.clear();
        game.legal_moves(&mut moves);
        leaves.extend(moves.iter().map(|&mv| after(game, mv)));
    }
    leaves.retain(|game| {
        moves.clear();
        game.legal_moves(&mut moves);
        game.outcome(&moves).is_none()
    });
    leaves.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RuleSet;
    use crate::toy::TicTacToe;

    #[test]
    fn the_two_counts_agree() {
        for (name, rules) in crate::toy::Variant::presets() {
            let game = TicTacToe::new(&rules);
            for depth in 0..=5 {
                assert_eq!(
                    game.perft(depth),
                    game.perft_making_every_move(depth),
                    "{name} {depth}"
                );
            }
        }
    }

    #[test]
    fn leaves_are_the_games_that_go_on() {
        let games = TicTacToe::middle_games(&RuleSet::parse("normal").unwrap());
        assert!(!games.is_empty());
        let leaves = leaves(&games);
        assert!(leaves.len() > games.len());
        assert!(leaves.iter().all(|game| game.outcome_now().is_none()));
    }
}
