//! Ranking of the root's moves, each with its line.

use super::{Proof, Search};
use fusion_game::evaluator::Wdl;
use fusion_game::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;

/// A move of the root with its statistics and its expected continuation.
#[derive(Clone, Debug)]
pub struct Line<M> {
    /// The move, then the moves expected after it.
    pub moves: Vec<M>,
    /// Playouts through the move.
    pub visits: u32,
    /// Chances for the side to move, exact if proven.
    pub wdl: Wdl,
    /// Proven result of the move.
    pub proof: Proof,
    /// Plies to the end of the game, including the move, if the move is proven to win or to lose.
    /// There may be a shorter win, or a longer loss, that the search did not look for.
    pub plies: Option<u32>,
}

impl<G: Game> Search<G> {
    /// Returns the best of the allowed moves, at most `count`, best first.
    ///
    /// Proven wins come first, the shortest before the others. Then come the moves that are not
    /// proven to lose, in the order in which [`Search::best_move_among`] would choose them. Equal
    /// moves have a fixed order. Proven losses come last, the longest before the others. The result
    /// is empty before the root has children.
    #[must_use]
    pub fn best_lines(
        &self,
        count: usize,
        allowed: impl Fn(G::Move) -> bool,
    ) -> Vec<Line<G::Move>> {
        let side = self.game.side_to_move();
        let (win, loss) = (Proof::of(Some(side)), Proof::of(Some(side.other())));
        let moves = self.tree.root().range();
        let moves = moves.filter(|&i| self.tree.nodes[i].mv.is_some_and(&allowed));
        let (decided, mut open): (Vec<usize>, Vec<usize>) =
            moves.partition(|&i| [win, loss].contains(&self.tree.nodes[i].proof));
        let (mut order, mut lost): (Vec<usize>, Vec<usize>) =
            decided.into_iter().partition(|&i| self.tree.nodes[i].proof == win);
        order.sort_by_key(|&i| self.plies_through(i));
        lost.sort_by_key(|&i| Reverse(self.plies_through(i)));
        while order.len() < count
            && let Some(best) = self.best_of(&open)
        {
            order.push(best);
            open.retain(|&i| i != best);
        }
        order.extend(lost);
        order.truncate(count);
        order.into_iter().map(|index| self.line(index)).collect()
    }

    /// Returns the one of these root children that would be played.
    fn best_of(&self, children: &[usize]) -> Option<usize> {
        let place = |mv| children.iter().copied().find(|&i| self.tree.nodes[i].mv == Some(mv));
        let mut ties = ChaCha8Rng::seed_from_u64(0);
        place(self.best_move_among(|mv| place(mv).is_some(), &mut ties)?)
    }

    fn line(&self, index: usize) -> Line<G::Move> {
        let side = self.game.side_to_move();
        let node = &self.tree.nodes[index];
        let exact = node.proof.wdl(side);
        let wdl = exact.unwrap_or_else(|| if node.visits > 0 { node.wdl() } else { self.wdl() });
        let plies = self.plies_through(index);
        Line { moves: self.variation(index), visits: node.visits, wdl, proof: node.proof, plies }
    }

    /// Returns the plies to the end through a root child that is proven to win or to lose.
    fn plies_through(&self, child: usize) -> Option<u32> {
        let proof = self.tree.nodes[child].proof;
        matches!(proof, Proof::First | Proof::Second).then(|| 1 + self.proven_plies(child))
    }

    /// Returns the move to a root child and its continuation. If the child is proven to win or to
    /// lose, the continuation is the moves that prove it. Otherwise it is the most visited moves.
    fn variation(&self, child: usize) -> Vec<G::Move> {
        let nodes = &self.tree.nodes;
        let mut moves = Vec::from_iter(nodes[child].mv);
        let mut index = child;
        loop {
            let proof = nodes[index].proof;
            let next = match proof {
                Proof::First | Proof::Second => {
                    let wins = proof == Proof::of(Some(nodes[index].to_move));
                    let same = nodes[index].range().filter(|&i| nodes[i].proof == proof);
                    let plies = |&i: &usize| self.proven_plies(i);
                    if wins { same.min_by_key(plies) } else { same.max_by_key(plies) }
                }
                _ => {
                    let visited = nodes[index].range().rev().filter(|&i| nodes[i].visits > 0);
                    visited.max_by_key(|&i| nodes[i].visits)
                }
            };
            let Some(next) = next else { return moves };
            moves.extend(nodes[next].mv);
            index = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchConfig;
    use fusion_chess::FusionGame;
    use fusion_game::evaluator::Material;

    fn search(fen: &str, visits: u32) -> Search<FusionGame> {
        let game = FusionGame::from_text(&"orthodox".parse().unwrap(), fen).unwrap();
        let mut search = Search::new(SearchConfig::default(), game);
        search.run(&mut Material { seed: 1 }, visits);
        search
    }

    fn firsts(lines: &[Line<fusion_chess::board::Move>]) -> Vec<String> {
        lines.iter().map(|line| line.moves[0].to_string()).collect()
    }

    #[test]
    fn the_first_line_is_the_move_to_play() {
        let search =
            search("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 400);
        let all = search.best_lines(usize::MAX, |_| true);
        assert_eq!(all.len(), search.children().len());
        let best = search.best_move(&mut ChaCha8Rng::seed_from_u64(0)).unwrap();
        assert_eq!(all[0].moves[0], best);
        let moves = firsts(&all);
        assert_eq!(firsts(&search.best_lines(3, |_| true)), moves[..3]);
        // Each line is the one that would be played without the lines before it.
        let rest = |mv: fusion_chess::board::Move| moves[2..].contains(&mv.to_string());
        assert_eq!(firsts(&search.best_lines(1, rest)), moves[2..3]);
        assert!(all.iter().all(|line| line.plies.is_none() && line.proof == Proof::Unknown));
        assert_eq!(search.best_lines(0, |_| true).len(), 0);
        assert_eq!(search.best_lines(9, |_| false).len(), 0);
    }

    #[test]
    fn wins_come_by_length_and_losses_last() {
        // Ra8 mates. Kf7 and other moves win later. The Rook can be lost.
        let mut search = search("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 3_000);
        for i in 0..search.children().len() {
            for _ in 0..400 {
                search.playout(&mut Material { seed: 1 }, Some(i));
            }
        }
        let lines = search.best_lines(usize::MAX, |_| true);
        assert_eq!(firsts(&lines)[0], "a1a8");
        assert_eq!((lines[0].plies, lines[0].moves.len()), (Some(1), 1));
        let won: Vec<&Line<_>> = lines.iter().filter(|l| l.proof == Proof::First).collect();
        assert!(won.len() > 2);
        assert!(won.is_sorted_by_key(|line| line.plies));
        assert!(lines[..won.len()].iter().all(|line| line.proof == Proof::First));
        // The line of a proven mate ends in the mate.
        for line in won {
            assert_eq!(line.plies, u32::try_from(line.moves.len()).ok(), "{line:?}");
            let mut game = search.game().clone();
            line.moves.iter().for_each(|&mv| game.play(mv));
            assert!(game.outcome_now().is_some_and(|end| end.winner.is_some()), "{line:?}");
        }
    }

    #[test]
    fn the_longest_defence_comes_first() {
        // Black is to move. Every move but one allows mate in one.
        let mut search = search("7k/8/5K2/8/8/8/8/1R6 b - - 0 1", 3_000);
        for i in 0..search.children().len() {
            for _ in 0..2_000 {
                search.playout(&mut Material { seed: 1 }, Some(i));
            }
        }
        let lines = search.best_lines(usize::MAX, |_| true);
        let lost: Vec<Option<u32>> = lines.iter().map(|line| line.plies).collect();
        assert!(lost.iter().all(Option::is_some), "{lines:?}");
        assert!(lost.is_sorted_by(|a, b| a >= b), "{lost:?}");
    }
}
