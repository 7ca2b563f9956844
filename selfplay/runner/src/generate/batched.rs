//! Training games in groups, with joint evaluation of their leaves.
//!
//! A large network is fast only if each call evaluates many positions. The games of a group
//! therefore play in step. Each game continues until its search needs an evaluation, then one call
//! evaluates all of these leaves. A group is a range of consecutive game numbers, so the
//! composition of a call depends only on these numbers, never on threads or time. Groups share
//! nothing. Each thread plays one group at a time.
//!
//! Floating point may round differently in a batch of another composition, so an interrupted group
//! is played again completely. A shard takes from its games those that it lacks. Games end at
//! different times, so a group's calls get smaller towards its end. Later games could fill them up,
//! but then an interruption would cost the whole shard.

use std::ops::Range;
use std::path::Path;

use anyhow::bail;
use fusion_game::evaluator::Evaluation;
use fusion_game::{CompleteGame, Outcome};
use fusion_search::Request;

use super::game::{TrainingGame, Turn};
use super::{Mix, Summary, make_shards, plan, played};
use crate::behaviour::Identity;
use fusion_jobs::runner::Sink;
use fusion_jobs::stop::Stop;
use fusion_study::{EvaluatorKind, SelfplayConfig};

/// A position for which a search requests an evaluation.
#[derive(Debug)]
pub enum Leaf<'a, G: CompleteGame> {
    /// Requests the evaluation for the side to move. The game is not over.
    Value(&'a G),
    /// Requests a logit for each of these legal moves.
    Policy(&'a G, &'a [G::Move]),
}

impl<G: CompleteGame> Clone for Leaf<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: CompleteGame> Copy for Leaf<'_, G> {}

/// An evaluator's reply to a [`Leaf`], with the same variants.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Evaluation for the side to move.
    Value(Evaluation),
    /// Finite logits in the order of the moves.
    Policy(Vec<f32>),
}

/// Evaluator for leaves of many games at once. Threads share it.
///
/// Equal calls must return equal answers. Then equal seeds give equal games.
pub trait BatchEvaluator<G: CompleteGame>: Sync {
    /// Identity of the network in results, such as its file's SHA-256.
    fn hash(&self) -> &str;

    /// Evaluates all leaves, in their order.
    ///
    /// # Errors
    /// Fails if it cannot evaluate. Then no game can continue.
    fn evaluate(&self, leaves: &[Leaf<'_, G>]) -> anyhow::Result<Vec<Answer>>;
}

/// Number of games that play in step. One call evaluates one position of each.
pub const GROUP: u32 = 256;

/// Plays games like [`super::run`], with evaluation by libtorch or a substitute, in groups of `group`
/// games.
///
/// # Errors
/// Fails like [`super::run`], and on errors of the evaluator.
pub fn run_batched<G: CompleteGame>(
    config: &SelfplayConfig,
    group: u32,
    evaluator: &impl BatchEvaluator<G>,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Summary> {
    let mix = Mix::<G>::new(config)?;
    let identity = Identity::of::<G>([], &mix.rules)?;
    let identity = Identity { name: evaluator.hash().to_owned(), ..identity };
    let run = plan(config, EvaluatorKind::Torch, identity, seed, folder);
    make_shards::<G>(&run, shards, |shard, label| {
        run.play_shard_in_groups(shard, label, group, stop, |games, sink| {
            let seat = |game| {
                let numbers = [seed, u64::from(shard), game];
                TrainingGame::new(config, &mix, &numbers).map(|begun| Seat::new(game, begun))
            };
            play_group(games.map(seat).collect::<Result<_, _>>()?, evaluator, sink, stop)
        })
    })
}

/// A game of a group.
struct Seat<'a, G: CompleteGame> {
    number: u64,
    game: TrainingGame<'a, G>,
    stands: Stands,
}

/// State of a game when all games of its group have played as far as they can.
enum Stands {
    AtStart,
    WantsValue,
    WantsPolicy,
    Over(Outcome),
}

/// Plays games in step until all are over.
fn play_group<G: CompleteGame>(
    mut seats: Vec<Seat<'_, G>>,
    evaluator: &impl BatchEvaluator<G>,
    sink: &Sink<'_>,
    stop: &Stop,
) -> anyhow::Result<()> {
    loop {
        for seat in &mut seats {
            seat.go_on(sink, stop)?;
        }
        for seat in seats.extract_if(.., |seat| matches!(seat.stands, Stands::Over(_))) {
            seat.leave(sink)?;
        }
        if seats.is_empty() {
            return Ok(());
        }
        let leaves: Vec<Leaf<'_, G>> = seats.iter().filter_map(Seat::leaf).collect();
        let answers = evaluator.evaluate(&leaves)?;
        if answers.len() != leaves.len() {
            bail!("the evaluator gave {} answers to {} questions", answers.len(), leaves.len());
        }
        for (seat, answer) in seats.iter_mut().zip(answers) {
            seat.take(answer)?;
        }
    }
}

impl<'a, G: CompleteGame> Seat<'a, G> {
    fn new(number: u64, game: TrainingGame<'a, G>) -> Self {
        Self { number, game, stands: Stands::AtStart }
    }

    /// Plays on until an evaluation is needed or the game is over.
    fn go_on(&mut self, sink: &Sink<'_>, stop: &Stop) -> anyhow::Result<()> {
        loop {
            stop.check()?;
            self.stands = match self.game.request() {
                Some(Request::Nothing) => continue,
                Some(Request::Value) => Stands::WantsValue,
                Some(Request::Policy) => Stands::WantsPolicy,
                None => match self.game.turn()? {
                    Turn::Thinks => continue,
                    Turn::Moved => {
                        sink.progress().count_move();
                        continue;
                    }
                    Turn::Over(outcome) => Stands::Over(outcome),
                },
            };
            return Ok(());
        }
    }

    fn leaf(&self) -> Option<Leaf<'_, G>> {
        let search = self.game.search();
        match self.stands {
            Stands::WantsValue => Some(Leaf::Value(search.leaf())),
            Stands::WantsPolicy => Some(Leaf::Policy(search.leaf(), search.leaf_moves())),
            Stands::AtStart | Stands::Over(_) => None,
        }
    }

    /// Passes the requested evaluation to the search.
    fn take(&mut self, answer: Answer) -> anyhow::Result<()> {
        let search = self.game.search_mut();
        match (&self.stands, answer) {
            (Stands::WantsValue, Answer::Value(value)) => search.backup(value),
            (Stands::WantsPolicy, Answer::Policy(logits))
                if logits.len() == search.leaf_moves().len() =>
            {
                search.expand(&logits);
            }
            _ => bail!("the evaluator's answer fits another question"),
        }
        Ok(())
    }

    /// Passes the record of a finished game to the sink.
    fn leave(self, sink: &Sink<'_>) -> anyhow::Result<()> {
        match self.stands {
            Stands::Over(outcome) => {
                sink.add(self.number, &played::<G>(&self.game.record(outcome)))
            }
            _ => Ok(()),
        }
    }
}
