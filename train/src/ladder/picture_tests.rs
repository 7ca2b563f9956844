use super::*;
use crate::ladder::entrants::Entrant;
use fusion_statistics::rating::Rating;

fn row(rules: &str, kind: Kind, generation: Option<u32>, elo: f64, margin: f64) -> Row {
    let spent = |generation: u32| {
        let part = f64::from(generation + 1);
        let cpu_hours = 0.8 * part;
        Cost { positions: 300_000 * u64::from(generation + 1), plies: 0, cpu_hours }
    };
    let zero = Cost::default();
    let entrant = Entrant {
        name: if kind == Kind::Reference { format!("fixed{elo}") } else { "player".to_owned() },
        kind,
        generation,
        text: String::new(),
        cost: generation.map(spent).or((kind == Kind::Start).then_some(zero)),
    };
    let rating = Rating { elo, low: elo - margin, high: elo + margin };
    Row { entrant, rules: rules.to_owned(), games: 100, capped: 0, rating }
}

fn ladder(rules: &[&str]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, rules) in rules.iter().enumerate() {
        rows.push(row(rules, Kind::Start, None, 0.0, 0.0));
        for generation in [0, 1, 3, 4, 5, 7, 8, 9] {
            let learnt = f64::from(generation + 1);
            let elo = (200.0 + 40.0 * place as f64) * learnt.sqrt() - 30.0 * place as f64;
            rows.push(row(rules, Kind::Generation, Some(generation), elo, 45.0));
        }
        for elo in [-310.0, 150.0, 155.0] {
            rows.push(row(rules, Kind::Reference, None, elo, 40.0));
        }
    }
    rows
}

/// `LADDER_PICTURE=FILE cargo test` keeps the picture for visual inspection.
#[test]
fn a_picture_names_every_rule_set_and_reference() {
    let rules = [ALL, "fusion-1999", "fusion-2006", "fusion-2020,castling=no", "orthodox"];
    let svg = chart(&ladder(&rules)).svg();
    for text in rules[1..].iter().chain(&["all rule sets", "fixed-310 -310", "CPU hours"]) {
        assert!(svg.contains(text), "{text} is not in the picture");
    }
    // Start and generations in three panels for each rule set, and the legend's dots.
    assert_eq!(svg.matches("<circle").count(), rules.len() * (9 * 3 + 1));
    if let Some(copy) = std::env::var_os("LADDER_PICTURE") {
        std::fs::write(copy, svg).unwrap();
    }
}

#[test]
fn one_rule_set_is_drawn_once() {
    let chart = chart(&ladder(&[ALL, "fusion-2020"]));
    assert_eq!((chart.names, chart.fixed.len()), (vec!["fusion-2020".to_owned()], 3));
    assert!(chart.panels.iter().all(|panel| panel.lines.len() == 1 && panel.lines[0].len() == 9));
}

#[test]
fn names_are_short() {
    assert_eq!(shortened("pvs:material"), "pvs:material");
    assert_eq!(shortened("runs/mine/train/best.fnet"), "…ain/best.fnet");
}
