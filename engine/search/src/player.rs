//! Players: what decides on the moves of a game.

use crate::pvs::{Limits, Pvs, PvsLine, PvsResult};
use crate::{Search, SearchConfig};
use fusion_game::evaluator::{Evaluator, Wdl};
use fusion_game::math::{exp, ln};
use fusion_game::tablebase::Tablebase;
use fusion_game::{Game, Tactics};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::sync::Arc;

/// What a player may spend on a move, and how it chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nodes to search.
    pub nodes: u32,
    /// Whether the move is drawn: in proportion to the visits of a tree search, from the best lines of an
    /// alpha-beta search by their values ([`Pvs::with_draws`]).
    pub drawn: bool,
}

impl Effort {
    /// Returns the effort of a search for the best move.
    #[must_use]
    pub fn nodes(nodes: u32) -> Self {
        Self { nodes, drawn: false }
    }
}

/// A move with what the search found out about the position.
#[derive(Clone, Copy, Debug)]
pub struct Thought<M> {
    /// The move to play.
    pub mv: M,
    /// Chances of the side to move, if the player knows them.
    pub wdl: Option<Wdl>,
    /// The entropy of the draw in bits, if the move was drawn.
    pub entropy: Option<f64>,
}

/// Why a player cannot go on.
pub type PlayerError = Box<dyn Error + Send + Sync>;

/// A player of one game, of one side or of both. It keeps what it found from move to move.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_search::pvs::{MaterialCount, Pvs, PvsConfig};
/// use fusion_search::{Effort, Player};
///
/// let rules = Variant::parse("normal").unwrap();
/// let game = TicTacToe::from_text(&rules, "xx.oo....").unwrap();
/// let mut player: Box<dyn Player<TicTacToe>> =
///     Box::new(Pvs::new(PvsConfig::default(), &rules, Box::new(MaterialCount)));
/// let thought = player.think(&game, Effort::nodes(100), &|| false).unwrap().unwrap();
/// assert_eq!(game.move_text(thought.mv), "c1");
/// ```
pub trait Player<G: Game> {
    /// Decides on a move in a game that is not over. Returns `None` if `stop`, which is called from
    /// time to time, returned true.
    ///
    /// # Errors
    /// Fails if there is no move, or if a program that plays fails.
    fn think(
        &mut self,
        game: &G,
        effort: Effort,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Thought<G::Move>>, PlayerError>;

    /// Receives the move that was played in this position, by either side.
    fn advance(&mut self, game: &G, mv: G::Move);
}

const NO_MOVE: &str = "the search found no move in a game that is not over";

/// Tree search without noise, with its evaluator.
pub struct TreePlayer<G: Game> {
    search: Search<G>,
    evaluator: Box<dyn Evaluator<G>>,
    random: Choices,
}

/// Random numbers of the choice of moves.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Those that break ties.
    pub ties: ChaCha8Rng,
    /// Those by which moves are drawn.
    pub draws: ChaCha8Rng,
}

impl<G: Game> TreePlayer<G> {
    /// Creates the player of a game from this position on.
    #[must_use]
    pub fn new(
        config: SearchConfig,
        start: &G,
        evaluator: Box<dyn Evaluator<G>>,
        tablebase: Option<Arc<dyn Tablebase<G>>>,
        random: Choices,
    ) -> Self {
        let search = Search::new(config, start.clone()).with_tablebase(tablebase);
        Self { search, evaluator, random }
    }

    /// Draws a move in proportion to the root's visits. Returns it with the entropy of the draw in
    /// bits.
    fn draw(&mut self) -> Option<(G::Move, f64)> {
        let mut children = self.search.children();
        children.retain(|child| child.visits > 0);
        let rng = &mut self.random.draws;
        if children.is_empty() {
            return Some((self.search.best_move(rng)?, 0.0));
        }
        let total: u32 = children.iter().map(|child| child.visits).sum();
        let chosen = children.choose_weighted(rng, |child| child.visits).ok()?;
        let bits = |visits: u32| {
            let share = f64::from(visits) / f64::from(total);
            -share * share.log2()
        };
        Some((chosen.mv, children.iter().map(|child| bits(child.visits)).sum()))
    }
}

impl<G: Game> Player<G> for TreePlayer<G> {
    fn think(
        &mut self,
        _: &G,
        effort: Effort,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Thought<G::Move>>, PlayerError> {
        if !self.search.think(&mut *self.evaluator, effort.nodes, stop) {
            return Ok(None);
        }
        let (mv, entropy) = if effort.drawn {
            let (mv, entropy) = self.draw().ok_or(NO_MOVE)?;
            (mv, Some(entropy))
        } else {
            (self.search.best_move(&mut self.random.ties).ok_or(NO_MOVE)?, None)
        };
        Ok(Some(Thought { mv, wdl: Some(self.search.wdl()), entropy }))
    }

    fn advance(&mut self, _: &G, mv: G::Move) {
        self.search.advance(mv);
    }
}

/// Lines of an alpha-beta search from which a move is drawn.
const DRAWN_LINES: usize = 5;
/// Difference of values, in hundredths of the cheapest piece, that makes a line less likely by the factor e.
const TEMPERATURE: f32 = 20.0;

/// Draws one of the best lines by their values. Returns it with the entropy of the draw in bits.
fn draw_line<'a, M>(
    found: &'a PvsResult<M>,
    rng: &mut ChaCha8Rng,
) -> Option<(&'a PvsLine<M>, Option<f64>)> {
    let best = found.lines.first()?.value;
    let weight = |line: &PvsLine<M>| exp((line.value - best) as f32 / TEMPERATURE);
    let line = found.lines.choose_weighted(rng, weight).ok()?;
    let total: f32 = found.lines.iter().map(weight).sum();
    let bits = |line: &PvsLine<M>| {
        let share = weight(line) / total;
        if share > 0.0 { f64::from(-share * ln(share)) / std::f64::consts::LN_2 } else { 0.0 }
    };
    Some((line, Some(found.lines.iter().map(bits).sum())))
}

impl<G: Tactics> Player<G> for Pvs<G> {
    fn think(
        &mut self,
        game: &G,
        effort: Effort,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Thought<G::Move>>, PlayerError> {
        let limits = Limits::nodes(effort.nodes.into());
        let draws = effort.drawn && self.draws.is_some();
        let lines = if draws { DRAWN_LINES } else { limits.lines };
        let found = self.search(game, Limits { lines, ..limits }, stop);
        if stop() {
            return Ok(None);
        }
        let found = found.ok_or(NO_MOVE)?;
        let (line, entropy) = match self.draws.as_mut().filter(|_| draws) {
            Some(rng) => draw_line(&found, rng).ok_or(NO_MOVE)?,
            None => (found.lines.first().ok_or(NO_MOVE)?, None),
        };
        let mv = *line.moves.first().ok_or(NO_MOVE)?;
        Ok(Some(Thought { mv, wdl: Some(found.chances(line.value)), entropy }))
    }

    /// The table needs no move: it has positions.
    fn advance(&mut self, _: &G, _: G::Move) {}
}
