//! Transpositions within a turn of several plies.
//!
//! Many orders of the same actions lead to the same position. Nodes with the same position in the
//! same turn share their children, so the tree becomes a graph (Childs, Brodeur and Kocsis,
//! "Transpositions and Move Groups in Monte Carlo Tree Search", 2008). What is found below one order
//! then counts for all of them. The moves into the position keep statistics of their own.

use super::Search;
use super::tree::Transposition;
use fusion_game::Game;

impl<G: Game> Search<G> {
    /// Returns the position at the end of the path as other orders of the turn's plies may reach it.
    /// `None` if its last move began a turn: no other order leads there.
    pub(super) fn transposition(&self) -> Option<Transposition> {
        let last = self.path.len() - 1;
        let (_, mover) = self.path[last];
        // Most turns of most games have one ply.
        if last == 0 || self.path[last - 1].1 != mover {
            return None;
        }
        let start = self.path.iter().rposition(|&(_, by)| by != mover);
        let plies = (last - start.unwrap_or(0)) as u32;
        if plies < Transposition::LEAST_PLIES {
            return None;
        }
        let turn = start.map_or(Transposition::BEFORE_ROOT, |start| {
            let (node, _) = self.path[start];
            self.tree.nodes[node as usize].first_child
        });
        Some(Transposition { turn, plies, hash: self.cursor.hash() })
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::Proof;
    use crate::{Search, SearchConfig};
    use fusion_game::evaluator::Uniform;
    use fusion_game::prelude::*;
    use fusion_game::toy::{TicTacToe, Variant, best_play};
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    /// Returns a search of a game in which every turn but the first has two plies.
    fn search(rules: &str) -> Search<TicTacToe> {
        Search::new(SearchConfig::default(), TicTacToe::new(&Variant::parse(rules).unwrap()))
    }

    /// Nodes of one position, by their first child, and the number of nodes that lead to them.
    type Places = HashMap<(u64, u64), HashMap<u32, u32>>;

    /// Walks all paths below a node. Checks that the children are the legal moves, and gathers the
    /// places of the positions by the start of the turn that led to them.
    fn walk(search: &Search<TicTacToe>, node: usize, game: &TicTacToe, turn: u64, to: &mut Places) {
        let parent = &search.tree.nodes[node];
        if parent.children == 0 {
            return;
        }
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        let children = search.tree.children(node);
        let moves: HashSet<u8> = children.iter().filter_map(|child| child.mv).collect();
        assert_eq!(moves, legal.into_iter().collect());
        assert_eq!(parent.to_move, game.side_to_move());
        for (child, mv) in parent.range().zip(children.iter().filter_map(|child| child.mv)) {
            let mut next = game.clone();
            next.play(mv);
            let first_child = search.tree.nodes[child].first_child;
            if first_child > 0 {
                let places = to.entry((turn, next.hash())).or_default();
                *places.entry(first_child).or_default() += 1;
            }
            let ends = next.side_to_move() != game.side_to_move();
            walk(search, child, &next, if ends { next.hash() } else { turn }, to);
        }
    }

    fn places(search: &Search<TicTacToe>) -> Places {
        let mut places = Places::new();
        walk(search, 0, search.game(), 0, &mut places);
        places
    }

    #[test]
    fn orders_of_a_turn_share_what_lies_below_them() {
        let mut joined = search("double");
        joined.run(&mut Uniform { seed: 1 }, 3_000);
        let met = places(&joined);
        assert!(met.values().all(|nodes| nodes.len() == 1), "{met:?}");
        let meetings = met.values().filter(|nodes| nodes.values().sum::<u32>() > 1).count();
        assert!(meetings > 30, "{meetings}");
    }

    proptest! {
        #[test]
        fn joined_orders_prove_the_right_result(
            misere: bool,
            steps in prop::collection::vec((1u32..400, any::<prop::sample::Index>()), 1..7),
            seed: u64,
        ) {
            let rules = if misere { "double-misere" } else { "double" };
            let mut search = search(rules);
            let mut evaluator = Uniform { seed };
            for (nodes, choice) in steps {
                for _ in 0..nodes {
                    search.playout(&mut evaluator, None);
                }
                places(&search);
                let children = search.children();
                if children.is_empty() {
                    break;
                }
                search.advance(choice.get(&children).mv);
                places(&search);
            }
            if search.game().outcome_now().is_none() {
                search.run(&mut evaluator, 1 << 20);
                let (winner, _) = best_play(search.game());
                prop_assert_eq!(search.proof(), Proof::of(winner));
            }
        }
    }
}
