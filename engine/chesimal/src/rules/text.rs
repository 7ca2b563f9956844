//! Rule sets as text.

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
    #[error("{}", fusion_game::unknown_toggle(.0, &toggle_names()))]
    Toggle(String),
    /// A change has no `=`.
    #[error("'{0}' is not a change of the form toggle=value, such as pass=yes")]
    Change(String),
    /// A toggle cannot have that value.
    #[error("toggle '{toggle}' cannot be '{value}'; it takes {allowed}")]
    Value {
        /// The toggle.
        toggle: String,
        /// The value it was given.
        value: String,
        /// The values it takes.
        allowed: String,
    },
    /// A toggle is changed twice.
    #[error("toggle '{0}' is given twice")]
    Twice(String),
}

fn toggle_names() -> Vec<&'static str> {
    TOGGLES.iter().map(|toggle| toggle.name).collect()
}

impl FromStr for RuleSet {
    type Err = RulesError;

    /// Parses `preset[,toggle=value]...`.
    fn from_str(text: &str) -> Result<Self, RulesError> {
        let mut parts = text.split(',').map(str::trim);
        let mut rules = Self::preset(parts.next().unwrap_or_default())?;
        let mut seen = Vec::new();
        for change in parts {
            let (toggle, value) =
                change.split_once('=').ok_or_else(|| RulesError::Change(change.into()))?;
            let (toggle, value) = (toggle.trim(), value.trim());
            if seen.contains(&toggle) {
                return Err(RulesError::Twice(toggle.into()));
            }
            rules.set(toggle, value)?;
            seen.push(toggle);
        }
        Ok(rules)
    }
}

impl Display for RuleSet {
    /// Formats the preset with the fewest differences, then the differences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let differences = |preset: &RuleSet| -> Vec<&str> {
            let names = TOGGLES.iter().map(|toggle| toggle.name);
            names.filter(|toggle| self.get(toggle) != preset.get(toggle)).collect()
        };
        let (name, preset) = PRESETS
            .into_iter()
            .min_by_key(|(_, preset)| differences(preset).len())
            .unwrap_or(PRESETS[0]);
        f.write_str(name)?;
        for toggle in differences(&preset) {
            write!(f, ",{toggle}={}", self.get(toggle).unwrap_or_default())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<RuleSet>().unwrap().to_string()
    }

    #[test]
    fn the_text_is_canonical() {
        for (text, wanted) in [
            ("chesimal", "chesimal"),
            ("chesimal,quiet-limit=100", "chesimal"),
            ("chesimal, friendly = amp ,recruit=yes", "chesimal-restricted"),
            ("chesimal,friendly=amp", "chesimal,friendly=amp"),
            ("chesimal-restricted,recruit=no", "chesimal,friendly=amp"),
            ("chesimal,setup=small,prince-total=4", "chesimal-small,king-others=6"),
            ("chesimal-small,recruit=yes,friendly=amp", "chesimal-small,friendly=amp,recruit=yes"),
        ] {
            assert_eq!(canonical(text), wanted);
            assert_eq!(canonical(wanted), wanted);
        }
    }

    #[test]
    fn bad_expressions_are_rejected_with_a_reason() {
        for (text, reason) in [
            ("", "unknown rule set ''; presets are chesimal, chesimal-restricted, chesimal-small"),
            ("chesimal,foo=1", "unknown toggle 'foo'; toggles are friendly, recruit,"),
            ("chesimal,pass", "'pass' is not a change of the form toggle=value"),
            ("chesimal,pass=maybe", "toggle 'pass' cannot be 'maybe'; it takes yes or no"),
            ("chesimal,king-others=32", "cannot be '32'; it takes 0 to 31"),
            ("chesimal,king-others=+3", "cannot be '+3'"),
            ("chesimal,prince-total=0", "it takes 1 to 32"),
            ("chesimal,first-turn=0", "it takes full or 1 to 32"),
            ("chesimal,quiet-limit=1001", "it takes none or 1 to 1000"),
            ("chesimal,quiet-limit=010", "cannot be '010'"),
            ("chesimal,pass=yes,pass=no", "toggle 'pass' is given twice"),
        ] {
            let error = text.parse::<RuleSet>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
