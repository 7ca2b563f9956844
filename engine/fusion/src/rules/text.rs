//! Rule sets as text: expressions, and tables of TOML.

use super::{PRESETS, RuleSet, RulesError, TOGGLES};
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

impl RuleSet {
    /// Returns the toggles in which two rule sets differ.
    pub(super) fn differences(self, other: Self) -> Vec<&'static str> {
        TOGGLES.into_iter().filter(|toggle| self.get(toggle) != other.get(toggle)).collect()
    }

    fn with_changes<'a>(
        preset: &str,
        changes: impl Iterator<Item = Result<(&'a str, &'a str), RulesError>>,
    ) -> Result<Self, RulesError> {
        let mut rules = Self::preset(preset)?;
        let mut seen = Vec::new();
        for change in changes {
            let (toggle, value) = change?;
            if seen.contains(&toggle) {
                return Err(RulesError::Twice(toggle.into()));
            }
            rules.set(toggle, value)?;
            seen.push(toggle);
        }
        rules.check()?;
        Ok(rules.canonical())
    }
}

impl FromStr for RuleSet {
    type Err = RulesError;

    /// Parses `preset[,toggle=value]...`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(',').map(str::trim);
        let preset = parts.next().unwrap_or_default();
        let changes = parts.map(|change| {
            let (toggle, value) =
                change.split_once('=').ok_or_else(|| RulesError::Change(change.into()))?;
            Ok((toggle.trim(), value.trim()))
        });
        Self::with_changes(preset, changes)
    }
}

impl Display for RuleSet {
    /// Formats the preset with the fewest differences, then the differences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, preset) = PRESETS
            .into_iter()
            .min_by_key(|(_, preset)| self.differences(*preset).len())
            .unwrap_or(PRESETS[0]);
        f.write_str(name)?;
        for toggle in self.differences(preset) {
            write!(f, ",{toggle}={}", self.get(toggle).unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Serialize for RuleSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    /// Parses an expression, or a table such as `{ preset = "fusion-2020", castling = false }`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "a rule expression or a table of toggles")]
        enum Form {
            Expression(String),
            Table(BTreeMap<String, Toggle>),
        }
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "a boolean or text")]
        enum Toggle {
            Flag(bool),
            Text(String),
        }
        let read = match Form::deserialize(deserializer)? {
            Form::Expression(text) => text.parse(),
            Form::Table(table) => {
                let value = |toggle: &'_ Toggle| match toggle {
                    Toggle::Flag(true) => "yes".to_string(),
                    Toggle::Flag(false) => "no".to_string(),
                    Toggle::Text(text) => text.clone(),
                };
                let values: Vec<(&str, String)> =
                    table.iter().map(|(name, toggle)| (name.as_str(), value(toggle))).collect();
                let preset = values.iter().find(|(name, _)| *name == "preset");
                let preset = preset.ok_or_else(|| {
                    de::Error::custom("a table of rules needs `preset = \"...\"`")
                })?;
                let changes = values.iter().filter(|(name, _)| *name != "preset");
                RuleSet::with_changes(
                    &preset.1,
                    changes.map(|(name, text)| Ok((*name, text.as_str()))),
                )
            }
        };
        read.map_err(de::Error::custom)
    }
}
