//! What the rule sets of the main measurement differ in.

use super::*;
use crate::labels::Labels;
use fusion_results::report_game::ReportGame;

/// Maximum number of rule sets in the table.
const MOST: usize = 12;

/// A rule, with its value under each rule set.
struct Row {
    rule: String,
    values: Vec<String>,
}

/// Returns the toggles in which rule sets differ. Where a toggle has no effect under a rule set, because what it
/// is about cannot occur, there is no value; where it has none under any of them, the values say so.
fn toggles(game: ReportGame, rules: &[&str]) -> Option<Vec<Row>> {
    let all: Vec<_> = rules.iter().map(|rules| game.values(rules)).collect::<Option<_>>()?;
    let effective: Vec<_> =
        rules.iter().map(|rules| game.effective_values(rules)).collect::<Option<_>>()?;
    let differ = |place: &usize| all.iter().any(|values| values[*place] != all[0][*place]);
    let row = |place: usize| {
        let toggle = game.toggles()[place];
        let has_effect = effective.iter().any(|values| values[place].is_some());
        let without = if has_effect { "" } else { "no effect" };
        let value = |values: &Vec<Option<String>>| values[place].clone().unwrap_or(without.into());
        let values = effective.iter().map(value);
        Row { rule: format!("{} ({})", toggle.words, toggle.name), values: values.collect() }
    };
    Some((0..game.toggles().len()).filter(differ).map(row).collect())
}

/// Returns what else rule sets differ in.
fn details(game: ReportGame, rules: &[&str]) -> Option<Vec<Row>> {
    let all: Vec<_> = rules.iter().map(|rules| game.details(rules)).collect::<Option<_>>()?;
    let mut rows: Vec<Row> = Vec::new();
    for (rule, _) in all.iter().flatten() {
        let value = |details: &Vec<(String, String)>| {
            let found = details.iter().find(|(known, _)| known == rule);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        let values: Vec<String> = all.iter().map(value).collect();
        let differ = values.iter().any(|value| *value != values[0]);
        if differ && rows.iter().all(|row| row.rule != *rule) {
            rows.push(Row { rule: rule.clone(), values });
        }
    }
    Some(rows)
}

/// Returns the table of the rules in which the rule sets differ.
fn table(report: &Report) -> Option<Table> {
    let game = report.run.game;
    let known = |rules: &&str| game.values(rules).is_some();
    let arms: Vec<&str> = report.main_arms().map(|arm| arm.rules.as_str()).filter(known).collect();
    if arms.len() > MOST {
        return None;
    }
    let labels = Labels::of(report.run.study.as_deref());
    let mut fields = Fields::<Row>::default().text("rule", "Rule", |row| row.rule.clone());
    for (number, name) in arms.iter().enumerate() {
        fields = fields.text(name, &*labels.full(name), move |row| row.values[number].clone());
    }
    let rows = toggles(game, &arms)?.into_iter().chain(details(game, &arms)?);
    fields.whole_table("rules", "What the rule sets allow", rows).unless_empty()
}

pub(super) fn page(report: &Report) -> Option<Section> {
    let letters = sections_of(report.run.game).letters().map(|letters| Block::Fine(letters.into()));
    let section = Section::unlisted("rules", "The rule sets");
    Some(section.with([Block::Table(table(report)?)]).with(letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toggles_without_effect_have_no_value() {
        let values = |rules: [&str; 2]| {
            let rows = toggles(ReportGame::of_rules(rules[0]), &rules).unwrap();
            rows.into_iter().map(|row| row.values).collect::<Vec<_>>()
        };
        assert_eq!(values(["orthodox", "orthodox,attacked-split=no"]), [["no effect"; 2]]);
        let split = values(["fusion-1999,attacked-split=no", "orthodox"]);
        assert!(split.iter().any(|row| !row[0].is_empty() && row[1].is_empty()), "{split:?}");
    }
}
