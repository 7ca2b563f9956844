//! The gates that rest on known facts of chess.

use crate::arms::Arm;
use crate::chess::placebo::Placebo;
use crate::protocol::{Check, Status, above_zero};
use crate::trends::Trends;
use crate::verdict::MATERIAL;
use fusion_chess::game::{DEAD_POSITION, FIFTY_MOVE, STALEMATE, THREEFOLD};
use fusion_print::format::{count, fixed, percent, points, points_interval};
use fusion_runner::random::RandomRow;
use fusion_statistics::{Confidence, Interval};

/// Endings of orthodox games of random movers, in per cent of 24 million games.
///
/// The order is checkmate, stalemate, repetition, fifty-move rule (which ranks above repetition)
/// and insufficient material.
const PUBLISHED: [(&str, f64); 5] = [
    ("checkmate", 15.31),
    ("stalemate", 6.13),
    ("repetition", 2.57),
    ("fifty-move rule", 22.41),
    ("dead position", 53.59),
];
const ORTHODOX: &str = "orthodox";
/// Largest accepted difference of the true shares, in percentage points.
const TOLERANCE: f64 = 0.3;

/// Checks that random movers end orthodox games as published.
pub fn random_movers(rows: &[RandomRow]) -> Check {
    let title = "Orthodox random movers end as published";
    let Some(row) = rows.iter().find(|row| row.rules == ORTHODOX) else {
        return Check::new(Status::Unknown, title, "Random movers did not play under orthodox.");
    };
    let games = row.games as f64;
    let drawn = [STALEMATE, THREEFOLD, FIFTY_MOVE, DEAD_POSITION].map(|by| row.drawn_by(by));
    let found = [row.won()].into_iter().chain(drawn).map(|count| count as f64 / games);
    let found: Vec<f64> = found.collect();
    let shares: Vec<String> = PUBLISHED
        .iter()
        .zip(&found)
        .map(|((name, share), found)| format!("{name} {}% ({share:.2}%)", fixed(100.0 * found, 2)))
        .collect();
    let detail = format!(
        "{} games: {}; in brackets what was published. Allowed are {TOLERANCE} points, judged by the intervals of all five shares together.",
        count(row.games),
        shares.join(", ")
    );
    // The level is adjusted for five shares at once.
    let z = Confidence::new(1.0 - 0.05 / PUBLISHED.len() as f64).map_or(f64::NAN, Confidence::z);
    let distances = PUBLISHED.iter().zip(found).map(|((_, share), found)| {
        let half = z * (found * (1.0 - found) / games).sqrt();
        let distance = 100.0 * found - share;
        Interval { low: distance - 100.0 * half, high: distance + 100.0 * half }
    });
    Check::new(within(distances, TOLERANCE), title, detail)
}

/// Checks that all intervals lie within `limit` of 0.
///
/// The check fails if an interval lies fully outside. It is unsettled if an interval contains the
/// limit.
fn within(intervals: impl Iterator<Item = Interval>, limit: f64) -> Status {
    let one = |Interval { low, high }: Interval| match (low, high) {
        (low, high) if low > limit || high < -limit => Status::Fail,
        (low, high) if low >= -limit && high <= limit => Status::Pass,
        _ => Status::Unsettled,
    };
    let found: Vec<Status> = intervals.map(one).collect();
    let worst = [Status::Fail, Status::Unsettled].into_iter().find(|status| found.contains(status));
    worst.unwrap_or(Status::Pass)
}

/// Checks games under rule sets that differ only in name.
pub fn nothing_changed(placebos: &[Placebo]) -> Check {
    let title = "Real games without a difference (A/A)";
    if placebos.is_empty() {
        let detail = "No games differ in a toggle that cannot matter, such as the splitting of attacked pieces where nothing splits.";
        return Check::new(Status::Unknown, title, detail);
    }
    let rows: Vec<String> = placebos
        .iter()
        .map(|found| {
            format!(
                "{} {} points (95% interval {}, {} pairs of games)",
                found.toggle,
                points(found.difference),
                points_interval(found.interval),
                count(found.pairs)
            )
        })
        .collect();
    let detail = format!(
        "These toggles cannot matter under the other rules of the games compared, yet the network gets them as input and plays other games; draws under the rule set that is further from a preset minus draws under the same rules: {}.",
        rows.join("; ")
    );
    Check::new(no_effect(placebos), title, detail)
}

/// Returns the status of inert toggles.
///
/// It fails if a joint interval excludes 0. It passes only if all joint intervals lie within the 3
/// points that are immaterial.
fn no_effect(placebos: &[Placebo]) -> Status {
    if placebos.iter().any(|found| !found.joint.contains(0.0)) {
        return Status::Fail;
    }
    match within(placebos.iter().map(|found| found.joint), MATERIAL) {
        Status::Pass => Status::Pass,
        _ => Status::Unsettled,
    }
}

/// Checks that draws in orthodox chess rise with nodes.
///
/// Stronger orthodox chess is known to be drawn more often. An agent or a measurement without this
/// effect is in doubt.
pub fn control(arms: &[Arm], trends: Option<&Trends>) -> Check {
    let title = "Control: orthodox draws rise with nodes";
    let at: Vec<String> = arms
        .iter()
        .filter(|arm| arm.rules == ORTHODOX)
        .map(|arm| format!("{} at {}", percent(arm.draw_share.share()), count(arm.nodes)))
        .collect();
    let trend = trends.and_then(|trends| trends.whole.iter().find(|of| of.rules == ORTHODOX));
    let Some(change) = trend else {
        return Check::new(Status::Unknown, title, "Orthodox chess was not played at two budgets.");
    };
    let detail = format!(
        "{} nodes: {} points a doubling on average (95% interval {}).",
        at.join(", "),
        points(change.estimate.value),
        points_interval(change.interval)
    );
    Check::new(above_zero(change.interval), title, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{GameRow, test_row};
    use crate::pairs::Inference;

    #[test]
    fn published_shares_pass_others_fail_and_few_games_settle_nothing() {
        let row = |games, wins, drawn: [u64; 4]| {
            let endings = [STALEMATE, THREEFOLD, FIFTY_MOVE, DEAD_POSITION];
            let draws = endings.into_iter().zip(drawn).collect();
            RandomRow { games, wins, draws, ..RandomRow::new(&[], "orthodox".into(), 1) }
        };
        let many =
            |fifty_move, dead| row(1_000_000, [76_600, 76_500], [61_300, 25_700, fifty_move, dead]);
        assert_eq!(random_movers(&[many(224_100, 535_800)]).status, Status::Pass);
        assert_eq!(random_movers(&[many(218_900, 541_000)]).status, Status::Fail);
        assert_eq!(random_movers(&[many(221_200, 538_700)]).status, Status::Unsettled);
        assert_eq!(random_movers(&[]).status, Status::Unknown);
        let few = row(10_000, [766, 765], [613, 257, 2_241, 5_358]);
        assert_eq!(random_movers(&[few]).status, Status::Unsettled);
    }

    /// Runs the control on orthodox games at 100 and 1,600 nodes, 500 games each, with these
    /// numbers of draws.
    fn orthodox(at_100: u64, at_1600: u64) -> Check {
        let row = |nodes, drawn: u64| {
            move |opening| {
                test_row(
                    ORTHODOX,
                    nodes,
                    opening,
                    opening * drawn / 500 != (opening + 1) * drawn / 500,
                )
            }
        };
        let rows: Vec<GameRow> =
            (0..500).map(row(100, at_100)).chain((0..500).map(row(1_600, at_1600))).collect();
        let arms = crate::arms::summarise(&rows).unwrap();
        let trends = crate::trends::trends(&rows, None, Inference::ONCE);
        control(&arms, trends.as_ref())
    }

    #[test]
    fn a_control_within_noise_has_not_failed() {
        assert_eq!(orthodox(100, 200).status, Status::Pass);
        assert_eq!(orthodox(200, 100).status, Status::Fail);
        for (few, many) in [(125, 126), (125, 115), (125, 140)] {
            assert_eq!(orthodox(few, many).status, Status::Unsettled, "{few} {many}");
        }
    }

    #[test]
    fn nothing_is_shown_to_have_no_effect_by_a_wide_interval() {
        let found = |low, high| Placebo {
            toggle: "x".to_owned(),
            pairs: 100,
            difference: f64::midpoint(low, high),
            interval: Interval { low, high },
            joint: Interval { low, high },
        };
        assert_eq!(no_effect(&[found(-0.01, 0.02)]), Status::Pass);
        assert_eq!(no_effect(&[found(-0.01, 0.02), found(-0.02, 0.05)]), Status::Unsettled);
        assert_eq!(no_effect(&[found(-0.01, 0.02), found(0.005, 0.02)]), Status::Fail);
    }
}
