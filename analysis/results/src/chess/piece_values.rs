//! Values of the pieces under each rule set, and of compounds relative to their parts.

use crate::arms::Arm;
use crate::chess::positions::{Material, PIECES};
use crate::games::{GameResult, GameRow};
use crate::pairs::Inference;
use fusion_statistics::piece_values::{PieceValues, ResampledValues, Sample};
use fusion_statistics::{Confidence, Interval};

/// Number of resamples of the games. Each needs a fit of its own.
const RESAMPLES: u32 = 400;
/// Smallest number of games with a kind of piece on only one side. With fewer games the kind is
/// left out, since its value would be mostly noise.
const MIN_GAMES: usize = 100;
const PAWN: usize = 0;

/// The values under one rule set.
#[derive(Clone, Debug)]
pub struct Values {
    /// Rule-set expression.
    pub rules: String,
    /// Number of games behind the values.
    pub games: u64,
    /// Value of each kind of piece in Pawns. Kinds that occur too rarely are missing.
    pub pieces: Vec<Worth>,
    /// Values of compounds minus those of their parts, in Pawns.
    pub synergies: Vec<Worth>,
}

/// A value in Pawns with its 95% interval, from resampled games.
#[derive(Clone, Debug)]
pub struct Worth {
    /// The piece, or the compound minus its parts.
    pub name: String,
    /// Value in Pawns.
    pub value: f64,
    /// 95% percentile interval over resamples of the games.
    pub interval: Interval,
}

/// Fits the values of each arm. An arm whose games do not identify the value of a Pawn is left out.
#[must_use]
pub fn values<'a>(
    arms: impl Iterator<Item = &'a Arm>,
    rows: &[GameRow],
    material: &[Material],
    inference: Inference,
) -> Vec<Values> {
    let of_arm = |arm: &Arm| {
        let samples: Vec<Sample> = material
            .iter()
            .filter(|position| {
                let row = &rows[position.row];
                row.rules == arm.rules && row.nodes == arm.nodes
            })
            .map(|position| sample(&rows[position.row], position))
            .collect();
        fit(&arm.rules, samples, inference)
    };
    arms.filter_map(of_arm).collect()
}

fn sample(row: &GameRow, position: &Material) -> Sample {
    Sample {
        result: match row.result {
            GameResult::White => 1.0,
            GameResult::Black => -1.0,
            GameResult::Draw | GameResult::None => 0.0,
        },
        counts: position.counts.clone(),
        weight: position.weight,
        cluster: position.row as u64,
    }
}

fn fit(rules: &str, mut samples: Vec<Sample>, inference: Inference) -> Option<Values> {
    leave_out_rare(&mut samples);
    let fitted = PieceValues::fit(&samples).ok()?;
    let resampled = fitted.bootstrap(RESAMPLES, inference.seed).ok()?;
    let piece = |(kind, name): (usize, &&str)| worth(&fitted, &resampled, name, &[(kind, 1.0)]);
    let synergy = |(whole, name): (usize, &&str)| {
        let (name, weights) = synergy(whole, name)?;
        worth(&fitted, &resampled, &name, &weights)
    };
    let mut games: Vec<u64> = samples.iter().map(|sample| sample.cluster).collect();
    games.dedup();
    Some(Values {
        rules: rules.to_owned(),
        games: games.len() as u64,
        pieces: PIECES.iter().enumerate().skip(1).filter_map(piece).collect(),
        synergies: PIECES.iter().enumerate().filter_map(synergy).collect(),
    })
}

/// Returns a compound minus its parts, as in `RB − R − B`, and the weights of the kinds in that
/// sum.
///
/// The value of a King cannot be measured, so a royal compound is compared with its other parts.
/// Returns `None` for simple pieces.
fn synergy(whole: usize, name: &str) -> Option<(String, Vec<(usize, f64)>)> {
    let parts = name.chars().filter(|&letter| letter != 'K').map(String::from);
    let parts: Vec<String> = parts.filter(|_| name.len() > 1).collect();
    let mut weights = vec![(whole, 1.0)];
    for part in &parts {
        weights.push((PIECES.iter().position(|kind| kind == part)?, -1.0));
    }
    (weights.len() > 1).then(|| ([vec![name.to_owned()], parts].concat().join(" − "), weights))
}

/// Sets the counts of rare kinds to zero, so that they have no value.
fn leave_out_rare(samples: &mut [Sample]) {
    for kind in 0..PIECES.len() {
        let mut games: Vec<u64> = samples
            .iter()
            .filter(|sample| sample.counts[kind] != 0)
            .map(|sample| sample.cluster)
            .collect();
        games.dedup();
        if games.len() < MIN_GAMES {
            samples.iter_mut().for_each(|sample| sample.counts[kind] = 0);
        }
    }
}

fn worth(
    fitted: &PieceValues,
    resampled: &ResampledValues,
    name: &str,
    weights: &[(usize, f64)],
) -> Option<Worth> {
    let value = fitted.combination(weights, Some(PAWN))?;
    let distribution = resampled.combination(weights, Some(PAWN)).ok()?;
    Some(Worth {
        name: name.to_owned(),
        value,
        interval: distribution.interval(Confidence::P95).ok()?,
    })
}
