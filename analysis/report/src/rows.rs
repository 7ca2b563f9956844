//! Table rows that the terminal and the page share.

use crate::arms::Arm;
use crate::format::{
    count, magnitude, p_value, percent, percent_interval, points, points_interval,
};
use crate::games::RowEnding;
use crate::pairs::Pair;

/// Rule set, nodes, results, and the draw share with its interval.
pub(crate) fn results(arm: &Arm) -> Vec<String> {
    let mut row = vec![arm.rules.clone()];
    let results = [arm.nodes, arm.games, arm.white_wins, arm.draws, arm.black_wins];
    row.extend(results.into_iter().chain([arm.capped, arm.errors]).map(count));
    row.push(percent(arm.draw_share.share()));
    row.push(percent_interval(arm.draw_wilson));
    row.push(if arm.capped == 0 { "–".into() } else { percent(arm.draw_share_upper()) });
    row
}

/// Rule set, nodes, and the number of games by each of the listed endings.
pub(crate) fn endings(arm: &Arm, listed: &[(usize, RowEnding)]) -> Vec<String> {
    let mut row = vec![arm.rules.clone(), count(arm.nodes)];
    row.extend(listed.iter().map(|&(place, _)| count(arm.endings[place])));
    row
}

/// The paired difference with its intervals and tests, after the pair's name and nodes.
pub(crate) fn difference(pair: &Pair) -> [String; 8] {
    [
        count(pair.openings),
        points(pair.difference),
        points_interval(pair.bootstrap95),
        points_interval(pair.bootstrap90),
        format!("{} : {}", pair.first_only, pair.second_only),
        p_value(pair.mcnemar_p),
        p_value(pair.holm_p),
        magnitude(pair.e_value),
    ]
}
