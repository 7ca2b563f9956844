//! Toggles of the rule sets of the main measurement.

use super::*;
use fusion_game::ToggleKind;

/// Maximum number of rule sets in the table.
const MOST: usize = 12;

/// Returns the table of the toggles in which the rule sets differ.
fn table(report: &Report) -> Option<Table> {
    let arms: Vec<(&str, Vec<String>)> = report
        .main_arms()
        .filter_map(|arm| Some((arm.rules.as_str(), report.run.game.values(&arm.rules)?)))
        .collect();
    if arms.len() > MOST {
        return None;
    }
    let differ = |(place, _): &(usize, &ToggleKind)| {
        arms.iter().any(|(_, values)| values[*place] != arms[0].1[*place])
    };
    let mut fields =
        Fields::<(usize, &ToggleKind)>::default()
            .text("rule", "Rule", |(_, toggle)| format!("{} ({})", toggle.words, toggle.name));
    for (name, values) in &arms {
        fields = fields.text(name, &*report.labels.full(name), |(place, _)| values[*place].clone());
    }
    let toggles = report.run.game.toggles().iter().enumerate().filter(differ);
    fields.whole_table("rules", "What the rule sets allow", toggles).unless_empty()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let letters = report.run.game.is_chess().then(|| Block::Fine(chess::LETTERS.into()));
    let section = Section::unlisted("rules", "The rule sets");
    Some(section.with([Block::Table(table(report)?)]).with(letters))
}
