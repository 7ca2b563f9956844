//! Why rule expressions are rejected.

use super::{PRESETS, TOGGLES};

/// The reason why a rule expression is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The expression does not begin with a preset.
    #[error("{}", fusion_game::unknown_preset(.0, &PRESETS.map(|(name, _)| name)))]
    Preset(String),
    /// A change names no toggle.
    #[error("{}", fusion_game::unknown_toggle(.0, &TOGGLES))]
    Toggle(String),
    /// A change has no `=`.
    #[error("'{0}' is not a change of the form toggle=value, such as castling=no")]
    Change(String),
    /// A toggle cannot have that value.
    #[error("toggle '{toggle}' cannot be '{value}'{}; it takes {allowed}", because(reason))]
    Value {
        /// The toggle.
        toggle: String,
        /// The value it was given.
        value: String,
        /// The values it takes.
        allowed: &'static str,
        /// Why the value is rejected, if there is more to say.
        reason: Option<String>,
    },
    /// A toggle is changed twice.
    #[error("toggle '{0}' is given twice")]
    Twice(String),
    /// Two toggles contradict each other.
    #[error("'{0}' contradicts itself: {1}")]
    Contradiction(String, &'static str),
    /// A game cannot begin in the initial position.
    #[error("'{0}': no game can begin at the start: {1}")]
    Start(String, String),
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default()
}
