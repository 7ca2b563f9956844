//! What is known without a search, and how long proven results take.
//!
//! Without an oracle a proof's length is of no account: the first win that is found is as good
//! as any. With one a win may be proven long before it is over, so the move to play must be one
//! that brings the end nearer.

use super::{Proof, Search};
use crate::evaluator::Evaluation;
use crate::game::{Game, Side};
use crate::oracle::Oracle;
use std::sync::Arc;

impl<G: Game> Search<G> {
    /// The same search with somebody who knows results; for the rules of its game.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle<G>>>) -> Self {
        self.oracle = oracle;
        self
    }

    /// Whether there is somebody who knows results.
    #[must_use]
    pub fn has_oracle(&self) -> bool {
        self.oracle.is_some()
    }

    /// Positions whose result the oracle knew, since the root became the root.
    #[must_use]
    pub fn oracle_hits(&self) -> u64 {
        self.oracle_hits
    }

    /// The oracle's word on a game that is not over: what it proves, and the plies left.
    fn known(&self, game: &G) -> Option<(Proof, f32)> {
        let exact = self.oracle.as_ref()?.result(game)?;
        Some((Proof::of(exact.winner), exact.plies as f32))
    }

    /// Proves the leaf of the descent and backs that up, if the oracle knows it.
    pub(super) fn prove_leaf(&mut self, index: usize) -> bool {
        let Some((proof, plies)) = self.known(&self.cursor) else { return false };
        let Some(wdl) = proof.wdl(self.cursor.side_to_move()) else { return false };
        self.oracle_hits += 1;
        self.tree.nodes[index].proof = proof;
        self.backup(Evaluation { wdl, plies });
        true
    }

    /// Asks about every move of a root with children, whatever the policy thinks of them: the
    /// best one must not be missed. The root is then proven if its moves prove it.
    pub(super) fn ask_about_moves(&mut self) {
        if self.oracle.is_none() {
            return;
        }
        let mut next = self.game.clone();
        for index in self.tree.root().range() {
            let node = &self.tree.nodes[index];
            let Some(mv) = node.mv.filter(|_| node.proof == Proof::Unknown) else { continue };
            next.clone_from(&self.game);
            next.play(mv);
            let known = match next.outcome_now() {
                Some(outcome) => Some((Proof::of(outcome.winner), 0.0)),
                None => self.known(&next).inspect(|_| self.oracle_hits += 1),
            };
            if let Some((proof, plies)) = known {
                self.tree.nodes[index].proof = proof;
                self.tree.nodes[index].plies = plies;
            }
        }
        if self.tree.root().children > 0 {
            let side = self.game.side_to_move();
            self.tree.nodes[0].proof = self.proof_from_children(0, side);
            self.count_plies(0, side);
        } else if !self.is_over() {
            // What the oracle said of it says nothing about its moves, which are wanted now.
            self.tree.nodes[0].proof = Proof::Unknown;
        }
    }

    /// Plies of the win to which the oracle advises, if this move of the root leads to one.
    pub(super) fn advised_win(&self, mv: G::Move) -> Option<f32> {
        let oracle = self.oracle.as_ref()?;
        let mut next = self.game.clone();
        next.play(mv);
        let advice = oracle.advice(&next)?;
        let wins = advice.winner == Some(self.game.side_to_move());
        (wins && next.outcome_now().is_none()).then_some(advice.plies as f32)
    }

    /// Plies to the end of a root that is proven won or lost: so many at most as far as the
    /// tree goes, since a shorter win may not have been looked for.
    #[must_use]
    pub fn plies_to_mate(&self) -> Option<u32> {
        let proof = self.proof();
        let decided = matches!(proof, Proof::First | Proof::Second);
        (decided && self.nodes() > 1).then(|| self.proven_plies(0))
    }

    /// The same of any node that is proven won or lost.
    pub(super) fn proven_plies(&self, index: usize) -> u32 {
        let node = &self.tree.nodes[index];
        let wins = node.proof == Proof::of(Some(node.to_move));
        let children = node.range().filter(|&child| self.tree.nodes[child].proof == node.proof);
        let plies = children.map(|child| 1 + self.proven_plies(child));
        let plies = if wins { plies.min() } else { plies.max() };
        // Without children: the end itself, or what the oracle said.
        plies.unwrap_or(node.plies.round() as u32)
    }

    /// Gives a node that is proven by its children the length of the result: the shortest of the
    /// wins, else the longest of the losses. Draws keep their mean.
    pub(super) fn count_plies(&mut self, index: usize, to_move: Side) {
        let win = Proof::of(Some(to_move));
        let (proof, children) = (self.tree.nodes[index].proof, self.tree.children(index));
        let of_winner = children.iter().filter(|child| child.proof == proof).map(|c| c.plies);
        let plies = match proof {
            Proof::Unknown | Proof::Draw => return,
            proof if proof == win => of_winner.min_by(f32::total_cmp),
            _ => of_winner.max_by(f32::total_cmp),
        };
        if let Some(plies) = plies {
            self.tree.nodes[index].plies = plies + 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluator::Uniform;
    use crate::fusion::FusionGame;
    use crate::oracle::Exact;
    use crate::search::SearchConfig;

    /// Says that White wins in ten plies once three pieces are left.
    #[derive(Debug)]
    struct Ten;

    impl Oracle<FusionGame> for Ten {
        fn result(&self, game: &FusionGame) -> Option<Exact> {
            let known = Exact { winner: Some(Side::First), plies: 10 };
            (game.position().occupied().len() == 3).then_some(known)
        }

        fn contents(&self) -> Vec<String> {
            Vec::new()
        }

        fn hash(&self) -> String {
            String::new()
        }
    }

    #[test]
    fn proofs_have_their_length() {
        // The pinned Knight falls after the King's only move.
        let rules = "orthodox".parse().unwrap();
        let game = FusionGame::from_text(&rules, "kn5R/2K5/8/8/8/8/8/8 b - - 0 1").unwrap();
        let search = Search::new(SearchConfig::default(), game);
        let mut search = search.with_oracle(Some(Arc::new(Ten)));
        search.run(&mut Uniform { seed: 1 }, 300);
        assert_eq!(search.proof(), Proof::First);
        assert_eq!(search.tree.root().plies, 12.0);
        assert_eq!(search.plies_to_mate(), Some(12));
    }

    #[test]
    fn mates_are_counted_without_an_oracle() {
        // White mates in two at the quickest, Black to move is mated in one.
        for (fen, plies) in [
            ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 3),
            ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", 2),
            ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 1),
        ] {
            let game = FusionGame::from_text(&"orthodox".parse().unwrap(), fen).unwrap();
            let mut search = Search::new(SearchConfig::default(), game);
            assert_eq!(search.plies_to_mate(), None);
            search.run(&mut Uniform { seed: 1 }, 3_000);
            assert_eq!(search.proof(), Proof::First, "{fen}");
            let found = search.plies_to_mate().unwrap();
            assert!(found >= plies && found % 2 == plies % 2, "{fen}: {found}");
            if plies < 3 {
                assert_eq!(found, plies, "{fen}");
            }
        }
    }
}
