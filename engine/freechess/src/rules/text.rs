//! Rule sets as text.

use super::values::Value;
use super::{PRESETS, RuleSet, TOGGLES};
use std::fmt::{self, Display};
use std::str::FromStr;

/// The reason why a rule expression is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The expression does not begin with a preset.
    #[error("{}", fusion_game::unknown_preset(.0, &PRESETS.map(|(name, _)| name)))]
    Preset(String),
    /// A change names no toggle.
    #[error("{}", fusion_game::unknown_toggle(.0, &TOGGLES.map(|kind| kind.name)))]
    Toggle(String),
    /// A change has no `=`.
    #[error("'{0}' is not a change of the form toggle=value, such as splitting=no")]
    Change(String),
    /// A toggle cannot have that value.
    #[error("toggle '{toggle}' cannot be '{value}'; it takes {allowed}")]
    Value {
        /// The toggle.
        toggle: String,
        /// The value it was given.
        value: String,
        /// The values it takes.
        allowed: &'static str,
    },
    /// A toggle is changed twice.
    #[error("toggle '{0}' is given twice; leave one of the two out")]
    Twice(String),
}

/// Parses a value of a toggle.
pub(super) fn read<T: Value>(toggle: &str, value: &str) -> Result<T, RulesError> {
    T::read(value).ok_or_else(|| RulesError::Value {
        toggle: toggle.into(),
        value: value.into(),
        allowed: T::ALLOWED,
    })
}

impl RuleSet {
    /// Returns the toggles in which two rule sets differ.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let names = TOGGLES.iter().map(|kind| kind.name);
        names.filter(|name| self.get(name) != other.get(name)).collect()
    }
}

impl FromStr for RuleSet {
    type Err = RulesError;

    /// Parses `preset[,toggle=value]...`.
    fn from_str(text: &str) -> Result<Self, RulesError> {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let preset = PRESETS.iter().find(|(known, _)| *known == name);
        let mut rules = preset.ok_or_else(|| RulesError::Preset(name.into()))?.1;
        let mut seen = Vec::new();
        for change in parts {
            let (toggle, value) =
                change.split_once('=').ok_or_else(|| RulesError::Change(change.into()))?;
            let toggle = toggle.trim();
            if seen.contains(&toggle) {
                return Err(RulesError::Twice(toggle.into()));
            }
            rules.set(toggle, value.trim())?;
            seen.push(toggle);
        }
        Ok(rules)
    }
}

impl Display for RuleSet {
    /// Formats the preset with the fewest differences, then the differences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = PRESETS.iter().min_by_key(|(_, preset)| self.differences(preset).len());
        let (name, preset) = nearest.unwrap_or(&PRESETS[0]);
        f.write_str(name)?;
        for toggle in self.differences(preset) {
            write!(f, ",{toggle}={}", self.get(toggle).unwrap_or_default())?;
        }
        Ok(())
    }
}
