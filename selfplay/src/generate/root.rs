//! The search for one move of a training game, of either kind, and what is recorded of it.

use fusion_engine::evaluator::{Evaluator, Wdl};
use fusion_engine::game::Game;
use fusion_engine::search::{
    GumbelConfig, GumbelResult, GumbelRun, Request, Search, VisitsConfig, VisitsRun,
};
use rand_chacha::ChaCha8Rng;

use crate::records::{RootWdl, Searched, Target};
use crate::study::{RootKind, SelfplayConfig};

/// Share of the noise in a full search by visits.
const NOISE: f32 = 0.25;

/// A search under way, of the kind that the configuration asks for.
pub(super) enum RootRun {
    Gumbel(GumbelRun),
    Visits(VisitsRun),
}

impl RootRun {
    /// Begins a search. A full one explores with noise; a fast one just plays well. `None` if
    /// the game is over.
    pub(super) fn start<G: Game>(
        search: &mut Search<G>,
        config: &SelfplayConfig,
        full: bool,
    ) -> Option<Self> {
        let simulations = if full { config.simulations } else { config.fast_simulations };
        match config.root {
            RootKind::Gumbel => {
                let gumbel_scale = if full { config.gumbel_scale } else { 0.0 };
                let SelfplayConfig { considered, c_visit, c_scale, .. } = *config;
                let config =
                    GumbelConfig { simulations, considered, gumbel_scale, c_visit, c_scale };
                GumbelRun::start(search, &config).map(Self::Gumbel)
            }
            RootKind::Visits => {
                let noise = if full { NOISE } else { 0.0 };
                let config = VisitsConfig { simulations, noise };
                VisitsRun::start(search, &config).map(Self::Visits)
            }
        }
    }

    /// What the search needs before it can go on; `None` if it is finished.
    pub(super) fn next<G: Game>(
        &mut self,
        search: &mut Search<G>,
        rng: &mut ChaCha8Rng,
    ) -> Option<Request> {
        match self {
            Self::Gumbel(run) => run.next(search, rng),
            Self::Visits(run) => run.next(search, rng),
        }
    }

    /// The rest of the search, with an evaluator that answers at once.
    pub(super) fn finish<G: Game>(
        &mut self,
        search: &mut Search<G>,
        evaluator: &mut dyn Evaluator<G>,
        rng: &mut ChaCha8Rng,
    ) {
        while let Some(request) = self.next(search, rng) {
            search.answer(request, evaluator);
        }
    }

    /// What the search has found; `None` before the root has children.
    pub(super) fn result<G: Game>(&self, search: &Search<G>) -> Option<GumbelResult<G::Move>> {
        match self {
            Self::Gumbel(run) => run.result(search),
            Self::Visits(run) => run.result(search),
        }
    }
}

/// What is recorded of a search.
pub(super) fn searched<G: Game>(
    search: &Search<G>,
    found: &GumbelResult<G::Move>,
    full: bool,
) -> Searched {
    let Wdl { win, draw, loss } = found.wdl;
    let game = search.game();
    let target = || {
        let codes = found.policy.iter().map(|&(mv, share)| (game.encode_move(mv), share));
        Target::new(&codes.collect::<Vec<_>>(), surprise(search, found))
    };
    Searched { root: RootWdl::new([win, draw, loss]), target: full.then(target).flatten() }
}

/// Kullback-Leibler divergence of the search's policy from the network's own, in nats.
fn surprise<G: Game>(search: &Search<G>, found: &GumbelResult<G::Move>) -> f32 {
    let children = search.children();
    let terms = found.policy.iter().filter_map(|&(mv, share)| {
        let child = children.iter().find(|child| child.mv == mv)?;
        (share > 0.0).then(|| share * (share / child.prior.max(1e-9)).ln())
    });
    terms.sum()
}
