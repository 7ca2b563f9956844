//! Errors about rule sets, and about files that a game or an evaluator needs.

use crate::RulesError;
use std::fmt::Display;
use std::io::ErrorKind;

/// What is wrong with a file or a request. Programs map it to an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenErrorKind {
    /// There is no such file.
    Missing,
    /// The file is damaged, or was made for another game, rule set or version.
    Rejected,
    /// The request makes no sense: a misspelt name or toggle, or rules that tables do not cover.
    Unsupported,
    /// The system cannot read the file.
    Io,
}

/// A rule set, or a file that a game or an evaluator needs, cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    kind: OpenErrorKind,
    message: String,
}

impl OpenErrorKind {
    /// Returns what is wrong with a file that [`files::open`](crate::files::open) or a read rejects.
    #[must_use]
    pub fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Missing,
            ErrorKind::InvalidInput | ErrorKind::InvalidData => Self::Rejected,
            _ => Self::Io,
        }
    }
}

impl OpenError {
    /// Creates an error with a message that names the file.
    #[must_use]
    pub fn new(kind: OpenErrorKind, message: impl Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> OpenErrorKind {
        self.kind
    }
}

impl From<OpenError> for String {
    fn from(error: OpenError) -> Self {
        error.message
    }
}

impl From<RulesError> for OpenError {
    fn from(error: RulesError) -> Self {
        Self::new(error.kind(), error)
    }
}
