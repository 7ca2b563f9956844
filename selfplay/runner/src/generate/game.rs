//! A training game, as steps between evaluations.

use anyhow::Context;
use fusion_game::evaluator::{Evaluator, Wdl};
use fusion_game::{CompleteGame, Outcome};
use fusion_search::{Request, Search, TrainingConfig, TrainingResult, TrainingSearch};
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::Mix;
use crate::play::{self, Turns};
use crate::records::{Ply, Record, RootWdl, Searched, Target};
use fusion_jobs::exit::Failure;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;
use fusion_study::SelfplayConfig;

/// Number of attempts to draw an opening that does not end the game and is kept. After them the
/// game has no random opening.
const OPENING_ATTEMPTS: u32 = 100;

/// A game in progress. It stops whenever its search needs an evaluation, so that the leaves of many
/// games can be evaluated together. The game does not depend on the code that runs it.
pub(super) struct TrainingGame<'a, G: CompleteGame> {
    config: &'a SelfplayConfig,
    rules: G::Rules,
    /// The position before the random plies.
    start: String,
    search: Search<G>,
    plies: Vec<Ply>,
    turns: Turns,
    temperature_ends: u32,
    rng: ChaCha8Rng,
    moves: Vec<G::Move>,
    thinking: Option<Thinking>,
}

/// A search for a move.
struct Thinking {
    run: TrainingSearch,
    full: bool,
}

/// Result of a turn of the game.
pub(super) enum Turn {
    /// The search for the next move has begun. It must be finished before the next turn.
    Thinks,
    /// The move found by the search has been made.
    Moved,
    /// The game is over.
    Over(Outcome),
}

impl<'a, G: CompleteGame> TrainingGame<'a, G> {
    /// Creates the game of these numbers, after its random plies.
    ///
    /// # Errors
    /// Fails as [`Mix::draw`] does.
    pub(super) fn new(
        config: &'a SelfplayConfig,
        mix: &Mix<G>,
        numbers: &[u64],
    ) -> Result<Self, Failure> {
        let mut rng = seeds::stream("training game", numbers);
        let rules = mix.draw(&mut rng)?;
        let start = first_position::<G>(&rules, &mut rng);
        let opening = random_opening(&start, config.random_plies, &mut rng, |_| Some(()));
        let (Opening { game, plies, turns }, _) = opening;
        Ok(Self {
            config,
            rules,
            start: start.to_text(),
            search: Search::new(config.search, game),
            temperature_ends: (plies.len() as u32).saturating_add(config.temperature_plies),
            plies,
            turns,
            rng,
            moves: Vec::new(),
            thinking: None,
        })
    }

    /// Returns the search that a request's leaf belongs to.
    pub(super) fn search(&self) -> &Search<G> {
        &self.search
    }

    /// Returns the search, to pass it the evaluation that it requested.
    pub(super) fn search_mut(&mut self) -> &mut Search<G> {
        &mut self.search
    }

    /// Returns the evaluation that the search needs before it can continue; `None` if it is
    /// finished or not begun.
    pub(super) fn request(&mut self) -> Option<Request> {
        let thinking = self.thinking.as_mut()?;
        thinking.run.next(&mut self.search, &mut self.rng)
    }

    /// Runs the search to its end with an evaluator that answers at once. Returns false if stopped.
    pub(super) fn search_with(&mut self, evaluator: &mut dyn Evaluator<G>, stop: &Stop) -> bool {
        let Self { thinking, search, rng, .. } = self;
        thinking.as_mut().is_none_or(|thinking| {
            thinking.run.finish(search, evaluator, rng, &|| stop.requested())
        })
    }

    /// Performs the steps before and after a search.
    pub(super) fn turn(&mut self) -> anyhow::Result<Turn> {
        if let Some(thinking) = self.thinking.take() {
            self.make_move(thinking)?;
            return Ok(Turn::Moved);
        }
        if let Some(outcome) = self.outcome() {
            return Ok(Turn::Over(outcome));
        }
        self.think()?;
        Ok(Turn::Thinks)
    }

    fn outcome(&mut self) -> Option<Outcome> {
        self.moves.clear();
        self.search.game().legal_moves(&mut self.moves);
        play::outcome(self.search.game(), &self.moves, self.turns, self.config.cap)
    }

    /// Begins the next search. A full search explores with noise, since its visits are a policy
    /// target. A fast search only has to play well.
    fn think(&mut self) -> anyhow::Result<()> {
        let full = self.rng.random_bool(self.config.full_share);
        let SelfplayConfig { simulations, fast_simulations, noise, .. } = *self.config;
        let config = if full {
            TrainingConfig { simulations, noise }
        } else {
            TrainingConfig { simulations: fast_simulations, noise: 0.0 }
        };
        let run = TrainingSearch::start(&mut self.search, &config).with_context(|| self.stuck())?;
        self.thinking = Some(Thinking { run, full });
        Ok(())
    }

    /// Makes the move that the search has found.
    fn make_move(&mut self, Thinking { run, full }: Thinking) -> anyhow::Result<()> {
        let found = run.result(&self.search).with_context(|| self.stuck())?;
        let mv = if (self.plies.len() as u32) < self.temperature_ends {
            draw_move(&found, self.config.temperature, &mut self.rng)
        } else {
            found.best
        };
        self.plies.push(Ply {
            code: self.search.game().encode_move(mv),
            search: Some(searched(&self.search, &found, full)),
        });
        let mover = self.search.game().side_to_move();
        self.search.advance(mv);
        self.turns.count(mover, self.search.game().side_to_move());
        Ok(())
    }

    fn stuck(&self) -> String {
        format!("no move can be found in {} ({})", self.search.game().to_text(), self.rules)
    }

    /// Returns the record of the game with this outcome.
    pub(super) fn record(self, outcome: Outcome) -> Record {
        Record { rules: self.rules.to_string(), start: self.start, outcome, plies: self.plies }
    }
}

/// Draws an initial position of the rules.
pub(super) fn first_position<G: CompleteGame>(rules: &G::Rules, rng: &mut ChaCha8Rng) -> G {
    match G::starts(rules) {
        1 => G::new(rules),
        several => G::start(rules, rng.random_range(0..several as u64)),
    }
}

/// The random plies of a game, and the position after them.
pub(super) struct Opening<G> {
    pub(super) game: G,
    pub(super) plies: Vec<Ply>,
    pub(super) turns: Turns,
}

/// Returns an opening of `from` to `to` uniformly random plies, and the result of `judge` for its
/// position. Openings for which `judge` returns `None` are drawn again. If no attempt succeeds, the
/// opening has no plies and is not judged.
pub(super) fn random_opening<G: CompleteGame, T>(
    start: &G,
    (from, to): (u32, u32),
    rng: &mut ChaCha8Rng,
    mut judge: impl FnMut(&G) -> Option<T>,
) -> (Opening<G>, Option<T>) {
    let count = rng.random_range(from..=to);
    let mut attempt = |_| {
        let opening = random_walk(start, count, rng)?;
        let judged = judge(&opening.game)?;
        Some((opening, Some(judged)))
    };
    let none = || Opening { game: start.clone(), plies: Vec::new(), turns: Turns::default() };
    (0..OPENING_ATTEMPTS).find_map(&mut attempt).unwrap_or_else(|| (none(), None))
}

/// Plays uniformly random plies. Returns `None` if they end the game.
fn random_walk<G: CompleteGame>(start: &G, count: u32, rng: &mut ChaCha8Rng) -> Option<Opening<G>> {
    let (mut game, mut turns) = (start.clone(), Turns::default());
    let mut plies = Vec::with_capacity(count as usize);
    let mut moves = Vec::new();
    loop {
        moves.clear();
        game.legal_moves(&mut moves);
        if game.outcome(&moves).is_some() {
            return None;
        }
        if plies.len() as u32 == count {
            return Some(Opening { game, plies, turns });
        }
        let mv = *moves.choose(rng)?;
        let code = game.encode_move(mv);
        plies.push(Ply { code, search: None });
        turns.play(&mut game, mv);
    }
}

/// Draws a move from the search's policy sharpened or flattened by the temperature.
fn draw_move<M: Copy>(found: &TrainingResult<M>, temperature: f32, rng: &mut ChaCha8Rng) -> M {
    let weight = |&(_, share): &(M, f32)| share.max(0.0).powf(1.0 / temperature);
    // All weights vanish only if a low temperature rounds them to zero.
    match WeightedIndex::new(found.policy.iter().map(weight)) {
        Ok(weights) => found.policy[weights.sample(rng)].0,
        Err(_) => found.best,
    }
}

/// Returns the recorded part of a search.
fn searched<G: CompleteGame>(
    search: &Search<G>,
    found: &TrainingResult<G::Move>,
    full: bool,
) -> Searched {
    let Wdl { win, draw, loss } = found.wdl;
    let game = search.game();
    let target = || {
        let codes = found.policy.iter().map(|&(mv, share)| (game.encode_move(mv), share));
        Target::new(&codes.collect::<Vec<_>>(), surprise(search, found))
    };
    let root = RootWdl::new([win, draw, loss]).into();
    Searched { root, target: full.then(target).flatten() }
}

/// Returns the Kullback-Leibler divergence of the search's policy from the network's own, in nats.
fn surprise<G: CompleteGame>(search: &Search<G>, found: &TrainingResult<G::Move>) -> f32 {
    let children = search.children();
    let terms = found.policy.iter().filter_map(|&(mv, share)| {
        let child = children.iter().find(|child| child.mv == mv)?;
        (share > 0.0).then(|| share * (share / child.prior.max(1e-9)).ln())
    });
    terms.sum()
}
