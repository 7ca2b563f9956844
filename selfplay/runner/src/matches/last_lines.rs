//! The end of what a program writes to its standard error.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fusion_jobs::escape::shown;

/// The most lines that are quoted.
const LINES: usize = 5;
/// The most bytes that are stored.
const BYTES: usize = 1000;
/// Interval between looks at the reading thread.
const INTERVAL: Duration = Duration::from_millis(5);

/// The last bytes of a stream, which a thread reads to its end.
#[derive(Debug)]
pub(super) struct LastLines {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    reading: JoinHandle<()>,
}

impl LastLines {
    /// Starts the thread.
    pub(super) fn of(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let kept = bytes.clone();
        let reading = std::thread::spawn(move || {
            let mut read = [0; 1 << 14];
            while let Ok(count @ 1..) = stream.read(&mut read) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&read[count.saturating_sub(BYTES)..count]);
                let surplus = kept.len().saturating_sub(BYTES);
                kept.drain(..surplus);
            }
        });
        Self { bytes, reading }
    }

    /// Waits until the stream has ended, for at most `limit`.
    pub(super) fn wait(&self, limit: Duration) {
        let started = Instant::now();
        while !self.reading.is_finished() && started.elapsed() < limit {
            std::thread::sleep(INTERVAL);
        }
    }

    /// Returns the last lines that are not empty on one line, separated by ` | `, with control characters
    /// escaped. The first one may be cut off.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> =
            self.bytes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.retain(|line| !line.is_empty());
        shown(lines[lines.len().saturating_sub(LINES)..].join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(bytes: &[u8]) -> String {
        let lines = LastLines::of(std::io::Cursor::new(bytes.to_vec()));
        lines.wait(Duration::from_secs(60));
        lines.text()
    }

    #[test]
    fn the_last_lines_are_kept_and_escaped() {
        assert_eq!(last(b""), "");
        assert_eq!(last(b"one\n\n  two\r\n\x1b[31mred\xff"), "one | two | \\u{1b}[31mred\u{fffd}");
        assert_eq!(last(b"1\n2\n3\n4\n5\n6\n"), "2 | 3 | 4 | 5 | 6");
        assert_eq!(last(&b"x".repeat(100_000)), "x".repeat(BYTES));
        let many: String = (0..100_000).map(|i| format!("line {i}\n")).collect();
        assert!(last(many.as_bytes()).ends_with("line 99998 | line 99999"));
    }
}
