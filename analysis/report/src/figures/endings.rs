//! Stacked bars of endings, one for each rule set.

use super::shortened;
use crate::many;
use fusion_print::axis::{Axis, Tick, description, round, whole_percent};
use fusion_print::format::{count, percent};
use fusion_results::games::{RowEnding, display};
use fusion_results::report::Report;
use fusion_results::report_game::ReportGame;
use serde::Serialize;

/// Maximum number of characters of a row's name.
pub(crate) const LABEL: usize = 30;
/// Heights in pixels.
const ROW: u32 = 52;
const TOP: u32 = 4;
const AXIS: u32 = 26;

/// Colours of the endings of the rules, by their places, in light and in dark mode.
const COLOURS: [[&str; 2]; 12] = [
    ["#0072b2", "#2a7ab5"],
    ["#7cc4ec", "#a4dbf7"],
    ["#e69f00", "#e9a820"],
    ["#f2e27b", "#f2e27b"],
    ["#35b08a", "#46c39c"],
    ["#d55e00", "#e8743b"],
    ["#8a5a9e", "#b48ac6"],
    ["#c79fd0", "#dcc0e4"],
    ["#6b6b6b", "#9a9a9a"],
    ["#bdbdbd", "#d6d6d6"],
    ["#8c5a2b", "#b98a5a"],
    ["#c23b5e", "#e07a95"],
];

/// Stacked bars of endings.
#[derive(Serialize)]
pub(crate) struct Endings {
    description: String,
    rows: Vec<EndingRow>,
    legend: Vec<(&'static str, &'static str)>,
    ticks: Vec<Tick>,
    height: u32,
    axis_y: u32,
}

#[derive(Serialize)]
struct EndingRow {
    label: String,
    value: String,
    y: u32,
    segments: Vec<Segment>,
}

#[derive(Serialize)]
struct Segment {
    class: &'static str,
    /// Class of the label, which stands on the segment's colour.
    on: &'static str,
    x: f64,
    width: f64,
    middle: f64,
    /// Label, or empty if it would not fit.
    label: String,
    tooltip: String,
}

/// Smallest share of a segment with a label: narrower ones have no room for it on a narrow screen.
const LABEL_SHARE: f64 = 0.09;

pub(crate) fn endings(report: &Report) -> Endings {
    let axis = Axis::new(0.0, 1.0);
    let arms = many::figure_arms(report);
    let rows: Vec<EndingRow> = arms
        .iter()
        .enumerate()
        .map(|(i, arm)| {
            let mut before = 0;
            let counted =
                report.run.game.row_endings().into_iter().zip(arm.endings.iter().copied());
            let segments = counted
                .enumerate()
                .filter(|(_, (ending, games))| *ending != RowEnding::Error && *games > 0)
                .map(|(place, (ending, games))| {
                    let share = |games: u64| games as f64 / arm.games as f64;
                    let (low, high) = (share(before), share(before + games));
                    before += games;
                    Segment {
                        class: ending.name(),
                        on: if place == 0 { "on-dark" } else { "on-light" },
                        x: axis.x(low),
                        width: axis.width(low, high),
                        middle: round(axis.x(low) + axis.width(low, high) / 2.0),
                        label: if high - low < LABEL_SHARE {
                            String::new()
                        } else {
                            whole_percent(high - low)
                        },
                        tooltip: format!(
                            "{}: {}, {} of {} games ({})",
                            arm.rules,
                            display(ending),
                            count(games),
                            count(arm.games),
                            percent(high - low)
                        ),
                    }
                })
                .collect();
            EndingRow {
                label: shortened(&arm.rules, LABEL),
                value: format!("{} games", count(arm.games)),
                y: TOP + ROW * i as u32,
                segments,
            }
        })
        .collect();
    let axis_y = TOP + ROW * rows.len() as u32;
    let occurs = |ending: &RowEnding| {
        let index = report.run.game.row_endings().iter().position(|other| other == ending);
        *ending != RowEnding::Error
            && index.is_some_and(|i| arms.iter().any(|arm| arm.endings[i] > 0))
    };
    Endings {
        description: description(rows.iter().flat_map(|r| &r.segments).map(|s| &s.tooltip)),
        legend: report
            .run
            .game
            .row_endings()
            .into_iter()
            .filter(occurs)
            .map(|ending| (ending.name(), display(ending)))
            .collect(),
        ticks: axis.ticks(0.25, whole_percent),
        rows,
        height: axis_y + AXIS,
        axis_y,
    }
}

/// Returns the styles of the pages, with the colours of the endings of a game.
pub(crate) fn style(game: ReportGame) -> String {
    let names = || game.description().endings.iter().map(|ending| ending.name());
    let colours = |mode: usize| {
        let each = names().zip(COLOURS.iter().cycle());
        let each = each.map(|(name, colours)| format!("--{name}: {};", colours[mode]));
        each.collect::<Vec<_>>().join(" ")
    };
    let fills: Vec<String> =
        names().map(|name| format!(".{name} {{ fill: var(--{name}); }}")).collect();
    let lines: Vec<String> = fills.chunks(3).map(|line| line.join(" ")).collect();
    include_str!("../html/style.css")
        .replace("/* endings, light */", &colours(0))
        .replace("/* endings, dark */", &colours(1))
        .replace("/* endings */", &lines.join("\n"))
}
