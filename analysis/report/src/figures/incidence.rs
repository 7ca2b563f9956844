//! Share of games that ended in each way, by ply: a panel for each ending, a line for each rule
//! set.

use super::series::{self, Key};
use fusion_game::Ending;
use fusion_print::axis::{Axis, Level, Tick, description, nice_step, round};
use fusion_print::format::percent;
use fusion_results::ending_curves::Curves;
use fusion_results::games::RowEnding;
use fusion_results::games::display;
use fusion_results::report_game::ReportGame;
use fusion_statistics::incidence::Step;
use fusion_statistics::{Confidence, Interval};
use serde::Serialize;

/// The share of one arm's games that have ended in one way, by ply.
struct OfArm<'a> {
    rules: &'a str,
    steps: &'a [Step],
}

/// Heights in pixels.
const TOP: f64 = 8.0;
const PLOT: f64 = 150.0;
const HEIGHT: u32 = 200;
/// Units of the plots' own coordinates across and down. The plots stretch to the panel.
const UNITS: f64 = 1000.0;
/// Smallest step that is drawn separately, as a part of the plot's height. Smaller steps are drawn
/// together with the next one.
const FINEST: f64 = 0.004;

/// All panels.
#[derive(Serialize)]
pub(crate) struct Incidence {
    legend: Vec<Key>,
    panels: Vec<Panel>,
    height: u32,
    top: f64,
    plot: f64,
    bottom: f64,
}

#[derive(Serialize)]
struct Panel {
    id: String,
    title: &'static str,
    description: String,
    curves: Vec<Curve>,
    ticks: Vec<Tick>,
    levels: Vec<Level>,
}

#[derive(Serialize)]
struct Curve {
    style: usize,
    tooltip: String,
    line: String,
    band: String,
    /// Position of the marker: per cent and pixels.
    end: (f64, f64),
}

pub(crate) fn incidence(arms: &[&Curves]) -> Incidence {
    let legend = series::keys(
        arms.iter().filter(|arm| !arm.by_ending.is_empty()).map(|arm| arm.rules.as_str()),
    );
    let steps = arms.iter().flat_map(|arm| &arm.by_ending).filter_map(|(_, steps)| steps.last());
    let plies = steps.map(|step| step.time).max().unwrap_or(1);
    let game = arms.first().map(|arm| ReportGame::of_rules(&arm.rules)).unwrap_or_default();
    let panels = game.endings().into_iter().filter_map(|ending| {
        let of_ending: Vec<OfArm> = arms
            .iter()
            .flat_map(|arm| {
                let found = arm.by_ending.iter().filter(|(of, _)| *of == ending);
                found.map(|(_, steps)| OfArm { rules: &arm.rules, steps })
            })
            .collect();
        let occurs = |of: &OfArm| of.steps.last().is_some_and(|step| step.share > 0.0);
        of_ending.iter().any(occurs).then(|| panel(ending, &of_ending, &legend, plies))
    });
    let panels = panels.collect();
    Incidence { panels, height: HEIGHT, top: TOP, plot: PLOT, bottom: TOP + PLOT, legend }
}

fn panel(ending: Ending, curves: &[OfArm], legend: &[Key], plies: u32) -> Panel {
    let steps = curves.iter().flat_map(|curve| curve.steps);
    let highest = steps.map(|step| limits(step).high.max(step.share)).fold(0.02, f64::max).min(1.0);
    let step = nice_step(highest, 4.0).max(0.01);
    let vertical = Axis::new(0.0, (highest / step).ceil() * step);
    let across = Axis::new(0.0, f64::from(plies.max(1)));
    let title = display(RowEnding::Game(ending));
    let curves: Vec<Curve> = curves
        .iter()
        .map(|curve| {
            let style = legend.iter().find(|key| key.label == curve.rules);
            draw(curve, style.map_or(0, |key| key.style), across, vertical)
        })
        .collect();
    Panel {
        id: format!("incidence-{}", ending.name()),
        title,
        description: description(curves.iter().map(|curve| &curve.tooltip)),
        ticks: across
            .ticks(nice_step(f64::from(plies.max(1)), 5.0).max(1.0), |ply| format!("{ply:.0}")),
        levels: vertical.levels(step, TOP, TOP + PLOT),
        curves,
    }
}

fn draw(curve: &OfArm, style: usize, across: Axis, vertical: Axis) -> Curve {
    let steps = visible(curve.steps, vertical);
    let x = |step: &Step| round(UNITS / 100.0 * across.x(f64::from(step.time)));
    let y = |share: f64| round(UNITS - UNITS / 100.0 * vertical.x(share));
    // From zero at the start along the steps to the end of the axis.
    let path = |share: fn(&Step) -> f64| -> String {
        steps.iter().map(|step| format!("H{}V{}", x(step), y(share(step)))).collect()
    };
    let back: String = steps
        .iter()
        .enumerate()
        .rev()
        .map(|(i, step)| {
            let before = i.checked_sub(1).map_or(0.0, |i| limits(&steps[i]).low);
            format!("H{}V{}", x(step), y(before))
        })
        .collect();
    let last = curve.steps.last();
    let low = steps.last().map_or(0.0, |step| limits(step).low);
    let share = last.map_or(0.0, |step| step.share);
    Curve {
        style,
        tooltip: format!("{}: {} of games in the end", curve.rules, percent(share)),
        line: format!("M0 {UNITS}{}H{UNITS}", path(|step| step.share)),
        band: format!("M0 {UNITS}{}H{UNITS}V{}{back}H0z", path(|step| limits(step).high), y(low)),
        end: (100.0, round(TOP + PLOT / UNITS * y(share))),
    }
}

fn limits(step: &Step) -> Interval {
    step.interval(Confidence::P95)
}

/// Returns the steps without those too small to be visible.
fn visible(steps: &[Step], vertical: Axis) -> Vec<Step> {
    let far = |a: f64, b: f64| (vertical.x(a) - vertical.x(b)).abs() >= 100.0 * FINEST;
    let mut kept: Vec<Step> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let new = kept.last().is_none_or(|last| {
            let (old, new) = (limits(last), limits(step));
            far(step.share, last.share) || far(new.low, old.low) || far(new.high, old.high)
        });
        if new || i + 1 == steps.len() {
            kept.push(*step);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_chess::game::{CHECKMATE, STALEMATE, THREEFOLD};

    fn curves(rules: &str, by_ending: &[(Ending, &[(u32, f64)])]) -> Curves {
        let error = 0.05 / Confidence::P95.z();
        let steps = |steps: &[(u32, f64)]| {
            steps.iter().map(|&(time, share)| Step { time, share, error }).collect()
        };
        let by_ending = by_ending.iter().map(|(ending, of)| (*ending, steps(of))).collect();
        Curves { rules: rules.into(), by_ending }
    }

    #[test]
    fn lines_step() {
        let b = curves("b", &[(CHECKMATE, &[(50, 0.2), (100, 0.35)])]);
        let a = curves("a", &[(CHECKMATE, &[(80, 0.1)]), (STALEMATE, &[])]);
        let plot = incidence(&[&b, &a]);
        assert_eq!(plot.panels.len(), 1, "nothing ends in stalemate");
        let panel = &plot.panels[0];
        assert_eq!(panel.curves[0].style, 1, "a comes before b");
        assert_eq!(panel.curves[0].line, "M0 1000H500V500H1000V125H1000");
        assert_eq!(panel.curves[0].band, "M0 1000H500V375H1000V0H1000V250H1000V625H500V1000H0z");
    }

    #[test]
    fn invisible_steps_are_left_out() {
        let steps: Vec<(u32, f64)> = (1..=1000).map(|i| (i, f64::from(i) / 2000.0)).collect();
        let plot = incidence(&[&curves("a", &[(THREEFOLD, &steps)])]);
        let drawn = plot.panels[0].curves[0].line.matches('V').count();
        assert!((150..=260).contains(&drawn), "{drawn}");
    }
}
