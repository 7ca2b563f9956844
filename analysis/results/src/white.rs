//! White's edge under two kinds of rules, paired by opening.
//!
//! Two overlapping intervals do not show that two scores are equal. The relevant interval is that
//! of their difference, over the openings that both sides played.

use crate::games::{GameResult, GameRow};
use crate::means::{self, Difference};
use crate::pairs::Inference;
use fusion_print::format::{count, percent, points_between, points_interval};
use fusion_statistics::difference::newcombe;
use fusion_statistics::{Confidence, Interval, Proportion};

/// White's score on two sides, and White's share of the games that were not drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// White's score.
    pub score: Difference,
    /// White's wins as a share of the decisive games of all openings. `None` if either side has none.
    pub decisive: Option<Difference>,
}

impl Edge {
    /// Returns whether the interval of the difference in scores excludes 0.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.score.is_shown()
    }
}

/// Describes White's scores on two sides and what their difference shows.
#[must_use]
pub fn in_words(edge: &Edge, first: &str, second: &str) -> String {
    let of = edge.score;
    let decisive = edge.decisive.map_or_else(String::new, |of| {
        format!(
            " Of the decisive games White won {} and {}, {} (95% interval {}).",
            percent(of.first),
            percent(of.second),
            points_between(of.first, of.second, of.value, "points"),
            points_interval(of.interval)
        )
    });
    let meaning = match edge.decisive.is_some_and(|of| of.is_shown()) {
        true => "White’s edge differs too.",
        false if of.is_shown() => {
            "That may be the draws only: these games do not settle whether White wins another share of the decisive games."
        }
        false => "These games do not settle whether White’s edge differs.",
    };
    format!(
        "White scored {} in {first} and {} in {second}, a difference of {} (95% interval {}, over the {} openings in which both games have a result).{decisive} {meaning}",
        percent(of.first),
        percent(of.second),
        points_between(of.first, of.second, of.value, "points"),
        points_interval(of.interval),
        count(of.openings),
    )
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
/// # Errors
/// Fails as [`means::difference`] does, which has the meaning of `side`.
pub fn difference<'a>(
    rows: impl Iterator<Item = &'a GameRow> + Clone,
    side: impl Fn(&str) -> Option<bool>,
    inference: Inference,
) -> fusion_statistics::Result<Option<Edge>> {
    let decisive = decisive(rows.clone(), &side, inference)?;
    let score = means::difference(rows, score, side, inference)?;
    Ok(score.map(|score| Edge { score, decisive }))
}

/// Compares White's shares of the decisive games. They are of different openings on the two sides, so that the interval is
/// that of independent shares.
fn decisive<'a>(
    rows: impl Iterator<Item = &'a GameRow>,
    side: impl Fn(&str) -> Option<bool>,
    inference: Inference,
) -> fusion_statistics::Result<Option<Difference>> {
    let mut wins = [[0u64; 2]; 2];
    for row in rows {
        let white = match row.result {
            GameResult::White => 1,
            GameResult::Black => 0,
            GameResult::Draw | GameResult::None => continue,
        };
        if let Some(first) = side(&row.rules) {
            wins[usize::from(!first)][white] += 1;
        }
    }
    let [a, b] = wins.map(|[black, white]| Proportion::new(white, black + white).ok());
    let Some((a, b)) = a.zip(b) else { return Ok(None) };
    let (openings, value) = (a.trials().min(b.trials()), a.share() - b.share());
    let newcombe = newcombe(a, b, Confidence::P95);
    let Interval { low, high } = inference.looks.widened(newcombe, value, openings);
    let interval = Interval { low: low.max(-1.0), high: high.min(1.0) };
    Ok(Some(Difference { openings, first: a.share(), second: b.share(), value, interval }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms;
    use crate::games::test_row;

    const RESAMPLING: Inference = Inference { resamples: 4_000, seed: 2020, ..Inference::ONCE };

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

    fn found(rows: &[GameRow]) -> Edge {
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
        let score = found.score;
        assert_eq!(score.openings, 999);
        assert!((score.value - 0.036_036).abs() < 1e-6, "{found:?}");
        assert!(found.is_shown() && score.interval.low < 0.01, "{found:?}");
        // White won 498 of 863 and 217 of 372 decisive games.
        let decisive = found.decisive.unwrap();
        assert!((decisive.first - 498.0 / 863.0).abs() < 1e-12, "{decisive:?}");
        assert!((decisive.second - 217.0 / 372.0).abs() < 1e-12, "{decisive:?}");
        assert!(!decisive.is_shown());
        let scores: Vec<Interval> = arms::summarise(&rows)
            .unwrap()
            .iter()
            .map(|arm| arm.white_score.unwrap().interval)
            .collect();
        assert!(scores[0].low < scores[1].high, "they overlap: {scores:?}");
        let said = in_words(&found, "metamorphin", "fusion-1999");
        for part in ["+3.6 points", "Of the decisive games White won 57.7% and", "the draws only"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("differs too") && !said.contains("No difference"), "{said}");
    }

    #[test]
    fn a_difference_within_noise_is_neither_claimed_nor_denied() {
        use GameResult::{Black, Draw, White};
        let found = found(&rows(&[(White, Draw, 12), (Draw, White, 10), (Black, Black, 30)]));
        let said = in_words(&found, "a", "b");
        assert!(!found.is_shown() && said.contains("do not settle whether"), "{said}");
        for claim in ["differs too", "No difference", "have not", "the same"] {
            assert!(!said.contains(claim), "{said}");
        }
    }

    #[test]
    fn openings_without_a_result_on_both_sides_are_left_out() {
        use GameResult::{None, White};
        assert_eq!(found(&rows(&[(White, None, 3), (White, White, 2)])).score.openings, 2);
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
        let score = found.score;
        assert_eq!((score.openings, score.first, score.second), (1, 0.75, 0.5));
        assert_eq!(found.decisive, None, "b has no decisive game");
    }
}
