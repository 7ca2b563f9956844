//! Gumbel search at the root, for training games.
//!
//! Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with
//! Gumbel" (ICLR 2022): actions are sampled without replacement by the Gumbel-top-k
//! trick, sequential halving spends the simulations on them, and the policy target is the
//! softmax of logits plus a monotone transform of completed Q-values. Below the root the
//! search is the same as everywhere else.

use super::{Search, tree::Proof};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;
use rand::Rng;

/// Settings of a Gumbel search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelConfig {
    /// Playouts.
    pub simulations: u32,
    /// At most so many moves share them.
    pub considered: u32,
    /// Scale of the Gumbel noise: 1 explores, 0 makes the choice deterministic.
    pub gumbel_scale: f32,
    /// Visits added to the largest count in the weight of Q (the paper's c_visit).
    pub c_visit: f32,
    /// Weight of Q, from 0 to 1, against logits (the paper's c_scale).
    pub c_scale: f32,
}

/// What a Gumbel search found.
#[derive(Clone, Debug)]
pub struct GumbelResult<M> {
    /// The move to play.
    pub best: M,
    /// The improved policy over all legal moves; sums to 1.
    pub policy: Vec<(M, f32)>,
    /// The root's chances for the side to move.
    pub wdl: Wdl,
}

/// For each simulation the visit count that the chosen action must have: sequential
/// halving written as one list (the form of DeepMind's mctx, Appendix of the paper).
fn halving_schedule(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let mut schedule = Vec::with_capacity(simulations + considered);
    let mut visits = 0;
    let mut remaining = considered;
    while schedule.len() < simulations {
        let extra = (simulations / (phases * remaining)).max(1);
        for _ in 0..extra {
            schedule.extend(std::iter::repeat_n(visits, remaining));
            visits += 1;
        }
        remaining = (remaining / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

/// A standard Gumbel variate.
fn gumbel(rng: &mut impl Rng) -> f32 {
    // 24 bits, strictly between 0 and 1.
    let uniform = ((rng.next_u32() >> 8) as f32 + 0.5) / (1 << 24) as f32;
    -(-uniform.ln()).ln()
}

impl<G: Game> Search<G> {
    /// Searches the root with so many more playouts. `None` if the game is over.
    pub fn gumbel(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
        config: &GumbelConfig,
    ) -> Option<GumbelResult<G::Move>> {
        self.expand_root(evaluator)?;
        let logits: Vec<f32> =
            self.tree.children(0).iter().map(|child| child.prior.max(1e-9).ln()).collect();
        let noisy: Vec<f32> =
            logits.iter().map(|logit| logit + config.gumbel_scale * gumbel(rng)).collect();
        let visits = self.halve(evaluator, &noisy, config);

        let sigma = self.sigma_scale(config);
        let improved = self.improved_logits(&logits, sigma);
        let open = self.moves_not_lost();
        let most = open.iter().map(|&i| visits[i]).max().unwrap_or(0);
        let best = open
            .into_iter()
            .filter(|&i| visits[i] == most)
            .max_by(|&a, &b| {
                let score = |i: usize| noisy[i] + sigma * self.child_score(i).unwrap_or(0.0);
                score(a).total_cmp(&score(b))
            })
            .unwrap_or(0);
        let best = self.winning_child().unwrap_or(best);

        let highest = improved.iter().copied().fold(f32::MIN, f32::max);
        let weights: Vec<f32> = improved.iter().map(|logit| (logit - highest).exp()).collect();
        let total: f32 = weights.iter().sum();
        let children = self.tree.children(0);
        let moves = children.iter().zip(&weights);
        let policy = moves.filter_map(|(child, w)| Some((child.mv?, w / total))).collect();
        Some(GumbelResult { best: children[best].mv?, policy, wdl: self.wdl() })
    }

    /// Spends the simulations by sequential halving; returns visits made to each child.
    fn halve(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        noisy: &[f32],
        config: &GumbelConfig,
    ) -> Vec<u32> {
        let actions = noisy.len();
        let considered = config.considered.min(config.simulations).max(1) as usize;
        let considered = considered.min(actions);
        let mut order: Vec<usize> = (0..actions).collect();
        order.sort_by(|&a, &b| noisy[b].total_cmp(&noisy[a]));
        order.truncate(considered);
        let mut visits = vec![0; actions];
        for target in halving_schedule(considered, config.simulations as usize) {
            if self.tree.root().proof != Proof::Unknown {
                break;
            }
            let sigma = self.sigma_scale(config);
            let score = |i: &usize| noisy[*i] + sigma * self.child_score(*i).unwrap_or(0.0);
            let candidates = order.iter().copied().filter(|&i| visits[i] == target);
            let Some(child) = candidates.max_by(|a, b| score(a).total_cmp(&score(b))) else {
                continue;
            };
            self.playout(evaluator, Some(child));
            visits[child] += 1;
        }
        visits
    }

    /// The paper's sigma is linear in Q: (c_visit + max N) c_scale.
    fn sigma_scale(&self, config: &GumbelConfig) -> f32 {
        let most = self.tree.children(0).iter().map(|child| child.visits).max().unwrap_or(0);
        (config.c_visit + most as f32) * config.c_scale
    }

    /// A root child's expected score for the side to move, exact where proven.
    fn child_score(&self, child: usize) -> Option<f32> {
        let child = &self.tree.children(0)[child];
        let proven = child.proof.wdl(self.game.side_to_move());
        proven.map(Wdl::score).or_else(|| child.mean())
    }

    /// The root children that are not proven to lose; all if every one is. Noise and a
    /// mistaken policy may outweigh a value, but never a proof.
    fn moves_not_lost(&self) -> Vec<usize> {
        let loss = Proof::of(Some(self.game.side_to_move().other()));
        let children = self.tree.children(0);
        let open: Vec<usize> = (0..children.len()).filter(|&i| children[i].proof != loss).collect();
        if open.is_empty() { (0..children.len()).collect() } else { open }
    }

    /// A root child that is proven to win.
    fn winning_child(&self) -> Option<usize> {
        let win = Proof::of(Some(self.game.side_to_move()));
        self.tree.children(0).iter().position(|child| child.proof == win)
    }

    /// Logits plus sigma of completed Q-values; moves without visits get the mixed value
    /// estimate of the paper's Appendix D.
    fn improved_logits(&self, logits: &[f32], sigma: f32) -> Vec<f32> {
        let children = self.tree.children(0);
        let (mut visits, mut prior, mut weighted) = (0.0, 0.0, 0.0);
        for (i, child) in children.iter().enumerate() {
            if let Some(score) = self.child_score(i) {
                visits += child.visits as f32;
                prior += child.prior;
                weighted += child.prior * score;
            }
        }
        let value = self.root_value.score();
        let mixed =
            if prior > 0.0 { (value + visits * weighted / prior) / (1.0 + visits) } else { value };
        let completed = (0..logits.len()).map(|i| self.child_score(i).unwrap_or(mixed));
        logits.iter().zip(completed).map(|(logit, q)| logit + sigma * q).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_halves() {
        // 4 actions, 16 simulations: 2 phases of 8: two visits each, then four each for two.
        assert_eq!(halving_schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(halving_schedule(1, 3), [0, 1, 2]);
        for (considered, simulations) in [(16, 16), (16, 32), (7, 5), (3, 100), (2, 1)] {
            assert_eq!(halving_schedule(considered, simulations).len(), simulations);
        }
    }
}
