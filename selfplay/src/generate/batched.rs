//! Training games in groups whose leaves are evaluated together.
//!
//! A large network is fast only if it is asked about many positions at once. The games of a
//! group therefore play in step: each goes on until its search needs an evaluation, then one
//! call answers all of them. A group is a run of consecutive game numbers, so what is
//! evaluated together is a function of these numbers, never of threads or of time. Groups
//! share nothing; each thread plays one at a time.
//!
//! Floating point may round differently in another company, so a group that was interrupted
//! is played again whole: of what comes out, a shard takes the games that it lacks. Games end
//! at different times, and a group's calls get smaller towards its end; they could be filled
//! up with later games, but then an interruption would cost the whole shard.

use std::ops::Range;
use std::path::Path;

use anyhow::bail;
use fusion_engine::evaluator::Evaluation;
use fusion_engine::game::{Game, Outcome};
use fusion_engine::search::Request;

use super::game::{TrainingGame, Turn};
use super::{Mix, Summary, make_shards, plan, played};
use crate::study::{EvaluatorKind, SelfplayConfig};
use fusion_jobs::runner::Sink;
use fusion_jobs::stop::Stop;

/// A position that a search asks about.
#[derive(Debug)]
pub enum Leaf<'a, G: Game> {
    /// What is expected for the side to move is wanted. The game is not over.
    Value(&'a G),
    /// A logit for each of these legal moves is wanted.
    Policy(&'a G, &'a [G::Move]),
}

impl<G: Game> Clone for Leaf<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Leaf<'_, G> {}

/// What an evaluator says of a [`Leaf`], in the same words.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// What is expected for the side to move.
    Value(Evaluation),
    /// Finite logits in the order of the moves.
    Policy(Vec<f32>),
}

/// Evaluates leaves of many games at once. Threads share it.
///
/// Equal calls must get equal answers; then equal seeds give equal games.
pub trait BatchEvaluator<G: Game>: Sync {
    /// Identity of the network in results, such as its file's SHA-256.
    fn hash(&self) -> &str;

    /// Answers all leaves, in their order.
    ///
    /// # Errors
    /// Whatever keeps it from answering: no game can go on then.
    fn evaluate(&self, leaves: &[Leaf<'_, G>]) -> anyhow::Result<Vec<Answer>>;
}

/// As [`super::run`], with evaluations by libtorch or what stands in for it, in groups of
/// `batch_games` games.
///
/// # Errors
/// As [`super::run`], and those of the evaluator.
pub fn run_batched<G: Game>(
    config: &SelfplayConfig,
    evaluator: &impl BatchEvaluator<G>,
    seed: u64,
    folder: &Path,
    shards: Range<u32>,
    stop: &Stop,
) -> anyhow::Result<Summary> {
    let mix = Mix::<G>::new(config)?;
    let run = plan::<G>(config, EvaluatorKind::Torch, evaluator.hash(), seed, folder)?;
    make_shards(&run, shards, |shard, label| {
        run.play_shard_in_groups(shard, label, config.batch_games, stop, |games, sink| {
            let seat = |game| {
                let numbers = [seed, u64::from(shard), game];
                Seat::new(game, TrainingGame::new(config, &mix, &numbers))
            };
            play_group(games.map(seat).collect(), evaluator, sink, stop)
        })
    })
}

/// A game of a group.
struct Seat<'a, G: Game> {
    number: u64,
    game: TrainingGame<'a, G>,
    stands: Stands,
}

/// Where a game stands when all games of its group have gone as far as they can.
enum Stands {
    AtStart,
    WantsValue,
    WantsPolicy,
    Over(Outcome),
}

/// Plays games in step to their ends.
fn play_group<G: Game>(
    mut seats: Vec<Seat<'_, G>>,
    evaluator: &impl BatchEvaluator<G>,
    sink: &Sink<'_>,
    stop: &Stop,
) -> anyhow::Result<()> {
    loop {
        for seat in &mut seats {
            stop.check()?;
            seat.go_on(sink)?;
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

impl<'a, G: Game> Seat<'a, G> {
    fn new(number: u64, game: TrainingGame<'a, G>) -> Self {
        Self { number, game, stands: Stands::AtStart }
    }

    /// Goes on until an evaluation is needed or the game is over.
    fn go_on(&mut self, sink: &Sink<'_>) -> anyhow::Result<()> {
        loop {
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

    /// Hands the search what it wanted.
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

    /// Hands in the record of a game that is over.
    fn leave(self, sink: &Sink<'_>) -> anyhow::Result<()> {
        match self.stands {
            Stands::Over(outcome) => sink.add(self.number, &played(&self.game.record(outcome))),
            _ => Ok(()),
        }
    }
}
