//! Bars of the share of positions that each attacker wins against a lone King.

use super::Shown;
use super::words::won;
use crate::figures::series::Key;
use fusion_chess::rules::RuleSet;
use fusion_print::axis::{Axis, Tick, description, round, tick, whole_percent};
use fusion_print::format::count;
use fusion_results::chess::lone_king::{Lone, Start, ToMove};
use serde::Serialize;

/// Heights in pixels: a bar with the gap below it, the gap between attackers, and the margin above
/// and below.
const BAR: f64 = 13.0;
const GAP: f64 = 11.0;
const TOP: f64 = 4.0;
const AXIS: f64 = 26.0;
/// Left end of the bars, and right end of a bar of 100%, in per cent of the width. Names stand to
/// the left of the bars and shares to the right.
const LEFT: f64 = 20.0;
const RIGHT: f64 = 87.0;

/// The bars of one lone King.
#[derive(Serialize)]
pub(super) struct Plot {
    legend: Vec<Key>,
    panels: Vec<Panel>,
}

#[derive(Serialize)]
struct Panel {
    id: String,
    title: &'static str,
    description: String,
    groups: Vec<Group>,
    ticks: Vec<Tick>,
    left: f64,
    height: f64,
    axis_y: f64,
}

/// The bars of an attacker.
#[derive(Serialize)]
struct Group {
    label: String,
    /// Baseline of the name.
    y: f64,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    style: usize,
    y: f64,
    x: f64,
    width: f64,
    /// Position of the value.
    end: f64,
    value: String,
    tooltip: String,
}

/// Returns the bars of the attackers against one lone King.
pub(super) fn plot(shown: &Shown, lone: Lone, starts: &[&Start]) -> Plot {
    let of = |king_fused: bool| -> Vec<&Start> {
        let all = starts.iter().copied();
        all.filter(|start| start.attacker.king_fused() == king_fused).collect()
    };
    let panels = [("Attacker’s King on its own", of(false)), ("Attacker’s King fused", of(true))];
    Plot {
        legend: shown.rules.iter().map(|(_, key)| key.clone()).collect(),
        panels: panels
            .into_iter()
            .enumerate()
            .filter(|(_, (_, starts))| !starts.is_empty())
            .map(|(i, (title, starts))| {
                panel(shown, format!("lone-{}-{i}", lone.pieces(true)), title, &starts)
            })
            .collect(),
    }
}

fn panel(shown: &Shown, id: String, title: &'static str, starts: &[&Start]) -> Panel {
    let height = BAR * shown.rules.len() as f64 + GAP;
    let axis = Axis::new(0.0, 1.0);
    let x = |share: f64| round(LEFT + (RIGHT - LEFT) / 100.0 * axis.x(share));
    let groups: Vec<Group> = (0u32..)
        .zip(starts)
        .map(|(i, start)| {
            let top = TOP + height * f64::from(i);
            Group {
                label: start.attacker.pieces().to_owned(),
                y: top + (height - GAP) / 2.0 + 4.0,
                bars: bars(shown, start, top, x),
            }
        })
        .collect();
    let axis_y = TOP + height * groups.len() as f64 - GAP / 2.0;
    Panel {
        description: description(groups.iter().flat_map(|g| &g.bars).map(|bar| &bar.tooltip)),
        ticks: [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| tick(x(share), whole_percent(share))).into(),
        left: LEFT,
        height: axis_y + AXIS,
        axis_y,
        id,
        title,
        groups,
    }
}

fn bars(shown: &Shown, start: &Start, top: f64, x: impl Fn(f64) -> f64) -> Vec<Bar> {
    let bar = |(i, (rules, key)): (u32, &(RuleSet, Key))| {
        let tally = shown.all.tally(rules, start, ToMove::Either)?;
        let end = x(tally.share());
        Some(Bar {
            style: key.style,
            y: top + BAR * f64::from(i),
            x: LEFT,
            width: round(end - LEFT),
            end,
            value: won(&tally),
            tooltip: format!(
                "{}: {} against {} wins {} of {} positions ({})",
                key.label,
                start.attacker.pieces(),
                start.defender.pieces(start.fused),
                count(tally.won),
                count(tally.positions),
                won(&tally)
            ),
        })
    };
    (0u32..).zip(&shown.rules).filter_map(bar).collect()
}
