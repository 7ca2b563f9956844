//! Training samples from game records.

use std::collections::BTreeMap;
use std::path::Path;

use fusion_game::{CompleteGame, Ending, FeatureSet, RuleSet, Side};
use fusion_jobs::exit::Failure;
use fusion_study::SampleOptions;
use thiserror::Error;

use crate::records::{self, POLICY_SCALE, Ply, Record, Searched, Target};

/// Mean number of plies that [`Sample::horizon`] looks ahead.
pub const HORIZON: f32 = 6.0;

/// One training position, seen from the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Active network inputs, in the order in which the game produces them.
    pub features: Vec<u16>,
    /// Policy rows of all legal moves, [`POLICY_FACTORS`](fusion_game::Encoding::POLICY_FACTORS) for each. Empty after a fast search,
    /// which has no policy target.
    pub rows: Vec<u16>,
    /// The search's share of each legal move, sum 1. Empty if `rows` is.
    pub policy: Vec<f32>,
    /// The game's result as shares of win, draw and loss.
    pub result: [f32; 3],
    /// The search's root value as shares of win, draw and loss.
    pub root: [f32; 3],
    /// Plies to the end of the game; `None` if the cap or adjudication ended the game.
    pub remaining: Option<u16>,
    /// Expected shares of win, draw and loss [`HORIZON`] plies ahead, from later searches.
    pub horizon: [f32; 3],
    /// Weight in the loss; 1 unless the options set another.
    pub weight: f32,
}

/// One training position of an efficiently updatable network. The side to move comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewSample {
    /// The views of both sides, as [`fusion_game::Views::pack`] describes them.
    pub packed: Vec<u8>,
    /// Stage of the game.
    pub stage: usize,
    /// The game's result as shares of win, draw and loss.
    pub result: [f32; 3],
    /// The search's root value as shares of win, draw and loss.
    pub root: [f32; 3],
    /// Weight in the loss.
    pub weight: f32,
}

/// Reason why a record is not a game under the rules of this program.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    /// The rule set or start position cannot be parsed.
    #[error("the record's start is invalid: {0}")]
    Start(String),
    /// A move, or a move of a policy, is not legal in its position.
    #[error("ply {ply}: code {code} is no legal move")]
    Illegal {
        /// Number of the ply, from 1.
        ply: usize,
        /// The code that no legal move has.
        code: u32,
    },
    /// The moves lead to another ending than the record states.
    #[error("the record states the ending {stated}, its moves lead to {found}")]
    Ending {
        /// The ending that the record states.
        stated: &'static str,
        /// The ending by the rules.
        found: &'static str,
    },
}

/// Returns all samples of a finished shard of training games.
///
/// # Errors
/// Fails on a shard that is missing (exit code 66), damaged, of another kind or version, or whose
/// games are not legal (65).
pub fn of_shard<G: CompleteGame>(
    path: &Path,
    options: &SampleOptions,
) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    records::read_shard::<G>(path, |record| {
        samples.extend(from_record::<G>(&record, options).map_err(Failure::corrupt)?);
        Ok(())
    })?;
    Ok(samples)
}

/// Returns all samples of a game, in the order of play.
///
/// # Errors
/// Fails if the record is not a legal game with the outcome that it states.
pub fn from_record<G: CompleteGame>(
    record: &Record,
    options: &SampleOptions,
) -> Result<Vec<Sample>, ReplayError> {
    let mut sides = Vec::with_capacity(record.plies.len());
    let mut samples = Vec::new();
    // Made for the record's rule set at its first position.
    let mut features = None;
    replay::<G>(record, |index, game, legal, ply| {
        sides.push(game.side_to_move());
        let Some(searched) = &ply.search else { return Ok(()) };
        let weight = weight(searched, options);
        let features = features.get_or_insert_with(|| FeatureSet::new::<G>(game.rules()));
        let sample = sample(game, legal, searched, record, features)?;
        if weight > 0.0 {
            let remaining = remaining(record, index);
            samples.push((index, Sample { weight, remaining, ..sample }));
        }
        Ok(())
    })?;
    let horizons = horizons(record, &sides);
    let with_horizon = |(index, sample)| Sample { horizon: horizons[index], ..sample };
    Ok(samples.into_iter().map(with_horizon).collect())
}

/// Returns the samples of a game for an efficiently updatable network, in the order of play.
///
/// Only quiet positions are sampled: the side to move is not threatened, and the move that was
/// played is not forcing. In the others the search reads on before it evaluates.
///
/// # Errors
/// Fails if the record is not a legal game with the outcome that it states.
pub fn views_of_record<G: CompleteGame>(
    record: &Record,
    options: &SampleOptions,
) -> Result<Vec<ViewSample>, ReplayError> {
    let mut samples = Vec::new();
    replay::<G>(record, |_, game, _, ply| {
        let Some(searched) = &ply.search else { return Ok(()) };
        let mv = game.decode_move(ply.code).ok_or(ply.code)?;
        let weight = weight(searched, options);
        let is_noisy = game.is_threatened() || game.is_forcing(mv);
        if is_noisy || weight <= 0.0 {
            return Ok(());
        }
        let side = game.side_to_move();
        let mut packed = Vec::with_capacity(40);
        game.pack(&mut packed);
        let root = searched.root.shares();
        let result = result(side, record).unwrap_or(root);
        samples.push(ViewSample { packed, stage: game.stage(), result, root, weight });
        Ok(())
    })?;
    Ok(samples)
}

/// Returns whether a game ends like this before its end by the rules.
fn is_stopped(ending: Ending) -> bool {
    ending == Ending::CAP || ending == Ending::VALUE
}

/// Plays through a game and calls `each` with the number of every ply from 0, the position before
/// it, the legal moves and the ply. `each` returns the code of a move that is not legal as an error.
fn replay<G: CompleteGame>(
    record: &Record,
    mut each: impl FnMut(usize, &G, &[G::Move], &Ply) -> Result<(), u32>,
) -> Result<(), ReplayError> {
    let rules = G::Rules::parse(&record.rules).map_err(|error| ReplayError::Start(error.into()))?;
    let mut game = G::from_text(&rules, &record.start).map_err(ReplayError::Start)?;
    let mut legal = Vec::new();
    for (index, ply) in record.plies.iter().enumerate() {
        legal.clear();
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome(&legal) {
            return Err(mismatch(record, Some(outcome.ending)));
        }
        let illegal = |code| ReplayError::Illegal { ply: index + 1, code };
        each(index, &game, &legal, ply).map_err(illegal)?;
        let mv = game.decode_move(ply.code).ok_or_else(|| illegal(ply.code))?;
        game.play(mv);
    }
    legal.clear();
    game.legal_moves(&mut legal);
    let outcome = game.outcome(&legal);
    let stated = record.outcome;
    let stopped = outcome.is_none() && is_stopped(stated.ending);
    if !stopped && outcome != Some(stated) {
        return Err(mismatch(record, outcome.map(|outcome| outcome.ending)));
    }
    Ok(())
}

fn mismatch(record: &Record, found: Option<Ending>) -> ReplayError {
    ReplayError::Ending {
        stated: record.outcome.ending.name(),
        found: found.map_or("no end", Ending::name),
    }
}

/// Returns the sample of one searched position, or the code that no legal move has.
fn sample<G: CompleteGame>(
    game: &G,
    legal: &[G::Move],
    searched: &Searched,
    record: &Record,
    features: &mut FeatureSet,
) -> Result<Sample, u32> {
    game.features(features);
    let root = searched.root.shares();
    let mut rows = Vec::new();
    if searched.target.is_some() {
        game.policy_factors(legal, &mut rows);
    }
    Ok(Sample {
        features: features.iter().collect(),
        rows,
        policy: match &searched.target {
            Some(target) => policy(game, legal, target)?,
            None => Vec::new(),
        },
        result: result(game.side_to_move(), record).unwrap_or(root),
        root,
        remaining: None,
        horizon: root,
        weight: 1.0,
    })
}

/// Returns [`Sample::horizon`] for each ply. `sides` are the players of the plies.
///
/// The value is the weighted mean of the root values of all later plies. The weights fall by the
/// same factor from each ply to the next. Plies after the end have the value of the result.
fn horizons(record: &Record, sides: &[Side]) -> Vec<[f32; 3]> {
    let mut horizons = vec![[0.0, 1.0, 0.0]; sides.len()];
    let Some(&last) = sides.last() else { return horizons };
    let root = |ply: &Ply| Some(ply.search.as_ref()?.root.shares());
    let end = result(last, record).or_else(|| root(record.plies.last()?));
    let mut ahead = end.unwrap_or([0.0, 1.0, 0.0]);
    for (index, ply) in record.plies.iter().enumerate().rev() {
        horizons[index] = ahead;
        let now = root(ply).unwrap_or(ahead);
        ahead = std::array::from_fn(|i| ahead[i] + (now[i] - ahead[i]) / HORIZON);
        if index > 0 && sides[index - 1] != sides[index] {
            ahead.reverse();
        }
    }
    horizons
}

/// Returns the number of plies from the position before ply `index` to the end of the game.
fn remaining(record: &Record, index: usize) -> Option<u16> {
    let known = !is_stopped(record.outcome.ending);
    known.then(|| u16::try_from(record.plies.len() - index).unwrap_or(u16::MAX))
}

/// Returns the target's shares in the order of the legal moves.
fn policy<G: CompleteGame>(game: &G, legal: &[G::Move], target: &Target) -> Result<Vec<f32>, u32> {
    let mut left: BTreeMap<u32, u16> = target.policy.iter().copied().collect();
    let share = |quanta: u16| f32::from(quanta) / f32::from(POLICY_SCALE);
    let shares =
        legal.iter().map(|&mv| share(left.remove(&game.encode_move(mv)).unwrap_or(0))).collect();
    left.first_key_value().map_or(Ok(shares), |(&code, _)| Err(code))
}

/// Returns the result for `side`; `None` if the search's own value replaces it. The cap is not a
/// result of the game, and a draw would teach that long games are drawn.
fn result(side: Side, record: &Record) -> Option<[f32; 3]> {
    match record.outcome.winner {
        Some(winner) if winner == side => Some([1.0, 0.0, 0.0]),
        Some(_) => Some([0.0, 0.0, 1.0]),
        None if record.outcome.ending == Ending::CAP => None,
        None => Some([0.0, 1.0, 0.0]),
    }
}

fn weight(searched: &Searched, options: &SampleOptions) -> f32 {
    if searched.target.is_some() { 1.0 } else { options.fast_weight }
}
