//! The other end of the protocol: another program, asked by us.

use anyhow::{Context, anyhow, bail};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

/// Time for an answer that needs no work.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// A wish to stop is noticed after so long at the latest.
const SLICE: Duration = Duration::from_millis(50);
/// The most that one slice counts towards a limit. Where more time has passed, our own process
/// was stopped, and the program's answer may wait in the pipe.
const LONGEST_SLICE: Duration = Duration::from_millis(250);
/// A line has fewer bytes.
const LONGEST_LINE: u64 = 1 << 16;
/// The most lines before an answer: many times what programs send in an hour of thinking.
const MOST_LINES: u32 = 300_000;
/// The most options of a program that are remembered.
const MOST_OPTIONS: usize = 10_000;
/// Lines that were read and not looked at yet. Beyond that the reading waits.
const UNREAD: usize = 256;
/// Lines for the program that are not in its pipe yet. Beyond that it does not read.
const UNSENT: usize = 1024;

/// A running UCI program; ended when dropped. Every error names it.
#[derive(Debug)]
pub struct Client {
    /// The path with its arguments.
    command: String,
    name: String,
    options: Vec<String>,
    process: Child,
    input: SyncSender<String>,
    lines: Receiver<Line>,
}

/// What the reading thread found: a line, or why it gave up.
type Line = Result<String, String>;

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
        // Threads of their own read and write, so that waiting can have a limit. They end with
        // their pipe, or when the client is gone.
        let (sender, lines) = sync_channel(UNREAD);
        std::thread::spawn(move || read_lines(BufReader::new(output), &sender));
        let (sender, unsent) = sync_channel(UNSENT);
        std::thread::spawn(move || write_lines(input, &unsent));
        let input = sender;
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
                if options.len() < MOST_OPTIONS {
                    options.push(name.trim().to_owned());
                }
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

    /// Sends a line; does not wait until the program takes it.
    ///
    /// # Errors
    /// A program that has ended, or that has not taken the lines before this.
    pub fn send(&mut self, line: &str) -> anyhow::Result<()> {
        self.input.try_send(format!("{line}\n")).map_err(|error| {
            let why = match error {
                TrySendError::Full(_) => "it does not read what it is sent",
                TrySendError::Disconnected(_) => "it has ended",
            };
            self.error(&format!("cannot be sent '{line}': {why}"))
        })
    }

    /// Waits until the program has done everything that it was sent.
    ///
    /// # Errors
    /// As [`Client::wait`].
    pub fn synchronise(&mut self) -> anyhow::Result<()> {
        self.send("isready")?;
        self.wait("isready", HANDSHAKE, |line| (line == "readyok").then_some(()))
    }

    /// The first answer that is accepted. `question` is what was asked, for messages. Time in
    /// which our own process was stopped does not count towards the limit.
    ///
    /// # Errors
    /// A program that ends, does not answer within the limit, or sends a line or a number of
    /// lines that no program needs.
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
        let (mut waited, mut lines) = (Duration::ZERO, 0);
        let mut last = Instant::now();
        while !stop() {
            let now = Instant::now();
            waited += now.duration_since(last).min(LONGEST_SLICE);
            last = now;
            // An answer that is there counts, however late: so it is after a stop.
            let left = limit.saturating_sub(waited);
            match self.lines.recv_timeout(left.min(SLICE)) {
                Ok(Ok(line)) => {
                    if let Some(answer) = accept(line.trim()) {
                        return Ok(Some(answer));
                    }
                    lines += 1;
                    if lines == MOST_LINES {
                        let what = format!("sent {lines} lines and no answer to '{question}'");
                        return Err(self.error(&what));
                    }
                    if !left.is_zero() {
                        continue;
                    }
                }
                Ok(Err(why)) => {
                    return Err(self.error(&format!("{why} instead of answering '{question}'")));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.error(&format!("ended without answering '{question}'")));
                }
            }
            if left.is_zero() {
                let seconds = limit.as_secs();
                return Err(self.error(&format!("did not answer '{question}' in {seconds} s")));
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

/// Hands over line after line until the program closes its output, the client is gone, or a
/// line has no end.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<Line>) {
    loop {
        let mut bytes = Vec::new();
        let line = match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(length) if length as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") => {
                Err(format!("sent a line of {LONGEST_LINE} bytes or more"))
            }
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        };
        let last = line.is_err();
        if lines.send(line).is_err() || last {
            return;
        }
    }
}

/// Writes line after line until the program closes its input or the client is gone.
fn write_lines(mut input: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself, and nothing depends on it any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
