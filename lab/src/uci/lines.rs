//! Input lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest line in bytes. A longer line is cut off. A game of 100,000 moves is shorter.
pub(crate) const LONGEST: usize = 1 << 20;

/// Reads a line without its line end. Returns `None` at the end of the input. Bytes beyond
/// [`LONGEST`] are read and discarded. A byte-order mark and NUL bytes are left out, and bytes that
/// are not UTF-8 become U+FFFD.
///
/// # Errors
/// Fails if the input cannot be read.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(LONGEST as u64).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.pop_if(|byte| *byte == b'\n').is_none() && bytes.len() == LONGEST {
        input.skip_until(b'\n')?;
    }
    // The length shows that a line was cut off.
    if bytes.len() < LONGEST {
        bytes.retain(|&byte| byte != 0);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_not_split() {
        let long = "x".repeat(3 * LONGEST);
        let text = format!("uci\n\n{long}\nisready\r\nquit");
        let mut input = text.as_bytes();
        let mut next = || read(&mut input).unwrap();
        assert_eq!(next().as_deref(), Some("uci"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().map(|line| line.len()), Some(LONGEST));
        assert_eq!(next().as_deref(), Some("isready\r"));
        assert_eq!(next().as_deref(), Some("quit"));
        assert_eq!(next(), None);
    }

    #[test]
    fn text_of_other_systems_is_read() {
        let mut input = &b"\xef\xbb\xbfuci\r\nis\0ready\0\nd \xff\nquit"[..];
        let mut next = || read(&mut input).unwrap();
        assert_eq!(next().as_deref(), Some("uci\r"));
        assert_eq!(next().as_deref(), Some("isready"));
        assert_eq!(next().as_deref(), Some("d \u{fffd}"));
        assert_eq!(next().as_deref(), Some("quit"));
    }
}
