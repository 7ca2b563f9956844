//! White's edge under two kinds of rules, paired by opening.
//!
//! Two overlapping intervals do not show that two scores are equal. The relevant interval is that
//! of their difference, over the openings that both sides played.

use crate::format::{count, percent, points, points_interval};
use crate::games::{GameResult, GameRow};
use crate::pairs::Resampling;
use fusion_statistics::bootstrap::BootstrapMeans;
use fusion_statistics::{Confidence, Interval};
use std::collections::BTreeMap;

/// A mean difference over openings with its 95% interval, from resampled openings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Number of openings in which both sides have a game with a result.
    pub openings: u64,
    /// White's score on the first side, over these openings.
    pub first: f64,
    /// White's score on the second side, over these openings.
    pub second: f64,
    /// First minus second.
    pub value: f64,
    /// 95% interval of the difference.
    pub interval: Interval,
}

impl Difference {
    /// Returns whether the interval excludes 0.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.interval.contains(0.0)
    }

    /// Describes the two scores and what their difference shows.
    #[must_use]
    pub fn in_words(&self, first: &str, second: &str) -> String {
        let meaning = if self.is_shown() {
            "White’s edge differs too, so that draws may have become wins of one side, or the other way round: judge the two together."
        } else {
            "These games do not settle whether White’s edge differs."
        };
        format!(
            "White scored {} in {first} and {} in {second}, a difference of {} points (95% interval {}, paired over {} openings). {meaning}",
            percent(self.first),
            percent(self.second),
            points(self.value),
            points_interval(self.interval),
            count(self.openings),
        )
    }
}

/// Returns White's points. Returns `None` for a game without a result.
#[must_use]
pub fn score(row: &GameRow) -> Option<f64> {
    match row.result {
        GameResult::White => Some(1.0),
        GameResult::Draw => Some(0.5),
        GameResult::Black => Some(0.0),
        GameResult::None => None,
    }
}

/// Computes White's mean score on one side minus that on the other, paired by opening.
///
/// `side` returns `true` for rule sets on the first side, `false` for those on the second, and
/// `None` for others. The result is `None` if no opening has a game with a result on both sides.
///
/// # Errors
/// Fails if the number of resamples is zero.
pub fn difference<'a>(
    rows: impl Iterator<Item = &'a GameRow>,
    side: impl Fn(&str) -> Option<bool>,
    resampling: Resampling,
) -> fusion_statistics::Result<Option<Difference>> {
    // For each opening and side: points and games.
    let mut openings: BTreeMap<u64, [[f64; 2]; 2]> = BTreeMap::new();
    for row in rows {
        let (Some(first), Some(score)) = (side(&row.rules), score(row)) else { continue };
        let sums = &mut openings.entry(row.opening).or_default()[usize::from(!first)];
        sums[0] += score;
        sums[1] += 1.0;
    }
    openings.retain(|_, sides| sides.iter().all(|[_, games]| *games > 0.0));
    let means: Vec<[f64; 2]> =
        openings.values().map(|sides| sides.map(|[points, games]| points / games)).collect();
    if means.is_empty() {
        return Ok(None);
    }
    let differences: Vec<f64> = means.iter().map(|[first, second]| first - second).collect();
    let mean = |of: &mut dyn Iterator<Item = f64>| of.sum::<f64>() / means.len() as f64;
    let resampled = BootstrapMeans::draw(&differences, resampling.resamples, resampling.seed)?;
    Ok(Some(Difference {
        openings: means.len() as u64,
        first: mean(&mut means.iter().map(|sides| sides[0])),
        second: mean(&mut means.iter().map(|sides| sides[1])),
        value: mean(&mut differences.iter().copied()),
        interval: resampled.interval(Confidence::P95)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms;
    use crate::games::test_row;

    const RESAMPLING: Resampling = Resampling { resamples: 4_000, seed: 2020 };

    /// Returns games of two rule sets, `a` and `b`, with the given number of openings for each pair
    /// of results.
    fn rows(counts: &[(GameResult, GameResult, u64)]) -> Vec<GameRow> {
        let mut rows = Vec::new();
        let mut opening = 0;
        for &(first, second, openings) in counts {
            for _ in 0..openings {
                for (rules, result) in [("a", first), ("b", second)] {
                    rows.push(GameRow { result, ..test_row(rules, 400, opening, false) });
                }
                opening += 1;
            }
        }
        rows
    }

    fn found(rows: &[GameRow]) -> Difference {
        let side = |rules: &str| Some(rules == "a");
        difference(rows.iter(), side, RESAMPLING).unwrap().unwrap()
    }

    /// Checks the first published study of the family, Metamorphin against fusion-1999: +3.6
    /// points, 2.07 standard errors.
    ///
    /// The intervals of the two scores overlap. The study therefore reported that no difference is
    /// seen.
    #[test]
    fn overlapping_intervals_do_not_hide_a_paired_difference() {
        use GameResult::{Black, Draw, None, White};
        let published = [
            (White, Draw, 313),
            (Black, Draw, 227),
            (White, White, 110),
            (Draw, Draw, 88),
            (Black, White, 80),
            (White, Black, 75),
            (Black, Black, 58),
            (Draw, White, 26),
            (Draw, Black, 22),
            (None, White, 1),
        ];
        let rows = rows(&published);
        let found = found(&rows);
        assert_eq!(found.openings, 999);
        assert!((found.value - 0.036_036).abs() < 1e-6, "{found:?}");
        assert!(found.is_shown() && found.interval.low < 0.01, "{found:?}");
        let scores: Vec<Interval> = arms::summarise(&rows)
            .unwrap()
            .iter()
            .map(|arm| arm.white_score.unwrap().interval)
            .collect();
        assert!(scores[0].low < scores[1].high, "they overlap: {scores:?}");
        let said = found.in_words("metamorphin", "fusion-1999");
        assert!(said.contains("edge differs too") && said.contains("+3.6 points"), "{said}");
        assert!(!said.contains("settle") && !said.contains("No difference"), "{said}");
    }

    #[test]
    fn a_difference_within_noise_is_neither_claimed_nor_denied() {
        use GameResult::{Black, Draw, White};
        let found = found(&rows(&[(White, Draw, 12), (Draw, White, 10), (Black, Black, 30)]));
        let said = found.in_words("a", "b");
        assert!(!found.is_shown() && said.contains("do not settle whether"), "{said}");
        for claim in ["differs too", "No difference", "have not", "the same"] {
            assert!(!said.contains(claim), "{said}");
        }
    }

    #[test]
    fn openings_without_a_result_on_both_sides_are_left_out() {
        use GameResult::{None, White};
        assert_eq!(found(&rows(&[(White, None, 3), (White, White, 2)])).openings, 2);
        let none = difference(rows(&[(White, None, 3)]).iter(), |_| Some(true), RESAMPLING);
        assert_eq!(none, Ok(Option::None));
    }

    /// Checks that the games of an opening are averaged on each side, as in a factorial.
    #[test]
    fn several_rule_sets_on_a_side_count_by_their_mean() {
        let row = |rules: &str, opening, drawn| test_row(rules, 8, opening, drawn);
        let rows = [row("a1", 0, true), row("a2", 0, false), row("b", 0, true), row("c", 0, true)];
        let side = |rules: &str| (rules != "c").then(|| rules.starts_with('a'));
        let found = difference(rows.iter(), side, RESAMPLING).unwrap().unwrap();
        assert_eq!((found.openings, found.first, found.second), (1, 0.75, 0.5));
    }
}
