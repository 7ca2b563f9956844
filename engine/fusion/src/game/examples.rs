//! The examples of `data/rules/examples.csv`, for the words about a rule set.

use fusion_game::RuleExample;

/// Columns toggle, rules, fen, move, san, marks, then. The rules may be quoted and then have commas.
const TABLE: &str = include_str!("../../../../data/rules/examples.csv");

/// Returns a move for each board of the table, in its order.
pub(super) fn all() -> Vec<RuleExample> {
    let mut examples = Vec::new();
    for example in TABLE.lines().skip(1).filter_map(parse) {
        if !examples.contains(&example) {
            examples.push(example);
        }
    }
    examples
}

fn parse(row: &'static str) -> Option<RuleExample> {
    let (toggle, rest) = row.split_once(',')?;
    let (_, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\",")?,
        None => rest.split_once(',')?,
    };
    let (fen, rest) = rest.split_once(',')?;
    let (mv, _) = rest.split_once(',')?;
    let (position, line) = fen.split_once(" moves ").unwrap_or((fen, ""));
    Some(RuleExample { toggle, position: (position != "start").then_some(position), line, mv })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FusionGame;
    use crate::rules::{PRESETS, TOGGLES};

    #[test]
    fn every_toggle_has_an_example_that_can_be_played() {
        let examples = all();
        for toggle in TOGGLES.iter().map(|toggle| toggle.name) {
            assert!(examples.iter().any(|example| example.toggle == toggle), "{toggle}");
        }
        for example in examples {
            let rules = PRESETS.iter().map(|(_, rules)| rules);
            assert!(rules.into_iter().any(|rules| example.game::<FusionGame>(rules).is_some()));
        }
    }
}
