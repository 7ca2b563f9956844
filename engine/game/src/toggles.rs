//! Rule sets as text: a preset and changes to its toggles, `fusion-2020,castling=no`.
//!
//! A game lists its presets and its toggles by [`toggles!`](crate::toggles!) and implements
//! [`ToggleValue`] for the types of their values. Parsing, printing and errors are the same for all
//! games.

use crate::presets::{unknown_preset, unknown_toggle};
use crate::{OpenError, OpenErrorKind, ToggleKind};
use std::fmt;

/// A value of a toggle, as written in rule expressions.
pub trait ToggleValue: Copy + PartialEq {
    /// Returns the allowed values, for messages.
    fn allowed() -> String;

    /// Parses the value.
    fn read(text: &str) -> Option<Self>;

    /// Returns why the text is no value, if there is more to say than what is allowed.
    fn reason(text: &str) -> Option<OpenError> {
        let _ = text;
        None
    }

    /// Formats the value.
    fn text(self) -> String;
}

/// Implements [`ToggleValue`] for a type with a few values, each with its name. Further names
/// are parsed but never written.
///
/// ```
/// use fusion_game::ToggleValue;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Pass {
///     Never,
///     Always,
/// }
/// fusion_game::toggle_choice!(Pass, "never or always", "never" = Self::Never, "always" or "yes" = Self::Always);
///
/// assert_eq!(Pass::read("yes"), Some(Pass::Always));
/// assert_eq!(Pass::Always.text(), "always");
/// ```
#[macro_export]
macro_rules! toggle_choice {
    ($type:ty, $allowed:literal, $($name:literal $(or $also:literal)? = $value:expr),+) => {
        impl $crate::ToggleValue for $type {
            fn allowed() -> String {
                $allowed.into()
            }

            fn read(text: &str) -> Option<Self> {
                match text {
                    $($name $(| $also)? => Some($value),)+
                    _ => None,
                }
            }

            fn text(self) -> String {
                let names = [$(($name, $value)),+];
                names.into_iter().find(|(_, value)| *value == self).map_or("", |known| known.0).into()
            }
        }
    };
}

impl ToggleValue for bool {
    fn allowed() -> String {
        "yes or no".into()
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    fn text(self) -> String {
        if self { "yes" } else { "no" }.into()
    }
}

/// Parses a number of a range as this program writes it: without a sign and leading zeros.
///
/// ```
/// assert_eq!(fusion_game::toggle_number("12", 1..=200), Some(12));
/// assert_eq!(fusion_game::toggle_number("012", 1..=200), None);
/// ```
#[must_use]
pub fn toggle_number(text: &str, range: std::ops::RangeInclusive<u16>) -> Option<u16> {
    let number: u16 = text.parse().ok()?;
    (range.contains(&number) && number.to_string() == text).then_some(number)
}

/// The reason why a rule expression is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// The expression does not begin with a preset.
    #[error("{}", unknown_preset(name, known))]
    Preset {
        /// The name as given.
        name: String,
        /// The names of the presets.
        known: Vec<&'static str>,
    },
    /// A change names no toggle.
    #[error("{}", unknown_toggle(name, known))]
    Toggle {
        /// The name as given.
        name: String,
        /// The names of the toggles.
        known: Vec<&'static str>,
    },
    /// A change has no `=`.
    #[error("'{0}' is not a change of the form toggle=value, such as {1}=no")]
    Change(String, &'static str),
    /// A toggle cannot have that value.
    #[error("toggle '{toggle}' cannot be '{value}'{}; it takes {allowed}", because(reason))]
    Value {
        /// The toggle.
        toggle: String,
        /// The value it was given.
        value: String,
        /// The values it takes.
        allowed: String,
        /// Why the value is rejected, if there is more to say.
        reason: Option<Box<OpenError>>,
    },
    /// A toggle is changed twice.
    #[error("toggle '{0}' is given twice; leave one of the two out")]
    Twice(String),
    /// Two toggles contradict each other.
    #[error("'{0}' contradicts itself: {1}")]
    Contradiction(String, &'static str),
    /// A game cannot begin in the initial position.
    #[error("'{0}': no game can begin at the start: {1}")]
    Start(String, OpenError),
}

impl RulesError {
    /// Returns what is wrong: that of a file which the expression names, else that the expression makes no sense.
    #[must_use]
    pub fn kind(&self) -> OpenErrorKind {
        match self {
            Self::Value { reason: Some(reason), .. } => reason.kind(),
            Self::Start(_, reason) => reason.kind(),
            _ => OpenErrorKind::Unsupported,
        }
    }
}

fn because(reason: &Option<Box<OpenError>>) -> String {
    reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default()
}

/// A rule set whose presets and toggles are listed: what [`toggles!`](crate::toggles!) implements.
pub trait Toggles: Copy + 'static {
    /// Every preset with its name. A text names the first of those that are equally near.
    const PRESETS: &'static [(&'static str, Self)];

    /// The toggles, in the order in which expressions list them.
    const TOGGLES: &'static [ToggleKind];

    /// Sets a toggle to a value; contradictions with other toggles are not checked.
    ///
    /// # Errors
    /// Returns an error for an unknown toggle, or for a value that the toggle cannot have.
    /// The message lists the valid ones.
    fn set(&mut self, toggle: &str, value: &str) -> Result<(), RulesError>;

    /// Returns a toggle's value as text, or `None` for an unknown toggle.
    fn get(&self, toggle: &str) -> Option<String>;

    /// Rejects toggles that contradict each other, and returns the canonical form of the rules.
    ///
    /// # Errors
    /// Returns an error with the reason.
    fn checked(self) -> Result<Self, RulesError> {
        Ok(self)
    }

    /// Returns the preset with this name.
    ///
    /// # Errors
    /// Returns [`RulesError::Preset`], which lists the presets, for any other name.
    fn preset(name: &str) -> Result<Self, RulesError> {
        let known = || Self::PRESETS.iter().map(|(known, _)| *known);
        Self::PRESETS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, rules)| rules)
            .ok_or_else(|| RulesError::Preset { name: name.into(), known: known().collect() })
    }

    /// Returns the names of the toggles in which two rule sets differ.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let names = Self::TOGGLES.iter().map(|toggle| toggle.name);
        names.filter(|toggle| self.get(toggle) != other.get(toggle)).collect()
    }

    /// Parses `preset[,toggle=value]...`.
    ///
    /// # Errors
    /// Returns an error that says which part of the text is wrong.
    fn read(text: &str) -> Result<Self, RulesError> {
        let mut parts = text.split(',').map(str::trim);
        let mut rules = Self::preset(parts.next().unwrap_or_default())?;
        let mut seen = Vec::new();
        for change in parts {
            let example = || RulesError::Change(change.into(), yes_or_no::<Self>());
            let (toggle, value) = change.split_once('=').ok_or_else(example)?;
            let (toggle, value) = (toggle.trim(), value.trim());
            if seen.contains(&toggle) {
                return Err(RulesError::Twice(toggle.into()));
            }
            rules.set(toggle, value)?;
            seen.push(toggle);
        }
        rules.checked()
    }

    /// Formats the preset with the fewest differences, then the differences.
    ///
    /// # Errors
    /// Returns an error if the formatter does.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nearest = Self::PRESETS.iter().min_by_key(|(_, preset)| self.differences(preset).len());
        let Some((name, preset)) = nearest else { return Err(fmt::Error) };
        f.write_str(name)?;
        for toggle in self.differences(preset) {
            write!(f, ",{toggle}={}", self.get(toggle).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Returns the name of a toggle that is yes or no, for messages.
fn yes_or_no<R: Toggles>() -> &'static str {
    R::TOGGLES.iter().find(|toggle| !toggle.short.is_empty()).map_or("toggle", |toggle| toggle.name)
}

/// Parses the value of a toggle; [`toggles!`](crate::toggles!) calls it.
///
/// # Errors
/// Returns an error that lists the values which the toggle takes.
pub fn toggle_value<T: ToggleValue>(toggle: &str, value: &str) -> Result<T, RulesError> {
    T::read(value).ok_or_else(|| RulesError::Value {
        toggle: toggle.into(),
        value: value.into(),
        allowed: T::allowed(),
        reason: T::reason(value).map(Box::new),
    })
}

/// Lists the toggles of a rule set, in the order in which expressions have them: name, field, what
/// the toggle allows in a few words (empty if its value says it), what it is about in full.
/// Implements [`Toggles`], `FromStr` and `Display`, and the shorthands `preset`, `set` and `get`.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// pub struct Rules {
///     pass: bool,
/// }
///
/// fusion_game::toggles! {
///     Rules, [("free", Rules { pass: true }), ("strict", Rules { pass: false })];
///     "pass" = pass, "passing allowed", "a turn may be passed";
/// }
///
/// assert_eq!("free,pass=no".parse::<Rules>().unwrap().to_string(), "strict");
/// let error = "free,pass=maybe".parse::<Rules>().unwrap_err();
/// assert_eq!(error.to_string(), "toggle 'pass' cannot be 'maybe'; it takes yes or no");
/// ```
#[macro_export]
macro_rules! toggles {
    (
        $rules:ident, $presets:expr $(, checked by $checked:ident)?;
        $($name:literal = $field:ident, $short:literal, $words:literal;)+
    ) => {
        impl $crate::Toggles for $rules {
            const PRESETS: &'static [(&'static str, Self)] = &$presets;
            const TOGGLES: &'static [$crate::ToggleKind] =
                &[$($crate::ToggleKind { name: $name, short: $short, words: $words }),+];

            fn set(&mut self, toggle: &str, value: &str) -> Result<(), $crate::RulesError> {
                match toggle {
                    $($name => self.$field = $crate::toggle_value(toggle, value)?,)+
                    _ => return Err($crate::RulesError::Toggle {
                        name: toggle.into(),
                        known: vec![$($name),+],
                    }),
                }
                Ok(())
            }

            fn get(&self, toggle: &str) -> Option<String> {
                match toggle {
                    $($name => Some($crate::ToggleValue::text(self.$field)),)+
                    _ => None,
                }
            }

            $(fn checked(self) -> Result<Self, $crate::RulesError> {
                self.$checked()
            })?
        }

        impl $rules {
            /// Returns the preset with this name.
            ///
            /// # Errors
            /// Returns an error that lists the presets for any other name.
            pub fn preset(name: &str) -> Result<Self, $crate::RulesError> {
                <Self as $crate::Toggles>::preset(name)
            }

            /// Sets a toggle to a value; contradictions with other toggles are not checked.
            ///
            /// # Errors
            /// Returns an error for an unknown toggle, or for a value that the toggle cannot have.
            /// The message lists the valid ones.
            pub fn set(&mut self, toggle: &str, value: &str) -> Result<(), $crate::RulesError> {
                <Self as $crate::Toggles>::set(self, toggle, value)
            }

            /// Returns a toggle's value as text, or `None` for an unknown toggle.
            #[must_use]
            pub fn get(&self, toggle: &str) -> Option<String> {
                <Self as $crate::Toggles>::get(self, toggle)
            }
        }

        impl std::str::FromStr for $rules {
            type Err = $crate::RulesError;

            /// Parses `preset[,toggle=value]...`.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                <Self as $crate::Toggles>::read(text)
            }
        }

        impl std::fmt::Display for $rules {
            /// Formats the preset with the fewest differences, then the differences.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                <Self as $crate::Toggles>::write(self, f)
            }
        }
    };
}
