//! The move to play when a search is over.

use super::{Proof, Search, Urge};
use crate::evaluator::Wdl;
use crate::game::Game;
use rand::Rng;

/// A move with fewer than one in so many visits of the most visited move's is not considered:
/// what is known of it is too little, whatever its score.
const LEAST_VISITS: u32 = 5;

/// A score's variance is taken for no less, or a few lucky visits would seem certain.
const LEAST_VARIANCE: f32 = 0.01;

impl<G: Game> Search<G> {
    /// The move to play, of all that are legal; see [`Search::best_move_among`].
    pub fn best_move(&self, rng: &mut impl Rng) -> Option<G::Move> {
        self.best_move_among(|_| true, rng)
    }

    /// The move to play of those allowed: a proven win if there is one, else the move whose
    /// score is the highest after [`SearchConfig::lcb`](super::SearchConfig::lcb) of its standard
    /// errors were taken from it. Not the most visited one: that may have been refuted a
    /// moment ago. Before any visit it is the policy's favourite. Ties go to the seeded choice of
    /// `rng`. `None` if there is no such move.
    ///
    /// With an [`Oracle`](crate::oracle::Oracle) it is the shortest of several wins, the shortest
    /// that it advises if none is proven and, if all moves lose, the longest loss; of several
    /// draws the policy's favourite.
    pub fn best_move_among(
        &self,
        allowed: impl Fn(G::Move) -> bool,
        rng: &mut impl Rng,
    ) -> Option<G::Move> {
        let children = self.tree.children(0);
        let loss = Proof::of(Some(self.game.side_to_move().other()));
        let candidates = || {
            let legal = children.iter().enumerate();
            legal.filter_map(|(i, child)| child.mv.filter(|&mv| allowed(mv)).map(|mv| (i, mv)))
        };
        let open = candidates().map(|(i, _)| &children[i]).filter(|child| child.proof != loss);
        let most = open.map(|child| child.visits).max().unwrap_or(0);
        let mut best = (0, f32::MIN, f32::MIN);
        let mut tied = Vec::new();
        for (i, mv) in candidates() {
            let worth = self.worth(i, most);
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

    /// What a root child is worth as the move to play: first by kind, then within it, then
    /// among equals.
    fn worth(&self, child: usize, most: u32) -> (u8, f32, f32) {
        let node = &self.tree.children(0)[child];
        if self.oracle.is_some() {
            match node.proof.wdl(self.game.side_to_move()) {
                Some(Wdl::WIN) => return (4, -node.plies, 0.0),
                Some(Wdl::LOSS) => return (0, node.plies, 0.0),
                Some(draw) => return (2, draw.score(), node.prior),
                None => {}
            }
            if let Some(plies) = node.mv.and_then(|mv| self.advised_win(mv)) {
                return (3, -plies, 0.0);
            }
        }
        let (kind, worth) = self.worth_of_search(child, most);
        (kind, worth, 0.0)
    }

    fn worth_of_search(&self, child: usize, most: u32) -> (u8, f32) {
        let node = &self.tree.children(0)[child];
        let visits = node.visits as f32;
        let score = match (node.proof.wdl(self.game.side_to_move()), self.child_score(child)) {
            (Some(Wdl::WIN), _) => return (3, visits),
            (Some(Wdl::LOSS), _) => return (0, visits),
            (_, None) => return (1, node.prior),
            (Some(draw), _) => return (2, draw.score()),
            (None, Some(score)) => score,
        };
        if node.visits < most / LEAST_VISITS {
            return (1, visits);
        }
        // No score between 0 and 1 varies more than that of games won and lost.
        let variance = (score * (1.0 - score)).max(LEAST_VARIANCE);
        (2, score - self.config.lcb * (variance / visits).sqrt())
    }

    /// A root child's expected score for the side to move, exact where proven.
    pub(super) fn child_score(&self, child: usize) -> Option<f32> {
        let child = &self.tree.children(0)[child];
        let proven = child.proof.wdl(self.game.side_to_move());
        let urge = Urge::new(&self.config, self.wdl().score(), self.tree.root().plies);
        // However short it seems, nothing unproven is as good as a proven win or as bad as a
        // proven loss.
        let hasty = || Some((child.mean()? + urge.of(child.plies)).clamp(1e-3, 1.0 - 1e-3));
        proven.map(Wdl::score).or_else(hasty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::evaluator::{Evaluation, Uniform};
    use crate::fusion::FusionGame;
    use crate::search::SearchConfig;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// What the search knows of a move: visits and mean score.
    type Known = (u32, f32);

    /// A search of the initial position that knows this of its first moves and nothing of the
    /// others.
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

    /// The place of the chosen move among the root's.
    fn choice(search: &Search<FusionGame>, allowed: impl Fn(Move) -> bool) -> Option<usize> {
        let mv = search.best_move_among(allowed, &mut ChaCha8Rng::seed_from_u64(1))?;
        search.children().iter().position(|child| child.mv == mv)
    }

    #[test]
    fn the_highest_lower_bound_is_played() {
        for (lcb, known, expected) in [
            // The most visited move has been refuted.
            (1.0, [(400, 0.4), (300, 0.5)], 1),
            // So few visits may be luck, unless luck is not asked for.
            (1.0, [(400, 0.5), (100, 0.52)], 0),
            (0.0, [(400, 0.5), (100, 0.52)], 1),
            // Too few to be considered at all.
            (0.0, [(400, 0.5), (79, 0.9)], 0),
            (0.0, [(400, 0.5), (80, 0.9)], 1),
        ] {
            assert_eq!(choice(&search(lcb, &known), |_| true), Some(expected), "{lcb} {known:?}");
        }
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
        // All moves lost: the one that was searched most.
        search.tree.nodes[first..].iter_mut().for_each(|child| child.proof = Proof::Second);
        assert_eq!(choice(&search, |_| true), Some(0));
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
