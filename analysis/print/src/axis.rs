//! Axes: round tick values and positions in per cent of the plot's width.

use crate::format::fixed;
use serde::Serialize;

/// A labelled position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tick {
    /// In per cent of the width.
    pub x: f64,
    /// Text of the value there.
    pub label: String,
    /// Alignment that keeps the label inside: start, middle or end.
    pub anchor: &'static str,
}

/// A linear axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Returns the axis between two different values.
    #[must_use]
    pub fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Returns the position of a value in per cent of the width, with two decimals. Values outside
    /// the axis are clamped.
    #[must_use]
    pub fn x(self, value: f64) -> f64 {
        let x = 100.0 * (value - self.low) / (self.high - self.low);
        round(x.clamp(0.0, 100.0))
    }

    /// Returns the length of a span in per cent of the width.
    #[must_use]
    pub fn width(self, from: f64, to: f64) -> f64 {
        round(self.x(to) - self.x(from))
    }

    /// Returns ticks at multiples of `step`.
    pub fn ticks(self, step: f64, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last)
            .map(|i| i as f64 * step)
            .map(|value| tick(self.x(value), label(value)))
            .collect()
    }
}

/// Returns the tick at a position.
#[must_use]
pub fn tick(x: f64, label: String) -> Tick {
    let anchor = match x {
        x if x < 3.0 => "start",
        x if x > 97.0 => "end",
        _ => "middle",
    };
    Tick { x, label, anchor }
}

/// Rounds to two decimals, which are finer than a pixel and keep the page small.
#[must_use]
pub fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// Returns the smallest of 1, 2, 5 times a power of ten that divides `span` into at most `parts`.
#[must_use]
pub fn nice_step(span: f64, parts: f64) -> f64 {
    let raw = (span / parts).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= raw * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// A labelled height.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// Pixels from the top.
    pub y: f64,
    /// Text of the value there.
    pub label: String,
}

impl Axis {
    /// Returns ticks of a vertical axis of shares, from `top` to `bottom` in pixels.
    #[must_use]
    pub fn levels(self, step: f64, top: f64, bottom: f64) -> Vec<Level> {
        self.levels_with(step, top, bottom, whole_percent)
    }

    /// Returns ticks of a vertical axis, from `top` to `bottom` in pixels.
    pub fn levels_with(
        self,
        step: f64,
        top: f64,
        bottom: f64,
        label: impl Fn(f64) -> String,
    ) -> Vec<Level> {
        let ticks = self.ticks(step, label).into_iter();
        let y = |x: f64| round(top + (bottom - top) * (1.0 - x / 100.0));
        ticks.map(|tick| Level { y: y(tick.x), label: tick.label }).collect()
    }
}

/// Renders a share as `43%`.
#[must_use]
pub fn whole_percent(share: f64) -> String {
    format!("{}%", fixed(100.0 * share, 0))
}

/// Joins the tooltips to the figure's description.
#[must_use]
pub fn description<'a>(tooltips: impl Iterator<Item = &'a String>) -> String {
    tooltips.map(String::as_str).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (span, parts, expected) in
            [(1.0, 5.0, 0.2), (0.6, 6.0, 0.1), (230.0, 5.0, 50.0), (7.0, 8.0, 1.0)]
        {
            assert!((nice_step(span, parts) - expected).abs() < 1e-9, "{span}");
        }
    }

    #[test]
    fn positions_and_ticks() {
        let axis = Axis::new(-10.0, 10.0);
        assert_eq!(axis.x(0.0), 50.0);
        assert_eq!(axis.x(99.0), 100.0);
        assert_eq!(axis.width(-10.0, 0.0), 50.0);
        let ticks = axis.ticks(5.0, |value| value.to_string());
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["-10", "-5", "0", "5", "10"]);
        assert_eq!(ticks[0].anchor, "start");
        assert_eq!(ticks[4].anchor, "end");
    }
}
