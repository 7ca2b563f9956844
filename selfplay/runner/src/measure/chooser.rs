//! The player of a measurement game: a search with what it keeps from move to move.

use anyhow::Context;
use fusion_game::CompleteGame;
use fusion_game::evaluator::{Evaluator, Wdl};
use fusion_search::pvs::{Limits, Pvs};
use fusion_search::{Search, SearchConfig};
use fusion_study::Searcher;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::tables::Tables;
use crate::play;
use fusion_jobs::seeds;
use fusion_jobs::stop::Stop;

const NO_MOVE: &str = "the search found no move in a game that is not over";

/// A move with what the search found out about the position.
pub(super) struct Choice<M> {
    pub(super) mv: M,
    /// Chances of the side to move.
    pub(super) wdl: Wdl,
    /// The entropy of the draw in bits, if the move was drawn.
    pub(super) entropy: Option<f64>,
}

/// The player of both sides in one game.
#[expect(clippy::large_enum_variant, reason = "a game has only one")]
pub(super) enum Chooser<G: CompleteGame> {
    /// Tree search. It draws own plies in proportion to visits.
    Tree { search: Search<G>, evaluator: Box<dyn Evaluator<G>>, ties: ChaCha8Rng, own: ChaCha8Rng },
    /// Alpha-beta search of selective depth. It has no ties to break and nothing to draw by.
    Pvs(Pvs<G>),
}

impl<G: CompleteGame> Chooser<G> {
    /// Creates the player of a game from its start.
    pub(super) fn new(
        player: &Searcher,
        config: SearchConfig,
        start: &G,
        tables: Option<Tables<G>>,
        seed: u64,
    ) -> Self {
        match player {
            Searcher::Tree(settings, model) => Self::Tree {
                search: Search::new(settings.over(config), start.clone()).with_tablebase(tables),
                evaluator: model.evaluator::<G>(seed),
                ties: seeds::stream("tie-breaks", &[seed]),
                own: seeds::stream("own opening", &[seed]),
            },
            Searcher::Pvs(config, model) => {
                let search = Pvs::new(*config, model.evaluator::<G>(seed));
                Self::Pvs(search.with_tablebase(tables))
            }
        }
    }

    /// Returns the move to play in the game, which is not over; `None` if stopped. A move that is
    /// `drawn` is one of the tree search's moves at random.
    ///
    /// # Errors
    /// Fails if the search has no move.
    pub(super) fn choose(
        &mut self,
        game: &G,
        nodes: u32,
        drawn: bool,
        stop: &Stop,
    ) -> anyhow::Result<Option<Choice<G::Move>>> {
        match self {
            Self::Tree { search, evaluator, ties, own } => {
                if !play::think(search, evaluator.as_mut(), nodes, stop) {
                    return Ok(None);
                }
                let (mv, entropy) = if drawn {
                    let (mv, entropy) = draw_by_visits(search, own).context(NO_MOVE)?;
                    (mv, Some(entropy))
                } else {
                    (search.best_move(ties).context(NO_MOVE)?, None)
                };
                Ok(Some(Choice { mv, wdl: search.wdl(), entropy }))
            }
            Self::Pvs(search) => {
                let limits = Limits::nodes(nodes.into());
                let found = search.search(game, limits, &|| stop.requested());
                if stop.requested() {
                    return Ok(None);
                }
                let found = found.context(NO_MOVE)?;
                let line = found.lines.first().context(NO_MOVE)?;
                let mv = *line.moves.first().context(NO_MOVE)?;
                Ok(Some(Choice { mv, wdl: found.chances(line.value), entropy: None }))
            }
        }
    }

    /// Receives the move that was played.
    pub(super) fn advance(&mut self, mv: G::Move) {
        if let Self::Tree { search, .. } = self {
            search.advance(mv);
        }
    }
}

/// Draws a move in proportion to the root's visits. Returns it with the entropy of the draw in
/// bits.
fn draw_by_visits<G: CompleteGame>(
    search: &Search<G>,
    rng: &mut ChaCha8Rng,
) -> Option<(G::Move, f64)> {
    let mut children = search.children();
    children.retain(|child| child.visits > 0);
    if children.is_empty() {
        return Some((search.best_move(rng)?, 0.0));
    }
    let total: u32 = children.iter().map(|child| child.visits).sum();
    let chosen = children.choose_weighted(rng, |child| child.visits).ok()?;
    let bits = |visits: u32| {
        let share = f64::from(visits) / f64::from(total);
        -share * share.log2()
    };
    Some((chosen.mv, children.iter().map(|child| bits(child.visits)).sum()))
}
