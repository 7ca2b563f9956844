//! Two runs side by side in the terminal.

use super::effects::Effect;
use super::{Comparison, Side, tables};
use crate::arms::Arm;
use fusion_print::format::{count, counted, fixed, points, points_interval};
use fusion_print::text::Text;

/// Smallest share of independent games with wide enough intervals, as in a report's checks.
const MIN_EFFECTIVE_SHARE: f64 = 0.95;

/// Returns the whole comparison as a text.
pub(super) fn text(comparison: &Comparison) -> Text {
    let mut text = Text::default();
    for (name, side) in ["A", "B"].into_iter().zip(&comparison.sides) {
        text.line(format!("{name}: {}", description(side)));
    }
    if comparison.is_of_the_same_games() {
        text.push("Both runs hold the same games, move for move: every difference is 0.");
    }
    settings(&mut text, comparison);
    tables::of_draws(comparison).into_iter().for_each(|table| text.table(table));
    remarks(&mut text, comparison);
    text.table(tables::of_white(comparison));
    effects(&mut text, comparison);
    text
}

fn description(side: &Side) -> String {
    let games = counted(side.run.games.len() as u64, "game");
    format!("{}, {games}", side.path.display())
}

fn settings(text: &mut Text, comparison: &Comparison) {
    match tables::settings(comparison).unless_empty() {
        Some(table) => text.table(table),
        None => {
            text.gap();
            text.push("No setting that is recorded differs.");
        }
    }
    for name in &comparison.settings.unknown {
        text.push(format!("{name} has no measure.json: its other settings are not known."));
    }
}

fn remarks(text: &mut Text, comparison: &Comparison) {
    let all_alike =
        |against: &&super::Against| against.paired.is_some_and(|paired| paired.discordant == 0);
    if comparison.against.iter().any(|against| all_alike(&against))
        && !comparison.is_of_the_same_games()
    {
        text.push("An interval without width: no opening is drawn in only one of the runs. With few openings that proves little.");
    }
    let arms = || comparison.against.iter().flat_map(|against| &against.arms);
    let (capped, errors) =
        arms().fold((0, 0), |(capped, errors), arm| (capped + arm.capped, errors + arm.errors));
    if capped > 0 {
        text.push(format!("{} met the cap: not drawn.", counted(capped, "game")));
    }
    if errors > 0 {
        text.push(format!("{} failed: left out.", counted(errors, "game")));
    }
    if let Some(remark) = repeats(comparison) {
        text.push(remark);
    }
}

/// Returns the arm that repeats its games most, if that matters.
fn repeats(comparison: &Comparison) -> Option<String> {
    let named = |(i, arm)| (["A", "B"][i], arm);
    let arms = comparison.against.iter().flat_map(|against| against.arms.iter().enumerate());
    let share = |arm: &Arm| arm.effective / arm.games as f64;
    let worst = arms.map(named).min_by(|a, b| share(a.1).total_cmp(&share(b.1)));
    let (name, arm) = worst.filter(|(_, arm)| share(arm) < MIN_EFFECTIVE_SHARE)?;
    Some(format!(
        "Games repeat, most of all those of {} at {} nodes in {name}: {} different of {}, worth {} independent ones. Intervals are too narrow there.",
        arm.rules,
        count(arm.nodes),
        count(arm.distinct),
        count(arm.games),
        fixed(arm.effective, 1)
    ))
}

fn effects(text: &mut Text, comparison: &Comparison) {
    let effects = &comparison.effects;
    if !effects.is_empty() {
        text.table(tables::of_effects(comparison));
        let how = if effects.iter().all(|effect| effect.paired) {
            "The openings are the same in A and B: the difference of the effects is resampled by opening."
        } else {
            "The openings of A and B are taken as independent: the difference's interval is normal, from the standard errors of both effects."
        };
        text.push(how);
    }
    let Some((first, second)) = &comparison.primary else { return };
    text.gap();
    let mut primary = effects.iter().filter(|effect| effect.primary).peekable();
    if primary.peek().is_none() {
        text.push(format!(
            "The primary comparison, {first} against {second}, is not in both runs at the same number of nodes."
        ));
    }
    for effect in primary {
        text.push(in_words(effect));
    }
}

fn in_words(effect: &Effect) -> String {
    let Effect { first, second, in_runs: [a, b], difference, .. } = effect;
    let openings = match effect.openings {
        [a, b] if a == b => counted(a, "opening"),
        [a, b] => format!("{} openings in A and {} in B", count(a), count(b)),
    };
    let (low, high) = (difference.interval.low, difference.interval.high);
    let meaning = if low == 0.0 && high == 0.0 {
        "in these games it is the same, opening by opening"
    } else if low > 0.0 || high < 0.0 {
        "it is not the same in both"
    } else {
        "these games do not settle whether it is the same in both"
    };
    format!(
        "At {} nodes, over {}, the effect of {first} against {second} is {} points in A and {} in B: they differ by {} points (95% interval {}); {meaning}.",
        count(effect.nodes),
        openings,
        points(a.value),
        points(b.value),
        points(difference.value),
        points_interval(difference.interval),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::against::Estimate;
    use fusion_statistics::Interval;

    fn said(value: f64, low: f64, high: f64) -> String {
        let estimate = |value, low, high| Estimate { value, interval: Interval { low, high } };
        in_words(&Effect {
            nodes: 100,
            first: "a".into(),
            second: "b".into(),
            primary: true,
            in_runs: [estimate(-0.1, -0.2, 0.0), estimate(-0.1 - value, -0.3, 0.1)],
            openings: [100, 100],
            paired: true,
            difference: estimate(value, low, high),
        })
    }

    #[test]
    fn effects_are_called_the_same_only_where_every_opening_says_so() {
        let meanings =
            ["it is not the same", "do not settle whether", "the same, opening by opening"];
        for (said, expected) in [
            (said(0.05, 0.01, 0.09), 0),
            (said(-0.05, -0.09, -0.01), 0),
            (said(0.03, -0.01, 0.07), 1),
            (said(0.0, -0.01, 0.01), 1),
            (said(0.0, 0.0, 0.0), 2),
        ] {
            for (i, meaning) in meanings.iter().enumerate() {
                assert_eq!(said.contains(meaning), i == expected, "{meaning}: {said}");
            }
        }
    }
}
