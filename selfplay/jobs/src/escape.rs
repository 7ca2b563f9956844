//! Text from files and arguments, made safe for a terminal.
//!
//! Control characters can move a terminal's cursor, change its title or hide text. All output of
//! the programs is escaped by this module: such characters become `\u{1b}`. Line ends and tabs
//! stay.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

/// Length of the longest character, in bytes.
const LONGEST: usize = 4;

/// Returns whether a character can change a terminal's state. Such characters are control
/// characters except line ends and tabs, and characters that change the direction of text.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        other => other.is_control(),
    }
}

/// Returns the text with control characters escaped as in Rust: `\u{1b}`.
///
/// # Examples
/// ```
/// use fusion_jobs::escape::escaped;
///
/// // The sequence would change the terminal's title.
/// assert_eq!(escaped("Fisher\u{1b}]0;owned\u{7}"), r"Fisher\u{1b}]0;owned\u{7}");
/// assert_eq!(escaped("1. e4\te5 ½"), "1. e4\te5 ½");
/// ```
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unsafe(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe.into()
}

/// Returns the `Display` output of a value, with control characters escaped.
#[must_use]
pub fn shown(text: impl Display) -> String {
    match escaped(&text.to_string()) {
        Cow::Borrowed(same) => same.to_owned(),
        Cow::Owned(safe) => safe,
    }
}

/// A writer to a terminal that escapes the control characters of UTF-8 text. Bytes that are not
/// UTF-8 become U+FFFD.
///
/// # Examples
/// ```
/// use fusion_jobs::escape::Escaped;
/// use std::io::Write;
///
/// let mut terminal = Vec::new();
/// let mut out = Escaped::new(&mut terminal);
/// out.write_all(b"red\x1b[31m, \xff")?;
/// out.flush()?;
/// assert_eq!(String::from_utf8(terminal)?, "red\\u{1b}[31m, \u{fffd}");
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct Escaped<W> {
    inner: W,
    /// First bytes of a character that is not complete yet.
    begun: Vec<u8>,
}

impl<W: Write> Escaped<W> {
    /// Creates a writer in front of another.
    pub fn new(inner: W) -> Self {
        Self { inner, begun: Vec::new() }
    }

    fn write_text(&mut self, bytes: &[u8]) -> io::Result<()> {
        for chunk in bytes.utf8_chunks() {
            self.inner.write_all(escaped(chunk.valid()).as_bytes())?;
            if !chunk.invalid().is_empty() {
                self.inner.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Returns the number of bytes at the end that may be the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let most = bytes.len().min(LONGEST - 1);
    let is_begun = |length: &usize| {
        let end = &bytes[bytes.len() - length..];
        std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none())
    };
    (1..=most).rev().find(is_begun).unwrap_or(0)
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        self.begun = text.split_off(text.len() - unfinished(&text));
        self.write_text(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "a\u{1b}]0;title\u{7}b\r\u{9b}31mc\u{202e}d\u{7f}";
    const SAFE: &str = "a\\u{1b}]0;title\\u{7}b\\u{d}\\u{9b}31mc\\u{202e}d\\u{7f}";

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        assert_eq!(escaped(EVIL), SAFE);
        assert_eq!(shown(EVIL), SAFE);
        let plain = "plain\ttext\n− µ ± ─ 人";
        assert!(matches!(escaped(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn writing_in_pieces_changes_nothing() {
        for size in 1..9 {
            let mut out = Escaped::new(Vec::new());
            for piece in format!("{EVIL}−人\n").as_bytes().chunks(size) {
                out.write_all(piece).unwrap();
            }
            out.flush().unwrap();
            assert_eq!(String::from_utf8(out.inner).unwrap(), format!("{SAFE}−人\n"), "{size}");
        }
        let mut out = Escaped::new(Vec::new());
        out.write_all(b"a\xffb\x80\x9b").unwrap();
        out.write_all(b"c").unwrap();
        assert_eq!(out.inner, "a\u{fffd}b\u{fffd}\u{fffd}c".as_bytes());
    }
}
