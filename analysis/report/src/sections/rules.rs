//! Toggles of the rule sets of the main measurement.

use super::*;
use crate::format::toggle_long;
use fusion_chess::rules::{RuleSet, TOGGLES};

/// Maximum number of rule sets in the table.
const MOST: usize = 12;

/// Returns the table of the toggles in which the rule sets differ.
fn table(report: &Report) -> Option<Table> {
    let arms: Vec<(&str, RuleSet)> = report
        .main_arms()
        .filter_map(|arm| Some((arm.rules.as_str(), arm.rules.parse().ok()?)))
        .collect();
    if arms.len() > MOST {
        return None;
    }
    let differ = |toggle: &&&str| {
        let value = |(_, rules): &(&str, RuleSet)| rules.get(toggle);
        arms.iter().any(|arm| value(arm) != arms.first().and_then(value))
    };
    let mut fields =
        Fields::<&str>::default().text("rule", "Rule", |toggle| match toggle_long(toggle) {
            "" => (*toggle).to_owned(),
            words => format!("{words} ({toggle})"),
        });
    for (name, rules) in &arms {
        fields = fields.text(name, *name, |toggle| rules.get(toggle).unwrap_or_default());
    }
    let toggles = TOGGLES.iter().filter(differ);
    fields.whole_table("rules", "What the rule sets allow", toggles).unless_empty()
}

const PIECES: &str = "R, B, N: Rook, Bishop, Knight; K: King. Two letters are one piece that moves as either: RB Queen, RN Marshall, BN Paladin, KR Dragon King, KB Pontiff, KN Cavalier King.";

pub(super) fn page(report: &Report) -> Option<Section> {
    let blocks = [Block::Table(table(report)?), Block::Fine(PIECES.into())];
    Some(Section::unlisted("rules", "The rule sets").with(blocks))
}
