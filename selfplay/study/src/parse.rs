//! Helpful messages for TOML errors.

use fusion_jobs::exit::Failure;
use serde::de::DeserializeOwned;

/// Parses TOML into a type that denies unknown fields. Errors name the line, the section and, for
/// an unknown key, the keys that exist.
///
/// # Errors
/// Fails on any text that does not fit the type (exit code 64).
///
/// # Examples
/// ```
/// use fusion_study::{OpeningsConfig, parse_toml};
///
/// let openings: OpeningsConfig = parse_toml("count = 50").unwrap();
/// assert_eq!(openings.count, 50);
/// let error = parse_toml::<OpeningsConfig>("cuont = 50").unwrap_err();
/// assert!(error.to_string().contains("count"));
/// ```
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let offset = span.start.min(text.len());
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let place = Place {
            section: section_of(text, line),
            key: key_before(before),
            value: text.get(span).unwrap_or_default(),
        };
        Failure::usage(format!("line {line}: {}", place.explain(error.message())))
    })
}

/// Returns the header of the section that contains a line, without brackets.
fn section_of(text: &str, line: usize) -> Option<&str> {
    let headers = text.lines().take(line).filter_map(|line| {
        let line = line.trim();
        line.trim_start_matches('[').split(']').next().filter(|_| line.starts_with('['))
    });
    headers.last().map(str::trim)
}

/// Returns the key whose value begins where the text ends; `None` inside of a list.
fn key_before(text: &str) -> Option<&str> {
    let before = text.lines().last()?.trim_end().strip_suffix('=')?;
    let key = before.rsplit(['{', ',']).next()?.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}

/// Location of an error.
struct Place<'a> {
    section: Option<&'a str>,
    key: Option<&'a str>,
    value: &'a str,
}

impl Place<'_> {
    /// Rewrites the parser's message in this project's terms.
    fn explain(&self, message: &str) -> String {
        let message = message.trim().replace('\n', " ");
        let place = self.section.map_or_else(|| "the file".to_owned(), |name| format!("[{name}]"));
        if let Some(words) = self.missing(&message).or_else(|| self.unknown(&message, &place)) {
            return words;
        }
        match self.key {
            Some(key) if message.ends_with("expected a sequence") => {
                let value = self.value;
                format!("in {place}: {key} is a list: write {key} = [{value}]")
            }
            Some(key) => format!("in {place}: {key}: {message}"),
            None => format!("in {place}: {message}"),
        }
    }

    /// Returns the message for a required key that is missing.
    fn missing(&self, message: &str) -> Option<String> {
        let key = message.strip_prefix("missing field `")?.strip_suffix('`')?;
        Some(match key {
            "study" => "the section [study] is missing; it gives the study its name: \
                        [study] and below it name = \"my-study\""
                .to_owned(),
            "name" => "[study] lacks the study's name: add name = \"my-study\"".to_owned(),
            _ => format!("[{}] lacks the key {key}", self.section.unwrap_or_default()),
        })
    }

    fn unknown(&self, message: &str, place: &str) -> Option<String> {
        let (key, known) = message.strip_prefix("unknown field `")?.split_once("`, expected ")?;
        let known = known.trim_start_matches("one of ").replace('`', "");
        // A header itself is the key of an unknown section.
        Some(if self.section == Some(key) {
            format!("unknown section [{key}], known sections: {known}")
        } else {
            format!("unknown key `{key}` in {place}, known keys: {known}")
        })
    }
}
