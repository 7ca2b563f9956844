//! Evaluation of a leaf for search: a value, and logits over its moves.
//!
//! Besides networks there are evaluators that need no training: uniform, material and random
//! rollouts. They are used to begin generation 0 and serve as references.

use crate::math::ln;
use crate::{Game, Side, Tactics};
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

/// An evaluator that follows the moves of a search, so that it can update what it computed before.
pub trait MoveEvaluator<G: Tactics>: Send {
    /// Begins at a position.
    fn begin(&mut self, game: &G);

    /// Follows a move, or a pass. `game` is the position after it.
    fn make(&mut self, game: &G, undo: &G::Undo);

    /// Goes back before the last move.
    fn unmake(&mut self);

    /// Returns the value of the current position for the side to move, in hundredths of the
    /// cheapest piece: see [`value_of_score`].
    fn value(&mut self, game: &G) -> i32;

    /// Returns the chances of the side to move in the current position.
    fn chances(&mut self, game: &G) -> Wdl;
}

/// Value at which a score of 73% is expected: the scale of the logistic curve between values and
/// expected scores.
pub const VALUE_SCALE: f32 = 200.0;

/// The greatest magnitude of a value.
pub const MOST_VALUE: i32 = 20_000;

/// Returns the value, in hundredths of the cheapest piece, that an expected score from 0 to 1
/// stands for.
///
/// ```
/// use fusion_game::evaluator::value_of_score;
///
/// assert_eq!([0.5, 0.73].map(value_of_score), [0, 198]);
/// ```
#[must_use]
pub fn value_of_score(score: f32) -> i32 {
    let odds = (score.max(1e-30) / (1.0 - score).max(1e-30)).clamp(1e-30, 1e30);
    ((VALUE_SCALE * ln(odds)) as i32).clamp(-MOST_VALUE, MOST_VALUE)
}

/// Evaluates every position by itself.
impl<G: Tactics> MoveEvaluator<G> for Box<dyn Evaluator<G>> {
    fn begin(&mut self, _: &G) {}

    fn make(&mut self, _: &G, _: &G::Undo) {}

    fn unmake(&mut self) {}

    fn value(&mut self, game: &G) -> i32 {
        value_of_score(self.chances(game).score())
    }

    fn chances(&mut self, game: &G) -> Wdl {
        Evaluator::value(&mut **self, game).wdl
    }
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
