//! Exit codes, errors that carry them, and the `main` of all command-line programs.
//!
//! | code | meaning |
//! | --- | --- |
//! | 0 | done, or already done |
//! | 1 | any other error |
//! | 64 | usage: a bad argument or configuration |
//! | 65 | input that is corrupt or of another version |
//! | 66 | no such file, or a file of games that cannot be read |
//! | 75 | interrupted by a scheduler's signal, or another process is at work: run again to continue |
//! | 130 | interrupted by Ctrl-C |

use crate::escape::{self, shown};
use crate::{processor, system};
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// Exit code for a bad argument, configuration key or value.
pub const USAGE: u8 = 64;
/// Exit code for a corrupt or incompatible input file.
pub const CORRUPT: u8 = 65;
/// Exit code for a missing input file.
pub const NO_INPUT: u8 = 66;
/// Exit code after a signal other than SIGINT, and where another process has locked the folder or the
/// shard; the same command continues.
pub const INTERRUPTED: u8 = 75;
/// Exit code after an interrupt at a terminal (SIGINT).
pub const CTRL_C: u8 = 130;

/// An error with its exit code.
///
/// # Examples
/// ```
/// use fusion_jobs::exit::{CORRUPT, Failure, exit_code};
///
/// let failure = Failure::corrupt("games.csv, line 7: `whte` is not a side");
/// let error = anyhow::Error::new(failure).context("reading the study");
/// assert_eq!(exit_code(&error), CORRUPT);
/// assert_eq!(
///     format!("{error:#}"),
///     "reading the study: games.csv, line 7: `whte` is not a side"
/// );
/// ```
#[derive(Debug)]
pub struct Failure {
    code: u8,
    /// The key of a configuration that has a bad value; empty if the error is about none. The message
    /// goes on from it.
    key: String,
    message: String,
}

impl Failure {
    /// Creates an error with an exit code of this module.
    pub fn new(code: u8, message: impl Display) -> Self {
        Self { code, key: String::new(), message: message.to_string() }
    }

    /// Creates the error for a bad value of a configuration's key (exit code 64). The message is the key,
    /// then `reason`.
    ///
    /// ```
    /// use fusion_jobs::exit::Failure;
    ///
    /// let failure = Failure::of_key("strength.games", " must be even");
    /// assert_eq!(failure.key(), "strength.games");
    /// let failure = failure.in_section("strength", "matches.long");
    /// assert_eq!(failure.to_string(), "matches.long.games must be even");
    /// assert_eq!(failure.with_key("--games").to_string(), "--games must be even");
    /// ```
    pub fn of_key(key: impl Display, reason: impl Display) -> Self {
        Self { key: key.to_string(), ..Self::usage(reason) }
    }

    /// Creates the error for a bad argument, configuration key or value (exit code 64).
    pub fn usage(message: impl Display) -> Self {
        Self::new(USAGE, message)
    }

    /// Returns the key that has a bad value; an empty text if the error is about none.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the error with another name of its key.
    #[must_use]
    pub fn with_key(self, key: impl Display) -> Self {
        Self { key: key.to_string(), ..self }
    }

    /// Returns the error as that of a configuration's key or an option, with the exit code that it has.
    ///
    /// ```
    /// use fusion_jobs::exit::Failure;
    ///
    /// let failure = Failure::usage("unknown rule set 'x'").under("measure.ablate");
    /// assert_eq!(failure.to_string(), "measure.ablate: unknown rule set 'x'");
    /// assert_eq!(failure.key(), "measure.ablate");
    /// ```
    #[must_use]
    pub fn under(self, key: impl Display) -> Self {
        Self { code: self.code, key: key.to_string(), message: format!(": {self}") }
    }

    /// Returns the error of a section `from` as one of the section `to`, which has the same keys.
    #[must_use]
    pub fn in_section(self, from: &str, to: &str) -> Self {
        match self.key.strip_prefix(from) {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => {
                let key = format!("{to}{rest}");
                self.with_key(key)
            }
            _ => self,
        }
    }

    /// Creates the error for a corrupt or incompatible input file (exit code 65).
    pub fn corrupt(message: impl Display) -> Self {
        Self::new(CORRUPT, message)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.key, self.message)
    }
}

impl std::error::Error for Failure {}

/// Returns the exit code of an error: that of the first [`Failure`] in its chain, 66 for a missing
/// file, else 1.
///
/// # Examples
/// ```
/// use anyhow::Context;
/// use fusion_jobs::exit::{NO_INPUT, exit_code};
///
/// let missing = std::fs::read("/no/such/file").context("reading the openings").unwrap_err();
/// assert_eq!(exit_code(&missing), NO_INPUT);
/// assert_eq!(exit_code(&anyhow::anyhow!("another error")), 1);
/// ```
#[must_use]
pub fn exit_code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return failure.code;
        }
        if let Some(io) = cause.downcast_ref::<io::Error>()
            && io.kind() == ErrorKind::NotFound
        {
            return NO_INPUT;
        }
    }
    1
}

/// Parses the arguments and runs the program. A binary's `main` consists only of this call.
///
/// Usage errors exit with 64 (clap's own default is 2). `--help` and `--version` exit with 0. Other
/// errors are printed on one line, with causes joined by colons. Output that cannot be written, such
/// as to a full disk, is an error (exit code 1); a closed pipe is none. A write beyond the limit on the
/// size of files (`ulimit -f`) is an ordinary error and does not end the process. So is an allocation
/// that fails.
pub fn main<Args: clap::Parser>(run: impl FnOnce(Args) -> anyhow::Result<()>) -> ExitCode {
    if let Err(error) = processor::check() {
        note(format_args!("error: {error}"));
        return ExitCode::FAILURE;
    }
    system::survive();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            print_usage(&error);
            return USAGE.into();
        }
        Err(help) => {
            keep_first(help.print());
            return output_code();
        }
    };
    match run(args) {
        Ok(()) => output_code(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("error: {error:#}"));
            exit_code(&error).into()
        }
    }
}

/// Returns the exit code of a program that did all of its work: 1 if standard output failed.
fn output_code() -> ExitCode {
    keep_first(io::stdout().flush());
    match OUTPUT_ERROR.get() {
        None => ExitCode::SUCCESS,
        Some(error) => {
            note(format_args!("error: standard output: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a usage error.
fn print_usage(error: &clap::Error) {
    let odd = |argument: std::ffi::OsString| {
        matches!(escape::escaped(&argument.to_string_lossy()), std::borrow::Cow::Owned(_))
    };
    if std::env::args_os().any(odd) {
        // clap's colours are control characters too.
        return note(error.render());
    }
    // A message that cannot be printed is dropped.
    let _ = error.print();
}

/// Prints a status line to standard error, with control characters escaped. Errors are ignored, so
/// that a closed pipe or a full disk does not end the work.
pub fn note(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", shown(line));
}

/// The first error of standard output in [`say`].
static OUTPUT_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to standard output, with control characters escaped. An error does not end the
/// work; [`main`] returns it at the end, unless it is a closed pipe.
pub fn say(line: impl Display) {
    keep_first(writeln!(io::stdout(), "{}", shown(line)));
}

/// Keeps the first error of standard output, unless it is a closed pipe.
fn keep_first(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = OUTPUT_ERROR.set(error);
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let of_pipe = |io: &io::Error| io.kind() == ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(of_pipe))
}

/// Returns the nearest known name, if it is so near that `word` is probably a misspelling of it.
///
/// ```
/// use fusion_jobs::exit::nearest;
///
/// assert_eq!(nearest("unifrom", ["uniform", "material"]), Some("uniform"));
/// assert_eq!(nearest("stockfish", ["uniform", "material"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One letter in four may be wrong. Long texts are not misspelt names, so they are not compared.
    let most = word.chars().take(64).count().div_ceil(4);
    if most > 8 {
        return None;
    }
    let distance = |known: &&str| strsim::damerau_levenshtein(word, known);
    known.into_iter().min_by_key(distance).filter(|known| distance(known) <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn exit_codes_follow_the_first_cause_that_has_one() {
        let missing = std::fs::read("/no/such/file").context("reading the pool").unwrap_err();
        assert_eq!(exit_code(&missing), NO_INPUT);
        let usage = anyhow::Error::new(Failure::usage("no such toggle")).context("in study.toml");
        assert_eq!(exit_code(&usage), USAGE);
        assert_eq!(exit_code(&anyhow::anyhow!("other")), 1);
    }
}
