//! The search for a move of a training game.
//!
//! It is close to AlphaZero's (Silver et al., "A general reinforcement learning algorithm that
//! masters chess, shogi, and Go through self-play", Science 2018): the root is searched like every
//! other node, by PUCT, with Dirichlet noise mixed into its policy where exploration is wanted,
//! and what is learnt are the shares of the visits. A search with noise begins from an empty tree.
//! Proofs are respected beyond the paper: a move that is proven to win takes all of the policy,
//! moves that are proven to lose have no part in it. [`TrainingRun`] is the search as steps
//! between evaluations, [`Search::training`] a plain loop over them.

use super::tree::Node;
use super::{Proof, Request, Search};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;
use rand::Rng;
use rand_distr::{Distribution, Gamma};

/// The Dirichlet distribution's parameter is this divided by the number of legal moves; the paper
/// fixes 0.3 for chess, where some 35 moves are legal.
const CONCENTRATION: f64 = 10.0;

/// Settings of a search for a training game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingConfig {
    /// Playouts.
    pub simulations: u32,
    /// Share of Dirichlet noise in the root's policy. With noise the search begins from an
    /// empty tree; with 0 it keeps what earlier searches have found.
    pub noise: f32,
}

impl TrainingConfig {
    /// The paper's share of noise.
    pub const NOISE: f32 = 0.25;
}

/// What a search for a training game found.
#[derive(Clone, Debug)]
pub struct Found<M> {
    /// The move to play.
    pub best: M,
    /// The shares of the visits over all legal moves; sums to 1.
    pub policy: Vec<(M, f32)>,
    /// The root's chances for the side to move.
    pub wdl: Wdl,
}

/// A search under way, which stops wherever it needs an evaluation: whoever runs it may collect
/// what many searches need and evaluate it at once.
#[derive(Clone, Debug)]
pub struct TrainingRun {
    /// Playouts still to be made.
    left: u32,
    /// Share of noise still to be mixed in.
    noise: f32,
    /// The root's policy without the noise, as long as that lies over it.
    clean: Option<Vec<f32>>,
    /// Whether the descent under way goes on once its leaf is expanded.
    descending: bool,
}

impl TrainingRun {
    /// Begins a search. `None` if the game is over.
    pub fn start<G: Game>(search: &mut Search<G>, config: &TrainingConfig) -> Option<Self> {
        if search.is_over() {
            return None;
        }
        let TrainingConfig { simulations: left, noise } = *config;
        if noise > 0.0 {
            search.forget();
        }
        Some(Self { left, noise, clean: None, descending: false })
    }

    /// Goes on until something is needed: [`Request::Value`] and [`Request::Policy`] must be
    /// answered before the next call, by [`Search::backup`] and [`Search::expand`]. `None`
    /// at the end. The search and the generator must be the same in all calls.
    pub fn next<G: Game>(&mut self, search: &mut Search<G>, rng: &mut impl Rng) -> Option<Request> {
        if !self.descending {
            if let Some(request) = search.root_request() {
                return Some(request);
            }
            if self.noise > 0.0 {
                self.clean = Some(search.mix_noise(self.noise, rng));
                self.noise = 0.0;
            }
            if self.left == 0 || search.proof() != Proof::Unknown {
                self.left = 0;
                self.clean.take().iter().for_each(|clean| search.set_root_policy(clean));
                return None;
            }
            self.left -= 1;
            search.begin(None);
        }
        let request = search.descend();
        self.descending = request == Request::Policy;
        Some(request)
    }

    /// The rest of the search, with an evaluator that answers at once.
    pub fn finish<G: Game>(
        &mut self,
        search: &mut Search<G>,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
    ) {
        while let Some(request) = self.next(search, rng) {
            search.answer(request, evaluator);
        }
    }

    /// What the search has found: its policy are the shares of visits. `None` before the root
    /// has children.
    #[must_use]
    pub fn result<G: Game>(&self, search: &Search<G>) -> Option<Found<G::Move>> {
        let children = search.tree.children(0);
        let open = search.winning_child().map_or_else(|| search.moves_not_lost(), |win| vec![win]);
        let mut shares = vec![0.0; children.len()];
        let mut share = |of: &dyn Fn(&Node<G::Move>) -> f32| -> f32 {
            open.iter().for_each(|&i| shares[i] = of(&children[i]));
            shares.iter().sum()
        };
        let mut total = share(&|child| child.visits as f32);
        // Only if nothing but lost moves was tried have all others no visits.
        if total == 0.0 {
            total = share(&|child| child.prior);
        }
        // So sure may the policy have been of those.
        if total == 0.0 {
            total = share(&|_| 1.0);
        }
        // Of equals the first, which is the policy's favourite.
        let best = open.into_iter().rev().max_by(|&a, &b| {
            let score = |i: usize| search.child_score(i).unwrap_or(0.0);
            shares[a].total_cmp(&shares[b]).then(score(a).total_cmp(&score(b)))
        })?;
        let moves = children.iter().zip(&shares);
        let policy = moves.filter_map(|(child, share)| Some((child.mv?, share / total))).collect();
        Some(Found { best: children[best].mv?, policy, wdl: search.wdl() })
    }
}

impl<G: Game> Search<G> {
    /// Searches for a move of a training game. `None` if the game is over.
    pub fn training(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
        config: &TrainingConfig,
    ) -> Option<Found<G::Move>> {
        let mut run = TrainingRun::start(self, config)?;
        run.finish(self, evaluator, rng);
        run.result(self)
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

    /// Empties the tree.
    fn forget(&mut self) {
        self.tree.clear();
        self.root_mover = self.game.side_to_move().other();
    }

    /// Mixes noise into the policy of a root whose moves have no visits, and returns that
    /// policy as it was, in the new order of the moves.
    fn mix_noise(&mut self, share: f32, rng: &mut impl Rng) -> Vec<f32> {
        let range = self.tree.root().range();
        let children = &mut self.tree.nodes[range];
        let noise = dirichlet(children.len(), rng);
        let mix = |(child, noise): (&Node<G::Move>, f32)| {
            let mut noisy = *child;
            noisy.prior += share * (noise - child.prior);
            (noisy, child.prior)
        };
        let mut mixed: Vec<_> = children.iter().zip(noise).map(mix).collect();
        mixed.sort_by(|a, b| b.0.prior.total_cmp(&a.0.prior));
        children.iter_mut().zip(&mixed).for_each(|(child, (noisy, _))| *child = *noisy);
        mixed.into_iter().map(|(_, clean)| clean).collect()
    }

    /// Replaces the probabilities of the root's moves and sorts the moves by them.
    fn set_root_policy(&mut self, policy: &[f32]) {
        let range = self.tree.root().range();
        let children = &mut self.tree.nodes[range];
        children.iter_mut().zip(policy).for_each(|(child, &prior)| child.prior = prior);
        children.sort_by(|a, b| b.prior.total_cmp(&a.prior));
        let last_opened = children.iter().rposition(|child| child.visits > 0);
        self.tree.nodes[0].opened = last_opened.map_or(0, |last| last as u16 + 1);
    }
}

/// A draw from the symmetric Dirichlet distribution over so many moves, as gamma variates over
/// their sum.
fn dirichlet(moves: usize, rng: &mut impl Rng) -> Vec<f32> {
    let gamma = Gamma::new(CONCENTRATION / moves as f64, 1.0).expect("a positive shape");
    let draws: Vec<f64> = (0..moves).map(|_| gamma.sample(rng)).collect();
    let total: f64 = draws.iter().sum();
    draws.into_iter().map(|draw| (draw / total) as f32).collect()
}

#[cfg(test)]
#[path = "training_tests.rs"]
mod tests;
