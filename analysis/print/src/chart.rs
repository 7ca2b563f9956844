//! Charts of lines as SVG files: the pictures of training.

use crate::axis::{Axis, nice_step, round};
use std::fmt::Write;
use std::ops::Range;

/// A value at a place, with its interval if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Ends of its interval.
    pub interval: Option<[f64; 2]>,
}

impl Point {
    /// Returns the point of an exact value.
    #[must_use]
    pub fn exact(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }
}

/// Lines of the same unit over one quantity.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Heading.
    pub title: &'static str,
    /// Label of the horizontal axis.
    pub x: &'static str,
    /// The points of the lines from left to right. Lines at the same place in all panels have one
    /// colour and name. An empty line is not drawn.
    pub lines: Vec<Vec<Point>>,
}

/// Panels beside one another.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// What the chart says, above the names of the lines.
    pub title: &'static str,
    /// Names of the lines. A single name is not written.
    pub names: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Names and values of dashed lines across all panels.
    pub fixed: Vec<(String, f64)>,
    /// Whether all panels have the same range of values.
    pub same_range: bool,
}

/// Width and height of a panel, and the distances of its plot from the edges, in pixels.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
/// Room for the names of the dashed lines, to the right of the last panel.
const NAMES: f64 = 110.0;
/// Height of a line of text, and width of a letter.
const TEXT: f64 = 18.0;
const LETTER: f64 = 6.8;

/// The colours of reports, which colour-blind readers can distinguish (M. Okabe and K. Ito, *Color
/// Universal Design*, 2008), and those for a dark background.
const STYLE: &str = "svg{background:#fbfaf6;--ink:#1d1c1a;--muted:#66625b;--grid:#e9e5db}\
.s0{--c:#1d1c1a}.s1{--c:#0072b2}.s2{--c:#c65a00}.s3{--c:#00805c}.s4{--c:#a3478a}.s5{--c:#8a6d00}\
@media(prefers-color-scheme:dark){svg{background:#16171a;--ink:#ebe8e1;--muted:#a7a399;--grid:#2b2d33}\
.s0{--c:#ebe8e1}.s1{--c:#57b0ea}.s2{--c:#f08a3c}.s3{--c:#3fc79a}.s4{--c:#dd8cc8}.s5{--c:#d9bf55}}\
text{font:12px system-ui,sans-serif;fill:var(--ink)}.m{fill:var(--muted)}.t{font-weight:600}\
.g{stroke:var(--grid)}.f{stroke:var(--muted);stroke-dasharray:5 4}\
.l{fill:none;stroke:var(--c);stroke-width:2}.e{stroke:var(--c);opacity:.6}\
.b{fill:var(--c);opacity:.14}circle{fill:var(--c)}";
/// Number of colours in [`STYLE`].
const COLOURS: usize = 6;

impl Chart {
    /// Draws the chart.
    ///
    /// ```
    /// use fusion_print::chart::{Chart, Panel, Point};
    ///
    /// let line = vec![Point::exact(1.0, 2.5), Point::exact(2.0, 2.1)];
    /// let panels = vec![Panel { title: "Loss", x: "step", lines: vec![line] }];
    /// let svg = Chart { title: "Training", panels, ..Chart::default() }.svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("Loss"));
    /// ```
    #[must_use]
    pub fn svg(&self) -> String {
        let names = if self.fixed.is_empty() { 0.0 } else { NAMES };
        let width = WIDTH * self.panels.len().max(1) as f64 + names;
        let (legend, top) = self.legend(width);
        let height = top + HEIGHT;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\"><title>{}</title>\
             <style>{STYLE}</style>{legend}",
            escape(self.title)
        );
        for (place, panel) in self.panels.iter().enumerate() {
            let left = WIDTH * place as f64;
            let _ = write!(out, "<g transform=\"translate({left} {top})\">");
            self.draw_panel(&mut out, panel);
            if place + 1 == self.panels.len() {
                self.name_fixed(&mut out, &self.range(panel));
            }
            out += "</g>";
        }
        out += "</svg>\n";
        out
    }

    /// Returns title and names of the lines, and the height that they take.
    fn legend(&self, width: f64) -> (String, f64) {
        let mut out = format!("<text class=\"t\" x=\"16\" y=\"18\">{}</text>", escape(self.title));
        let (mut left, mut y) = (16.0, 18.0 + TEXT);
        for (i, name) in self.names.iter().enumerate().filter(|_| self.names.len() > 1) {
            let room = 40.0 + LETTER * name.chars().count() as f64;
            if left + room > width && left > 16.0 {
                (left, y) = (16.0, y + TEXT);
            }
            let (middle, dot, text) = (y - 4.0, left + 9.0, left + 24.0);
            let (colour, right, name) = (i % COLOURS, left + 18.0, escape(name));
            let _ = write!(
                out,
                "<g class=\"s{colour}\"><path class=\"l\" d=\"M{left} {middle}H{right}\"/>\
                 <circle cx=\"{dot}\" cy=\"{middle}\" r=\"3\"/></g><text x=\"{text}\" y=\"{y}\">{name}</text>"
            );
            left += room;
        }
        (out, y + 8.0)
    }

    /// Returns the range of the values of a panel, or of all, with a margin.
    fn range(&self, panel: &Panel) -> Range<f64> {
        let panels = if self.same_range { &self.panels[..] } else { std::slice::from_ref(panel) };
        let points = panels.iter().flat_map(|panel| panel.lines.iter().flatten());
        let values = points.flat_map(|point| point.interval.unwrap_or([point.y; 2]));
        range(values.chain(self.fixed.iter().map(|fixed| fixed.1)))
    }

    fn draw_panel(&self, out: &mut String, panel: &Panel) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let (xs, ys) =
            (range(panel.lines.iter().flatten().map(|point| point.x)), self.range(panel));
        let (horizontal, vertical) = (Axis::new(xs.start, xs.end), Axis::new(ys.start, ys.end));
        let x = |value: f64| round(LEFT + (right - LEFT) / 100.0 * horizontal.x(value));
        let y = |value: f64| round(bottom - (bottom - TOP) / 100.0 * vertical.x(value));
        let middle = f64::midpoint(LEFT, right);
        let _ = write!(
            out,
            "<text class=\"t\" x=\"{LEFT}\" y=\"18\">{}</text>\
             <text class=\"m\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            escape(panel.title),
            bottom + 36.0,
            escape(panel.x)
        );
        let step = nice_step(ys.end - ys.start, 6.0);
        for level in vertical.levels_with(step, TOP, bottom, short) {
            let (height, label) = (level.y, level.label);
            let (text, base) = (LEFT - 6.0, height + 4.0);
            let _ = write!(
                out,
                "<path class=\"g\" d=\"M{LEFT} {height}H{right}\"/>\
                 <text class=\"m\" x=\"{text}\" y=\"{base}\" text-anchor=\"end\">{label}</text>"
            );
        }
        for value in horizontal.ticks(nice_step(xs.end - xs.start, 5.0), short) {
            let place = round(LEFT + (right - LEFT) / 100.0 * value.x);
            let _ = write!(
                out,
                "<text class=\"m\" x=\"{place}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
                bottom + 18.0,
                value.anchor,
                value.label
            );
        }
        for (_, value) in &self.fixed {
            let _ = write!(out, "<path class=\"f\" d=\"M{LEFT} {}H{right}\"/>", y(*value));
        }
        draw_intervals(out, panel, x, y);
        // Lines are drawn after all intervals, so that none is covered.
        for (i, line) in panel.lines.iter().enumerate() {
            let path: Vec<String> =
                line.iter().map(|point| format!("{} {}", x(point.x), y(point.y))).collect();
            let _ = write!(out, "<g class=\"s{}\">", i % COLOURS);
            if !path.is_empty() {
                let _ = write!(out, "<path class=\"l\" d=\"M{}\"/>", path.join("L"));
            }
            for point in line.iter().filter(|_| line.len() <= MOST_DOTS) {
                let (x, y) = (x(point.x), y(point.y));
                let _ = write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
            }
            *out += "</g>";
        }
    }

    /// Writes the names of the dashed lines at their right ends. Names that would overlap are moved
    /// apart.
    fn name_fixed(&self, out: &mut String, ys: &Range<f64>) {
        let axis = Axis::new(ys.start, ys.end);
        let mut sorted: Vec<_> = self.fixed.iter().collect();
        sorted.sort_by(|one, other| other.1.total_cmp(&one.1));
        let (mut free, bottom) = (f64::MIN, HEIGHT - BOTTOM);
        for (name, value) in sorted {
            let height = (bottom - (bottom - TOP) / 100.0 * axis.x(*value)).max(free);
            free = height + 13.0;
            let (left, height, name) = (WIDTH - RIGHT + 5.0, round(height + 4.0), escape(name));
            let _ = write!(out, "<text class=\"m\" x=\"{left}\" y=\"{height}\">{name}</text>");
        }
    }
}

/// Lines with more points are drawn without dots.
const MOST_DOTS: usize = 40;

/// Distance between the bars of neighbouring lines, in pixels.
const ASIDE: f64 = 4.0;

/// Draws the intervals of the first line as a band. Bands of several lines would hide one another, so
/// the others have bars, which stand a little beside their points.
fn draw_intervals(out: &mut String, panel: &Panel, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) {
    for (i, line) in panel.lines.iter().enumerate() {
        let ends = || line.iter().filter_map(|point| Some((x(point.x), point.interval?.map(&y))));
        if ends().next().is_none() {
            continue;
        }
        let _ = write!(out, "<g class=\"s{}\">", i % COLOURS);
        if i == 0 {
            let low = ends().map(|(x, [low, _])| format!("{x} {low}"));
            let high = ends().map(|(x, [_, high])| format!("{x} {high}"));
            let high: Vec<String> = high.collect();
            let around: Vec<String> = low.chain(high.into_iter().rev()).collect();
            let _ = write!(out, "<path class=\"b\" d=\"M{}Z\"/>", around.join("L"));
        } else {
            let aside = ASIDE * (i as f64 - panel.lines.len() as f64 / 2.0);
            for (x, [low, high]) in ends() {
                let _ = write!(out, "<path class=\"e\" d=\"M{} {low}V{high}\"/>", round(x + aside));
            }
        }
        *out += "</g>";
    }
}

/// Returns the range of some numbers with a margin; never empty.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return 0.0..1.0;
    }
    let margin = ((high - low) * 0.05).max(1e-3 * high.abs()).max(1e-6);
    low - margin..high + margin
}

/// Formats a number for an axis: 3, 0.25, 1500k, 12M.
fn short(x: f64) -> String {
    let plain = |x: f64| {
        let text = format!("{x:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    match x.abs() {
        size if size >= 1e6 => plain(x / 1e6) + "M",
        size if size >= 1e4 => plain(x / 1e3) + "k",
        _ => plain(x),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lines: usize, points: usize) -> Chart {
        let line = |line: usize| {
            let point = |i: usize| {
                let y = (line + 1) as f64 * (i as f64).sqrt();
                Point { x: i as f64, y, interval: Some([y - 1.0, y + 1.0]) }
            };
            (0..points).map(point).collect()
        };
        let panel = |title| Panel { title, x: "step", lines: (0..lines).map(line).collect() };
        Chart {
            title: "Elo <above> the start",
            names: (0..lines).map(|i| format!("line {i}")).collect(),
            panels: vec![panel("one"), panel("other")],
            fixed: vec![("low".into(), 0.0), ("also low".into(), 0.01)],
            same_range: true,
        }
    }

    #[test]
    fn every_line_is_drawn_and_named_and_nothing_may_be_missing() {
        let svg = chart(3, 5).svg();
        assert_eq!(svg.matches("<circle").count(), 3 * 5 * 2 + 3);
        assert_eq!(svg.matches("class=\"b\"").count(), 2, "a band in each panel");
        assert_eq!(svg.matches("class=\"e\"").count(), 2 * 5 * 2);
        for text in ["line 2", "also low", "Elo &lt;above&gt; the start", "step"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!chart(1, 5).svg().contains("line 0"));
        for points in 0..3 {
            let svg = chart(2, points).svg();
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
        }
        assert!(Chart::default().svg().starts_with("<svg"));
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 3.0, 0.25, -0.0001, 15e5, 2e4, 9999.0];
        assert_eq!(numbers.map(short), ["0", "3", "0.25", "0", "1.5M", "20k", "9999"]);
    }
}
