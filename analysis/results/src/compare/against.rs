//! One rule set at one node budget in two runs: A minus B.

use crate::arms::{Arm, Score};
use crate::games::GameRow;
use crate::means::interval_of_mean;
use crate::pairs::{self, Inference, Pair};
use crate::white::score;
use fusion_statistics::difference::newcombe;
use fusion_statistics::fisher::fisher_exact;
use fusion_statistics::multiple::holm;
use fusion_statistics::{Confidence, Interval};
use std::collections::BTreeMap;

/// A rule set at a node budget in both runs.
#[derive(Debug)]
pub(super) struct Against {
    /// The arms in A and in B.
    pub(super) arms: [Arm; 2],
    /// Games from the same openings, if both runs played from one pool.
    pub(super) paired: Option<Paired>,
    /// Draws in A minus draws in B: the mean over the pairs, or the difference of the shares
    /// without pairs.
    pub(super) draws: Estimate,
    /// McNemar's exact p-value of the pairs, or Fisher's without pairs.
    pub(super) p: f64,
    /// This p-value after Holm's adjustment over all rule sets and budgets.
    pub(super) holm_p: f64,
    /// White's score in A minus White's score in B; `None` if a run has no game with a result.
    pub(super) white: Option<Estimate>,
}

/// Games of A and B that began from the same openings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paired {
    pub(super) openings: u64,
    /// Number of openings whose two games are the same, move for move.
    pub(super) same: u64,
    /// Number of openings that were drawn in only one of the runs.
    pub(super) discordant: u64,
}

/// A difference with its 95% interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) interval: Interval,
}

impl Against {
    pub(super) fn rules(&self) -> &str {
        &self.arms[0].rules
    }

    pub(super) fn nodes(&self) -> u64 {
        self.arms[0].nodes
    }

    /// Returns whether both runs hold the same games, move for move, and no others.
    pub(super) fn is_of_the_same_games(&self) -> bool {
        let all = |paired: Paired| {
            self.arms.iter().all(|arm| arm.games == paired.same && arm.errors == 0)
        };
        self.paired.is_some_and(all)
    }
}

/// Compares the arms that both runs have.
///
/// Passes on errors of the statistics, which do not occur for games that were read and checked.
pub(super) fn compare(
    common: &[(&Arm, &Arm)],
    games: [&[GameRow]; 2],
    same_pool: bool,
    inference: Inference,
) -> fusion_statistics::Result<Vec<Against>> {
    let mut all = Vec::new();
    for (a, b) in common {
        let rows = games.map(|rows| by_opening(rows, a));
        let pairs: Vec<(&GameRow, &GameRow)> =
            rows[0].iter().filter_map(|(opening, a)| Some((*a, *rows[1].get(opening)?))).collect();
        let arms = [(*a).clone(), (*b).clone()];
        // Equal numbers of openings in different pools do not mean equal openings.
        all.push(if same_pool && !pairs.is_empty() {
            paired(arms, &pairs, inference)?
        } else {
            unpaired(arms)?
        });
    }
    let adjusted = holm(&all.iter().map(|against| against.p).collect::<Vec<_>>())?;
    for (against, p) in all.iter_mut().zip(adjusted) {
        against.holm_p = p;
    }
    Ok(all)
}

fn by_opening<'a>(rows: &'a [GameRow], arm: &Arm) -> BTreeMap<u64, &'a GameRow> {
    let of_arm = |row: &&GameRow| row.rules == arm.rules && row.nodes == arm.nodes;
    let rows = rows.iter().filter(of_arm).filter(|row| !row.failed());
    rows.map(|row| (row.opening, row)).collect()
}

fn unpaired(arms: [Arm; 2]) -> fusion_statistics::Result<Against> {
    let [a, b] = arms.each_ref().map(|arm| arm.draw_share);
    let p = fisher_exact(a, b)?;
    let interval = newcombe(a, b, Confidence::P95);
    let white = arms[0].white_score.zip(arms[1].white_score);
    Ok(Against {
        paired: None,
        draws: Estimate { value: a.share() - b.share(), interval },
        p,
        holm_p: p,
        white: white.map(|(a, b)| score_difference(a, b)),
        arms,
    })
}

/// Returns the difference of two scores with an interval by Newcombe's method. The method combines
/// the intervals of the two parts, which need not be Wilson's.
///
/// Source: G. Y. Zou, A. Donner, *Construction of confidence limits about effect measures*,
/// Statistics in Medicine 27 (2008).
fn score_difference(a: Score, b: Score) -> Estimate {
    let value = a.value - b.value;
    let below = (a.value - a.interval.low).hypot(b.interval.high - b.value);
    let above = (a.interval.high - a.value).hypot(b.value - b.interval.low);
    Estimate { value, interval: Interval { low: value - below, high: value + above } }
}

fn paired(
    arms: [Arm; 2],
    pairs: &[(&GameRow, &GameRow)],
    inference: Inference,
) -> fusion_statistics::Result<Against> {
    let Some(pair) = draws(pairs, inference)? else { return unpaired(arms) };
    let same = pairs.iter().filter(|(a, b)| a.moves_hash == b.moves_hash).count() as u64;
    let discordant = pair.first_only + pair.second_only;
    Ok(Against {
        arms,
        paired: Some(Paired { openings: pair.openings, same, discordant }),
        draws: Estimate { value: pair.difference, interval: pair.interval95 },
        p: pair.p,
        holm_p: pair.p,
        white: white(pairs, inference)?,
    })
}

/// Compares draws by opening. The two runs take the places of the two rule sets in a pair.
fn draws(
    pairs: &[(&GameRow, &GameRow)],
    inference: Inference,
) -> fusion_statistics::Result<Option<Pair>> {
    let named = |row: &GameRow, name: &str| GameRow { rules: name.to_owned(), ..row.clone() };
    let rows: Vec<GameRow> =
        pairs.iter().flat_map(|(a, b)| [named(a, "A"), named(b, "B")]).collect();
    Ok(pairs::compare(&rows, Some(("A", "B")), inference)?.pop())
}

/// Compares White's scores over the openings from which both games have a result.
fn white(
    pairs: &[(&GameRow, &GameRow)],
    inference: Inference,
) -> fusion_statistics::Result<Option<Estimate>> {
    let differences: Vec<f64> =
        pairs.iter().filter_map(|(a, b)| Some(score(a)? - score(b)?)).collect();
    mean(&differences, inference)
}

/// Returns the mean of values, one for each opening, or `None` if there are none.
///
/// # Errors
/// Fails if the number of resamples is zero.
pub(super) fn mean(
    values: &[f64],
    inference: Inference,
) -> fusion_statistics::Result<Option<Estimate>> {
    if values.is_empty() {
        return Ok(None);
    }
    let value = values.iter().sum::<f64>() / values.len() as f64;
    Ok(Some(Estimate { value, interval: interval_of_mean(values, inference)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_statistics::Proportion;
    use fusion_statistics::proportion::wilson;

    /// With Wilson's limits the result is Newcombe's interval.
    #[test]
    fn differences_of_scores_are_made_as_those_of_shares() {
        let [a, b] = [450, 500].map(|draws| Proportion::new(draws, 1_000).unwrap());
        let score = |share: Proportion| Score {
            value: share.share(),
            interval: wilson(share, Confidence::P95),
        };
        let found = score_difference(score(a), score(b)).interval;
        let expected = newcombe(a, b, Confidence::P95);
        assert!((found.low - expected.low).abs() < 1e-12);
        assert!((found.high - expected.high).abs() < 1e-12);
    }
}
