//! TOML errors in words that help.

use fusion_engine::cli::Failure;
use serde::de::DeserializeOwned;

/// Reads TOML into a type that denies unknown fields; errors name the line, the section
/// and, for an unknown key, the keys that exist.
///
/// # Errors
/// Any text that does not fit the type (exit code 64).
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let section = section_of(text, line);
        Failure::usage(format!("line {line}: {}", explain(error.message(), section)))
    })
}

/// The header of the section that a line belongs to, without brackets.
fn section_of(text: &str, line: usize) -> Option<&str> {
    let headers = text.lines().take(line).filter_map(|line| {
        let line = line.trim();
        line.strip_prefix('[')?.split(']').next()
    });
    headers.last().map(str::trim)
}

/// Puts the parser's message in this project's words.
fn explain(message: &str, section: Option<&str>) -> String {
    let place = section.map_or_else(|| "the file".to_owned(), |name| format!("[{name}]"));
    let message = message.trim().replace('\n', " ");
    let Some((key, known)) =
        message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "))
    else {
        return format!("in {place}: {message}");
    };
    let known = known.trim_start_matches("one of ").replace('`', "");
    // A header is itself the key of an unknown section.
    if section == Some(key) {
        format!("unknown section [{key}], known sections: {known}")
    } else {
        format!("unknown key `{key}` in {place}, known keys: {known}")
    }
}
