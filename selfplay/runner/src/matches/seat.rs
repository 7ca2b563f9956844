//! Players in a game.

use fusion_game::CompleteGame;
use fusion_game::evaluator::{Evaluator, MoveEvaluator};
use fusion_search::pvs::{Limits, Pvs, PvsConfig};
use fusion_search::{Search, SearchConfig};
use rand_chacha::ChaCha8Rng;

use crate::play::{self, Turns};
use fusion_jobs::stop::Stop;

/// Start of a game.
pub(crate) struct Start<G: CompleteGame> {
    /// The position with its history.
    pub(crate) game: G,
    /// The text of the initial position, or of the position that was set up.
    pub(crate) first: String,
    /// The moves, in coordinate notation, that led from there.
    pub(crate) line: Vec<String>,
    /// The turns among them.
    pub(crate) turns: Turns,
}

impl<G: CompleteGame> Start<G> {
    /// Returns a start at a position that was set up.
    pub(crate) fn at(game: G) -> Self {
        Self { first: game.to_text(), game, line: Vec::new(), turns: Turns::default() }
    }
}

/// A player in one game.
pub(crate) trait Seat<G: CompleteGame> {
    /// Returns the move to play in a game that is not over; `None` if stopped.
    ///
    /// # Errors
    /// Fails if a program fails.
    fn choose(&mut self, game: &G, stop: &Stop) -> anyhow::Result<Option<G::Move>>;

    /// Receives the move that was chosen in this position, by this player or by the opponent.
    fn advance(&mut self, game: &G, mv: G::Move);
}

/// Tree search with PUCT, without noise. It keeps its tree from move to move.
pub(super) struct Tree<G: CompleteGame> {
    search: Search<G>,
    evaluator: Box<dyn Evaluator<G>>,
    ties: ChaCha8Rng,
    nodes: u32,
}

impl<G: CompleteGame> Tree<G> {
    pub(super) fn new(
        search: SearchConfig,
        start: &G,
        evaluator: Box<dyn Evaluator<G>>,
        ties: ChaCha8Rng,
        nodes: u32,
    ) -> Self {
        Self { search: Search::new(search, start.clone()), evaluator, ties, nodes }
    }
}

impl<G: CompleteGame> Seat<G> for Tree<G> {
    fn choose(&mut self, _: &G, stop: &Stop) -> anyhow::Result<Option<G::Move>> {
        let thought = play::think(&mut self.search, self.evaluator.as_mut(), self.nodes, stop);
        Ok(thought.then(|| self.search.best_move(&mut self.ties)).flatten())
    }

    fn advance(&mut self, _: &G, mv: G::Move) {
        self.search.advance(mv);
    }
}

/// Alpha-beta search of selective depth. It keeps its table from move to move.
pub(super) struct PrincipalVariation<G: CompleteGame> {
    search: Pvs<G>,
    nodes: u32,
}

impl<G: CompleteGame> PrincipalVariation<G> {
    pub(super) fn new(config: PvsConfig, evaluator: Box<dyn MoveEvaluator<G>>, nodes: u32) -> Self {
        Self { search: Pvs::new(config, evaluator), nodes }
    }
}

impl<G: CompleteGame> Seat<G> for PrincipalVariation<G> {
    fn choose(&mut self, game: &G, stop: &Stop) -> anyhow::Result<Option<G::Move>> {
        let limits = Limits::nodes(self.nodes.into());
        let found = self.search.search(game, limits, &|| stop.requested());
        let best = found.and_then(|found| found.lines[0].moves.first().copied());
        Ok(best.filter(|_| !stop.requested()))
    }

    fn advance(&mut self, _: &G, _: G::Move) {}
}
