//! Players in a game.

use fusion_game::CompleteGame;
use fusion_search::{Effort, Player};

use crate::play::Turns;
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

/// A player in one game, with its nodes per move.
pub(crate) struct Seat<G: CompleteGame> {
    pub(crate) player: Box<dyn Player<G>>,
    /// Nodes of each move; a program has its own.
    pub(crate) nodes: u32,
}

impl<G: CompleteGame> Seat<G> {
    /// Returns the move to play in a game that is not over; `None` if stopped.
    ///
    /// # Errors
    /// Fails if there is no move, or if a program fails.
    pub(crate) fn choose(&mut self, game: &G, stop: &Stop) -> anyhow::Result<Option<G::Move>> {
        let effort = Effort::nodes(self.nodes);
        let thought = self.player.think(game, effort, &|| stop.requested());
        Ok(thought.map_err(anyhow::Error::from_boxed)?.map(|thought| thought.mv))
    }

    /// Receives the move that was chosen in this position, by this player or by the opponent.
    pub(crate) fn advance(&mut self, game: &G, mv: G::Move) {
        self.player.advance(game, mv);
    }
}
