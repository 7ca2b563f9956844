//! Evaluation of a leaf for search: a value, and logits over its moves.
//!
//! Besides networks there are evaluators that need no training: uniform, material and random
//! rollouts. They are used to begin generation 0 and serve as references.

use crate::{Game, Side};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Chances of a win, a draw and a loss; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wdl {
    /// Chance of a win.
    pub win: f32,
    /// Chance of a draw.
    pub draw: f32,
    /// Chance of a loss.
    pub loss: f32,
}

impl Wdl {
    /// A certain win.
    pub const WIN: Self = Self { win: 1.0, draw: 0.0, loss: 0.0 };
    /// A certain draw.
    pub const DRAW: Self = Self { win: 0.0, draw: 1.0, loss: 0.0 };
    /// A certain loss.
    pub const LOSS: Self = Self { win: 0.0, draw: 0.0, loss: 1.0 };
    /// Chances of a position without any information.
    pub const NEUTRAL: Self = Self { win: 0.25, draw: 0.5, loss: 0.25 };

    /// Returns the expected score, from 0 to 1.
    #[inline]
    #[must_use]
    pub fn score(self) -> f32 {
        self.win + self.draw / 2.0
    }

    /// Returns the chances from the opponent's view.
    #[inline]
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// Converts the chances from the view of player `from` to the view of player `to`.
    #[inline]
    #[must_use]
    pub fn seen_by(self, from: Side, to: Side) -> Self {
        if from == to { self } else { self.flipped() }
    }
}

/// The value of a position and the expected length of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// The chances of the side to move.
    pub wdl: Wdl,
    /// Plies to the end of the game.
    pub plies: f32,
}

impl Evaluation {
    /// Returns the evaluation of a game that is over.
    #[inline]
    #[must_use]
    pub fn end(wdl: Wdl) -> Self {
        Self { wdl, plies: 0.0 }
    }
}

/// An evaluator without an estimate of the game's length gives every position the same length. Of
/// two moves of a decided position the more deeply searched one then looks a bit longer.
impl From<Wdl> for Evaluation {
    fn from(wdl: Wdl) -> Self {
        Self { wdl, plies: 60.0 }
    }
}

/// An evaluator of positions for search. Each game has its own, which may keep scratch memory and
/// randomness.
pub trait Evaluator<G: Game>: Send {
    /// Evaluates a position for the side to move. The game is not over.
    fn value(&mut self, game: &G) -> Evaluation;

    /// Replaces `logits` by one finite logit for each of the position's legal moves.
    fn policy(&mut self, game: &G, moves: &[G::Move], logits: &mut Vec<f32>);
}

/// Replaces `logits` by uniform logits with a little noise. The noise is too small to matter where
/// anything else distinguishes the moves. Elsewhere it spreads the search, which would otherwise
/// follow the order of generation.
fn uniform_logits(seed: u64, hash: u64, count: usize, logits: &mut Vec<f32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ hash);
    logits.clear();
    logits.extend((0..count).map(|_| (rng.next_u32() >> 8) as f32 * 1e-3 / (1 << 24) as f32));
}

/// An evaluator in which every position is level and every move equal.
pub struct Uniform {
    /// Seed of the noise.
    pub seed: u64,
}

impl<G: Game> Evaluator<G> for Uniform {
    fn value(&mut self, _: &G) -> Evaluation {
        Wdl::NEUTRAL.into()
    }

    fn policy(&mut self, game: &G, moves: &[G::Move], logits: &mut Vec<f32>) {
        uniform_logits(self.seed, game.hash(), moves.len(), logits);
    }
}

/// An evaluator that counts material. Every move is equal.
pub struct Material {
    /// Seed of the noise.
    pub seed: u64,
}

impl<G: Game> Evaluator<G> for Material {
    fn value(&mut self, game: &G) -> Evaluation {
        // The cheapest piece is worth about 60%, and five of them 90%. Half of the undecided games
        // are drawn.
        let score = 1.0 / (1.0 + (-0.45 * game.material()).exp());
        let draw = 2.0 * score * (1.0 - score);
        Wdl { win: score - draw / 2.0, draw, loss: 1.0 - score - draw / 2.0 }.into()
    }

    fn policy(&mut self, game: &G, moves: &[G::Move], logits: &mut Vec<f32>) {
        uniform_logits(self.seed, game.hash(), moves.len(), logits);
    }
}

/// An evaluator that plays each leaf out with uniformly random moves.
pub struct Rollout<G: Game> {
    seed: u64,
    rng: ChaCha8Rng,
    game: Option<G>,
    moves: Vec<G::Move>,
}

/// Limit on the plies of a rollout. A longer rollout counts as undecided.
const ROLLOUT_PLIES: usize = 400;

impl<G: Game> Rollout<G> {
    /// Creates the evaluator. The seed determines its random moves.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, rng: ChaCha8Rng::seed_from_u64(seed), game: None, moves: Vec::new() }
    }
}

impl<G: Game> Evaluator<G> for Rollout<G> {
    fn value(&mut self, leaf: &G) -> Evaluation {
        let game = self.game.get_or_insert_with(|| leaf.clone());
        game.clone_from(leaf);
        for _ in 0..ROLLOUT_PLIES {
            self.moves.clear();
            game.legal_moves(&mut self.moves);
            if let Some(outcome) = game.outcome(&self.moves) {
                let side = leaf.side_to_move();
                return outcome.winner.map_or(Wdl::DRAW, |w| Wdl::WIN.seen_by(w, side)).into();
            }
            let choice = self.rng.next_u64() % self.moves.len() as u64;
            game.play(self.moves[choice as usize]);
        }
        Wdl::NEUTRAL.into()
    }

    fn policy(&mut self, game: &G, moves: &[G::Move], logits: &mut Vec<f32>) {
        uniform_logits(self.seed, game.hash(), moves.len(), logits);
    }
}
