//! The output of answers: whole lines, from any thread.

use fusion_jobs::escape::escaped;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most characters of a remark. Remarks quote what was sent.
const LONGEST: usize = 1000;

/// The output, shared by all threads.
#[derive(Clone)]
pub(super) struct Output {
    writer: Arc<Mutex<dyn Write + Send>>,
    closed: Arc<AtomicBool>,
}

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static) -> Self {
        Self { writer: Arc::new(Mutex::new(writer)), closed: Arc::default() }
    }

    /// Writes lines. Control characters are escaped.
    pub(super) fn line(&self, text: &str) {
        let text = escaped(text);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // An error means that the other program has ended. There is no other place to report that.
        if writeln!(writer, "{text}").and_then(|()| writer.flush()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    /// Writes a remark for the user, on one line.
    pub(super) fn remark(&self, text: &str) {
        self.line(&format!("info string {}", one_line(text)));
    }

    /// Writes an error for the user.
    pub(super) fn error(&self, text: &str) {
        self.remark(&format!("error: {text}"));
    }

    /// Returns whether the output is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Returns the beginning of a text, with blanks instead of control characters.
pub(super) fn one_line(text: &str) -> String {
    let mut letters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let line: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() { line + "..." } else { line }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An output that is stored in memory.
    #[derive(Clone, Default)]
    pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        /// Returns the text written since the last call.
        pub(crate) fn take(&self) -> String {
            String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn remarks_are_one_line() {
        let written = Written::default();
        Output::new(written.clone()).error("a\nb\u{1b}c");
        assert_eq!(written.take(), "info string error: a b c\n");
        Output::new(written.clone()).remark(&"x".repeat(1 << 20));
        assert_eq!(written.take(), format!("info string {}...\n", "x".repeat(LONGEST)));
    }

    #[test]
    fn nothing_controls_a_terminal() {
        let written = Written::default();
        let output = Output::new(written.clone());
        output.line("a\u{1b}[2Jb\u{202e}\r\n1");
        output.remark("a\u{1b}[2Jb\u{202e}");
        let expected = "a\\u{1b}[2Jb\\u{202e}\\u{d}\n1\ninfo string a [2Jb\\u{202e}\n";
        assert_eq!(written.take(), expected);
    }
}
