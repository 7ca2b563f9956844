//! A client of the protocol, which runs another program as the engine.

use anyhow::{Context, anyhow, bail};
use fusion_game::Variant;
use fusion_jobs::exit::Failure;
use fusion_jobs::stop::Stop;
use fusion_jobs::system::Group;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use super::last_lines::LastLines;

/// Time limit for an answer that needs no work.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// Longest time until a stop request takes effect.
const SLICE: Duration = Duration::from_millis(50);
/// The most time that one slice counts towards a limit. If more time has passed, this process was
/// suspended, and the program's answer may be waiting in the pipe.
const LONGEST_SLICE: Duration = Duration::from_millis(250);
/// Exclusive upper bound of the bytes of a line.
const LONGEST_LINE: u64 = 1 << 16;
/// The most lines before an answer. Programs send far fewer in an hour of search.
const MOST_LINES: u32 = 300_000;
/// The most options of a program that are stored.
const MOST_OPTIONS: usize = 10_000;
/// The most lines that are read ahead. The reading thread waits when there are more.
const UNREAD: usize = 256;
/// Time limit for the end of a program that has closed its output.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most lines that wait for the program's pipe. Sending more is an error: the program does not
/// read its input.
const UNSENT: usize = 1024;

/// A running UCI program. Dropping the client ends it, with all programs that it has started. Every error
/// names the program, and has the end of its standard error.
#[derive(Debug)]
pub struct UciClient {
    /// The path with its arguments.
    command: String,
    name: String,
    options: Vec<String>,
    /// The values of the options that were set, by name.
    set: BTreeMap<String, String>,
    // The fields are dropped in this order: a program that reads the end of its input ends by itself.
    input: SyncSender<String>,
    lines: Receiver<Line>,
    errors: LastLines,
    process: Group,
}

/// A line from the reading thread, or the reason why the thread stopped.
type Line = Result<String, String>;

impl UciClient {
    /// Starts a program and completes the UCI handshake.
    ///
    /// # Errors
    /// Returns an error if the program is missing (exit code 66), cannot be started or does not
    /// follow the protocol.
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
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // This process handles Ctrl-C. It ends the program when it no longer needs it.
        let started = Group::spawn(&mut process);
        let mut process = started.with_context(|| cannot_start(program, &command))?;
        let leader = process.leader();
        let pipes = (leader.stdin.take(), leader.stdout.take(), leader.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            bail!("no pipes to {command}");
        };
        // Separate threads read and write, so that waiting can have a limit. They end when the pipe
        // is closed or the client is dropped.
        let (sender, lines) = sync_channel(UNREAD);
        std::thread::spawn(move || read_lines(BufReader::new(output), &sender));
        let (sender, unsent) = sync_channel(UNSENT);
        std::thread::spawn(move || write_lines(input, &unsent));
        let (input, errors) = (sender, LastLines::of(errors));
        let name = command.clone();
        let (options, set) = (Vec::new(), BTreeMap::new());
        let mut client = Self { command, name, options, set, input, lines, errors, process };
        // A request to stop keeps its exit code.
        client.introduce().map_err(|error| match error.downcast::<Failure>() {
            Ok(stopped) => stopped.into(),
            Err(error) => anyhow!("{error}; is it a UCI engine?"),
        })?;
        Ok(client)
    }

    fn introduce(&mut self) -> anyhow::Result<()> {
        let (mut named, mut options) = (None, Vec::new());
        self.ask("uci", |line| {
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

    /// Returns the name that the program reported, or its command if it reported none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the program's options.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Sets an option, unless it has this value already.
    ///
    /// # Errors
    /// Returns an error if the program does not have the option (exit code 64), or as [`UciClient::send`] does.
    pub fn set_option(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        if !self.options.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            let known = self.options.join(", ");
            let message = format!("{} has no option '{name}'; it has {known}", self.name);
            return Err(Failure::usage(message).into());
        }
        if self.set.get(name).is_none_or(|old| old != value) {
            self.send(&format!("setoption name {name} value {value}"))?;
            self.set.insert(name.to_owned(), value.to_owned());
        }
        Ok(())
    }

    /// Sends a line without waiting until the program reads it.
    ///
    /// # Errors
    /// Returns an error if the program has ended, or if it has not read the earlier lines.
    pub fn send(&mut self, line: &str) -> anyhow::Result<()> {
        self.input.try_send(format!("{line}\n")).map_err(|error| match error {
            TrySendError::Full(_) => {
                self.error(&format!("cannot be sent '{line}': it does not read what it is sent"))
            }
            TrySendError::Disconnected(_) => self.ended(line),
        })
    }

    /// Tells the program to play a variant. A definition is handed over in a file, as Fairy-Stockfish
    /// reads it.
    ///
    /// # Errors
    /// Returns an error if the program does not have the variant, or the errors of [`UciClient::wait`].
    pub fn set_variant(&mut self, variant: &Variant) -> anyhow::Result<()> {
        let Variant { name, definition } = variant;
        let option = |wanted: &str| self.options.iter().any(|known| known == wanted);
        let needed = definition.as_ref().map(|_| "VariantPath").into_iter().chain(["UCI_Variant"]);
        if let Some(missing) = needed.into_iter().find(|needed| !option(needed)) {
            let message =
                format!("{} has no option {missing}, so it cannot play {name}", self.name);
            return Err(Failure::usage(message).into());
        }
        if let Some(text) = definition {
            let folder = tempfile::tempdir().context("a folder for the definition of the game")?;
            let path = folder.path().join(format!("{name}.ini"));
            std::fs::write(&path, text)?;
            self.send(&format!("setoption name VariantPath value {}", path.display()))?;
            // It has read the file when it answers.
            self.synchronise()?;
        }
        let mut is_known = false;
        self.ask("uci", |line| {
            let is_list = line.starts_with("option name UCI_Variant ");
            is_known |= is_list && line.split(" var ").any(|known| known.trim() == name);
            (line == "uciok").then_some(())
        })?;
        if !is_known {
            return Err(self.error(&format!("does not offer the variant {name}")));
        }
        self.send(&format!("setoption name UCI_Variant value {name}"))
    }

    /// Waits until the program has processed everything that was sent.
    ///
    /// # Errors
    /// Returns the errors of [`UciClient::wait`].
    pub fn synchronise(&mut self) -> anyhow::Result<()> {
        self.ask("isready", |line| (line == "readyok").then_some(()))
    }

    /// Sends a question that needs no work, and waits until an answer is accepted. A signal to this
    /// process ends the wait.
    fn ask(
        &mut self,
        question: &str,
        accept: impl FnMut(&str) -> Option<()>,
    ) -> anyhow::Result<()> {
        self.send(question)?;
        let stop = Stop::of_process();
        match self.wait_unless(question, HANDSHAKE, || stop.requested(), accept)? {
            Some(()) => Ok(()),
            None => Ok(stop.check()?),
        }
    }

    /// Returns the first answer that is accepted. `question` names the request in messages. Time
    /// during which this process was suspended does not count towards the limit.
    ///
    /// # Errors
    /// Returns an error if the program ends, does not answer within the limit, or sends a line that
    /// is too long or too many lines.
    pub fn wait<T>(
        &mut self,
        question: &str,
        limit: Duration,
        accept: impl FnMut(&str) -> Option<T>,
    ) -> anyhow::Result<T> {
        let answer = self.wait_unless(question, limit, || false, accept)?;
        answer.context("a search without a stop was stopped")
    }

    /// Waits like [`UciClient::wait`], but returns `None` as soon as `stop` returns true.
    ///
    /// # Errors
    /// Returns the errors of [`UciClient::wait`].
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
            // An answer that has arrived counts even if it is late. This happens after a
            // suspension.
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
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(question)),
            }
            if left.is_zero() {
                // A process that it has started may hold its output open.
                if self.process.end_within(Duration::ZERO).is_some() {
                    return Err(self.ended(question));
                }
                let seconds = limit.as_secs();
                return Err(self.error(&format!("did not answer '{question}' in {seconds} s")));
            }
        }
        Ok(None)
    }

    /// Returns an error that names the program. It ends with the last lines that the program wrote to
    /// its standard error.
    #[must_use]
    pub fn error(&self, what: &str) -> anyhow::Error {
        let said = self.errors.text();
        let said =
            if said.is_empty() { said } else { format!("; its standard error ends: {said}") };
        anyhow!("{} {what}{said}", self.command)
    }

    /// Returns the error of a program that has closed its input or output, with its status.
    fn ended(&mut self, question: &str) -> anyhow::Error {
        match self.process.end_within(PATIENCE) {
            Some(status) => {
                self.errors.wait(PATIENCE);
                self.error(&format!("ended ({status}) without answering '{question}'"))
            }
            None => self.error(&format!("closed its output without answering '{question}'")),
        }
    }
}

/// Returns what to say of a program that could not be started.
fn cannot_start(program: &Path, command: &str) -> String {
    let hint = if program.is_dir() {
        ": it is a folder"
    } else if program.components().count() > 1 && program.exists() {
        ": the file is there; is it a program for this machine, may it be executed, and is the \
         interpreter there that its first line names?"
    } else {
        ""
    };
    format!("cannot start {command}{hint}")
}

/// Forwards each line until the program closes its output, the client is dropped, or a line is too
/// long.
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

/// Writes each line until the program closes its input or the client is dropped.
fn write_lines(mut input: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}
