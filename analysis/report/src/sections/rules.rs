//! Toggles of the rule sets of the main measurement.

use super::*;
use crate::labels::Labels;
use fusion_game::ToggleKind;

/// Maximum number of rule sets in the table.
const MOST: usize = 12;

/// Returns the table of the toggles in which the rule sets differ. Where a toggle has no effect under a rule set,
/// because what it is about cannot occur, there is no value.
fn table(report: &Report) -> Option<Table> {
    let game = report.run.game;
    let values = |rules| Some((game.values(rules)?, game.effective_values(rules)?));
    let arms: Vec<_> = report
        .main_arms()
        .filter_map(|arm| Some((arm.rules.as_str(), values(&arm.rules)?)))
        .collect();
    if arms.len() > MOST {
        return None;
    }
    let differ = |(place, _): &(usize, &ToggleKind)| {
        arms.iter().any(|(_, (values, _))| values[*place] != arms[0].1.0[*place])
    };
    let labels = Labels::of(report.run.study.as_deref());
    let mut fields =
        Fields::<(usize, &ToggleKind)>::default()
            .text("rule", "Rule", |(_, toggle)| format!("{} ({})", toggle.words, toggle.name));
    for (name, (_, values)) in &arms {
        fields = fields.text(name, &*labels.full(name), |(place, _)| {
            values[*place].clone().unwrap_or_default()
        });
    }
    let toggles = game.toggles().iter().enumerate().filter(differ);
    fields.whole_table("rules", "What the rule sets allow", toggles).unless_empty()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let letters = sections_of(report.run.game).letters().map(|letters| Block::Fine(letters.into()));
    let section = Section::unlisted("rules", "The rule sets");
    Some(section.with([Block::Table(table(report)?)]).with(letters))
}
