//! The other end of the protocol: another program, asked by us.

use super::lines;
use anyhow::{Context, anyhow, bail};
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Time for an answer that needs no work.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// A wish to stop is noticed after so long at the latest.
const SLICE: Duration = Duration::from_millis(50);

/// A running UCI program; ended when dropped. Every error names it.
#[derive(Debug)]
pub struct Client {
    /// The path with its arguments.
    command: String,
    name: String,
    options: Vec<String>,
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Client {
    /// Starts a program and lets it introduce itself.
    ///
    /// # Errors
    /// A program that is missing (exit code 66), that cannot be started or that does not
    /// speak the protocol.
    pub fn start<'a>(
        program: &Path,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<Self> {
        let mut process = Command::new(program);
        let mut command = program.display().to_string();
        for argument in arguments {
            process.arg(argument);
            command = format!("{command} {argument}");
        }
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is ours to handle: the program ends when we are done with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let mut process = process.spawn().with_context(|| format!("cannot start {command}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("no pipes to {command}");
        };
        // A thread of its own reads, so that waiting can have a limit. It ends with the pipe.
        // It waits while many lines are unread.
        let (sender, lines) = sync_channel(1024);
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(line)) = lines::read(&mut output)
                && sender.send(line).is_ok()
            {}
        });
        let name = command.clone();
        let mut client = Self { command, name, options: Vec::new(), process, input, lines };
        client.introduce().map_err(|error| anyhow!("{error}; is it a UCI engine?"))?;
        Ok(client)
    }

    fn introduce(&mut self) -> anyhow::Result<()> {
        self.send("uci")?;
        let (mut named, mut options) = (None, Vec::new());
        self.wait("uci", HANDSHAKE, |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                named = Some(name.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option name ") {
                let name = option.split_once(" type ").map_or(option, |(name, _)| name);
                options.push(name.trim().to_owned());
            }
            (line == "uciok").then_some(())
        })?;
        self.options = options;
        self.name = named.unwrap_or_else(|| self.command.clone());
        Ok(())
    }

    /// The name that the program gives itself, else its command.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the options that the program has.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Sends a line.
    ///
    /// # Errors
    /// A program that has ended.
    pub fn send(&mut self, line: &str) -> anyhow::Result<()> {
        // Not the system's error itself: a closed pipe would pass for that of our own output.
        writeln!(self.input, "{line}")
            .and_then(|()| self.input.flush())
            .map_err(|error| self.error(&format!("cannot be sent '{line}': {error}")))
    }

    /// Waits until the program has done everything that it was sent.
    ///
    /// # Errors
    /// As [`Client::wait`].
    pub fn synchronise(&mut self) -> anyhow::Result<()> {
        self.send("isready")?;
        self.wait("isready", HANDSHAKE, |line| (line == "readyok").then_some(()))
    }

    /// The first answer that is accepted. `question` is what was asked, for messages.
    ///
    /// # Errors
    /// A program that ends, or does not answer within the limit.
    pub fn wait<T>(
        &mut self,
        question: &str,
        limit: Duration,
        accept: impl FnMut(&str) -> Option<T>,
    ) -> anyhow::Result<T> {
        let answer = self.wait_unless(question, limit, || false, accept)?;
        answer.context("nobody asked for a stop")
    }

    /// As [`Client::wait`], but `None` as soon as `stop` says so.
    ///
    /// # Errors
    /// As [`Client::wait`].
    pub fn wait_unless<T>(
        &mut self,
        question: &str,
        limit: Duration,
        stop: impl Fn() -> bool,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> anyhow::Result<Option<T>> {
        let end = Instant::now() + limit;
        while !stop() {
            // Waiting no time still receives what is there: who talks without end is not heard.
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let seconds = limit.as_secs();
                return Err(self.error(&format!("did not answer '{question}' in {seconds} s")));
            }
            match self.lines.recv_timeout(left.min(SLICE)) {
                Ok(line) => {
                    if let Some(answer) = accept(line.trim()) {
                        return Ok(Some(answer));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.error(&format!("ended without answering '{question}'")));
                }
            }
        }
        Ok(None)
    }

    /// An error about the program.
    #[must_use]
    pub fn error(&self, what: &str) -> anyhow::Error {
        anyhow!("{} {what}", self.command)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself, and nothing depends on it any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
