//! The model of a table and its renderers.

use fusion_report::table::{Cell, Fields, Kind, Unit};
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
        (Cell::Value(0.04, Unit::Percent), "0.04%"),
        (Cell::Value(-0.08, Unit::Points), "−8.0"),
        (Cell::Value(0.0001, Unit::PValue), "<0.001"),
        (Cell::Value(123_456.0, Unit::Magnitude), "1.2e5"),
        (Cell::Value(-0.5, Unit::Signed(2)), "−0.50"),
        (Cell::Interval(interval, Unit::Points), "−12.3 to +1.5"),
        (Cell::Interval(Interval { low: 0.4, high: 0.5 }, Unit::Share), "40.0 to 50.0%"),
        (Cell::Estimate(0.5, interval, Unit::Decimals(2)), "0.50 (-0.12 to 0.01)"),
        (Cell::Part(1, 9_999), "<0.1%"),
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

#[test]
fn json_keeps_types() {
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
