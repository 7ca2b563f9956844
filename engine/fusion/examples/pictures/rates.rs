//! A Dragon King beside the draw rates of rule sets.

use super::board;
use std::error::Error;
use std::path::Path;

/// A row of a table of draw rates; shares from 0 to 1.
#[derive(Clone, Debug, serde::Deserialize)]
struct Rate {
    rules: String,
    nodes: String,
    draw_share: f64,
    draw_wilson95_low: f64,
    draw_wilson95_high: f64,
}

/// Rule sets that come first, in this order.
const FIRST: [&str; 4] = ["fusion-1999", "fusion-2006", "fusion-2020", "orthodox"];

/// A Dragon King that may cross the attacked squares d5 and d4 under the 1999 rules only.
const PLACEMENT: &str = "8/3g4/8/7R/6R1/8/8/6K1";
const MOVE: &str = "d7d3";
const ATTACKED: [&str; 2] = ["d5", "d4"];

/// Most rule sets that fit beside the board.
const MOST: usize = 5;

/// Draws the rows of `table` with `nodes` nodes a move, of these rule sets if any are named, into
/// the file `out`; `player` played the games.
pub fn draw(
    table: &Path,
    nodes: &str,
    player: &str,
    rules: &[&str],
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    let mut rates = Vec::new();
    for row in csv::Reader::from_path(table)?.deserialize() {
        let rate: Rate = row?;
        if rate.nodes == nodes && (rules.is_empty() || rules.contains(&&*rate.rules)) {
            rates.push(rate);
        }
    }
    let place = |rules: &str| FIRST.iter().position(|first| *first == rules);
    rates.sort_by_key(|rate| place(&rate.rules).unwrap_or(FIRST.len()));
    if rates.is_empty() || rates.len() > MOST {
        let found = rates.len();
        let table = table.display();
        return Err(format!(
            "{table} has {found} such rows with {nodes} nodes; 1 to {MOST} can be drawn: name rule sets"
        )
        .into());
    }
    std::fs::write(out, picture(&rates, &format!("Drawn by {player}"), &grouped(nodes)))?;
    Ok(())
}

/// A number in groups of three digits.
fn grouped(digits: &str) -> String {
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// The whole SVG file. It has a background of its own, so that it reads the same on a light
/// and on a dark page, and large type, so that it can still be read when it is shown at half
/// its size.
fn picture(rates: &[Rate], title: &str, nodes: &str) -> String {
    let words: Vec<String> = rates
        .iter()
        .map(|rate| format!("{} {:.1}%", name(&rate.rules), 100.0 * rate.draw_share))
        .collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"830\" height=\"440\" \
         viewBox=\"0 0 830 440\" role=\"img\">\n<title>{title}, {nodes} nodes a move: {}</title>\n<style>{}{}</style>\n",
        words.join(", "),
        board::STYLE,
        ".t{font:600 25px system-ui,sans-serif;fill:#1d1c1a}.n{font:24px system-ui,sans-serif;\
         fill:#1d1c1a}.s{font:21px system-ui,sans-serif;fill:#55514a}",
    );
    svg +=
        r##"<rect x="1" y="1" width="828" height="438" rx="12" fill="#fbfaf6" stroke="#ddd8cd"/>"##;
    svg += "\n";
    let board = board::board(PLACEMENT, MOVE, &ATTACKED);
    svg += &format!(r#"<g transform="translate(22 22) scale(.86)">{board}</g>"#);
    for (line, y) in ["A Dragon King crosses", "attacked squares:", "allowed in 1999 only"]
        .iter()
        .zip([362, 389, 416])
    {
        svg += &format!(r#"<text class="s" x="22" y="{y}">{line}</text>"#);
    }
    svg += &format!(r#"<text class="t" x="368" y="40">{title}</text>"#);
    svg += &format!(r#"<text class="s" x="368" y="66">{nodes} nodes a move; 95% intervals</text>"#);
    let step = 362 / rates.len().max(4) as u32;
    for (i, rate) in (0..).zip(rates) {
        svg += &bar(rate, 74 + i * step);
    }
    svg + "\n</svg>\n"
}

/// Name, share and bar of one rule set, the name's line beginning at `top`.
fn bar(rate: &Rate, top: u32) -> String {
    // 440 units are 100%.
    let at = |share: f64| 368.0 + 440.0 * share;
    let (low, high) = (at(rate.draw_wilson95_low), at(rate.draw_wilson95_high));
    let color = if rate.rules == FIRST[0] { "#c65a00" } else { "#0b5c8f" };
    format!(
        r##"
<text class="n" x="368" y="{text}">{name}</text><text class="t" x="808" y="{text}" text-anchor="end">{percent:.1}%</text>
<rect x="368" y="{bar}" width="440" height="26" rx="4" fill="#e9e5db"/><rect x="368" y="{bar}" width="{width:.1}" height="26" rx="4" fill="{color}"/>
<path d="M{low:.1} {middle}H{high:.1}M{low:.1} {upper}v12M{high:.1} {upper}v12" stroke="#1d1c1a" stroke-width="2.5" fill="none"/>"##,
        text = top + 26,
        name = name(&rate.rules),
        percent = 100.0 * rate.draw_share,
        bar = top + 36,
        width = at(rate.draw_share) - 368.0,
        middle = top + 49,
        upper = top + 43,
    )
}

/// A rule set's name for readers.
fn name(rules: &str) -> String {
    match rules {
        "fusion-1999" => "Fusion Chess, 1999".into(),
        "fusion-2006" => "Fusion Chess, 2006".into(),
        "fusion-2020" => "Fusion Chess, 2020".into(),
        "orthodox" => "Orthodox chess".into(),
        other => other.replace('&', "&amp;").replace('<', "&lt;"),
    }
}
