//! Another program's move counts, by UCI's `go perft`.

use anyhow::{Context, anyhow, bail};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Time for an answer that needs no work.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Time for one count.
const COUNT: Duration = Duration::from_secs(120);

/// A running UCI engine; ended when dropped.
pub struct UciPeer {
    path: PathBuf,
    name: String,
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl UciPeer {
    /// Starts a program and asks its name.
    pub fn start(path: &Path) -> anyhow::Result<Self> {
        let command = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process =
            command.with_context(|| format!("--uci-peer: cannot start {}", path.display()))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("--uci-peer: no pipes to {}", path.display());
        };
        // A thread of its own reads, so that waiting can have a limit. It ends with the pipe.
        // It waits while many lines are unread.
        let (sender, lines) = sync_channel(1024);
        std::thread::spawn(move || {
            let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
            lines.map_while(|line| sender.send(line).ok()).for_each(drop);
        });
        let name = path.display().to_string();
        let mut peer = Self { path: path.to_owned(), name, process, input, lines };
        peer.send("uci")?;
        let mut named = None;
        peer.wait("uci", HANDSHAKE, |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                named = Some(name.to_owned());
            }
            (line == "uciok").then_some(())
        })?;
        if let Some(name) = named {
            peer.name = name;
        }
        Ok(peer)
    }

    /// The name that the program gives itself, else its path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The count of a position and the seconds from the question to the answer.
    pub fn perft(&mut self, fen: &str, depth: u32) -> anyhow::Result<(u64, f64)> {
        self.send(&format!("position fen {fen}"))?;
        self.send("isready")?;
        self.wait("isready", HANDSHAKE, |line| (line == "readyok").then_some(()))?;
        let question = format!("go perft {depth}");
        let start = Instant::now();
        self.send(&question)?;
        let answer = self.wait(&question, COUNT, |line| {
            line.strip_prefix("Nodes searched:").map(|count| count.trim().to_owned())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let count = answer.parse().map_err(|_| self.error(&format!("counts '{answer}' nodes")))?;
        Ok((count, seconds))
    }

    fn send(&mut self, line: &str) -> anyhow::Result<()> {
        // Not the system's error itself: a closed pipe would pass for that of our own output.
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .map_err(|error| self.error(&format!("cannot be sent '{line}': {error}")))
    }

    /// The first answer that is accepted.
    fn wait<T>(
        &self,
        question: &str,
        limit: Duration,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> anyhow::Result<T> {
        let end = Instant::now() + limit;
        loop {
            // Waiting no time still receives what is there: who talks without end is not heard.
            let left = end.saturating_duration_since(Instant::now());
            let received = match left.is_zero() {
                true => Err(RecvTimeoutError::Timeout),
                false => self.lines.recv_timeout(left),
            };
            match received {
                Ok(line) => {
                    if let Some(answer) = accept(line.trim()) {
                        return Ok(answer);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = limit.as_secs();
                    bail!(self.error(&format!("did not answer '{question}' in {seconds} s")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    bail!(self.error(&format!("ended without answering '{question}'")));
                }
            }
        }
    }

    fn error(&self, what: &str) -> anyhow::Error {
        anyhow!(
            "--uci-peer: {} {what}; is it a UCI engine that knows `go perft`?",
            self.path.display()
        )
    }
}

impl Drop for UciPeer {
    fn drop(&mut self) {
        // It may have ended by itself, and nothing depends on it any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
