//! Results from a tablebase, and the lengths of proven results.
//!
//! Without a tablebase the length of a proof does not matter: the first win that is found is as good
//! as any other. With a tablebase a win may be proven long before the game is over. The move to play
//! must then bring the end nearer.

use super::{Proof, Search};
use fusion_game::Side;
use fusion_game::evaluator::Evaluation;
use fusion_game::prelude::*;
use fusion_game::tablebase::Tablebase;
use std::sync::Arc;

impl<G: Game> Search<G> {
    /// Returns the same search with a tablebase, which must be for the rules of the search's game.
    #[must_use]
    pub fn with_tablebase(mut self, tablebase: Option<Arc<dyn Tablebase<G>>>) -> Self {
        self.tablebase = tablebase;
        self
    }

    /// Returns whether the search has a tablebase.
    #[must_use]
    pub fn has_tablebase(&self) -> bool {
        self.tablebase.is_some()
    }

    /// Returns the number of positions that the tablebase had a result for, since the last change of
    /// root.
    #[must_use]
    pub fn tablebase_hits(&self) -> u64 {
        self.tablebase_hits
    }

    /// Returns the tablebase's result for a game that is not over: the proof and the plies left.
    fn known(&self, game: &G) -> Option<(Proof, f32)> {
        let exact = self.tablebase.as_ref()?.probe(game)?;
        Some((Proof::of(exact.winner), exact.plies as f32))
    }

    /// Proves the leaf of the descent and backs the proof up, if the tablebase has its result.
    pub(super) fn prove_leaf(&mut self, index: usize) -> bool {
        let Some((proof, plies)) = self.known(&self.cursor) else { return false };
        let Some(wdl) = proof.wdl(self.cursor.side_to_move()) else { return false };
        self.tablebase_hits += 1;
        self.tree.nodes[index].proof = proof;
        self.backup(Evaluation { wdl, plies });
        true
    }

    /// Probes every move of a root with children, whatever its prior, so that the best move is not
    /// missed. The root is then proven if its moves prove it.
    pub(super) fn ask_about_moves(&mut self) {
        if self.tablebase.is_none() {
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
                None => self.known(&next).inspect(|_| self.tablebase_hits += 1),
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
            // The tablebase's result for the root names no move, and the root's moves are needed now.
            self.tree.nodes[0].proof = Proof::Unknown;
        }
    }

    /// Returns the plies of the win that the tablebase advises, if this root move leads to one.
    pub(super) fn advised_win(&self, mv: G::Move) -> Option<f32> {
        let tablebase = self.tablebase.as_ref()?;
        let mut next = self.game.clone();
        next.play(mv);
        let advice = tablebase.probe_hint(&next)?;
        let wins = advice.winner == Some(self.game.side_to_move());
        (wins && next.outcome_now().is_none()).then_some(advice.plies as f32)
    }

    /// Returns the plies to the end of a root that is proven won or lost. The number is an upper
    /// bound as far as the tree goes: the search may not have looked for a shorter win.
    #[must_use]
    pub fn plies_to_mate(&self) -> Option<u32> {
        let proof = self.proof();
        let decided = matches!(proof, Proof::First | Proof::Second);
        (decided && self.nodes() > 1).then(|| self.proven_plies(0))
    }

    /// Returns the same length for any node that is proven won or lost.
    pub(super) fn proven_plies(&self, index: usize) -> u32 {
        let node = &self.tree.nodes[index];
        let wins = node.proof == Proof::of(Some(node.to_move));
        let children = node.range().filter(|&child| self.tree.nodes[child].proof == node.proof);
        let plies = children.map(|child| 1 + self.proven_plies(child));
        let plies = if wins { plies.min() } else { plies.max() };
        // A node without children is the end of the game, or has the tablebase's length.
        plies.unwrap_or(node.plies.round() as u32)
    }

    /// Sets the length of a node that its children prove: the shortest of the wins, or else the
    /// longest of the losses. Draws keep their mean.
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
    use crate::SearchConfig;
    use fusion_chess::FusionGame;
    use fusion_game::evaluator::Uniform;
    use fusion_game::tablebase::SolvedValue;

    /// An tablebase in which White wins in ten plies once three pieces are left.
    #[derive(Debug)]
    struct Ten;

    impl Tablebase<FusionGame> for Ten {
        fn probe(&self, game: &FusionGame) -> Option<SolvedValue> {
            let known = SolvedValue { winner: Some(Side::First), plies: 10 };
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
        // The pinned Knight is lost after the King's only move.
        let rules = "orthodox".parse().unwrap();
        let game = FusionGame::from_text(&rules, "kn5R/2K5/8/8/8/8/8/8 b - - 0 1").unwrap();
        let search = Search::new(SearchConfig::default(), game);
        let mut search = search.with_tablebase(Some(Arc::new(Ten)));
        search.run(&mut Uniform { seed: 1 }, 300);
        assert_eq!(search.proof(), Proof::First);
        assert_eq!(search.tree.root().plies, 12.0);
        assert_eq!(search.plies_to_mate(), Some(12));
    }

    #[test]
    fn mates_are_counted_without_a_tablebase() {
        // White mates in two at the quickest. With Black to move, Black is mated in one.
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
