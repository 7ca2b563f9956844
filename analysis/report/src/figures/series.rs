//! Colours and markers of rule sets, the same in every figure that has a line for each.

use serde::Serialize;

/// Number of colours and markers in the style sheet.
pub(crate) const STYLES: usize = 6;

/// A rule set in a legend.
#[derive(Clone, Serialize)]
pub(crate) struct Key {
    pub label: String,
    /// Number of the colour and marker.
    pub style: usize,
}

/// Returns the rule sets of a figure, each once, in alphabetical order. Figures of the same rule
/// sets thus agree in their colours.
pub(crate) fn keys<'a>(rules: impl Iterator<Item = &'a str>) -> Vec<Key> {
    let mut names: Vec<&str> = rules.collect();
    names.sort_unstable();
    names.dedup();
    let numbered = names.into_iter().enumerate();
    numbered.map(|(i, name)| Key { label: name.to_owned(), style: i % STYLES }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_set_once() {
        let keys = keys(["b", "a", "b"].into_iter());
        let found: Vec<(&str, usize)> =
            keys.iter().map(|key| (key.label.as_str(), key.style)).collect();
        assert_eq!(found, [("a", 0), ("b", 1)]);
    }
}
