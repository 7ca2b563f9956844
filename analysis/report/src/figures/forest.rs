//! Points with intervals, one below the other on a common axis.

use crate::many;
use fusion_print::axis::{Axis, Tick, description, nice_step, whole_percent};
use fusion_print::format::{
    count, p_value, percent, percent_interval, points, points_interval, signed,
};
use fusion_results::names::Agent;
use fusion_results::pairs::Pair;
use fusion_results::pooled::{PlayerResult, Pooled};
use fusion_results::report::Report;
use fusion_results::robustness::AgentResult;
use fusion_results::verdict::MATERIAL;
use fusion_statistics::Interval;
use serde::Serialize;

/// A rule change: its words, the toggle unless the words name it, its effect with the interval, and
/// the adjusted p. The change is a toggle in all mixes of the others. Without such games it is a
/// toggle that is the only change.
pub(crate) type RuleChange = (String, Option<&'static str>, f64, Interval, f64);

/// The plot. On a wide screen each row is one line: name, marks and numbers. On a narrow one the marks stand
/// below the others.
#[derive(Serialize)]
pub(crate) struct Forest {
    id: &'static str,
    title: String,
    description: String,
    rows: Vec<Row>,
    ticks: Vec<Tick>,
    /// Zone of immaterial differences, with zero.
    zone: Option<Zone>,
}

#[derive(Serialize)]
struct Row {
    /// Heading above the row; may be empty.
    heading: &'static str,
    label: String,
    /// Rest of the label, which may stand on a line of its own.
    minus: String,
    /// Minor text after the label.
    aside: String,
    value: String,
    detail: String,
    /// Minor text after the interval; left out where there is no room.
    extra: String,
    tooltip: String,
    x: f64,
    wide: Span,
    narrow: Option<Span>,
    /// Span from the estimate to the estimate with capped games counted as draws.
    capped: Option<Span>,
}

#[derive(Clone, Copy, Serialize)]
struct Span {
    x: f64,
    width: f64,
}

#[derive(Serialize)]
struct Zone {
    span: Span,
    zero: f64,
}

/// The numbers of a row.
struct Entry {
    heading: &'static str,
    label: String,
    minus: String,
    aside: String,
    extra: String,
    tooltip: String,
    estimate: f64,
    wide: Interval,
    narrow: Option<Interval>,
    capped: Option<Interval>,
}

impl Entry {
    fn new(label: &str, tooltip: String, estimate: f64, wide: Interval) -> Self {
        Self {
            heading: "",
            label: label.to_owned(),
            minus: String::new(),
            aside: String::new(),
            extra: String::new(),
            tooltip,
            estimate,
            wide,
            narrow: None,
            capped: None,
        }
    }
}

/// Plots draw shares with Wilson's intervals.
pub(crate) fn draw_shares(report: &Report) -> Forest {
    // The order of the rows is an answer: the least drawish rule set comes first.
    let mut arms = many::figure_arms(report);
    arms.sort_by(|a, b| a.draw_share.share().total_cmp(&b.draw_share.share()));
    let entries: Vec<Entry> = arms
        .into_iter()
        .map(|arm| {
            let share = arm.draw_share.share();
            let tooltip = format!(
                "{}: {} of {} games drawn, {} (95% interval {})",
                arm.rules,
                count(arm.draws),
                count(arm.games),
                percent(share),
                percent_interval(arm.draw_wilson)
            );
            let upper = Interval { low: share, high: arm.draw_share_upper() };
            Entry {
                capped: (arm.capped > 0).then_some(upper),
                ..Entry::new(&arm.rules, tooltip, share, arm.draw_wilson)
            }
        })
        .collect();
    let highest = entries
        .iter()
        .flat_map(|entry| [entry.wide.high, entry.capped.map_or(0.0, |capped| capped.high)])
        .fold(0.1, f64::max);
    let step = nice_step(highest, 6.0).max(0.02);
    let axis = Axis::new(0.0, (highest / step).ceil() * step);
    let ticks = axis.ticks(step, whole_percent);
    let text = |entry: &Entry| (percent(entry.estimate), percent_interval(entry.wide));
    plot("draws", "Draw share by rule set", entries, (axis, ticks), None, text)
}

/// Plots differences in draws with bootstrap intervals and the zone of ±3 points.
pub(crate) fn differences(pairs: &[&Pair], id: &'static str) -> Forest {
    let pairs = many::figure_pairs(pairs);
    let entries = pairs
        .iter()
        .map(|pair| {
            let tooltip = format!(
                "{} minus {}: {} points (95% interval {}, 90% interval {})",
                pair.first,
                pair.second,
                points(pair.difference),
                points_interval(pair.interval95),
                points_interval(pair.interval90)
            );
            Entry {
                minus: format!("− {}", pair.second),
                narrow: Some(pair.interval90),
                ..Entry::new(&pair.first, tooltip, pair.difference, pair.interval95)
            }
        })
        .collect();
    in_points(id, "Difference in draws, percentage points", entries)
}

/// Plots effects of rule changes.
pub(crate) fn effects(changes: &[RuleChange]) -> Forest {
    let entries = changes
        .iter()
        .map(|(label, toggle, effect, interval, p)| {
            let toggle = toggle.unwrap_or_default();
            let p = format!("adjusted p {}", p_value(*p));
            let tooltip = format!(
                "{}: {} points (95% interval {}, {p})",
                format!("{label} {toggle}").trim_end(),
                points(*effect),
                points_interval(*interval),
            );
            let entry = Entry::new(label, tooltip, *effect, *interval);
            Entry { aside: toggle.to_owned(), extra: p, ..entry }
        })
        .collect();
    in_points("effects", "Effect of each rule change on draws, percentage points", entries)
}

/// Plots the primary comparison by several agents.
pub(crate) fn agents(rows: &[AgentResult], main_network: &str) -> Forest {
    let entries = rows
        .iter()
        .map(|row| {
            let [label, aside] = Agent::from(row).name(main_network);
            let [first, second] = row.shares.map(|share| percent(share.share()));
            let extra = format!("{first} against {second}");
            let tooltip = format!(
                "{label} {aside}: {} points (95% interval {}), {extra}, {} openings",
                points(row.difference),
                points_interval(row.interval),
                count(row.shares[0].trials())
            );
            Entry { aside, extra, ..Entry::new(&label, tooltip, row.difference, row.interval) }
        })
        .collect();
    in_points("agents", "Difference in draws by agent, percentage points", entries)
}

/// Plots the primary comparison by each of the pooled players, then by all together.
pub(crate) fn players(pooled: &Pooled) -> Forest {
    let mut family = "";
    let player = |player: &PlayerResult| {
        let heading = match player.family() {
            same if same == family => "",
            "alpha-beta" => "Alpha-beta: network, nodes a move",
            "tree search" => "Tree search: network, nodes a move",
            _ => "Other programs: nodes a move",
        };
        family = player.family();
        Entry { heading, ..of_player(pooled, player, pooled.label(player).replace(" nodes", "")) }
    };
    let mut entries: Vec<Entry> = pooled.players.iter().map(player).collect();
    entries.extend(together(pooled));
    in_points("players", "Difference in draws by player, percentage points", entries)
}

/// Plots the primary comparison with one setting changed.
pub(crate) fn variants(pooled: &Pooled) -> Forest {
    // The name of such a measurement says which setting is changed.
    let variant = |player: &PlayerResult| {
        of_player(pooled, player, player.measurement.replace(['-', '_'], " "))
    };
    let entries = pooled.variants.iter().map(variant).collect();
    in_points("variants", "Difference in draws by setting, percentage points", entries)
}

fn of_player(pooled: &Pooled, player: &PlayerResult, label: String) -> Entry {
    let result = &player.result;
    let [first, second] = result.shares.map(|share| percent(share.share()));
    let extra = format!("{first} against {second}");
    let tooltip = format!(
        "{}, {} (“{}”): {} points (95% interval {}), {extra}, {} openings",
        player.family(),
        pooled.label(player),
        player.measurement,
        points(result.difference),
        points_interval(result.interval),
        count(result.shares[0].trials())
    );
    Entry { extra, ..Entry::new(&label, tooltip, result.difference, result.interval) }
}

/// Returns the rows of all players together and of one more player.
fn together(pooled: &Pooled) -> impl Iterator<Item = Entry> {
    pooled.together().map(|(label, mean, interval)| {
        let estimate = format!("{} points", points(mean));
        let tooltip = format!("{label}: {estimate} (95% interval {})", points_interval(interval));
        let heading = if label.starts_with("all") { "Together" } else { "" };
        Entry { heading, ..Entry::new(&label, tooltip, mean, interval) }
    })
}

/// Plots differences of shares, with zero in the middle and the zone of ±3 points around it.
fn in_points(id: &'static str, title: &str, entries: Vec<Entry>) -> Forest {
    let reach = entries
        .iter()
        .flat_map(|entry| [entry.wide.low.abs(), entry.wide.high.abs()])
        .fold(2.0 * MATERIAL, f64::max);
    let step = nice_step(2.0 * reach, 6.0);
    let limit = (reach / step).ceil() * step;
    let axis = Axis::new(-limit, limit);
    let ticks = axis.ticks(step, |value| signed(100.0 * value, 0));
    let zone =
        Zone { span: span(axis, Interval { low: -MATERIAL, high: MATERIAL }), zero: axis.x(0.0) };
    let text = |entry: &Entry| (points(entry.estimate), points_interval(entry.wide));
    plot(id, title, entries, (axis, ticks), Some(zone), text)
}

fn plot(
    id: &'static str,
    title: &str,
    entries: Vec<Entry>,
    (axis, ticks): (Axis, Vec<Tick>),
    zone: Option<Zone>,
    text: impl Fn(&Entry) -> (String, String),
) -> Forest {
    let description = description(entries.iter().map(|entry| &entry.tooltip));
    let row = |entry: Entry| {
        let (value, detail) = text(&entry);
        Row {
            value,
            detail,
            heading: entry.heading,
            x: axis.x(entry.estimate),
            wide: span(axis, entry.wide),
            narrow: entry.narrow.map(|interval| span(axis, interval)),
            capped: entry.capped.map(|interval| span(axis, interval)),
            label: entry.label,
            minus: entry.minus,
            aside: entry.aside,
            extra: entry.extra,
            tooltip: entry.tooltip,
        }
    };
    let rows = entries.into_iter().map(row).collect();
    Forest { id, title: title.to_owned(), description, rows, ticks, zone }
}

fn span(axis: Axis, interval: Interval) -> Span {
    Span { x: axis.x(interval.low), width: axis.width(interval.low, interval.high) }
}
