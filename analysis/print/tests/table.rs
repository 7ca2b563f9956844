//! The model of a table and its renderers.

use fusion_print::table::{Cell, Fields, Kind, Table, Unit};
use fusion_statistics::Interval;
use serde_json::json;

struct Item {
    name: &'static str,
    games: u64,
    value: Option<f64>,
    interval: Option<Interval>,
}

fn fields() -> Fields<'static, Item> {
    Fields::<Item>::default()
        .text("name", ("Name", "who"), |item| item.name)
        .count("games", "Games", |item| item.games)
        .share("share", "Share", |item| item.value)
        .points("points", "Points", |item| item.value)
        .p("p", "p", |item| item.value)
        .value("plain", "Plain", Unit::Decimals(2), |item| item.value)
        .value("e", "E-value", Unit::Magnitude, |item| item.value)
        .interval("share95", "95%", Unit::Share, |item| item.interval)
        .interval("points95", "95%", Unit::Points, |item| item.interval)
        .cells("part", "Part", Kind::Number, |item| Cell::Part(item.games, 12_345))
        .estimate("both", "Both", Unit::Decimals(1), |item| item.value.zip(item.interval))
}

fn items() -> [Item; 2] {
    let interval = Interval { low: -0.123, high: f64::INFINITY };
    let first = Item { name: "a, b", games: 12_345, value: Some(-0.0), interval: Some(interval) };
    [first, Item { name: "c", games: 0, value: None, interval: None }]
}

#[test]
fn files_have_six_decimals_and_nothing_for_what_does_not_exist() {
    let csv = fields().whole_table("x", "X", items()).to_csv().unwrap();
    let lines = [
        "name,games,share,points,p,plain,e,share95_low,share95_high,points95_low,points95_high,part,both",
        "\"a, b\",12345,0.000000,0.000000,-0.000000e0,0.000000,-0.000000e0,-0.123000,,-0.123000,,1.000000,0.000000",
        "c,0,,,,,,,,,,0.000000,",
    ];
    assert_eq!(String::from_utf8(csv).unwrap(), lines.map(|line| format!("{line}\n")).concat());
}

/// Checks that a file without rows has the same header.
#[test]
fn headers_do_not_depend_on_the_rows() {
    let [some, none] = [&items()[..], &[]].map(|items| {
        let csv = fields().table("x", "X", "share95 name", items).to_csv().unwrap();
        String::from_utf8(csv).unwrap().lines().next().map(str::to_owned)
    });
    assert_eq!(some.as_deref(), Some("share95_low,share95_high,name"));
    assert_eq!(some, none);
}

#[test]
fn people_read_numbers_by_their_unit() {
    let interval = Interval { low: -0.123, high: 0.015 };
    let cells = [
        (Cell::Value(0.4321, Unit::Share), "43.2%"),
        (Cell::FinePart(4, 10_000), "0.04%"),
        (Cell::Value(-0.08, Unit::Points), "−8.0"),
        (Cell::Value(0.08, Unit::Margin), "±8.0"),
        (Cell::Value(130.0, Unit::Seconds), "2 min"),
        (Cell::Value(0.0001, Unit::PValue), "<0.001"),
        (Cell::Value(123_456.0, Unit::Magnitude), "1.2e5"),
        (Cell::Value(-0.5, Unit::Signed(2)), "−0.50"),
        (Cell::Interval(interval, Unit::Points), "−12.3 to +1.5"),
        (Cell::Interval(Interval { low: 0.4, high: 0.5 }, Unit::Share), "40.0 to 50.0%"),
        (Cell::Estimate(0.5, interval, Unit::Decimals(2)), "0.50 (-0.12 to 0.02)"),
        (Cell::Part(1, 9_999), "<0.1%"),
        (Cell::Counts(vec![16, 1_600]), "16; 1,600"),
        (Cell::Counts(vec![16, 16]), "16"),
        (Cell::Counts(Vec::new()), "–"),
        (Cell::Missing, "–"),
    ];
    for (cell, text) in cells {
        assert_eq!(cell.format(), text, "{cell:?}");
    }
}

#[test]
fn text_fits_and_columns_of_nothing_go() {
    let table = fields().table("x", "X", "name games share", items());
    assert!(table.to_text(40).starts_with("who    Games  Share\n"), "{}", table.to_text(40));
    let empty = fields().table("x", "X", "name games", &items()[1..]);
    assert_eq!(empty.clone().without_zeros(&["games"]).columns.len(), 1);
    assert_eq!(table.without_zeros(&["games"]).columns.len(), 3);
}

/// A rule set with the results of its games, as wide as the widest tables.
fn wide() -> Table {
    let interval = Interval { low: 0.161, high: 0.428 };
    Fields::<&str>::default()
        .text("rules", "rules", |rules| *rules)
        .count("nodes", "nodes", |_| 1_600)
        .count("games", "games played", |_| 12_345)
        .counts("budgets", "budgets", |_| vec![4, 16])
        .count("white", "White wins", |_| 4_321)
        .share("drawn", "drawn", |_| 0.275)
        .interval("drawn95", "95% interval", Unit::Share, move |_| interval)
        .whole_table("wide", "Wide", ["fusion-2020,castling=no,fission=no,king-fuses=no", "chess"])
        .droppable("white nothing games")
}

#[test]
fn narrow_terminals_leave_columns_out_before_they_break_numbers() {
    for (width, left_out) in [
        (120, None),
        // Headings are broken first, and then the names of rule sets.
        (85, None),
        (80, Some("1 column left out: White wins. A wider window or --json has all.")),
        (70, Some("2 columns left out: White wins; games played. A wider window")),
        (60, Some("2 columns left out: White wins; games played.")),
    ] {
        let text = wide().to_text(width);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert!(text.contains("1,600") && text.contains("4; 16"), "{text}");
        assert!(text.contains("27.5%  16.1 to 42.8%\n"), "{text}");
        assert_eq!(text.contains("4,321"), left_out.is_none(), "{text}");
        assert_eq!(text.contains("left out"), left_out.is_some(), "{text}");
        assert!(left_out.is_none_or(|note| text.contains(note)), "{text}");
    }
    assert!(wide().to_text(120).contains("king-fuses=no  1,600"), "{}", wide().to_text(120));
    // Cells are broken where there is no other way.
    assert!(wide().to_text(40).lines().all(|line| line.chars().count() <= 40));
}

#[test]
fn a_wide_terminal_breaks_nothing() {
    let lines: Vec<String> = wide().to_text(200).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!(wide().to_text(lines[1].chars().count()).lines().count(), 4);
}

#[test]
fn json_keeps_types() {
    assert_eq!(wide().to_json()["rows"][0]["budgets"], json!([4, 16]));
    let json = fields().table("x", "X", "name games share share95 part both", items()).to_json();
    assert_eq!(json["columns"][3], json!({"key": "share95", "heading": "95%", "kind": "interval"}));
    assert_eq!(json["rows"][0]["games"], 12_345);
    assert_eq!(json["rows"][0]["share95"], json!({"low": -0.123, "high": null}));
    assert_eq!(json["rows"][0]["part"], json!({"part": 12_345, "whole": 12_345}));
    let missing = json!({"name": "c", "games": 0, "share": null, "share95": null,
        "part": {"part": 0, "whole": 12_345}, "both": null});
    assert_eq!(json["rows"][1], missing);
}

#[test]
#[should_panic(expected = "no column nothing")]
fn a_key_that_no_column_has_is_a_mistake() {
    let _ = fields().table("x", "X", "name nothing", items());
}
