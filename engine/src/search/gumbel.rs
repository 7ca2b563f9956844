//! Gumbel search at the root, for training games.
//!
//! Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with
//! Gumbel" (ICLR 2022): actions are sampled without replacement by the Gumbel-top-k
//! trick, sequential halving spends the simulations on them, and the policy target is the
//! softmax of logits plus a monotone transform of completed Q-values. Below the root the
//! search is the same as everywhere else. [`GumbelRun`] is the search as steps between
//! evaluations, [`Search::gumbel`] a plain loop over them.

use super::{Request, Search, Urge, tree::Proof};
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

/// A Gumbel search under way, which stops wherever it needs an evaluation: whoever runs it
/// may collect what many searches need and evaluate it at once.
#[derive(Clone, Debug)]
pub struct GumbelRun {
    config: GumbelConfig,
    /// `None` until the root has children.
    halving: Option<Halving>,
}

/// Sequential halving under way. Lists are parallel to the root's children.
#[derive(Clone, Debug)]
struct Halving {
    logits: Vec<f32>,
    noisy: Vec<f32>,
    /// The children that share the simulations.
    considered: Vec<usize>,
    /// Simulations of each child.
    visits: Vec<u32>,
    schedule: std::vec::IntoIter<u32>,
    /// Whether the descent under way goes on once its leaf is expanded.
    descending: bool,
}

impl GumbelRun {
    /// Begins so many more playouts of a search. `None` if the game is over.
    pub fn start<G: Game>(search: &mut Search<G>, config: &GumbelConfig) -> Option<Self> {
        (!search.is_over()).then_some(Self { config: *config, halving: None })
    }

    /// Goes on until something is needed: [`Request::Value`] and [`Request::Policy`] must be
    /// answered before the next call, by [`Search::backup`] and [`Search::expand`]. `None`
    /// at the end. The search and the generator must be the same in all calls.
    pub fn next<G: Game>(&mut self, search: &mut Search<G>, rng: &mut impl Rng) -> Option<Request> {
        let halving = match &mut self.halving {
            Some(halving) => halving,
            None => match search.root_request() {
                Some(request) => return Some(request),
                None => self.halving.insert(Halving::new(search, rng, &self.config)),
            },
        };
        if !halving.descending {
            let child = halving.next_child(search, &self.config)?;
            search.begin(Some(child));
        }
        let request = search.descend();
        halving.descending = request == Request::Policy;
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

    /// What the search has found; `None` before the root has children.
    #[must_use]
    pub fn result<G: Game>(&self, search: &Search<G>) -> Option<GumbelResult<G::Move>> {
        let Halving { logits, noisy, visits, .. } = self.halving.as_ref()?;
        let sigma = search.sigma_scale(&self.config);
        let open = search.moves_not_lost();
        let most = open.iter().map(|&i| visits[i]).max().unwrap_or(0);
        let best = open
            .into_iter()
            .filter(|&i| visits[i] == most)
            .max_by(|&a, &b| {
                let score = |i: usize| noisy[i] + sigma * search.child_score(i).unwrap_or(0.0);
                score(a).total_cmp(&score(b))
            })
            .unwrap_or(0);
        let best = search.winning_child().unwrap_or(best);

        let improved = search.improved_logits(logits, sigma);
        let highest = improved.iter().copied().fold(f32::MIN, f32::max);
        let weights: Vec<f32> = improved.iter().map(|logit| (logit - highest).exp()).collect();
        let total: f32 = weights.iter().sum();
        let children = search.tree.children(0);
        let moves = children.iter().zip(&weights);
        let policy = moves.filter_map(|(child, w)| Some((child.mv?, w / total))).collect();
        Some(GumbelResult { best: children.get(best)?.mv?, policy, wdl: search.wdl() })
    }
}

impl Halving {
    /// Draws the noise over the root's children.
    fn new<G: Game>(search: &Search<G>, rng: &mut impl Rng, config: &GumbelConfig) -> Self {
        let children = search.tree.children(0);
        let logits: Vec<f32> = children.iter().map(|child| child.prior.max(1e-9).ln()).collect();
        let noisy: Vec<f32> =
            logits.iter().map(|logit| logit + config.gumbel_scale * gumbel(rng)).collect();
        let actions = noisy.len();
        let count = config.considered.min(config.simulations).max(1) as usize;
        let count = count.min(actions);
        let mut considered: Vec<usize> = (0..actions).collect();
        considered.sort_by(|&a, &b| noisy[b].total_cmp(&noisy[a]));
        considered.truncate(count);
        Self {
            logits,
            noisy,
            considered,
            visits: vec![0; actions],
            schedule: halving_schedule(count, config.simulations as usize).into_iter(),
            descending: false,
        }
    }

    /// The child of the next simulation; `None` when all are spent or the root is proven.
    fn next_child<G: Game>(&mut self, search: &Search<G>, config: &GumbelConfig) -> Option<usize> {
        if search.tree.root().proof != Proof::Unknown {
            return None;
        }
        let sigma = search.sigma_scale(config);
        let (noisy, visits) = (&self.noisy, &mut self.visits);
        let score = |i: &usize| noisy[*i] + sigma * search.child_score(*i).unwrap_or(0.0);
        let considered = &self.considered;
        let child = self.schedule.find_map(|target| {
            let candidates = considered.iter().copied().filter(|&i| visits[i] == target);
            candidates.max_by(|a, b| score(a).total_cmp(&score(b)))
        })?;
        visits[child] += 1;
        Some(child)
    }
}

impl<G: Game> Search<G> {
    /// Searches the root with so many more playouts. `None` if the game is over.
    pub fn gumbel(
        &mut self,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut impl Rng,
        config: &GumbelConfig,
    ) -> Option<GumbelResult<G::Move>> {
        let mut run = GumbelRun::start(self, config)?;
        run.finish(self, evaluator, rng);
        run.result(self)
    }

    /// The paper's sigma is linear in Q: (c_visit + max N) c_scale.
    fn sigma_scale(&self, config: &GumbelConfig) -> f32 {
        let most = self.tree.children(0).iter().map(|child| child.visits).max().unwrap_or(0);
        (config.c_visit + most as f32) * config.c_scale
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

    /// The root children that are not proven to lose; all if every one is. Noise and a
    /// mistaken policy may outweigh a value, but never a proof.
    pub(super) fn moves_not_lost(&self) -> Vec<usize> {
        let loss = Proof::of(Some(self.game.side_to_move().other()));
        let children = self.tree.children(0);
        let open: Vec<usize> = (0..children.len()).filter(|&i| children[i].proof != loss).collect();
        if open.is_empty() { (0..children.len()).collect() } else { open }
    }

    /// A root child that is proven to win.
    pub(super) fn winning_child(&self) -> Option<usize> {
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
#[path = "gumbel_tests.rs"]
mod tests;
