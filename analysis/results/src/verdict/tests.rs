//! Tests of the verdict on a pair: each sentence appears only under its condition.

use super::*;
use crate::arms;
use crate::games::{GameRow, test_row};
use crate::means::Difference;
use crate::pairs::{self, Inference};

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high }
}

/// Returns an arm of 40 games by the uniform evaluator.
pub(super) fn arm(rules: &str, nodes: u64) -> Arm {
    let rows: Vec<GameRow> =
        (0..40).map(|opening| test_row(rules, nodes, opening, opening % 2 == 0)).collect();
    arms::summarise(&rows).unwrap().remove(0)
}

/// Returns the comparison of `a` and `b` over 1,000 openings with this difference and these
/// intervals.
fn pair(difference: f64, i95: (f64, f64), i90: (f64, f64)) -> Pair {
    let rows: Vec<GameRow> = (0..40)
        .flat_map(|opening| {
            [("a", opening % 2), ("b", opening % 3)]
                .map(|(rules, is)| test_row(rules, 100, opening, is == 0))
        })
        .collect();
    let inference = Inference::ONCE;
    let pair = pairs::compare(&rows, Some(("a", "b")), inference).unwrap().remove(0);
    Pair {
        openings: 1_000,
        difference,
        // The deviation that belongs to the 95% interval.
        deviation: (i95.1 - i95.0) / 2.0 / 1.96 * 1_000f64.sqrt(),
        interval95: interval(i95.0, i95.1),
        interval90: interval(i90.0, i90.1),
        cap_bounds: interval(difference, difference),
        ..pair
    }
}

fn judged(pair: &Pair, white: Option<Edge>) -> Verdict {
    let arms = [arm("a", 100), arm("b", 100)];
    let evidence = Evidence { arms: &arms, nodes: 100, pool: None, looks: Looks::Once };
    let more = Openings::Study { count: 1_000, games: None };
    judge(&evidence, &Primary { names: ("a", "b"), pair: Some(pair), white }, more)
}

#[test]
fn the_rule_at_its_edges() {
    use Decision::*;
    for (difference, i95, i90, expected) in [
        (-0.03, (-0.05, -0.01), (-0.045, -0.015), LessDrawish),
        (-0.0299, (-0.05, -0.01), (-0.045, -0.015), Inconclusive),
        (-0.10, (-0.20, 0.0), (-0.19, -0.01), Inconclusive),
        (0.03, (0.01, 0.05), (0.015, 0.045), MoreDrawish),
        (0.10, (-0.001, 0.2), (0.01, 0.19), Inconclusive),
        (0.0, (-0.031, 0.031), (-0.029, 0.029), NoMaterialChange),
        (0.0, (-0.04, 0.04), (-0.03, 0.03), Inconclusive),
        (-0.01, (-0.018, -0.002), (-0.017, -0.003), NoMaterialChange),
        (0.0, (0.0, 0.0), (0.0, 0.0), NoMaterialChange),
    ] {
        let decision =
            Decision::by_rule(difference, interval(i95.0, i95.1), interval(i90.0, i90.1));
        assert_eq!(decision, expected, "{difference} {i95:?} {i90:?}");
    }
}

/// Checks that each decision has its own sentence and no sentence of the others.
#[test]
fn each_sentence_has_its_numbers() {
    const SENTENCES: [&str; 5] = [
        ", a is drawn less often than b:",
        ", a is drawn more often than b:",
        "is drawn about as often as b, within 3 points either way:",
        "do not settle whether a is drawn less often than b:",
        "than b, but these games do not settle whether by 3 points or more:",
    ];
    for (pair, expected) in [
        (pair(-0.08, (-0.10, -0.06), (-0.097, -0.063)), 0),
        (pair(0.08, (0.06, 0.10), (0.063, 0.097)), 1),
        (pair(0.0, (-0.02, 0.02), (-0.017, 0.017)), 2),
        // The difference is not zero, but within ±3 points. The sentence does not deny a
        // difference.
        (pair(-0.01, (-0.018, -0.002), (-0.017, -0.003)), 2),
        (pair(-0.08, (-0.17, 0.01), (-0.155, -0.005)), 3),
        (pair(0.01, (-0.05, 0.07), (-0.04, 0.06)), 3),
        (pair(-0.025, (-0.04, -0.01), (-0.038, -0.012)), 4),
        (pair(0.025, (0.01, 0.04), (0.012, 0.038)), 4),
    ] {
        let said = judged(&pair, None).sentence;
        for (i, sentence) in SENTENCES.iter().enumerate() {
            assert_eq!(said.contains(sentence), i == expected, "{sentence}: {said}");
        }
        assert!(!said.contains("equally") && !said.contains("no difference"), "{said}");
    }
    let more = judged(&pair(0.025, (0.01, 0.04), (0.012, 0.038)), None).sentence;
    assert!(more.contains("a is drawn more often than b, but"), "{more}");
}

#[test]
fn the_box_holds_nothing_but_threats() {
    let clear = pair(-0.08, (-0.10, -0.06), (-0.097, -0.063));
    assert!(judged(&clear, None).remarks.is_empty());
    // White's edge is mentioned only if it differs.
    let white = |low, high| {
        let (value, interval) = (f64::midpoint(low, high), interval(low, high));
        let score = Difference { openings: 1_000, first: 0.5, second: 0.5, value, interval };
        Some(Edge { score, decisive: Some(score) })
    };
    assert!(judged(&clear, white(-0.01, 0.06)).remarks.is_empty());
    assert!(judged(&clear, white(0.01, 0.06)).remarks[0].contains("edge differs too"));
    // Capped games are mentioned only if they could change the verdict.
    let few = Pair { cap_bounds: interval(-0.085, -0.075), ..clear.clone() };
    assert!(judged(&few, None).remarks.is_empty());
    let many = Pair { cap_bounds: interval(-0.085, -0.02), ..clear };
    assert!(judged(&many, None).remarks[0].contains("could change the verdict"));
}

#[test]
fn advice_is_given_where_games_would_settle_it() {
    let wide = pair(-0.02, (-0.06, 0.02), (-0.053, 0.013));
    let said = judged(&wide, None).remarks;
    assert!(
        said[0].starts_with("About 4,000 openings settle it in 80% of the studies"),
        "{said:?}"
    );
    assert!(said[0].contains("is `fixed`: write another study"), "{said:?}");
    assert!(said[1].ends_with("is found in 80% of such studies."), "{said:?}");
    let clear = pair(-0.08, (-0.12, -0.04), (-0.113, -0.047));
    assert!(judged(&clear, None).remarks.is_empty(), "the verdict needs no more games");
    let narrow = pair(-0.025, (-0.04, -0.01), (-0.038, -0.012));
    let said = judged(&narrow, None).remarks;
    assert!(said.len() == 1 && said[0].starts_with("A difference of"), "{said:?}");
}

#[test]
fn many_capped_games_are_provisional() {
    let mut capped = arm("a", 100);
    capped.capped = 1;
    let arms = [capped, arm("b", 100)];
    let evidence = Evidence { arms: &arms, nodes: 100, pool: None, looks: Looks::Once };
    assert!(evidence.provisional().unwrap().starts_with("Provisional: 2.5% of the games of a"));
    let few = [arm("a", 100)];
    assert_eq!(Evidence { arms: &few, ..evidence }.provisional(), None);
}
