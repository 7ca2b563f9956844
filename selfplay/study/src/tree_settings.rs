//! Settings of the tree search that one player has and others need not have.

use std::fmt::{self, Display};

use fusion_search::SearchConfig;
use toml::Value;

use crate::check::check_search;

/// Settings that replace those of the run, such as those of `[measure.search]`.
///
/// ```
/// use fusion_search::SearchConfig;
/// use fusion_study::TreeSettings;
///
/// let settings = TreeSettings::parse("lcb=0.5&haste=0").unwrap();
/// let changed = settings.over(SearchConfig::default());
/// assert_eq!(changed, SearchConfig { lcb: 0.5, haste: 0.0, ..SearchConfig::default() });
/// assert_eq!(settings.to_string(), "?haste=0.0&lcb=0.5");
/// assert_eq!(TreeSettings::default().to_string(), "");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeSettings(toml::Table);

impl TreeSettings {
    /// Parses `SETTING=VALUE[&SETTING=VALUE]...` with the keys of [`SearchConfig`].
    ///
    /// # Errors
    /// Fails on text that cannot be parsed, unknown keys, and values that [`SearchConfig`] may not
    /// have. `max_nodes` is rejected: it limits memory and belongs to the run.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parsed = toml::from_str::<toml::Table>(&text.replace('&', "\n"));
        let mut settings = Self(parsed.map_err(|error| error.message().to_owned())?);
        // Equal settings have one text: all numbers but `max_nodes` are fractions.
        for value in settings.0.iter_mut().map(|(_, value)| value) {
            if let Value::Integer(number) = *value {
                *value = Value::Float(number as f64);
            }
        }
        if settings.0.contains_key("max_nodes") {
            return Err("max_nodes is a setting of the run, not of a player".to_owned());
        }
        let config = settings.applied(SearchConfig::default())?;
        check_search("search", &config).map_err(|failure| failure.to_string())?;
        Ok(settings)
    }

    /// Returns the configuration of a run with these settings in place of its own.
    #[must_use]
    pub fn over(&self, config: SearchConfig) -> SearchConfig {
        // What was parsed for one configuration fits any other.
        self.applied(config).unwrap_or(config)
    }

    fn applied(&self, config: SearchConfig) -> Result<SearchConfig, String> {
        let mut table = toml::Table::try_from(config).map_err(|error| error.to_string())?;
        table.extend(self.0.clone());
        table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

impl Display for TreeSettings {
    /// Formats the settings after a question mark, in the order of their keys. Without settings the
    /// text is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.0.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}
