//! The search for a move of a training game.
//!
//! The search is close to AlphaZero's (Silver et al., "A general reinforcement learning algorithm
//! that masters chess, shogi, and Go through self-play", Science 2018). The root is searched by
//! PUCT like every other node. Dirichlet noise is mixed into its policy if exploration is wanted.
//! The training target is the shares of the visits. A search with noise begins with an empty tree.
//!
//! Unlike the paper, the search respects proofs: a move that is proven to win takes all of the
//! policy, and moves that are proven to lose take none. [`TrainingSearch`] is the search as steps
//! between evaluations. [`Search::training`] is a plain loop over these steps.

use super::tree::Node;
use super::{Proof, Request, Search};
use fusion_game::Game;
use fusion_game::evaluator::{Evaluator, Wdl};
use rand::Rng;
use rand_distr::{Distribution, Gamma};

/// Sum of the Dirichlet distribution's parameters: each parameter is this number divided by the
/// number of legal moves. The paper fixes 0.3 for chess, where about 35 moves are legal.
const CONCENTRATION: f64 = 10.0;

/// Settings of a search for a training game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingConfig {
    /// Number of playouts.
    pub simulations: u32,
    /// Share of Dirichlet noise in the root's policy. With noise the search begins with an empty
    /// tree. With 0 it keeps the tree of earlier searches.
    pub noise: f32,
}

impl TrainingConfig {
    /// The paper's share of noise.
    pub const NOISE: f32 = 0.25;

    /// Returns the settings of a full search of training games.
    #[must_use]
    pub fn full(simulations: u32) -> Self {
        Self { simulations, noise: Self::NOISE }
    }
}

/// Result of a search for a training game.
#[derive(Clone, Debug)]
pub struct TrainingResult<M> {
    /// The move to play.
    pub best: M,
    /// Shares of the visits over all legal moves. They sum to 1.
    pub policy: Vec<(M, f32)>,
    /// The root's chances for the side to move.
    pub wdl: Wdl,
}

/// A search that stops wherever it needs an evaluation. The caller may collect the requests of many
/// searches and evaluate them at once.
#[derive(Clone, Debug)]
pub struct TrainingSearch {
    /// Playouts that remain.
    left: u32,
    /// Share of noise that is not mixed in yet.
    noise: f32,
    /// The root's policy without noise, while the root has the noisy one.
    clean: Option<Vec<f32>>,
    /// Whether the current descent continues after its leaf is expanded.
    descending: bool,
}

impl TrainingSearch {
    /// Begins a search. Returns `None` if the game is over.
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

    /// Continues until an evaluation is needed, and returns the request. `None` at the end of the
    /// search.
    ///
    /// The caller must answer [`Request::Value`] with [`Search::backup`] and [`Request::Policy`]
    /// with [`Search::expand`] before the next call. The search and the generator must be the same
    /// in all calls.
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

    /// Runs the rest of the search with an evaluator that returns at once. Returns false if `stop`,
    /// which is called before every evaluation, returned true.
    pub fn finish<G: Game>(
        &mut self,
        search: &mut Search<G>,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        while let Some(request) = self.next(search, rng) {
            if stop() {
                return false;
            }
            search.answer(request, evaluator);
        }
        true
    }

    /// Returns the result of the search, whose policy is the shares of the visits. `None` before
    /// the root has children.
    #[must_use]
    pub fn result<G: Game>(&self, search: &Search<G>) -> Option<TrainingResult<G::Move>> {
        let children = search.tree.children(0);
        let open = search.winning_child().map_or_else(|| search.moves_not_lost(), |win| vec![win]);
        let mut shares = vec![0.0; children.len()];
        let mut share = |of: &dyn Fn(&Node<G::Move>) -> f32| -> f32 {
            open.iter().for_each(|&i| shares[i] = of(&children[i]));
            shares.iter().sum()
        };
        let mut total = share(&|child| child.visits as f32);
        // The total is zero only if the search visited nothing but lost moves.
        if total == 0.0 {
            total = share(&|child| child.prior);
        }
        // The priors may be zero as well, if the policy was sure of the lost moves.
        if total == 0.0 {
            total = share(&|_| 1.0);
        }
        // Of equal moves the first is chosen, which has the highest prior.
        let best = open.into_iter().rev().max_by(|&a, &b| {
            let score = |i: usize| search.child_score(i).unwrap_or(0.0);
            shares[a].total_cmp(&shares[b]).then(score(a).total_cmp(&score(b)))
        })?;
        let moves = children.iter().zip(&shares);
        let policy = moves.filter_map(|(child, share)| Some((child.mv?, share / total))).collect();
        Some(TrainingResult { best: children[best].mv?, policy, wdl: search.wdl() })
    }
}

impl<G: Game> Search<G> {
    /// Searches for a move of a training game. Returns `None` if the game is over.
    pub fn training(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
        config: &TrainingConfig,
    ) -> Option<TrainingResult<G::Move>> {
        let mut run = TrainingSearch::start(self, config)?;
        run.finish(self, evaluator, rng, &|| false);
        run.result(self)
    }

    /// Returns the root children that are not proven to lose, or all children if every one is.
    /// Noise and a wrong policy may outweigh a value, but never a proof.
    fn moves_not_lost(&self) -> Vec<usize> {
        let loss = Proof::of(Some(self.game.side_to_move().other()));
        let children = self.tree.children(0);
        let open: Vec<usize> = (0..children.len()).filter(|&i| children[i].proof != loss).collect();
        if open.is_empty() { (0..children.len()).collect() } else { open }
    }

    /// Returns a root child that is proven to win.
    fn winning_child(&self) -> Option<usize> {
        let win = Proof::of(Some(self.game.side_to_move()));
        self.tree.children(0).iter().position(|child| child.proof == win)
    }

    /// Empties the tree.
    fn forget(&mut self) {
        self.tree.clear();
        self.root_mover = self.game.side_to_move().other();
    }

    /// Mixes noise into the policy of a root whose moves have no visits. Returns the policy without
    /// noise, in the new order of the moves.
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

/// Samples from the symmetric Dirichlet distribution over `moves` moves: gamma variates divided by
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
