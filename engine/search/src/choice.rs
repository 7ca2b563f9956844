//! Choice of the move to play when a search is over.

use super::{Proof, Search, Urge};
use fusion_game::evaluator::Wdl;
use fusion_game::prelude::*;
use rand::Rng;

/// Divisor for the least number of visits: a move with fewer than one in `LEAST_VISITS` of the most
/// visited move's visits is not considered. Its statistics are too uncertain, whatever its score.
const LEAST_VISITS: u32 = 5;

/// Lower limit of a score's variance. Without it a few lucky visits would seem certain.
const LEAST_VARIANCE: f32 = 0.01;

/// Classes of moves in rising order of worth. Moves of the same class are compared by numbers.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Kind {
    Lost,
    /// Too few visits to be considered, or none.
    Unsearched,
    /// A proven draw, while the best searched move is expected to score at least as much.
    NeedlessDraw,
    Searched,
    /// A proven draw, while every searched move is expected to score less.
    Draw,
    /// Not proven, but an [`Tablebase`](fusion_game::tablebase::Tablebase) advises it.
    Advised,
    Won,
}

impl<G: Game> Search<G> {
    /// Returns the best of all legal moves; see [`Search::best_move_among`].
    pub fn best_move(&self, rng: &mut impl Rng) -> Option<G::Move> {
        self.best_move_among(|_| true, rng)
    }

    /// Returns the best of the allowed moves, or `None` if no legal move is allowed.
    ///
    /// A proven win is best. Otherwise the unproven move with the highest lower bound is best. The
    /// lower bound is the score less [`SearchConfig::lcb`](super::SearchConfig::lcb) standard
    /// errors. The most visited move is not preferred, unless
    /// [`SearchConfig::most_visited`](super::SearchConfig::most_visited) says so: the latest visits
    /// may have refuted it.
    /// Before any visit the move with the highest prior is best. Ties are broken by the seeded
    /// generator `rng`.
    ///
    /// A proven draw is played only if that unproven move scores less than a draw. This test uses
    /// the score itself, not the lower bound. The lower bound guards against playing the luckiest
    /// of several estimates, and a draw is not an estimate. With a bound the player would repeat
    /// positions in which it stands slightly better.
    ///
    /// With an [`Tablebase`](fusion_game::tablebase::Tablebase) the shortest of several wins is best. If no win is
    /// proven, the shortest win that the tablebase advises is best. If all moves lose, the longest
    /// loss is best. Of several draws the one with the highest prior is best.
    pub fn best_move_among(
        &self,
        allowed: impl Fn(G::Move) -> bool,
        rng: &mut impl Rng,
    ) -> Option<G::Move> {
        let legal = self.tree.children(0).iter().enumerate();
        let candidates: Vec<(usize, G::Move)> = legal
            .filter_map(|(i, child)| child.mv.filter(|&mv| allowed(mv)).map(|mv| (i, mv)))
            .collect();
        let needless = self.draws_are_needless(candidates.iter().map(|&(i, _)| i));
        let most = self.most_visits(candidates.iter().map(|&(i, _)| i));
        let mut best = (Kind::Lost, f32::MIN, f32::MIN);
        let mut tied = Vec::new();
        for (i, mv) in candidates {
            let worth = self.worth(i, most, needless);
            if worth > best || tied.is_empty() {
                best = worth;
                tied.clear();
            }
            if worth == best {
                tied.push(mv);
            }
        }
        (!tied.is_empty()).then(|| tied[(rng.next_u64() % tied.len() as u64) as usize])
    }

    /// Returns the highest number of visits among the unproven moves of these root children.
    fn most_visits(&self, candidates: impl Iterator<Item = usize>) -> u32 {
        let children = self.tree.children(0);
        let open = candidates.map(|i| &children[i]).filter(|child| child.proof == Proof::Unknown);
        open.map(|child| child.visits).max().unwrap_or(0)
    }

    /// Returns whether the best unproven move of these root children is expected to score at least
    /// as much as a draw.
    fn draws_are_needless(&self, candidates: impl Iterator<Item = usize> + Clone) -> bool {
        let most = self.most_visits(candidates.clone());
        let bounds = candidates.filter_map(|i| Some((self.lower_bound(i, most)?, i)));
        let best = bounds.max_by(|a, b| a.0.total_cmp(&b.0));
        let score = best.and_then(|(_, i)| self.child_score(i));
        let draw = Wdl::DRAW.score() + self.bonus_of_draws(self.game.side_to_move());
        score.is_some_and(|score| score >= draw)
    }

    /// Returns the score of an unproven root child less
    /// [`SearchConfig::lcb`](super::SearchConfig::lcb) standard errors, or its visits if
    /// [`SearchConfig::most_visited`](super::SearchConfig::most_visited) is set. `None` if the child is
    /// proven, or has too few visits compared with the most visited one.
    fn lower_bound(&self, child: usize, most: u32) -> Option<f32> {
        let node = &self.tree.children(0)[child];
        if node.proof != Proof::Unknown || node.visits < (most / LEAST_VISITS).max(1) {
            return None;
        }
        if self.config.most_visited {
            return Some(node.visits as f32);
        }
        let score = self.child_score(child)?;
        // The variance of a score between 0 and 1 is largest if every game is won or lost.
        let variance = (score * (1.0 - score)).max(LEAST_VARIANCE);
        Some(score - self.config.lcb * (variance / node.visits as f32).sqrt())
    }

    /// Returns a root child's worth as the move to play. The class is compared first, then the two
    /// numbers in order.
    fn worth(&self, child: usize, most: u32, draws_are_needless: bool) -> (Kind, f32, f32) {
        let node = &self.tree.children(0)[child];
        let visits = node.visits as f32;
        let exact = self.tablebase.is_some();
        match node.proof.wdl(self.game.side_to_move()) {
            Some(Wdl::WIN) => return (Kind::Won, if exact { -node.plies } else { visits }, 0.0),
            Some(Wdl::LOSS) => return (Kind::Lost, if exact { node.plies } else { visits }, 0.0),
            Some(_) => {
                let kind = if draws_are_needless { Kind::NeedlessDraw } else { Kind::Draw };
                return (kind, 0.0, if exact { node.prior } else { 0.0 });
            }
            None => {}
        }
        if exact && let Some(plies) = node.mv.and_then(|mv| self.advised_win(mv)) {
            return (Kind::Advised, -plies, 0.0);
        }
        match self.lower_bound(child, most) {
            Some(bound) => (Kind::Searched, bound, 0.0),
            None if node.visits > 0 => (Kind::Unsearched, visits, 0.0),
            None => (Kind::Unsearched, node.prior, 0.0),
        }
    }

    /// Returns a root child's expected score for the side to move, exact if the child is proven.
    pub(super) fn child_score(&self, child: usize) -> Option<f32> {
        let child = &self.tree.children(0)[child];
        let side = self.game.side_to_move();
        let bonus = self.bonus_of_draws(side);
        let proven = child.proof.wdl(side).map(|wdl| wdl.score() + bonus * wdl.draw);
        let urge = Urge::new(&self.config, self.wdl().score(), self.tree.root().plies);
        // Clamped: an unproven move, however short, must rank below a proven win and above a proven
        // loss.
        let hasty =
            || Some((self.mean(child, side)? + urge.of(child.plies)).clamp(1e-3, 1.0 - 1e-3));
        proven.or_else(hasty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchConfig;
    use fusion_chess::FusionGame;
    use fusion_chess::board::Move;
    use fusion_game::evaluator::{Evaluation, Uniform};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Statistics of a move: visits and mean score.
    type Known = (u32, f32);

    /// Returns a search of the initial position with these statistics for its first moves and none
    /// for the others.
    fn search(lcb: f32, known: &[Known]) -> Search<FusionGame> {
        let game = FusionGame::new(&"fusion-2020".parse().unwrap());
        let mut search = Search::new(SearchConfig { lcb, ..SearchConfig::default() }, game);
        search.expand_root(&mut Uniform { seed: 1 });
        let range = search.tree.root().range();
        for (child, &(visits, score)) in search.tree.nodes[range].iter_mut().zip(known) {
            for _ in 0..visits {
                let wdl = Wdl { win: score, draw: 0.0, loss: 1.0 - score };
                child.add(wdl, Evaluation::end(wdl).plies);
            }
        }
        search
    }

    /// Returns the index of the chosen move among the root's moves.
    fn choice(search: &Search<FusionGame>, allowed: impl Fn(Move) -> bool) -> Option<usize> {
        let mv = search.best_move_among(allowed, &mut ChaCha8Rng::seed_from_u64(1))?;
        search.children().iter().position(|child| child.mv == mv)
    }

    #[test]
    fn the_highest_lower_bound_is_played() {
        for (lcb, known, expected) in [
            // The most visited move has been refuted.
            (1.0, [(400, 0.4), (300, 0.5)], 1),
            // A move with few visits may be lucky; `lcb` 0 ignores that.
            (1.0, [(400, 0.5), (100, 0.52)], 0),
            (0.0, [(400, 0.5), (100, 0.52)], 1),
            // 79 visits are too few to be considered at all.
            (0.0, [(400, 0.5), (79, 0.9)], 0),
            (0.0, [(400, 0.5), (80, 0.9)], 1),
        ] {
            assert_eq!(choice(&search(lcb, &known), |_| true), Some(expected), "{lcb} {known:?}");
        }
    }

    #[test]
    fn the_most_visited_move_is_played_if_that_is_wanted() {
        for known in [[(400, 0.4), (300, 0.5)], [(400, 0.1), (399, 0.9)]] {
            let mut search = search(1.0, &known);
            assert_eq!(choice(&search, |_| true), Some(1), "{known:?}");
            search.config.most_visited = true;
            assert_eq!(choice(&search, |_| true), Some(0), "{known:?}");
        }
        // A draw is needless if the most visited move is worth more, whatever another is worth.
        let mut search = search(1.0, &[(400, 0.4), (300, 0.9), (1, 0.5)]);
        search.config.most_visited = true;
        let first = search.tree.root().first_child as usize;
        search.tree.nodes[first + 2].proof = Proof::Draw;
        assert_eq!(choice(&search, |_| true), Some(2));
    }

    #[test]
    fn proofs_count_for_more() {
        let mut search = search(1.0, &[(400, 0.3), (300, 0.9), (1, 0.5), (50, 0.1)]);
        let first = search.tree.root().first_child as usize;
        assert_eq!(choice(&search, |_| true), Some(1));
        search.tree.nodes[first + 1].proof = Proof::Second;
        assert_eq!(choice(&search, |_| true), Some(0));
        search.tree.nodes[first + 2].proof = Proof::Draw;
        assert_eq!(choice(&search, |_| true), Some(2));
        search.tree.nodes[first + 3].proof = Proof::First;
        assert_eq!(choice(&search, |_| true), Some(3));
        // All moves lose: the most searched one is played.
        search.tree.nodes[first..].iter_mut().for_each(|child| child.proof = Proof::Second);
        assert_eq!(choice(&search, |_| true), Some(0));
    }

    #[test]
    fn a_draw_is_played_only_if_the_best_move_scores_less() {
        for (known, expected) in [
            // The better move has few visits, but its bound of 0.51 - 0.05 does not matter.
            ([(100, 0.51), (90, 0.4), (200, 0.5)], 0),
            ([(100, 0.5), (90, 0.4), (200, 0.5)], 0),
            ([(100, 0.49), (90, 0.4), (200, 0.5)], 2),
            // The best move is the one that would be played without the draw, not the luckiest one.
            ([(400, 0.49), (90, 0.51), (200, 0.5)], 2),
            // The draw's own visits do not count as the most visits.
            ([(100, 0.51), (90, 0.4), (4000, 0.5)], 0),
        ] {
            let mut search = search(1.0, &known);
            let first = search.tree.root().first_child as usize;
            search.tree.nodes[first + 2].proof = Proof::Draw;
            assert_eq!(choice(&search, |_| true), Some(expected), "{known:?}");
        }
    }

    #[test]
    fn of_a_draw_and_unsearched_moves_the_draw_is_played() {
        let mut search = search(1.0, &[(0, 0.0), (0, 0.0), (30, 0.5)]);
        let first = search.tree.root().first_child as usize;
        search.tree.nodes[first + 2].proof = Proof::Draw;
        assert_eq!(choice(&search, |_| true), Some(2));
    }

    #[test]
    fn only_what_is_allowed_is_played() {
        let search = search(1.0, &[(400, 0.6), (3, 0.5)]);
        let moves: Vec<Move> = search.children().iter().map(|child| child.mv).collect();
        assert_eq!(choice(&search, |mv| mv != moves[0]), Some(1));
        assert!(choice(&search, |mv| mv == moves[7]) == Some(7));
        assert_eq!(choice(&search, |_| false), None);
    }
}
