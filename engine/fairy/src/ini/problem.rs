//! What is wrong with a file.

use std::fmt;

/// Something in a file that has to change before its game can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1; `None` for a change that no file contains.
    pub line: Option<usize>,
    /// The section, if it is one's.
    pub section: Option<String>,
    /// The option, if it is one's.
    pub option: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": ")?;
        if let Some(section) = &self.section {
            write!(f, "[{section}] ")?;
        }
        if let Some(option) = &self.option {
            write!(f, "{option}: ")?;
        }
        write!(f, "{}", self.message)
    }
}

/// All problems of a file or of a section, in the order of the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if place == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Where an option is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub file: String,
    pub line: Option<usize>,
    pub section: String,
}

impl Place {
    /// Returns a problem of an option here.
    pub(super) fn problem(&self, option: &str, message: impl Into<String>) -> Problem {
        let option = (!option.is_empty()).then(|| option.into());
        Problem {
            file: self.file.clone(),
            line: self.line,
            section: Some(self.section.clone()),
            option,
            message: message.into(),
        }
    }
}
