//! Formatting of numbers.

use fusion_statistics::Interval;
use fusion_statistics::rounding::rounded;
pub use fusion_statistics::rounding::{fixed, signed};

/// Formats a share as a percentage: `0.4321` as `43.2%`.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{}%", fixed(100.0 * share, 1))
}

/// Formats a share as a percentage without decimals: `0.8` as `80%`.
#[must_use]
pub fn whole_percent(share: f64) -> String {
    format!("{}%", fixed(100.0 * share, 0))
}

/// Formats a part of a complete count as a percentage, as in `43.2%`.
///
/// `0%` and `100%` are exact. Shares that would round to them are `<0.1%` and `>99.9%`.
#[must_use]
pub fn share(part: u64, whole: u64) -> String {
    let share = part as f64 / whole as f64;
    match part {
        0 => "0%".into(),
        part if part == whole => "100%".into(),
        _ if share < 0.0005 => "<0.1%".into(),
        _ if share >= 0.9995 => ">99.9%".into(),
        _ => percent(share),
    }
}

/// Formats a part of a count as a percentage with two decimals, as in `0.04%`.
#[must_use]
pub fn fine_share(part: u64, whole: u64) -> String {
    format!("{}%", fixed(100.0 * part as f64 / whole as f64, 2))
}

/// Formats an interval of shares, as in `41.9 to 48.1%`.
#[must_use]
pub fn percent_interval(interval: Interval) -> String {
    format!("{} to {}", fixed(100.0 * interval.low, 1), percent(interval.high))
}

/// Formats a difference of shares in signed percentage points, as in `−8.0`.
#[must_use]
pub fn points(difference: f64) -> String {
    signed(100.0 * difference, 1)
}

/// Formats an interval of differences in percentage points, as in `−12.3 to +1.5`.
#[must_use]
pub fn points_interval(interval: Interval) -> String {
    format!("{} to {}", points(interval.low), points(interval.high))
}

/// Returns whether a difference of two shares, as printed, is that of the printed shares.
///
/// Differences are computed before rounding: 61.04% less 59.16% are +1.9 points, and the printed 61.0 less 59.2
/// are +1.8.
#[must_use]
pub fn adds_up(first: f64, second: f64, difference: f64) -> bool {
    let tenths = |share: f64| rounded(1_000.0 * share, 0);
    tenths(first) - tenths(second) == tenths(difference)
}

/// The remark on a difference that is not that of the printed shares.
pub const BEFORE_ROUNDING: &str = "before rounding";

/// Formats a difference of two shares, as in `−8.0 percentage points`, with a remark if it is not the difference of
/// the printed shares.
#[must_use]
pub fn points_between(first: f64, second: f64, difference: f64, unit: &str) -> String {
    let remark = if adds_up(first, second, difference) { "" } else { BEFORE_ROUNDING };
    format!("{} {unit} {remark}", points(difference)).trim_end().to_owned()
}

/// Formats a p-value with three decimals, or as `<0.001`.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.0005 { "<0.001".into() } else { fixed(p, 3) }
}

/// Formats a positive number of any size, such as an e-value, with three significant digits.
#[must_use]
pub fn magnitude(value: f64) -> String {
    match value {
        v if !v.is_finite() => "∞".into(),
        v if v >= 10_000.0 || (v > 0.0 && v < 0.001) => format!("{v:.1e}"),
        v if v >= 100.0 => fixed(v, 0),
        v if v >= 10.0 => fixed(v, 1),
        v if v >= 1.0 => fixed(v, 2),
        v => fixed(v, 3),
    }
}

/// Formats a count with separators between thousands, as in `12,345`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, as in `1 game` and `3 games`.
#[must_use]
pub fn counted(value: u64, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(value))
}

/// Formats a number of seconds in a suitable unit, as in `75 s` and `1.9 h`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{} s", fixed(s, 0)),
        s if s < 99.5 * 60.0 => format!("{} min", fixed(s / 60.0, 0)),
        s if s < 99.5 * 3_600.0 => format!("{} h", fixed(s / 3_600.0, 1)),
        s => format!("{} days", fixed(s / 86_400.0, 1)),
    }
}

/// Returns the text with its first letter in upper case.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Splits a text into paragraphs, each on one line.
#[must_use]
pub fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let parts = lines.split(|line| line.is_empty()).filter(|part| !part.is_empty());
    parts.map(|part| part.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Returns `yes` or `no`.
#[must_use]
pub fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Joins the items, as in `16, 64 and 256`.
#[must_use]
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(percent(0.4321), "43.2%");
        let shares = [(0, 9), (1, 9_999), (1, 3), (9_998, 9_999), (9, 9)];
        let texts = shares.map(|(part, whole)| share(part, whole));
        assert_eq!(texts, ["0%", "<0.1%", "33.3%", ">99.9%", "100%"]);
        // 77 of 400 and 13 of 400 are halves of a tenth.
        assert_eq!([percent(77.0 / 400.0), percent(13.0 / 400.0)], ["19.3%", "3.3%"]);
        assert_eq!(fine_share(1, 800), "0.13%");
        assert_eq!(percent_interval(Interval { low: 0.1925, high: 0.0325 }), "19.3 to 3.3%");
        assert_eq!(points(-1_081.0 / 2_000.0), "−54.1");
        assert_eq!([magnitude(22.25), p_value(0.0625)], ["22.3", "0.063"]);
        assert_eq!(points(-0.08), "−8.0");
        assert_eq!(points(0.0312), "+3.1");
        assert_eq!(points(-0.0004), "0.0");
        assert_eq!(p_value(0.00049), "<0.001");
        assert_eq!(p_value(0.0282), "0.028");
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "game"), "1 game");
        assert_eq!(magnitude(2.2546), "2.25");
        assert_eq!(magnitude(123_456.0), "1.2e5");
        let found = [0.4, 75.0, 130.0, 7_000.0, 400_000.0].map(duration);
        assert_eq!(found, ["0 s", "75 s", "2 min", "1.9 h", "4.6 days"]);
    }

    #[test]
    fn a_difference_of_unrounded_shares_says_so_where_the_printed_ones_disagree() {
        let said = |first, second| points_between(first, second, first - second, "points");
        assert_eq!(said(0.6104, 0.5916), "+1.9 points before rounding");
        assert_eq!(said(0.610, 0.592), "+1.8 points");
        assert_eq!(said(0.354, 0.8945), "−54.1 points");
    }
}
