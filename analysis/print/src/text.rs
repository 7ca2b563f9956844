//! Output of a command: paragraphs and tables, as text that fits the terminal, or as JSON.

use crate::table::Table;
use console::{Term, measure_text_width};
use serde_json::json;
use std::path::Path;

/// Default width if there is no terminal.
const COLUMNS: usize = 80;
/// Smallest width. Tables need it.
const NARROWEST: usize = 40;
/// Length of a line of prose. Longer lines are hard to read.
const LINE: usize = 120;

/// A part of a text.
#[derive(Clone, Debug)]
pub enum Paragraph {
    /// A table with its title.
    Table(Table),
    /// A paragraph.
    Text(String),
    /// A mark, and a paragraph that is indented after it.
    Item(String, String),
    /// A line that is not broken, such as a link.
    Line(String),
    /// An empty line.
    Gap,
}

/// A text that grows part by part.
#[derive(Clone, Debug, Default)]
pub struct Text(pub Vec<Paragraph>);

/// Returns the width of the terminal at standard output, or 80 if there is none.
#[must_use]
pub fn width() -> usize {
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    columns.map_or(COLUMNS, |columns| columns.max(NARROWEST))
}

impl Text {
    /// Adds a paragraph.
    pub fn push(&mut self, paragraph: impl Into<String>) {
        self.0.push(Paragraph::Text(paragraph.into()));
    }

    /// Adds a line that is not broken.
    pub fn line(&mut self, line: impl Into<String>) {
        self.0.push(Paragraph::Line(line.into()));
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.0.push(Paragraph::Gap);
    }

    /// Adds a table with its title, which an empty line sets off.
    pub fn table(&mut self, table: Table) {
        self.0.push(Paragraph::Table(table));
    }

    /// Renders the text with at most `width` columns.
    #[must_use]
    pub fn render(&self, width: usize) -> String {
        let line = width.min(LINE);
        let mut text = String::new();
        for paragraph in &self.0 {
            match paragraph {
                Paragraph::Table(table) => {
                    let gap = if text.is_empty() { "" } else { "\n" };
                    text += gap;
                    text += &item("", &table.title, line);
                    text += &table.to_text(width);
                }
                Paragraph::Text(paragraph) => text += &item("", paragraph, line),
                Paragraph::Item(mark, paragraph) => text += &item(mark, paragraph, line),
                Paragraph::Line(line) => text += &format!("{line}\n"),
                Paragraph::Gap => text.push('\n'),
            }
        }
        text
    }

    /// Renders the text as a JSON document in ASCII: an object with `tables`, in the form of
    /// [`Table::to_json`], and `notes`, the other paragraphs.
    #[must_use]
    pub fn to_json(&self) -> String {
        let (mut tables, mut notes) = (Vec::new(), Vec::new());
        for paragraph in &self.0 {
            match paragraph {
                Paragraph::Table(table) => tables.push(table.to_json()),
                Paragraph::Text(note) | Paragraph::Item(_, note) | Paragraph::Line(note) => {
                    notes.push(note);
                }
                Paragraph::Gap => {}
            }
        }
        let json = format!("{:#}\n", json!({ "tables": tables, "notes": notes }));
        // Other characters occur only within strings, where JSON has escapes for them.
        let mut ascii = String::with_capacity(json.len());
        for character in json.chars() {
            match character {
                '\n' | ' '..='~' => ascii.push(character),
                other => {
                    for unit in other.encode_utf16(&mut [0; 2]) {
                        ascii += &format!("\\u{unit:04x}");
                    }
                }
            }
        }
        ascii
    }
}

/// Renders a paragraph that starts with a mark. Its later lines are indented by the width of the
/// mark.
fn item(mark: &str, paragraph: &str, width: usize) -> String {
    let indent = " ".repeat(measure_text_width(mark));
    let lines = broken(paragraph, width.saturating_sub(indent.len()));
    format!("{mark}{}\n", lines.join(&format!("\n{indent}")))
}

/// Breaks a paragraph into lines of as many words as fit, with at least one word on each.
pub fn broken(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in paragraph.split(' ') {
        let line = lines.last_mut().map_or(0, |line| measure_text_width(line));
        match lines.last_mut() {
            Some(last) if line == 0 => last.push_str(word),
            Some(last) if line + 1 + measure_text_width(word) <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns a link to a file that terminals open: its absolute path, percent-encoded (RFC 8089, RFC
/// 3986).
#[must_use]
pub fn file_link(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut link = "file://".to_owned();
    // `C:\a` is `/C:/a` in a link.
    if cfg!(windows) {
        link.push('/');
    }
    for &byte in absolute.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => link.push('/'),
            b':' if cfg!(windows) => link.push(':'),
            b'/' | b'-' | b'.' | b'_' | b'~' => link.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => link.push(byte.into()),
            byte => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_broken_between_words() {
        let mut text = Text::default();
        text.push("one two three four five six −7 “eight”");
        text.0.push(Paragraph::Item("- ".into(), "a list’s item that is long".into()));
        text.push("a-word-that-is-longer-than-a-line stays");
        text.gap();
        assert_eq!(
            text.render(20),
            "one two three four\nfive six −7 “eight”\n- a list’s item that\n  is long\n\
             a-word-that-is-longer-than-a-line\nstays\n\n"
        );
    }

    #[test]
    fn json_is_ascii_that_reads_back() {
        let odd = "“5 − 3”\u{7f}\u{9b}\u{202e}\n\\u{1f600}😀";
        let mut text = Text::default();
        text.push(odd);
        let json = text.to_json();
        assert!(json.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{json}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value, json!({ "tables": [], "notes": [odd] }));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_absolute_and_encoded() {
        assert_eq!(
            file_link(Path::new("/a b/ü%?#\"/r.html")),
            "file:///a%20b/%C3%BC%25%3F%23%22/r.html"
        );
        let relative = file_link(Path::new("runs/x/report.html"));
        let here = file_link(&std::env::current_dir().unwrap());
        assert_eq!(relative, format!("{here}/runs/x/report.html"));
    }

    #[cfg(windows)]
    #[test]
    fn links_have_the_drive_and_slashes() {
        assert_eq!(file_link(Path::new(r"C:\a b\r.html")), "file:///C:/a%20b/r.html");
    }
}
